package integerconv

import (
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Prepare is the type of ops.Op.Prepare.
type Prepare = func(*ops.Preparation) (*ops.Prepared, error)

// float32Layer is a convolution of integers that is prepared for float32. Its copies of the inputs
// that are not constant, and of output 0, are in the scratch memory.
type float32Layer struct {
	inner *ops.Prepared
	// in bytes, of the copies of data, filters and output in the scratch memory; inner has the rest
	offsets        [3]int
	shapes         [3]ir.Shape
	loads          [2]ops.Part   // nil for constants
	constants      [2]*ir.Tensor // nil for others
	scratch, total int
}

// newFloat32Layer prepares a layer for float32.
func newFloat32Layer(p *ops.Preparation, prepare Prepare) (*float32Layer, error) {
	l := &float32Layer{}
	q := *p
	q.Inputs, q.Outputs = slices.Clone(p.Inputs), slices.Clone(p.Outputs)
	q.Rounded, q.Accurate = ir.Dynamic, true // Winograd's sums are no integers
	elementType := p.Outputs[0].Type
	widen, size := widened.Find(widened.Rounded, elementType).Widen, elementType.Size()
	for i, fact := range []*ir.Fact{&q.Inputs[0], &q.Inputs[1], &q.Outputs[0]} {
		if fact.Type != elementType {
			return nil, faults.Errorf("input %d is %v, the output %v", i, fact.Type, elementType)
		}
		var err error
		if l.shapes[i], err = fact.Shape.Static(); err != nil {
			return nil, err
		}
		constant := fact.Tensor
		if *fact = (ir.Fact{Type: ir.F32, Shape: fact.Shape}); constant != nil && i < len(l.constants) {
			if l.constants[i], err = converted(p, constant, widen); err != nil {
				return nil, err
			}
			fact.Tensor = l.constants[i]
			q.Keep = nil // it knows the constants of the model, not their copies
			continue
		}
		l.offsets[i] = l.scratch
		if l.scratch, err = floats.AddScratch(l.scratch, l.shapes[i]); err != nil {
			return nil, err
		}
		l.scratch = (l.scratch + memory.Align - 1) &^ (memory.Align - 1)
		if i < len(l.loads) {
			l.loads[i] = func(r *ops.Run, lo, hi int) error {
				widen(r.Scratch[l.offsets[i]+4*lo:][:4*(hi-lo)], r.Inputs[i].Bytes()[lo*size:hi*size])
				return nil
			}
		}
	}
	var err error
	if l.inner, err = prepare(&q); err != nil {
		return nil, err
	}
	for _, i := range l.inner.Released {
		if l.constants[i] != nil {
			if l.constants[i], err = ir.NewTensor(ir.F32, 0); err != nil {
				return nil, err
			}
		}
	}
	if l.total = l.scratch + l.inner.ScratchBytes; l.total < l.scratch {
		return nil, faults.Errorf("%d bytes of copies and %d bytes of scratch memory are more than fit an int", l.scratch, l.inner.ScratchBytes)
	}
	return l, nil
}

// converted returns a constant in float32.
func converted(p *ops.Preparation, constant *ir.Tensor, widen func(wide, narrow []byte)) (*ir.Tensor, error) {
	if err := p.Reserve(4 * int64(constant.Len())); err != nil {
		return nil, err
	}
	t, err := ir.NewTensor(ir.F32, constant.Shape()...)
	if err != nil {
		return nil, err
	}
	size := constant.ElementType().Size()
	for at := 0; at < t.Len() && !p.Stop.Requested(); at += grain {
		end := min(at+grain, t.Len())
		widen(t.Bytes()[4*at:4*end], constant.Bytes()[at*size:end*size])
	}
	return t, p.Stop.Err()
}

// copyOf returns copy i.
func (l *float32Layer) copyOf(r *ops.Run, i int) []float32 {
	return cast.Bytes[float32](r.Scratch[l.offsets[i]:])[:l.shapes[i].Elements()]
}

// load converts the inputs that are not constant, and returns the error of r.For.
func (l *float32Layer) load(r *ops.Run) error {
	for i, part := range l.loads {
		if part == nil {
			continue
		}
		if err := r.For(l.shapes[i].Elements(), grain, part); err != nil {
			return err
		}
	}
	return nil
}

// state is what a Run keeps: the Run of the inner kernel and its tensors.
type state struct {
	run     ops.Run
	tensors [3]ir.Tensor
}

// compute computes the copy of output 0 from those of the inputs.
func (l *float32Layer) compute(r *ops.Run) error {
	m := r.Own(newState).(*state)
	m.run.Inputs, m.run.Outputs = append(m.run.Inputs[:0], r.Inputs...), append(m.run.Outputs[:0], &m.tensors[2])
	for i := range m.tensors {
		if i < len(l.constants) && l.constants[i] != nil {
			m.run.Inputs[i] = l.constants[i]
			continue
		}
		size := 4 * l.shapes[i].Elements()
		if err := m.tensors[i].Reset(ir.F32, l.shapes[i], r.Scratch[l.offsets[i]:][:size:size], nil); err != nil {
			return err
		}
		if i < len(l.constants) {
			m.run.Inputs[i] = &m.tensors[i]
		}
	}
	m.run.Pool, m.run.Stop, m.run.Scratch = r.Pool, r.Stop, r.Scratch[l.scratch:]
	return l.inner.Kernel(&m.run)
}

func newState() any { return new(state) }
