package onehot

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns a kernel that fills the output with off_value and then sets an element for each index.
// The output has the shape [outer, depth, inner], indices has the shape [outer, inner].
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape := p.OutputShape(0)
	axis, err := index.Axis(at.axis, len(shape))
	if err != nil {
		return nil, err
	}
	l := layout{depth: shape[axis], inner: shape[axis+1:].Elements(), negative: at.normalize}
	switch t := p.Outputs[0].Type; {
	case t == ir.String:
		return kernel(l, (*ir.Tensor).Strings), nil
	case t.Size() == 1:
		return kernel(l, ir.Data[uint8]), nil
	case t.Size() == 2:
		return kernel(l, ir.Data[uint16]), nil
	case t.Size() == 4:
		return kernel(l, ir.Data[uint32]), nil
	case t.Size() == 8:
		return kernel(l, ir.Data[uint64]), nil
	default:
		return nil, faults.Errorf("on_value of type %v has no kernel", t)
	}
}

type layout struct {
	depth, inner int
	negative     bool // a negative index counts from the end
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// resolve sets at to the positions along the axis that indices from lo on give; -1 for those outside.
func (l *layout) resolve(at []int, indices *ir.Tensor, lo int) {
	switch indices.ElementType() {
	case ir.I8:
		resolve[int8](l, at, indices, lo)
	case ir.I16:
		resolve[int16](l, at, indices, lo)
	case ir.I32:
		resolve[int32](l, at, indices, lo)
	case ir.I64:
		resolve[int64](l, at, indices, lo)
	case ir.U8, ir.Boolean:
		resolve[uint8](l, at, indices, lo)
	case ir.U16:
		resolve[uint16](l, at, indices, lo)
	case ir.U32:
		resolve[uint32](l, at, indices, lo)
	default:
		resolve[uint64](l, at, indices, lo)
	}
}

func resolve[I integer](l *layout, at []int, indices *ir.Tensor, lo int) {
	for i, v := range ir.Data[I](indices)[lo:][:len(at)] {
		at[i] = index.Resolve(v, l.depth, l.negative)
	}
}

const (
	// grain is the number of elements of the output that are worth another thread.
	grain = 1 << 15
	// block is the number of elements that are filled before the rows in them are set, while they are in
	// the cache.
	block = 1 << 12
	// resolved is the number of indices that are resolved at a time.
	resolved = 256
)

func kernel[E comparable](l layout, data func(*ir.Tensor) []E) *ops.Prepared {
	if l.depth == 0 || l.inner == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}
	}
	// rows computes rows lo to hi-1, of depth elements each, for an inner of 1.
	rows := func(r *ops.Run, lo, hi int) error {
		out := data(r.Outputs[0])
		on, off := data(r.Inputs[onPort])[0], data(r.Inputs[offPort])[0]
		step := min(max(block/l.depth, 1), resolved)
		var positions [resolved]int
		meter := r.Stop.Meter()
		for ; lo < hi; lo += step {
			end := min(lo+step, hi)
			fill(&meter, out[lo*l.depth:end*l.depth], off)
			l.resolve(positions[:end-lo], r.Inputs[indicesPort], lo)
			for i, at := range positions[:end-lo] {
				if at >= 0 {
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
		out := data(r.Outputs[0])
		on := data(r.Inputs[onPort])[0]
		var positions [resolved]int
		for lo < hi {
			o := lo / l.inner
			end := min((o+1)*l.inner, hi, lo+resolved)
			plane := out[o*l.depth*l.inner:][:l.depth*l.inner]
			l.resolve(positions[:end-lo], r.Inputs[indicesPort], lo)
			for i, at := range positions[:end-lo] {
				if at >= 0 {
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
