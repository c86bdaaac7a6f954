package tile

import (
	"math"

	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// NewPairs returns the tiling for pairs of f16 or bf16.
func NewPairs(f16 bool) Tiling {
	switch {
	case f16 && HasHalfSums():
		return NewHalves()
	case f16 && HasPairs(true):
		return Tiling{MR: AMXMR, NR: AMXNR, KC: 384, ISA: AMXF16}
	case f16:
		return Tiling{MR: PortableMR, NR: PortableNR, KC: 384, ISA: PortableF16}
	case HasAMX():
		return Tiling{MR: AMXMR, NR: AMXNR, KC: 384, ISA: AMXPairs}
	case HasPairs(false):
		return Tiling{MR: avx512MR, NR: avx512NR, KC: 384, ISA: BF16}
	}
	return Tiling{MR: PortableMR, NR: PortableNR, KC: 384, ISA: PortablePairs}
}

// isF16 reports whether i multiplies pairs of f16.
func (i ISA) IsF16() bool {
	return i == AMXF16 || i == PortableF16 || i == NEONHalves || i == PortableHalves
}

// AddsF32 reports whether products of pairs are added as float32, not as f16.
func (t *Tiling) AddsF32() bool { return t.ISA != NEONHalves && t.ISA != PortableHalves }

// multiplyPairs is MultiplyThen for pairs without assembly, for a block of depth d. It adds to c if
// add is true.
func multiplyPairs(k *Tiling, block *Block[float32]) {
	c, ldc, a, b, d, add := block.C, block.LDC, block.A, block.B, block.Depth, block.Add
	mLo, mHi, nLo, nHi, e := block.MLo, block.MHi, block.NLo, block.NHi, block.Epilogue
	f16 := k.ISA.IsF16()
	for m := mLo; m < mHi; m++ {
		panelA, row := a[m/k.MR*k.MR*d:][:k.MR*d], c[m*ldc:][:nHi]
		for n := nLo; n < nHi; n++ {
			panelB := b[n/k.NR*k.NR*d:][:k.NR*d]
			sum := float32(0)
			if add {
				sum = row[n]
			}
			for p := range d {
				x, y := math.Float32bits(panelA[p*k.MR+m%k.MR]), math.Float32bits(panelB[p*k.NR+n%k.NR])
				sum += pack.PairNumber(f16, x) * pack.PairNumber(f16, y)
				sum += pack.PairNumber(f16, x>>16) * pack.PairNumber(f16, y>>16)
			}
			row[n] = sum
		}
	}
	if e != nil {
		e.Apply(c, ldc, mLo, mHi, nLo, nHi)
	}
}
