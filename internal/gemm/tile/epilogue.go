package tile

import (
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// Epilogue is what is done to the elements of c when the last block of the depth has been added:
// the biases are added, then the result is clamped.
type Epilogue[T pack.Number] struct {
	// RowBias[i] is added to row i of c, and ColumnBias[j] to column j. nil adds nothing.
	RowBias, ColumnBias []T
	// Clamp sets c[i,j] to min(max(c[i,j], Lo), Hi), and NaN to Lo.
	Clamp  bool
	Lo, Hi T
}

// Apply applies e to rows mLo to mHi-1 and columns nLo to nHi-1 of c.
func (e *Epilogue[T]) Apply(c []T, ldc, mLo, mHi, nLo, nHi int) {
	var zero T
	for m := mLo; m < mHi; m++ {
		row := c[m*ldc+nLo:][:nHi-nLo]
		bias := -zero // which changes no number that it is added to
		if e.RowBias != nil {
			bias = e.RowBias[m]
		}
		if e.ColumnBias != nil {
			for j, columnBias := range e.ColumnBias[nLo:nHi] {
				row[j] = row[j] + bias + columnBias
			}
			bias = -zero
		}
		if e.Clamp {
			clamp(row, bias, e.Lo, e.Hi)
		} else if e.ColumnBias == nil {
			for j := range row {
				row[j] += bias
			}
		}
	}
}

// clamp adds bias to the elements of x, and limits the sums to the range from lo to hi. NaN becomes
// lo.
func clamp[T pack.Number](x []T, bias, lo, hi T) {
	for i, v := range x {
		v += bias
		if !(v > lo) {
			v = lo
		}
		if v > hi { // the function min is a call on wasm
			v = hi
		}
		x[i] = v
	}
}
