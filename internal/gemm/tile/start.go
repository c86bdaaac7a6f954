//go:build (amd64 || arm64) && !noasm

package tile

// start sets the fields that all tiles of a product have, of which the last row and column are
// mHi-1 and nHi-1. It returns the biases of e. The assembly does not check their bounds.
func (t *tile) start(add bool, mHi, nHi int, e *Epilogue[float32]) (rowBias, columnBias []float32) {
	if add {
		t.flags = flagAdd
	}
	if e == nil {
		return nil, nil
	}
	if e.Clamp {
		t.flags |= flagClamp
		t.lo, t.hi = e.Lo, e.Hi
	}
	if e.RowBias != nil {
		_ = e.RowBias[mHi-1]
	}
	if e.ColumnBias != nil {
		_ = e.ColumnBias[nHi-1]
	}
	return e.RowBias, e.ColumnBias
}
