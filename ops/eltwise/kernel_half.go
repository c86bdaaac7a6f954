package eltwise

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// block is the number of elements that are converted to float32 at a time.
const block = 512

// halfKernel computes f16 and bf16 in float32, block by block in scratch memory.
func halfKernel(p *ops.Preparation, g *geometry, f function) (*ops.Prepared, error) {
	// A part is the share of one worker. Each worker has its own scratch memory.
	workers := max(min(p.Threads, g.elements/grain), 1)
	h := &halfRows{geometry: g, workers: workers, bf16: p.Inputs[0].Type == ir.BF16}
	if compares(f) {
		h.compare = compareLoop[float32](f, g.stretching)
	} else {
		h.compute = float32Loop(f, g.stretching)
	}
	part := h.part
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.For(workers, 1, part) },
		ScratchBytes: workers * 3 * block * 4,
	}, nil
}

type halfRows struct {
	*geometry
	workers int
	bf16    bool
	compute loop[float32, float32]
	compare loop[float32, bool] // set instead of compute for a comparison
}

// part computes the shares of workers lo to hi-1 in the scratch memory of worker lo.
func (h *halfRows) part(r *ops.Run, lo, hi int) error {
	scratch := cast.Bytes[float32](r.Scratch[lo*3*block*4:])
	x, y, z := scratch[:block], scratch[block:2*block], scratch[2*block:3*block]
	a, b := ir.Data[uint16](r.Inputs[0]), ir.Data[uint16](r.Inputs[1])
	for at, end := parallel.Share(h.elements, h.workers, lo), parallel.Share(h.elements, h.workers, hi); at < end; {
		s := h.span(at, end)
		for range s.rows {
			if r.Stop.Requested() {
				return nil
			}
			for i := 0; i < s.n; i += block {
				n := min(block, s.n-i)
				ai, bi := i, i
				an, bn := n, n
				if h.stretching == aStretched {
					ai, an = 0, 1
				}
				if h.stretching == bStretched {
					bi, bn = 0, 1
				}
				h.widen(x, a[s.a+ai:s.a+ai+an])
				h.widen(y, b[s.b+bi:s.b+bi+bn])
				if h.compare != nil {
					h.compare(ir.Data[bool](r.Outputs[0])[s.out+i:s.out+i+n], x[:an], y[:bn])
					continue
				}
				h.compute(z[:n], x[:an], y[:bn])
				h.round(ir.Data[uint16](r.Outputs[0])[s.out+i:s.out+i+n], z[:n])
			}
			s.out, s.a, s.b = s.out+s.n, s.a+h.aStep, s.b+h.bStep
		}
		at = s.out
	}
	return nil
}

func (h *halfRows) widen(dst []float32, src []uint16) {
	if h.bf16 {
		half.BF16sToF32s(dst, cast.Slice[half.BFloat16](src))
	} else {
		half.F16sToF32s(dst, src)
	}
}

func (h *halfRows) round(dst []uint16, src []float32) {
	if h.bf16 {
		half.F32sToBF16s(cast.Slice[half.BFloat16](dst), src)
	} else {
		half.F32sToF16s(dst, src)
	}
}
