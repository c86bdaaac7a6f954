package activation

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// block is the number of elements that are converted to float32 at a time.
const block = 1024

// halfKernel computes f16 and bf16 in float32, block by block in scratch memory.
func halfKernel(p *ops.Preparation, n int, l loop[float32]) *ops.Prepared {
	// A part is the share of one worker. Each worker has its own scratch memory.
	h := &halves{n: n, workers: p.Workers(n, 2), compute: l, widen: half.F16sToF32s, narrow: half.F32sToF16s}
	if p.Inputs[0].Type == ir.BF16 {
		h.widen = func(dst []float32, src []uint16) { half.BF16sToF32s(dst, cast.Slice[half.BFloat16](src)) }
		h.narrow = func(dst []uint16, src []float32) { half.F32sToBF16s(cast.Slice[half.BFloat16](dst), src) }
	}
	var s ops.Scratch
	h.wide, h.parameters = ops.AreasOf[float32](&s, h.workers, block), ops.AreasOf[float32](&s, h.workers, 2)
	part := h.part
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.For(h.workers, 1, part) },
		ScratchBytes: s.Bytes(),
	}
}

type halves struct {
	n, workers       int
	compute          loop[float32]
	widen            func(dst []float32, src []uint16)
	narrow           func(dst []uint16, src []float32)
	wide, parameters ops.Area[float32] // of each worker
}

// part computes the shares of workers lo to hi-1 in the scratch memory of worker lo.
func (h *halves) part(r *ops.Run, lo, hi int) error {
	widened, parameters := h.wide.Of(r, lo), h.parameters.Of(r, lo)
	parameters[0], parameters[1] = 1, 1
	for i, parameter := range r.Inputs[1:] {
		h.widen(parameters[i:i+1], ir.Data[uint16](parameter))
	}
	data, out := ir.Data[uint16](r.Inputs[0]), ir.Data[uint16](r.Outputs[0])
	for i, end := parallel.Share(h.n, h.workers, lo), parallel.Share(h.n, h.workers, hi); i < end && !r.Stop.Requested(); i += block {
		x := widened[:min(block, end-i)]
		h.widen(x, data[i:i+len(x)])
		h.compute(x, x, parameters[0], parameters[1])
		h.narrow(out[i:i+len(x)], x)
	}
	return nil
}
