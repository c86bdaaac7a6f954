package tile

import (
	"math"

	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/half"
)

// portableMR and portableNR are the rows and columns of a tile of the portable micro-kernel.
const portableMR, portableNR = 4, 2

// tilePortable multiplies a panel of a with 4 rows by a panel of b with 2 columns:
//
//	c[i*ldc + j] = sum over p of a[p*4 + i]*b[p*2 + j]
//
// If add is true, it adds what c held. The eight sums fit in the registers of every processor. Four
// steps of the sums at a time need one check of bounds: 2.3 times as fast as one step on amd64, 1.7
// times on wasm.
func tilePortable(depth int, a, b, c []float32, ldc int, add bool) {
	var c00, c01, c10, c11, c20, c21, c30, c31 float32
	a, b = a[:4*depth], b[:2*depth]
	for len(a) >= 16 && len(b) >= 8 {
		x, y := (*[16]float32)(a), (*[8]float32)(b)
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

// storeEdge stores the given rows and columns of edge in c, or adds them to c if add is true.
func storeEdge(c []float32, ldc int, edge []float32, stride, rows, columns int, add bool) {
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

// multiplyPortable multiplies a block of float32 by the portable micro-kernel.
func multiplyPortable(t *Tiling, p *Product[float32, float32]) {
	c, ldc, d, add := p.C, p.LDC, t.Depth(p.Block, p.Depth), p.Block > 0
	for n := p.NLo; n < p.NHi; n += t.NR {
		panelB := p.B[n*d:][:t.NR*d]
		for m := p.MLo; m < p.MHi; m += t.MR {
			panelA := p.A[m*d:][:t.MR*d]
			rows, columns := min(t.MR, p.MHi-m), min(t.NR, p.NHi-n)
			if rows == t.MR && columns == t.NR {
				tilePortable(d, panelA, panelB, c[m*ldc+n:], ldc, add)
			} else {
				var edge [portableMR * portableNR]float32
				tilePortable(d, panelA, panelB, edge[:], t.NR, false)
				storeEdge(c[m*ldc+n:], ldc, edge[:], t.NR, rows, columns, add)
			}
		}
	}
	finishPortable(t, p) // not for each tile: its rows of NR columns are short for a loop
}

// finishPortable applies the steps of a product if its block is the last one.
func finishPortable[E ~float32](t *Tiling, p *Product[E, float32]) {
	if p.Block == t.Blocks(p.Depth)-1 {
		Apply(p.Steps, p.C, p.LDC, p.MLo, p.MHi, p.NLo, p.NHi)
	}
}

// multiplyPairsPortable multiplies a block of pairs in Go.
func multiplyPairsPortable(t *Tiling, p *Product[pack.Pair, float32]) {
	d := t.Depth(p.Block, p.Depth)
	for m := p.MLo; m < p.MHi; m++ {
		panelA, row := p.A[m/t.MR*t.MR*d:][:t.MR*d], p.C[m*p.LDC:][:p.NHi]
		for n := p.NLo; n < p.NHi; n++ {
			pairs := pairProduct{t, panelA[m%t.MR:], p.B[n/t.NR*t.NR*d:][:t.NR*d][n%t.NR:]}
			sum := float32(0)
			if p.Block > 0 {
				sum = row[n]
			}
			if t.Operands == F16Sums {
				row[n] = pairs.runs(sum, d, p.Block > 0)
			} else {
				row[n] = pairs.add(sum, d)
			}
		}
	}
	finishPortable(t, p)
}

// pairProduct is a row of a and a column of b, which start in panels.
type pairProduct struct {
	*Tiling
	a, b []pack.Pair
}

// add returns sum plus the products of d pairs.
func (p *pairProduct) add(sum float32, d int) float32 {
	f16 := p.Operands == F16
	for i := range d {
		x, y := pack.Bits(p.a[i*p.MR]), pack.Bits(p.b[i*p.NR])
		sum += pack.PairNumber(f16, x) * pack.PairNumber(f16, y)
		sum += pack.PairNumber(f16, x>>16) * pack.PairNumber(f16, y>>16)
	}
	return sum
}

// f16Run is the number of pairs that are added as f16. _neon has the same number.
const f16Run = 32

// runs returns the sum of the runs of products of d pairs, and, if more is true, of total.
func (p *pairProduct) runs(total float32, d int, more bool) float32 {
	for run := 0; run < d; run += f16Run {
		sum := float32(0)
		for i := run; i < min(run+f16Run, d); i++ {
			x, y := pack.Bits(p.a[i*p.MR]), pack.Bits(p.b[i*p.NR])
			sum = addF16(sum, uint16(x), uint16(y))
			sum = addF16(sum, uint16(x>>16), uint16(y>>16))
		}
		if more || run > 0 {
			sum += total
		}
		total = sum
	}
	return total
}

// addF16 returns sum, which is an f16, plus the product of two f16, rounded once to f16.
func addF16(sum float32, a, b uint16) float32 {
	// The product is exact in float64, and the sum differs from the exact one only where that does
	// not change its rounding to f16.
	exact := float64(half.F16ToF32(a))*float64(half.F16ToF32(b)) + float64(sum)
	// An inexact float32 is rounded to the odd one of its neighbours, so that it is not the middle
	// between two f16.
	f := float32(exact)
	if bits := math.Float32bits(f); float64(f) != exact && bits&1 == 0 {
		if math.Abs(float64(f)) > math.Abs(exact) {
			bits--
		} else {
			bits++
		}
		f = math.Float32frombits(bits)
	}
	return half.F16ToF32(half.F32ToF16(f))
}

// multiplyQuadsPortable multiplies a block of quads in Go.
func multiplyQuadsPortable(t *Tiling, p *Product[pack.Quad, float32]) {
	d, flip := t.Depth(p.Block, p.Depth), pack.Flips(p.Flip)
	f, last := p.fuse(t)
	for n := p.NLo; n < p.NHi; n++ {
		panelB, column := p.B[n/t.NR*t.NR*d:][:t.NR*d], n%t.NR
		for m := p.MLo; m < p.MHi; m++ {
			panelA, row := p.A[m/t.MR*t.MR*d:][:t.MR*d], m%t.MR
			sum := int32(0)
			if p.Block > 0 {
				sum = int32(pack.Bits(p.C[m*p.LDC+n]))
			}
			for i := range d {
				sum += dotQuad(pack.Bits(panelA[i*t.MR+row]), pack.Bits(panelB[i*t.NR+column])^flip)
			}
			switch {
			case !last:
				p.C[m*p.LDC+n] = float32(pack.SumOf(sum))
			case p.Bytes != nil:
				p.Bytes[m*p.BytesStride+n] = uint8(math.RoundToEven(float64(f.result(sum, m))))
			default:
				p.C[m*p.LDC+n] = f.result(sum, m)
			}
		}
	}
}

// dotQuad returns the sum of the products of four i8 and four u8.
func dotQuad(a, b uint32) int32 {
	sum := int32(0)
	for range 4 {
		sum += int32(int8(a)) * int32(uint8(b))
		a, b = a>>8, b>>8
	}
	return sum
}
