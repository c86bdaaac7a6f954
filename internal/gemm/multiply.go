package gemm

// Epilogue is what is done to the elements of c when the last block of the depth
// has been added.
type Epilogue[T Number] struct {
	// RowBias[i] is added to row i of c, ColumnBias[j] to column j; nil adds nothing.
	RowBias, ColumnBias []T
	// Clamp says that c[i,j] becomes min(max(c[i,j], Lo), Hi) then, NaN Lo.
	Clamp  bool
	Lo, Hi T
}

// Multiply multiplies block i of packed panels into rows mLo to mHi-1 and columns
// nLo to nHi-1 of c, whose rows are ldc apart; the lower limits are multiples of MR
// and NR. Block 0 sets c, the others add to it.
func (k *Kernel[T]) Multiply(c []T, ldc int, a, b []T, depth, i int, mLo, mHi, nLo, nHi int) {
	k.MultiplyThen(c, ldc, a, b, depth, i, mLo, mHi, nLo, nHi, nil)
}

// MultiplyThen is Multiply and, with the last block, the epilogue e, if not nil.
func (k *Kernel[T]) MultiplyThen(c []T, ldc int, a, b []T, depth, i int, mLo, mHi, nLo, nHi int, e *Epilogue[T]) {
	if mLo >= mHi || nLo >= nHi {
		return
	}
	d := k.Depth(i, depth)
	if i < k.Blocks(depth)-1 {
		e = nil
	}
	if k.isa == avx2 || k.isa == avx512 {
		k.multiplyTiles(c, ldc, a, b, d, i > 0, mLo, mHi, nLo, nHi, e)
		return
	}
	for n := nLo; n < nHi; n += k.NR {
		panelB := b[n*d:][:k.NR*d]
		for m := mLo; m < mHi; m += k.MR {
			panelA := a[m*d:][:k.MR*d]
			rows, columns := min(k.MR, mHi-m), min(k.NR, nHi-n)
			if rows == k.MR && columns == k.NR {
				k.tile(d, panelA, panelB, c[m*ldc+n:], ldc, i > 0)
			} else {
				var edge [maxEdge]T
				k.tile(d, panelA, panelB, edge[:k.MR*k.NR], k.NR, false)
				addEdge(c[m*ldc+n:], ldc, edge[:], k.NR, rows, columns, i > 0)
			}
			if e != nil {
				e.apply(c, ldc, m, m+rows, n, n+columns)
			}
		}
	}
}

// maxEdge is the number of elements of the largest tile that is computed whole where
// c has only a part of it.
const maxEdge = 8 * 12

// addEdge sets a part of a tile of c to that of edge, or adds it.
func addEdge[T Number](c []T, ldc int, edge []T, stride, rows, columns int, add bool) {
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
	for m := mLo; m < mHi; m++ {
		row := c[m*ldc+nLo:][:nHi-nLo]
		if e.RowBias != nil {
			bias := e.RowBias[m]
			for j := range row {
				row[j] += bias
			}
		}
		if e.ColumnBias != nil {
			for j, bias := range e.ColumnBias[nLo:nHi] {
				row[j] += bias
			}
		}
		if !e.Clamp {
			continue
		}
		for j, v := range row {
			if !(v > e.Lo) { // NaN too
				v = e.Lo
			}
			row[j] = min(v, e.Hi)
		}
	}
}
