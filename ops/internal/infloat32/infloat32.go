// Package infloat32 computes layers of integers in float32, as OpenVINO does: the integers are
// converted, the layer is computed, and the result is rounded to the nearest integer, halves to
// even, within the range of the type.
package infloat32

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Integers lists the element types that are computed in float32.
var Integers = []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}

// Types lists the element types of layers of the four floating-point types that Rounded extends.
var Types = slices.Concat(floats.Types, Integers)

// Prepare is the type of ops.Op.Prepare.
type Prepare = func(*ops.Preparation) (*ops.Prepared, error)

// Rounded returns a Prepare for all Types, given one for floating-point types. The first inputs of
// the layer, of the given number, have the type of output 0.
func Rounded(inputs int, prepare Prepare) Prepare {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		if !slices.Contains(Integers, p.Outputs[0].Type) {
			return prepare(p)
		}
		l, err := New(p, inputs, prepare)
		if err != nil {
			return nil, err
		}
		return l.Prepared(func(r *ops.Run) error {
			if err := l.Load(r); err != nil {
				return err
			}
			if err := l.Compute(r); err != nil {
				return err
			}
			return l.StoreRounded(r)
		}), nil
	}
}

// grain is the number of conversions that are worth another thread.
const grain = 1 << 14

// Layer is a layer that is prepared for float32. Its copies of the inputs that are not constant,
// and of output 0, are in the scratch memory.
type Layer struct {
	inner          *ops.Prepared
	inputs         int
	offsets        []int // in bytes, of each copy in the scratch memory, those of the inputs first; inner has the rest
	shapes         []ir.Shape
	loads          []ops.Part   // nil for constants
	constants      []*ir.Tensor // by input; nil for others
	round, store   ops.Part
	scratch, total int
}

// New prepares a layer whose output 0 and whose first inputs, of the given number, have one of
// Integers as their type.
func New(p *ops.Preparation, inputs int, prepare Prepare) (*Layer, error) {
	l := &Layer{inputs: inputs}
	q := *p
	q.Inputs, q.Outputs = slices.Clone(p.Inputs), slices.Clone(p.Outputs)
	q.Rounded = ir.Dynamic
	elementType := p.Outputs[0].Type
	for i := range inputs {
		if t := p.Inputs[i].Type; t != elementType {
			return nil, typeError(i, t, elementType)
		}
		q.Inputs[i] = ir.Fact{Type: ir.F32, Shape: p.Inputs[i].Shape}
		if constant := p.Inputs[i].Tensor; constant != nil {
			var err error
			if q.Inputs[i].Tensor, err = converted(p, constant); err != nil {
				return nil, err
			}
			q.Keep = nil // it knows the constants of the model, not their copies
			l.loads, l.constants = append(l.loads, nil), append(l.constants, q.Inputs[i].Tensor)
			continue
		}
		l.constants = append(l.constants, nil)
		l.loads = append(l.loads, func(r *ops.Run, lo, hi int) error {
			load(elementType, l.copyOf(r, i)[lo:hi], r.Inputs[i].Bytes()[lo*elementType.Size():hi*elementType.Size()])
			return nil
		})
	}
	q.Outputs[0] = ir.Fact{Type: ir.F32, Shape: p.Outputs[0].Shape}
	for _, fact := range append(slices.Clone(q.Inputs[:inputs]), q.Outputs[0]) {
		shape, err := fact.Shape.Static()
		if err != nil {
			return nil, err
		}
		l.shapes, l.offsets = append(l.shapes, shape), append(l.offsets, l.scratch)
		if fact.Tensor != nil {
			continue
		}
		if l.scratch, err = floats.AddScratch(l.scratch, shape); err != nil {
			return nil, err
		}
		l.scratch = (l.scratch + 63) &^ 63
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
		return nil, errTooLarge
	}
	least, most := limits(elementType)
	l.round = func(r *ops.Run, lo, hi int) error {
		x := l.copyOf(r, inputs)[lo:hi]
		for i, v := range x {
			x[i] = min(max(float32(math.RoundToEven(float64(v))), least), most)
		}
		return nil
	}
	l.store = func(r *ops.Run, lo, hi int) error {
		store(elementType, r.Outputs[0].Bytes()[lo*elementType.Size():hi*elementType.Size()], l.copyOf(r, inputs)[lo:hi])
		return nil
	}
	return l, nil
}

// converted returns a constant in float32.
func converted(p *ops.Preparation, constant *ir.Tensor) (*ir.Tensor, error) {
	if err := p.Reserve(4 * int64(constant.Len())); err != nil {
		return nil, err
	}
	t, err := ir.NewTensor(ir.F32, constant.Shape()...)
	if err != nil {
		return nil, err
	}
	size := constant.ElementType().Size()
	for at, data := 0, ir.Data[float32](t); at < len(data) && !p.Stop.Requested(); at += grain {
		end := min(at+grain, len(data))
		load(constant.ElementType(), data[at:end], constant.Bytes()[at*size:end*size])
	}
	return t, p.Stop.Err()
}

// Prepared returns the layer with a kernel that calls the methods of l.
func (l *Layer) Prepared(kernel ops.Kernel) *ops.Prepared {
	return &ops.Prepared{Kernel: kernel, ScratchBytes: l.total, Algorithm: l.inner.Algorithm, Flops: l.inner.Flops, Precision: ir.F32}
}

// copyOf returns copy i.
func (l *Layer) copyOf(r *ops.Run, i int) []float32 {
	return cast.Bytes[float32](r.Scratch[l.offsets[i]:])[:l.shapes[i].Elements()]
}

// Load converts the inputs that are not constant, and returns the error of r.For.
func (l *Layer) Load(r *ops.Run) error {
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

// Copy returns the copy of input i, which is not constant, after Load.
func (l *Layer) Copy(r *ops.Run, i int) []float32 { return l.copyOf(r, i) }

// memory is what a Run keeps: the Run of the inner kernel and its tensors.
type memory struct {
	run     ops.Run
	tensors []ir.Tensor
}

// Compute computes the copy of output 0 from those of the inputs.
func (l *Layer) Compute(r *ops.Run) error {
	m := r.Own(newMemory).(*memory)
	if m.tensors == nil {
		m.tensors = make([]ir.Tensor, len(l.offsets))
		m.run.Inputs, m.run.Outputs = slices.Clone(r.Inputs), []*ir.Tensor{&m.tensors[l.inputs]}
	}
	copy(m.run.Inputs, r.Inputs)
	for i := range m.tensors {
		if i < l.inputs && l.constants[i] != nil {
			m.run.Inputs[i] = l.constants[i]
			continue
		}
		size := 4 * l.shapes[i].Elements()
		if err := m.tensors[i].Reset(ir.F32, l.shapes[i], r.Scratch[l.offsets[i]:][:size:size], nil); err != nil {
			return err
		}
		if i < l.inputs {
			m.run.Inputs[i] = &m.tensors[i]
		}
	}
	m.run.Pool, m.run.Stop, m.run.Scratch = r.Pool, r.Stop, r.Scratch[l.scratch:]
	return l.inner.Kernel(&m.run)
}

func newMemory() any { return new(memory) }

// StoreRounded converts the copy of output 0, rounded and within the range of its type.
func (l *Layer) StoreRounded(r *ops.Run) error {
	if err := r.For(l.shapes[l.inputs].Elements(), grain, l.round); err != nil {
		return err
	}
	return l.Store(r)
}

// Store converts the copy of output 0, whose elements are integers. Those outside of the range of
// the type wrap, if they fit an int32.
func (l *Layer) Store(r *ops.Run) error { return r.For(l.shapes[l.inputs].Elements(), grain, l.store) }
