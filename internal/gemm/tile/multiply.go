package tile

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// NewFloats returns the fastest tiling for float32.
func NewFloats() Tiling {
	if t, ok := floatsTiling(); ok {
		return t
	}
	return Tiling{MR: portableMR, NR: portableNR, KC: 256}
}

// NewPairs returns the tiling for pairs of f16 or bf16.
func NewPairs(f16 bool) Tiling {
	if t, ok := pairsTiling(f16); ok {
		return t
	}
	t := Tiling{MR: portableMR, NR: portableNR, KC: 384, Operands: BF16}
	if f16 {
		t.Operands = F16
	}
	return t
}

// NewF16Sums returns the tiling for pairs of f16 whose sums are f16 too, over f16Run pairs of the
// depth of a block: each product is added with one rounding, the first numbers of a pair before the
// second. The sums of the runs are added as float32, in order. A sum of a run beyond 65504 is
// infinite, as IEEE 754 rounds it.
func NewF16Sums() Tiling {
	if HasF16Sums() {
		return Tiling{MR: f16SumsMR, NR: f16SumsNR, KC: 384, ISA: NEON, Operands: F16Sums}
	}
	return Tiling{MR: portableMR, NR: portableNR, KC: 384, Operands: F16Sums}
}

// NewQuads returns the tiling for quads.
func NewQuads() Tiling {
	if t, ok := quadsTiling(); ok {
		return t
	}
	return Tiling{MR: portableMR, NR: portableNR, KC: 256, Operands: Bytes}
}

// NewWords returns the tiling for words, which only AVX2 has.
func NewWords() Tiling { return Tiling{MR: 6, NR: 16, KC: 384, ISA: AVX2, Operands: Words} }

// MultiplyFloats multiplies a block of float32.
func MultiplyFloats(t *Tiling, p *Product[float32, float32]) {
	if t.ISA == Portable {
		multiplyPortable(t, p)
	} else {
		multiplyTiles(t, p)
	}
}

// MultiplyPairs multiplies a block of pairs.
func MultiplyPairs(t *Tiling, p *Product[pack.Pair, float32]) {
	switch {
	case t.ISA == Portable:
		multiplyPairsPortable(t, p)
	case t.Operands == F16Sums:
		multiplyF16Sums(t, p)
	default:
		multiplyTiles(t, p)
	}
}

// MultiplyQuads multiplies a block of quads. Sums are exact as long as they fit an int32.
func MultiplyQuads(t *Tiling, p *Product[pack.Quad, float32]) {
	if t.ISA == Portable {
		multiplyQuadsPortable(t, p)
	} else {
		multiplyQuads(t, p)
	}
}

// MultiplyWords multiplies a block of words. Sums wrap. There are no steps. It is not inlined: in
// other packages, the compiler does not know that multiplyTiles, which is generic, keeps nothing,
// and p would escape to the heap.
//
//go:noinline
func MultiplyWords(t *Tiling, p *Product[pack.Word, pack.Sum]) { multiplyTiles(t, p) }

// MultiplyLanes multiplies a block whose elements t knows.
func MultiplyLanes(t *Tiling, p *Product[pack.Lane, pack.Lane]) {
	switch t.Operands {
	case Floats:
		MultiplyFloats(t, FloatsOf(p))
	case Bytes:
		MultiplyQuads(t, as[pack.Quad, float32](p))
	case Words:
		if len(p.Steps) > 0 {
			MultiplyQuads(t, as[pack.Quad, float32](p))
		} else {
			MultiplyWords(t, as[pack.Word, pack.Sum](p))
		}
	default:
		MultiplyPairs(t, as[pack.Pair, float32](p))
	}
}

// FloatsOf returns p, whose lanes hold float32.
func FloatsOf(p *Product[pack.Lane, pack.Lane]) *Product[float32, float32] {
	return as[float32, float32](p)
}

// as returns p with what its lanes hold: all elements and results have the same size.
func as[E, C ~float32](p *Product[pack.Lane, pack.Lane]) *Product[E, C] {
	return (*Product[E, C])(unsafe.Pointer(p))
}
