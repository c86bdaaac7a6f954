package tile

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
)

// NewHalves returns the tiling for pairs of f16 whose sums are f16 too, over halvesRun pairs of the
// depth of a block: each product is added with one rounding, the first numbers of a pair before the
// second. The sums of the runs are added as float32, in order. A sum of a run beyond 65504 is
// infinite, as IEEE 754 rounds it.
func NewHalves() Tiling {
	if HasHalfSums() {
		return Tiling{MR: halvesMR, NR: halvesNR, KC: 384, ISA: NEONHalves}
	}
	return Tiling{MR: PortableMR, NR: PortableNR, KC: 384, ISA: PortableHalves}
}

const (
	// halvesMR and halvesNR are the rows and columns of a tile of pairs of f16 with NEON, and
	// halvesRun is the number of pairs that are added as f16. _neon has the same numbers.
	halvesMR, halvesNR = 8, 24
	halvesRun          = 32
)

// multiplyHalves is multiplyPairs for pairs of f16.
func multiplyHalves(k *Tiling, block *Block[float32]) {
	c, ldc, a, b, d, add := block.C, block.LDC, block.A, block.B, block.Depth, block.Add
	mLo, mHi, nLo, nHi, e := block.MLo, block.MHi, block.NLo, block.NHi, block.Epilogue
	for m := mLo; m < mHi; m++ {
		panelA, row := a[m/k.MR*k.MR*d:][:k.MR*d], c[m*ldc:][:nHi]
		for n := nLo; n < nHi; n++ {
			panelB := b[n/k.NR*k.NR*d:][:k.NR*d]
			for run := 0; run < d; run += halvesRun {
				sum := float32(0)
				for p := run; p < min(run+halvesRun, d); p++ {
					x, y := math.Float32bits(panelA[p*k.MR+m%k.MR]), math.Float32bits(panelB[p*k.NR+n%k.NR])
					sum = addHalves(sum, uint16(x), uint16(y))
					sum = addHalves(sum, uint16(x>>16), uint16(y>>16))
				}
				if add || run > 0 {
					sum += row[n]
				}
				row[n] = sum
			}
		}
	}
	if e != nil {
		e.Apply(c, ldc, mLo, mHi, nLo, nHi)
	}
}

// addHalves returns sum, which is an f16, plus the product of two f16, rounded once to f16.
func addHalves(sum float32, a, b uint16) float32 {
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
