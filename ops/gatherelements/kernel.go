package gatherelements

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data, err := p.Inputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	indices, err := p.Inputs[1].Shape.Static()
	if err != nil {
		return nil, err
	}
	axis, err := index.Axis(p.Attributes.(attributes).axis, len(data))
	if err != nil {
		return nil, err
	}
	l := newPlan(data, indices, axis, true)
	if p.Inputs[1].Type == ir.I32 {
		return &ops.Prepared{Kernel: kernelFor[int32](p, l), MovedBytes: p.PickedBytes()}, nil
	}
	return &ops.Prepared{Kernel: kernelFor[int64](p, l), MovedBytes: p.PickedBytes()}, nil
}

// kernelFor returns the kernel for the size of the elements.
func kernelFor[I indexType](p *ops.Preparation, l *plan) ops.Kernel {
	switch t := p.Inputs[0].Type; {
	case t == ir.String:
		return layer[string, I](p, l, 16, (*ir.Tensor).Strings)
	case t.Size() == 1:
		return layer[uint8, I](p, l, 1, ir.Data[uint8])
	case t.Size() == 2:
		return layer[uint16, I](p, l, 2, ir.Data[uint16])
	case t.Size() == 4:
		return layer[uint32, I](p, l, 4, ir.Data[uint32])
	case t.Size() == 8:
		return layer[uint64, I](p, l, 8, ir.Data[uint64])
	case t.Size() == 16:
		return layer[complex128, I](p, l, 16, ir.Data[complex128])
	}
	l.divide(1, 1)
	return func(r *ops.Run) error { return gatherPacked(l, r, ir.Data[I](r.Inputs[1])) }
}

// layer returns the kernel for elements of type T, of size bytes.
func layer[T any, I indexType](p *ops.Preparation, l *plan, size int, elements func(*ir.Tensor) []T) ops.Kernel {
	l.divide(size, p.Threads)
	run := kernelOf[T, I](l)
	part := func(r *ops.Run, lo, hi int) error {
		return gather(l, run, elements(r.Outputs[0]), elements(r.Inputs[0]), ir.Data[I](r.Inputs[1]), lo, hi)
	}
	return func(r *ops.Run) error { return r.For(l.pieces, l.grain(), part) }
}

// gatherPacked gathers elements of less than a byte one by one. It runs on one thread because
// neighbouring elements share bytes.
func gatherPacked[I indexType](p *plan, r *ops.Run, indices []I) error {
	out, data := r.Outputs[0], r.Inputs[0]
	clear(out.Bytes()) // also the bits after the last element
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
				out.SetPacked(base+j, data.Packed(c.from+k*p.advance+int(i)*p.stride+j*p.step))
			}
		}
	}
	return nil
}
