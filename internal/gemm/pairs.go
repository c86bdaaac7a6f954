package gemm

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/half"
)

// NewPairs returns a kernel whose elements are pairs: two bf16 in the place of a float32, the first one in the lowest
// bits. The depth counts pairs. The panels are packed and multiplied like those of float32; c, the biases and the limits
// of the epilogue are float32:
//
//	c[i,j] = sum over p of first(a[i,p])*first(b[p,j]) + second(a[i,p])*second(b[p,j])
//
// It is slower than that for float32 where HasPairs returns false. Where it returns true, subnormal elements and sums count as 0,
// as the processor has them.
func NewPairs() *Kernel[float32] {
	switch {
	case HasAMX():
		return &Kernel[float32]{Tiling{MR: amxMR, NR: amxNR, KC: 384, isa: amxPairs}}
	case HasPairs():
		return &Kernel[float32]{Tiling{MR: avx512MR, NR: avx512NR, KC: 384, isa: bf16}}
	}
	return &Kernel[float32]{Tiling{MR: portableMR, NR: portableNR, KC: 384, isa: portablePairs}}
}

// multiplyPairs is MultiplyThen for pairs without assembly, for a block of depth d. It adds to c if add is true.
func multiplyPairs(k *Tiling, c []float32, ldc int, a, b []float32, d int, add bool, mLo, mHi, nLo, nHi int, e *Epilogue[float32]) {
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
				sum += half.BFloat16(x).Float32() * half.BFloat16(y).Float32()
				sum += half.BFloat16(x>>16).Float32() * half.BFloat16(y>>16).Float32()
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

// PairRows sets dst[i] to the pair of the bf16 nearest to first[i] and second[i]. If second is nil, its elements are 0.
func PairRows(dst, first, second []float32) {
	first = first[:len(dst)]
	if second != nil {
		second = second[:len(dst)]
	}
	if len(dst) == 0 || pairRowsVectors(dst, first, second) {
		return
	}
	for i, v := range first {
		bits := uint32(half.BFloat16Of(v))
		if second != nil {
			bits |= uint32(half.BFloat16Of(second[i])) << 16
		}
		dst[i] = math.Float32frombits(bits)
	}
}

// PairElements sets dst, of PairsOf(len(src)) elements, to the pairs of neighbouring elements of src, rounded to bf16. A
// last element without a neighbour is paired with 0.
func PairElements(dst, src []float32) {
	if len(src) == 0 {
		return
	}
	to := unsafe.Slice((*half.BFloat16)(unsafe.Pointer(&dst[0])), 2*len(dst))
	half.F32sToBF16s(to[:len(src)], src)
	if len(src)%2 > 0 {
		to[len(src)] = 0
	}
}
