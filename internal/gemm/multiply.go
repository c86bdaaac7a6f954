package gemm

import "github.com/vinoir/vinoir/internal/cast"

// Epilogue is what is done to the elements of c when the last block of the depth has been added: the
// biases are added, then the result is clamped.
type Epilogue[T Number] struct {
	// RowBias[i] is added to row i of c, and ColumnBias[j] to column j. nil adds nothing.
	RowBias, ColumnBias []T
	// Clamp sets c[i,j] to min(max(c[i,j], Lo), Hi), and NaN to Lo.
	Clamp  bool
	Lo, Hi T
}

// Multiply multiplies block i of packed panels into rows mLo to mHi-1 and columns nLo to nHi-1 of c.
// a and b are all panels of the block, as PackA and PackB write them, and depth is the depth of all
// blocks. Consecutive rows of c are ldc elements apart. mLo must be a multiple of MR, and nLo of NR.
// Block 0 sets c; the other blocks add to it.
func (k *Kernel[T]) Multiply(c []T, ldc int, a, b []T, depth, i int, mLo, mHi, nLo, nHi int) {
	k.MultiplyThen(c, ldc, a, b, depth, i, mLo, mHi, nLo, nHi, nil)
}

// MultiplyThen is Multiply, and applies e with the last block if e is not nil.
func (k *Kernel[T]) MultiplyThen(c []T, ldc int, a, b []T, depth, i int, mLo, mHi, nLo, nHi int, e *Epilogue[T]) {
	if mLo >= mHi || nLo >= nHi {
		return
	}
	d := k.Depth(i, depth)
	if i < k.Blocks(depth)-1 {
		e = nil
	}
	if k.isa != portable {
		x, y, z := cast.Slice[float32](a), cast.Slice[float32](b), cast.Slice[float32](c)
		f, _ := any(e).(*Epilogue[float32])
		switch k.isa {
		case portablePairs, portableF16:
			multiplyPairs(&k.Tiling, z, ldc, x, y, d, i > 0, mLo, mHi, nLo, nHi, f)
		case portableHalves:
			multiplyHalves(&k.Tiling, z, ldc, x, y, d, i > 0, mLo, mHi, nLo, nHi, f)
		case neonHalves:
			multiplyHalfTiles(&k.Tiling, z, ldc, x, y, d, i > 0, mLo, mHi, nLo, nHi, f)
		default:
			multiplyTiles(&k.Tiling, z, ldc, x, y, d, i > 0, mLo, mHi, nLo, nHi, f)
		}
		return
	}
	for n := nLo; n < nHi; n += k.NR {
		panelB := b[n*d:][:k.NR*d]
		for m := mLo; m < mHi; m += k.MR {
			panelA := a[m*d:][:k.MR*d]
			rows, columns := min(k.MR, mHi-m), min(k.NR, nHi-n)
			if rows == k.MR && columns == k.NR {
				k.multiplyTile(d, panelA, panelB, c[m*ldc+n:], ldc, i > 0)
			} else {
				var edge [maxEdge]T
				k.multiplyTile(d, panelA, panelB, edge[:k.MR*k.NR], k.NR, false)
				storeEdge(c[m*ldc+n:], ldc, edge[:], k.NR, rows, columns, i > 0)
			}
		}
	}
	if e != nil { // not for each tile: its rows of NR columns are short for a loop
		e.apply(c, ldc, mLo, mHi, nLo, nHi)
	}
}

// MultiplyPacked is MultiplyThen for a matrix b that PackAllB or PackHalves has returned. panel has Packed.PanelLen elements, which it
// overwrites.
func (k *Kernel[T]) MultiplyPacked(c []T, ldc int, a []T, b *Packed[T], depth, i int, mLo, mHi, nLo, nHi int, e *Epilogue[T], panel []T) {
	if b.halves == nil {
		k.MultiplyThen(c, ldc, a, b.Block(i), depth, i, mLo, mHi, nLo, nHi, e)
		return
	}
	f, _ := any(e).(*Epilogue[float32])
	block := b.halves.data[i*b.kc*b.lines:]
	b.halves.multiply(&k.Tiling, cast.Slice[float32](c), ldc, cast.Slice[float32](a), block, depth, i, mLo, mHi, nLo, nHi, f, cast.Slice[float32](panel))
}

// maxEdge is the number of elements of the largest tile that is computed in a buffer if only a part
// of it is in c.
const maxEdge = 8 * 12

// storeEdge stores the given rows and columns of edge in c, or adds them to c if add is true.
func storeEdge[T Number](c []T, ldc int, edge []T, stride, rows, columns int, add bool) {
	for r := range rows {
		out := c[r*ldc:][:columns]
		for j, v := range edge[r*stride:][:columns] {
			if add {
				v += out[j]
			}
			out[j] = v
		}
	}
}

// apply applies e to rows mLo to mHi-1 and columns nLo to nHi-1 of c.
func (e *Epilogue[T]) apply(c []T, ldc, mLo, mHi, nLo, nHi int) {
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

// clamp adds bias to the elements of x, and limits the sums to the range from lo to hi. NaN becomes lo.
func clamp[T Number](x []T, bias, lo, hi T) {
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
