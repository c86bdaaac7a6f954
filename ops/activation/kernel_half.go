package activation

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// halfKernel computes f16 and bf16 in float32, block by block in scratch memory.
func halfKernel(p *ops.Preparation, n int, l loop[float32]) ops.Kernel {
	h := &halves{shares: sharesOf(p, n), compute: l, widen: half.F16sToF32s, narrow: half.F32sToF16s}
	if p.Inputs[0].Type == ir.BF16 {
		h.widen = func(dst []float32, src []uint16) { half.BF16sToF32s(dst, cast.Slice[half.BFloat16](src)) }
		h.narrow = func(dst []uint16, src []float32) { half.F32sToBF16s(cast.Slice[half.BFloat16](dst), src) }
	}
	p.ScratchBytes = h.workers * halfScratch * 4
	part := h.part
	return func(r *ops.Run) error { return r.For(h.workers, 1, part) }
}

// halfScratch is the float32s that a worker needs: two blocks and the parameters.
const halfScratch = 2*block + 2

type halves struct {
	shares
	compute loop[float32]
	widen   func(dst []float32, src []uint16)
	narrow  func(dst []uint16, src []float32)
}

// part computes the shares of workers lo to hi-1, with the scratch memory of lo.
func (h *halves) part(r *ops.Run, lo, hi int) error {
	memory := cast.Bytes[float32](r.Scratch[lo*halfScratch*4:])
	widened, scratch := memory[:block], memory[block:2*block]
	a, b := memory[2*block:2*block+1], memory[2*block+1:2*block+2]
	a[0], b[0] = 1, 1
	if len(r.Inputs) > 1 {
		h.widen(a, ir.Data[uint16](r.Inputs[1]))
	}
	if len(r.Inputs) > 2 {
		h.widen(b, ir.Data[uint16](r.Inputs[2]))
	}
	data, out := ir.Data[uint16](r.Inputs[0]), ir.Data[uint16](r.Outputs[0])
	for i, end := h.start(lo), h.start(hi); i < end; i += block {
		x := widened[:min(block, end-i)]
		h.widen(x, data[i:i+len(x)])
		h.compute(x, x, scratch[:len(x)], a, b)
		h.narrow(out[i:i+len(x)], x)
	}
	return nil
}
