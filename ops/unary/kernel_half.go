package unary

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
func halfKernel(p *ops.Preparation, at attributes, n int) *ops.Prepared {
	// A part is the share of one worker. Each worker has its own scratch memory.
	h := &halves{n: n, workers: max(min(p.Threads, n/grain), 1), bf16: p.Inputs[0].Type == ir.BF16}
	switch at.f {
	case isFinite:
		h.test = isFiniteLoop[float32]
	case isInf:
		h.test = isInfLoop[float32](at)
	case isNaN:
		h.test = isNaNLoop[float32]
	default:
		h.compute = floatLoop[float32](at)
	}
	part := h.part
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.For(h.workers, 1, part) },
		ScratchBytes: h.workers * block * 4,
	}
}

type halves struct {
	n, workers int
	bf16       bool
	compute    loop[float32, float32]
	test       loop[float32, bool] // set instead of compute for IsFinite, IsInf and IsNaN
}

// part computes the shares of workers lo to hi-1 in the scratch memory of worker lo.
func (h *halves) part(r *ops.Run, lo, hi int) error {
	x := cast.Bytes[float32](r.Scratch[lo*block*4:])[:block]
	data := ir.Data[uint16](r.Inputs[0])
	end := parallel.Share(h.n, h.workers, hi)
	for i := parallel.Share(h.n, h.workers, lo); i < end && !r.Stop.Requested(); i += block {
		x := x[:min(block, end-i)]
		if h.bf16 {
			half.BF16sToF32s(x, cast.Slice[half.BFloat16](data[i:i+len(x)]))
		} else {
			half.F16sToF32s(x, data[i:i+len(x)])
		}
		if h.test != nil {
			h.test(ir.Data[bool](r.Outputs[0])[i:i+len(x)], x)
			continue
		}
		h.compute(x, x)
		out := ir.Data[uint16](r.Outputs[0])[i : i+len(x)]
		if h.bf16 {
			half.F32sToBF16s(cast.Slice[half.BFloat16](out), x)
		} else {
			half.F32sToF16s(out, x)
		}
	}
	return nil
}
