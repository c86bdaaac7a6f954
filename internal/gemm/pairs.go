package gemm

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
)

// NewPairs returns a kernel whose elements are pairs: two bf16, or two f16, in the place of a float32, the first one in the lowest
// bits. The depth counts pairs. The panels are packed and multiplied like those of float32; c, the biases and the limits
// of the epilogue are float32:
//
//	c[i,j] = sum over p of first(a[i,p])*first(b[p,j]) + second(a[i,p])*second(b[p,j])
//
// It is slower than that for float32 where HasPairs returns false. Where it returns true, subnormal sums, and subnormal elements of
// bf16, count as 0, as the processor has them. On arm64, sums of a few dozen products of f16 are f16, see AddsF32.
func NewPairs(f16 bool) *Kernel[float32] {
	switch {
	case f16 && hasHalves():
		return newHalves()
	case f16 && HasPairs(true):
		return &Kernel[float32]{Tiling{MR: amxMR, NR: amxNR, KC: 384, isa: amxF16}}
	case f16:
		return &Kernel[float32]{Tiling{MR: portableMR, NR: portableNR, KC: 384, isa: portableF16}}
	case HasAMX():
		return &Kernel[float32]{Tiling{MR: amxMR, NR: amxNR, KC: 384, isa: amxPairs}}
	case HasPairs(false):
		return &Kernel[float32]{Tiling{MR: avx512MR, NR: avx512NR, KC: 384, isa: bf16}}
	}
	return &Kernel[float32]{Tiling{MR: portableMR, NR: portableNR, KC: 384, isa: portablePairs}}
}

// isF16 reports whether i multiplies pairs of f16.
func (i isa) isF16() bool {
	return i == amxF16 || i == portableF16 || i == neonHalves || i == portableHalves
}

// AddsF32 reports whether products of pairs are added as float32, not as f16.
func (t *Tiling) AddsF32() bool { return t.isa != neonHalves && t.isa != portableHalves }

// pairNumber returns the number in the lowest 16 bits of a pair.
func pairNumber(f16 bool, bits uint32) float32 {
	if f16 {
		return half.F16ToF32(uint16(bits))
	}
	return half.BFloat16(bits).Float32()
}

// multiplyPairs is MultiplyThen for pairs without assembly, for a block of depth d. It adds to c if add is true.
func multiplyPairs(k *Tiling, c []float32, ldc int, a, b []float32, d int, add bool, mLo, mHi, nLo, nHi int, e *Epilogue[float32]) {
	f16 := k.isa.isF16()
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
				sum += pairNumber(f16, x) * pairNumber(f16, y)
				sum += pairNumber(f16, x>>16) * pairNumber(f16, y>>16)
			}
			row[n] = sum
		}
	}
	if e != nil {
		e.apply(c, ldc, mLo, mHi, nLo, nHi)
	}
}

// PairsOf returns the number of pairs of n elements. The last pair may have a single one.
func PairsOf(n int) int { return (n + 1) / 2 }

// PairRows sets dst[i] to the pair of the bf16, or f16, nearest to first[i] and second[i], for a kernel of pairs. If second is nil,
// its elements are 0. dst must not overlap the others.
func (t *Tiling) PairRows(dst, first, second []float32) {
	first = first[:len(dst)]
	if second != nil {
		second = second[:len(dst)]
	}
	f16 := t.isa.isF16()
	for i := pairRowsVectors(f16, dst, first, second); i < len(dst); i++ {
		bits := roundedBits(f16, first[i])
		if second != nil {
			bits |= roundedBits(f16, second[i]) << 16
		}
		dst[i] = math.Float32frombits(bits)
	}
}

// PacksPairs reports whether PairPanel rounds and packs by one pass of assembly.
func (t *Tiling) PacksPairs() bool { return (t.isa == bf16 || t.isa == amxPairs) && HasPairs(false) }

// PairPanel packs a panel of b from rows of float32, for a kernel for which PacksPairs returns true: row p of the panel has the pairs of rows
// 2*p and 2*p+1 of src, rounded as by PairRows. Rows are stride elements apart. Columns from the given number on become 0; it is at most NR.
func (t *Tiling) PairPanel(panel, src []float32, stride, rows, columns int) {
	pairs := rows / 2
	pairPanelVectors(t, panel, src, stride, pairs, columns)
	if rows%2 > 0 {
		last := panel[pairs*t.NR:][:t.NR]
		t.PairRows(last[:columns], src[(rows-1)*stride:], nil)
		clear(last[columns:])
	}
}

// roundedBits returns the bits of the bf16, or f16, nearest to v.
func roundedBits(f16 bool, v float32) uint32 {
	if f16 {
		return uint32(half.F32ToF16(v))
	}
	return uint32(half.BFloat16Of(v))
}

// PairElements sets dst, of PairsOf(len(src)) elements, to the pairs of neighbouring elements of src, rounded as by PairRows. A
// last element without a neighbour is paired with 0.
func (t *Tiling) PairElements(dst, src []float32) {
	if len(src) == 0 {
		return
	}
	to := cast.Bytes[uint16](cast.Memory(dst))
	switch {
	case t.isa.isF16():
		half.F32sToF16s(to, src)
	case !roundWordsVectors(to, src):
		half.F32sToBF16s(cast.Slice[half.BFloat16](to), src)
	}
	if len(src)%2 > 0 {
		to[len(src)] = 0
	}
}
