package onehot

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns a kernel that fills the output with off_value and then sets an element for each index.
// The output has the shape [outer, depth, inner], indices has the shape [outer, inner].
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	axis, err := index.Axis(at.axis, len(shape))
	if err != nil {
		return nil, err
	}
	l := layout{depth: shape[axis], inner: shape[axis+1:].Elements(), negative: at.normalize}
	switch t := p.Outputs[0].Type; {
	case t == ir.String:
		return indexed(p, l, (*ir.Tensor).Strings)
	case t.Size() == 1:
		return indexed(p, l, ir.Data[uint8])
	case t.Size() == 2:
		return indexed(p, l, ir.Data[uint16])
	case t.Size() == 4:
		return indexed(p, l, ir.Data[uint32])
	case t.Size() == 8:
		return indexed(p, l, ir.Data[uint64])
	default:
		return nil, fmt.Errorf("on_value of type %v has no kernel", t)
	}
}

type layout struct {
	depth, inner int
	negative     bool // a negative index counts from the end
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// indexed returns the kernel for an output whose elements are those of data.
func indexed[E comparable](p *ops.Preparation, l layout, data func(*ir.Tensor) []E) (*ops.Prepared, error) {
	switch p.Inputs[indicesPort].Type {
	case ir.I8:
		return kernel[E, int8](l, data), nil
	case ir.I16:
		return kernel[E, int16](l, data), nil
	case ir.I32:
		return kernel[E, int32](l, data), nil
	case ir.I64:
		return kernel[E, int64](l, data), nil
	case ir.U8, ir.Boolean:
		return kernel[E, uint8](l, data), nil
	case ir.U16:
		return kernel[E, uint16](l, data), nil
	case ir.U32:
		return kernel[E, uint32](l, data), nil
	default:
		return kernel[E, uint64](l, data), nil
	}
}

const (
	// grain is the number of elements of the output that are worth another thread.
	grain = 1 << 15
	// block is the number of elements that are filled before the rows in them are set, while they are in
	// the cache.
	block = 1 << 12
)

func kernel[E comparable, I integer](l layout, data func(*ir.Tensor) []E) *ops.Prepared {
	if l.depth == 0 || l.inner == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}
	}
	// rows computes rows lo to hi-1, of depth elements each, for an inner of 1.
	rows := func(r *ops.Run, lo, hi int) error {
		indices, out := ir.Data[I](r.Inputs[indicesPort]), data(r.Outputs[0])
		on, off := data(r.Inputs[onPort])[0], data(r.Inputs[offPort])[0]
		step := max(block/l.depth, 1)
		meter := r.Stop.Meter()
		for ; lo < hi; lo += step {
			end := min(lo+step, hi)
			fill(&meter, out[lo*l.depth:end*l.depth], off)
			for i, v := range indices[lo:end] {
				if at := index.Resolve(v, l.depth, l.negative); at >= 0 {
					out[(lo+i)*l.depth+at] = on
				}
			}
		}
		return nil
	}
	if l.inner == 1 {
		return &ops.Prepared{Kernel: func(r *ops.Run) error {
			return r.For(r.Inputs[indicesPort].Len(), max(grain/l.depth, 1), rows)
		}}
	}
	clearAll := func(r *ops.Run, lo, hi int) error {
		meter := r.Stop.Meter()
		fill(&meter, data(r.Outputs[0])[lo:hi], data(r.Inputs[offPort])[0])
		return nil
	}
	set := func(r *ops.Run, lo, hi int) error {
		indices, out := ir.Data[I](r.Inputs[indicesPort]), data(r.Outputs[0])
		on := data(r.Inputs[onPort])[0]
		for lo < hi {
			o := lo / l.inner
			end := min((o+1)*l.inner, hi)
			plane := out[o*l.depth*l.inner:][:l.depth*l.inner]
			for i, v := range indices[lo:end] {
				if at := index.Resolve(v, l.depth, l.negative); at >= 0 {
					plane[at*l.inner+lo-o*l.inner+i] = on
				}
			}
			lo = end
		}
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		if err := r.For(r.Outputs[0].Len(), grain, clearAll); err != nil {
			return err
		}
		return r.For(r.Inputs[indicesPort].Len(), grain/8, set)
	}}
}

// fillPiece is the number of elements that are filled between two checks of the meter.
const fillPiece = 1 << 16

// fill sets all elements of x to v. It ends early if the work must stop.
func fill[E comparable](meter *parallel.Meter, x []E, v E) {
	var zero E
	for len(x) > 0 {
		n := min(fillPiece, len(x))
		if v == zero {
			clear(x[:n])
		} else {
			x[0] = v
			for done := 1; done < n; done *= 2 {
				copy(x[done:n], x[:done])
			}
		}
		if x = x[n:]; meter.Spent(n) {
			return
		}
	}
}
