package gemm

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm/tile"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
)

// halves are the elements of a matrix b in the order of Packed, as f16 or bf16, which take half of
// the memory.
type halves struct {
	data []uint16
	bf16 bool
}

// PackHalves is PackAllB for a matrix of f16 or bf16, which stay in that type until they are
// multiplied. The products are those of the same numbers in float32, bit for bit. k must be a
// kernel of float32.
func (k *Kernel[E, C]) PackHalves(stop parallel.Stop, b Matrix[uint16], bf16 bool, n, depth int) *Packed[E] {
	p := packAllB(stop, &k.Tiling, b, n, depth)
	return &Packed[E]{halves: &halves{p.panels, bf16}, lines: p.lines, kc: p.kc}
}

// PanelLen returns the number of elements that MultiplyPacked needs to convert a panel; 0 if there
// is nothing to convert.
func (k *Kernel[E, C]) PanelLen(b *Packed[E], depth int) int {
	if b == nil || b.halves == nil {
		return 0
	}
	return k.NR * min(k.KC, depth)
}

// MultiplyPacked is Multiply for a matrix b that PackAllB or PackHalves has returned, in the place
// of p.B. panel has PanelLen elements, which it overwrites.
func (k *Kernel[E, C]) MultiplyPacked(p *Product[E, C], b *Packed[E], panel []E) {
	if b.halves == nil {
		p.B = b.Block(p.Block)
		k.Multiply(p)
		return
	}
	floats, _ := any(p).(*FloatProduct)
	if lanes, ok := any(p).(*Product[Lane, Lane]); ok {
		floats = tile.FloatsOf(lanes)
	}
	if !p.Empty() {
		b.halves.multiply(&k.Tiling, floats, b.halves.data[p.Block*b.kc*b.lines:], cast.Slice[float32](panel))
	}
}

// multiply multiplies p, whose B are elements of b.
func (h *halves) multiply(k *Tiling, p *FloatProduct, b []uint16, panel []float32) {
	part, d := *p, k.Depth(p.Block, p.Depth)
	if p.MHi-p.MLo <= tile.MaxHalfRows {
		part.NLo = tile.MultiplyHalves(k, p, b, h.bf16)
	}
	part.B = panel[:k.NR*d]
	var steps [tile.MaxSteps]Step
	part.Steps = steps[:len(p.Steps)]
	for n := part.NLo; n < p.NHi; n += k.NR {
		h.expand(part.B, b[n*d:][:k.NR*d])
		part.C, part.NLo, part.NHi = p.C[n:], 0, min(k.NR, p.NHi-n)
		for i, s := range p.Steps {
			if steps[i] = s; s.Op == tile.AddColumns {
				steps[i].Values = s.Values[n:]
			}
		}
		tile.MultiplyFloats(k, &part)
	}
}

// expand converts elements.
func (h *halves) expand(dst []float32, src []uint16) {
	if h.bf16 {
		half.BF16sToF32s(dst, cast.Slice[half.BFloat16](src))
	} else {
		half.F16sToF32s(dst, src)
	}
}

// smallestHalf is the smallest f16 with all digits, largestHalf the largest finite one.
const smallestHalf, largestHalf = 0x1p-14, 65504

// FitHalves reports whether weights can be rounded to f16: none is infinite or NaN then, and each
// loses at most 2^-12 of the largest one of its line. The weights are some lines of m, its rows,
// with a number of columns.
func FitHalves(m Matrix[float32], lines, columns int) bool {
	largest := make([]float32, lines)
	note := func(line, column int) {
		v := m.Data[line*m.RowStride+column*m.ColStride]
		largest[line] = max(largest[line], v, -v)
	}
	if m.ColStride == 1 {
		for l := range lines {
			for p := range columns {
				note(l, p)
			}
		}
	} else {
		for p := range columns {
			for l := range lines {
				note(l, p)
			}
		}
	}
	for _, v := range largest {
		if v != 0 && !(v >= smallestHalf && v <= largestHalf) {
			return false
		}
	}
	return true
}
