package gemm

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
)

// halves are the elements of a matrix b in the order of Packed, as f16 or bf16, which take half of the memory.
type halves struct {
	data []uint16
	bf16 bool
}

// PackHalves is PackAllB for a matrix of f16 or bf16, which stay in that type until they are multiplied. The products are those of the
// same numbers in float32, bit for bit. k must be the kernel of New[float32].
func (k *Kernel[T]) PackHalves(stop parallel.Stop, b Matrix[uint16], bf16 bool, n, depth int) *Packed[T] {
	same := Kernel[uint16]{Tiling{MR: k.MR, NR: k.NR, KC: k.KC}}
	p := same.PackAllB(stop, b, n, depth)
	return &Packed[T]{halves: &halves{p.panels, bf16}, lines: p.lines, kc: p.kc}
}

// PanelLen returns the number of elements that MultiplyPacked needs to convert a panel; 0 if there is nothing to convert.
func (k *Kernel[T]) PanelLen(b *Packed[T], depth int) int {
	if b == nil || b.halves == nil {
		return 0
	}
	return k.NR * min(k.KC, depth)
}

// multiply is MultiplyThen for block i of b.
func (h *halves) multiply(k *Tiling, c []float32, ldc int, a []float32, b []uint16, depth, i int, mLo, mHi, nLo, nHi int, e *Epilogue[float32], panel []float32) {
	d := k.Depth(i, depth)
	if mHi-mLo <= maxHalfRows {
		last := e
		if i < k.Blocks(depth)-1 {
			last = nil
		}
		nLo = h.multiplyRows(k, c, ldc, a, b, d, i > 0, mLo, mHi, nLo, nHi, last)
	}
	same := Kernel[float32]{*k}
	panel = panel[:k.NR*d]
	for n := nLo; n < nHi; n += k.NR {
		h.expand(panel, b[n*d:][:k.NR*d])
		var part *Epilogue[float32]
		if e != nil {
			part = &Epilogue[float32]{RowBias: e.RowBias, Clamp: e.Clamp, Lo: e.Lo, Hi: e.Hi}
			if e.ColumnBias != nil {
				part.ColumnBias = e.ColumnBias[n:]
			}
		}
		same.MultiplyThen(c[n:], ldc, a, panel, depth, i, mLo, mHi, 0, min(k.NR, nHi-n), part)
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
