package gatherelements

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	indices := p.InputShape(1)
	axis, err := index.Axis(p.Attributes.(attributes).axis, len(data))
	if err != nil {
		return nil, err
	}
	l := newPlan(data, indices, axis, true)
	size, wide := p.Inputs[0].Type.Size(), p.Inputs[1].Type == ir.I64
	l.divide(max(size, 1), p.Threads)
	run := kernelFor[int32](l, size)
	if wide {
		run = kernelFor[int64](l, size)
	}
	prepared := &ops.Prepared{MovedBytes: p.PickedBytes()}
	switch {
	case run != nil:
		part := func(r *ops.Run, lo, hi int) error {
			return gather(l, run, r.Outputs[0].Bytes(), r.Inputs[0].Bytes(), r.Inputs[1].Bytes(), wide, lo, hi)
		}
		prepared.Kernel = func(r *ops.Run) error { return r.For(l.pieces, l.grain(), part) }
	case wide:
		prepared.Kernel = func(r *ops.Run) error { return gatherSingly(l, r, ir.Data[int64](r.Inputs[1])) }
	default:
		prepared.Kernel = func(r *ops.Run) error { return gatherSingly(l, r, ir.Data[int32](r.Inputs[1])) }
	}
	return prepared, nil
}

// gatherSingly gathers strings and elements of less than a byte one by one. It runs on one thread
// because neighbouring elements share bytes.
func gatherSingly[I indexType](p *plan, r *ops.Run, indices []I) error {
	out, data := r.Outputs[0], r.Inputs[0]
	parallel.Clear(r.Stop, out.Bytes()) // also the bits after the last element
	if p.length == 0 && p.pieces > 0 {
		return indexError(p, indices)
	}
	meter := r.Stop.Meter()
	for i := range p.pieces {
		c := p.piece(i)
		for k := range c.rows {
			base := c.base + k*p.pitch
			for j, v := range indices[base : base+c.columns] {
				if meter.Spent(8) {
					return nil
				}
				i := int64(v)
				if i < 0 {
					i += int64(p.wrap)
				}
				if uint64(i) >= uint64(p.length) {
					return indexError(p, indices)
				}
				from := c.from + k*p.advance + int(i)*p.stride + j*p.step
				if texts := out.Strings(); texts != nil {
					texts[base+j] = data.Strings()[from]
				} else {
					out.SetPacked(base+j, data.Packed(from))
				}
			}
		}
	}
	return nil
}
