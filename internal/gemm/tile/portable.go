package tile

import (
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// PortableMR and PortableNR are the rows and columns of a tile of the portable micro-kernel.
const PortableMR, PortableNR = 4, 2

// TilePortable multiplies a panel of a with 4 rows by a panel of b with 2 columns:
//
//	c[i*ldc + j] = sum over p of a[p*4 + i]*b[p*2 + j]
//
// If add is true, it adds what c held. The eight sums fit in the registers of every processor. Four
// steps of the sums at a time need one check of bounds: 2.3 times as fast as one step on amd64, 1.7
// times on wasm.
func TilePortable[T pack.Number](depth int, a, b, c []T, ldc int, add bool) {
	var c00, c01, c10, c11, c20, c21, c30, c31 T
	a, b = a[:4*depth], b[:2*depth]
	for len(a) >= 16 && len(b) >= 8 {
		x, y := (*[16]T)(a), (*[8]T)(b)
		b0, b1 := y[0], y[1]
		a0, a1 := x[0], x[1]
		c00 += a0 * b0
		c01 += a0 * b1
		c10 += a1 * b0
		c11 += a1 * b1
		a2, a3 := x[2], x[3]
		c20 += a2 * b0
		c21 += a2 * b1
		c30 += a3 * b0
		c31 += a3 * b1
		b0, b1 = y[2], y[3]
		a0, a1 = x[4], x[5]
		c00 += a0 * b0
		c01 += a0 * b1
		c10 += a1 * b0
		c11 += a1 * b1
		a2, a3 = x[6], x[7]
		c20 += a2 * b0
		c21 += a2 * b1
		c30 += a3 * b0
		c31 += a3 * b1
		b0, b1 = y[4], y[5]
		a0, a1 = x[8], x[9]
		c00 += a0 * b0
		c01 += a0 * b1
		c10 += a1 * b0
		c11 += a1 * b1
		a2, a3 = x[10], x[11]
		c20 += a2 * b0
		c21 += a2 * b1
		c30 += a3 * b0
		c31 += a3 * b1
		b0, b1 = y[6], y[7]
		a0, a1 = x[12], x[13]
		c00 += a0 * b0
		c01 += a0 * b1
		c10 += a1 * b0
		c11 += a1 * b1
		a2, a3 = x[14], x[15]
		c20 += a2 * b0
		c21 += a2 * b1
		c30 += a3 * b0
		c31 += a3 * b1
		a, b = a[16:], b[8:]
	}
	for len(a) >= 4 && len(b) >= 2 {
		b0, b1 := b[0], b[1]
		a0, a1 := a[0], a[1]
		c00 += a0 * b0
		c01 += a0 * b1
		c10 += a1 * b0
		c11 += a1 * b1
		a2, a3 := a[2], a[3]
		c20 += a2 * b0
		c21 += a2 * b1
		c30 += a3 * b0
		c31 += a3 * b1
		a, b = a[4:], b[2:]
	}
	r0, r1, r2, r3 := c[:2], c[ldc:][:2], c[2*ldc:][:2], c[3*ldc:][:2]
	if add {
		c00, c01, c10, c11 = c00+r0[0], c01+r0[1], c10+r1[0], c11+r1[1]
		c20, c21, c30, c31 = c20+r2[0], c21+r2[1], c30+r3[0], c31+r3[1]
	}
	r0[0], r0[1], r1[0], r1[1] = c00, c01, c10, c11
	r2[0], r2[1], r3[0], r3[1] = c20, c21, c30, c31
}

// maxEdge is the number of elements of the largest tile that is computed in a buffer if only a part
// of it is in c.
const maxEdge = 8 * 12

// storeEdge stores the given rows and columns of edge in c, or adds them to c if add is true.
func storeEdge[T pack.Number](c []T, ldc int, edge []T, stride, rows, columns int, add bool) {
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

// MultiplyPortable multiplies a block by the portable micro-kernel.
func MultiplyPortable[T pack.Number](t *Tiling, p *Block[T]) {
	c, ldc, d := p.C, p.LDC, p.Depth
	for n := p.NLo; n < p.NHi; n += t.NR {
		panelB := p.B[n*d:][:t.NR*d]
		for m := p.MLo; m < p.MHi; m += t.MR {
			panelA := p.A[m*d:][:t.MR*d]
			rows, columns := min(t.MR, p.MHi-m), min(t.NR, p.NHi-n)
			if rows == t.MR && columns == t.NR {
				multiplyTile(d, panelA, panelB, c[m*ldc+n:], ldc, p.Add)
			} else {
				var edge [maxEdge]T
				multiplyTile(d, panelA, panelB, edge[:t.MR*t.NR], t.NR, false)
				storeEdge(c[m*ldc+n:], ldc, edge[:], t.NR, rows, columns, p.Add)
			}
		}
	}
	if p.Epilogue != nil { // not for each tile: its rows of NR columns are short for a loop
		p.Epilogue.Apply(c, ldc, p.MLo, p.MHi, p.NLo, p.NHi)
	}
}

// multiplyTile is TilePortable. It is not inlined, as it has many callers.
//
//go:noinline
func multiplyTile[T pack.Number](depth int, a, b, c []T, ldc int, add bool) {
	TilePortable(depth, a, b, c, ldc, add)
}
