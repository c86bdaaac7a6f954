package widened

import (
	"slices"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// PrepareFunc is the type of ops.Op.Prepare.
type PrepareFunc = func(*ops.Preparation) (*ops.Prepared, error)

// Prepare returns a function for Op.Prepare. If input 0 has the type From of one of the
// conversions, the kernel that prepare returns for the type To runs on wide copies of the given
// inputs and, if it has the same type, of output 0. It must not set the shape of an output. The
// inputs must have the type of input 0, or another one, which is left as it is. prepare does not
// see their elements, even if they are constant.
//
// It is not inlined: the code of the command would be 12 KiB larger.
//
//go:noinline
func Prepare(conversions []Conversion, prepare PrepareFunc, inputs ...int) PrepareFunc {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		if c := Find(conversions, p.Inputs[0].Type); c != nil {
			return prepared(New(c, p, false, prepare, inputs...))
		}
		return prepare(p)
	}
}

// PrepareConstants is Prepare for a kernel that prepares constants, such as weights: those of the
// given inputs are converted once, and prepare sees them.
func PrepareConstants(conversions []Conversion, prepare PrepareFunc, inputs ...int) PrepareFunc {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		if c := Find(conversions, p.Inputs[0].Type); c != nil {
			return prepared(New(c, p, true, prepare, inputs...))
		}
		return prepare(p)
	}
}

// prepared returns the kernel of a layer.
func prepared(l *Layer, err error) (*ops.Prepared, error) {
	if err != nil {
		return nil, err
	}
	whole := *l.Inner
	whole.Kernel, whole.ScratchBytes = l.Run, l.Scratch.Bytes()
	return &whole, nil
}

// Layer is a layer that is prepared for a wider type. The copies of its inputs and of output 0 are
// in the scratch memory, except those of constants that are converted once.
type Layer struct {
	// Inner is the layer in the wider type. Its Released has the inputs that the Layer does not
	// read.
	Inner *ops.Prepared
	// Scratch has the copies and the scratch memory of Inner. Areas can be added.
	Scratch ops.Scratch

	conversion *Conversion
	inputs     []wideCopy
	output     *wideCopy // nil if output 0 has another type
	inner      ops.Area[byte]
}

// wideCopy is the copy of an input, or of output 0.
type wideCopy struct {
	port     int
	shape    ir.Shape
	area     ops.Area[byte]
	constant *ir.Tensor // the copy, if it is made once
	convert  ops.Part   // nil for constants
}

// New prepares a layer for the type c.To. Inputs are those of Prepare, or of PrepareConstants if
// constants is true. The kernel must not take precision from the products: integers stay exact as
// long as the sums are.
func New(c *Conversion, p *ops.Preparation, constants bool, prepare PrepareFunc, inputs ...int) (*Layer, error) {
	wide := *p
	wide.Inputs, wide.Outputs = slices.Clone(p.Inputs), slices.Clone(p.Outputs)
	wide.Rounded, wide.Accurate = ir.Dynamic, true
	l := &Layer{conversion: c}
	var releases [](func())
	for _, i := range inputs {
		if i >= len(p.Inputs) || p.Inputs[i].Type != c.From {
			continue
		}
		if constant := p.Inputs[i].Tensor; constants && constant != nil {
			release, err := p.Borrow(memory.Size[byte](constant.Len(), c.To.Size()))
			if err != nil {
				return nil, err
			}
			t, err := c.copyOf(p.Stop, constant)
			if err != nil {
				release()
				return nil, err
			}
			wide.Inputs[i] = ir.Fact{Type: c.To, Shape: p.Inputs[i].Shape, Tensor: t}
			wide.Keep = nil // it knows the constants of the model, not their copies
			l.inputs, releases = append(l.inputs, wideCopy{port: i, shape: t.Shape(), constant: t}), append(releases, release)
			continue
		}
		w, err := l.add(&wide.Inputs[i], i)
		if err != nil {
			return nil, err
		}
		w.convert = func(r *ops.Run, lo, hi int) error {
			c.Load(r.Stop, c.elements(w.area.In(r), lo, hi), r.Inputs[i], lo)
			return nil
		}
		l.inputs, releases = append(l.inputs, *w), append(releases, nil)
	}
	if p.Outputs[0].Type == c.From {
		var err error
		if l.output, err = l.add(&wide.Outputs[0], 0); err != nil {
			return nil, err
		}
		l.output.convert = func(r *ops.Run, lo, hi int) error {
			c.Store(r.Stop, r.Outputs[0], lo, c.elements(l.Output(r), lo, hi))
			return nil
		}
	}
	inner, err := prepare(&wide)
	if err != nil {
		return nil, err
	}
	l.Inner, l.inner = inner, ops.AreaOf[byte](&l.Scratch, inner.ScratchBytes)
	return l, l.release(releases)
}

// add returns the copy of a tensor with the given fact, which it changes to the wide type.
func (l *Layer) add(fact *ir.Fact, port int) (*wideCopy, error) {
	shape, err := fact.Shape.Static()
	if err != nil {
		return nil, err
	}
	size, err := ir.ByteSize(l.conversion.To, shape)
	if err != nil {
		return nil, err
	}
	*fact = ir.Fact{Type: l.conversion.To, Shape: fact.Shape}
	return &wideCopy{port: port, shape: shape, area: ops.AreaOf[byte](&l.Scratch, size)}, nil
}

// release drops the copies of constants that the inner kernel does not read, and sets
// Inner.Released.
func (l *Layer) release(releases []func()) error {
	unread := l.Inner.Released
	l.Inner.Released = slices.Clone(unread)
	for i := range l.inputs {
		w := &l.inputs[i]
		switch {
		case w.constant == nil:
			continue
		case slices.Contains(unread, w.port):
			empty, err := ir.NewTensor(l.conversion.To, 0)
			if err != nil {
				return err
			}
			w.constant = empty
			releases[i]()
		default:
			l.Inner.Released = append(l.Inner.Released, w.port)
		}
	}
	return nil
}

// copyOf returns a copy of a constant.
func (c *Conversion) copyOf(stop parallel.Stop, constant *ir.Tensor) (*ir.Tensor, error) {
	t, err := ir.NewTensor(c.To, constant.Shape()...)
	if err != nil {
		return nil, err
	}
	c.Load(stop, t.Bytes(), constant, 0)
	return t, stop.Err()
}

// elements returns elements lo to hi-1 of a copy.
func (c *Conversion) elements(wide []byte, lo, hi int) []byte {
	return wide[lo*c.To.Size() : hi*c.To.Size()]
}

// Input returns the copy of the input with number i among those that New was given. It must not be
// called for a constant.
func (l *Layer) Input(r *ops.Run, i int) []byte { return l.inputs[i].area.In(r) }

// Output returns the copy of output 0.
func (l *Layer) Output(r *ops.Run) []byte { return l.output.area.In(r) }

// Run is the kernel of the layer.
func (l *Layer) Run(r *ops.Run) error {
	if err := l.Load(r); err != nil {
		return err
	}
	if err := l.Compute(r); err != nil || l.output == nil {
		return err
	}
	return l.output.convertAll(r)
}

// Load sets the copies of the inputs.
func (l *Layer) Load(r *ops.Run) error {
	for i := range l.inputs {
		if w := &l.inputs[i]; w.convert != nil {
			if err := w.convertAll(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// convertAll calls convert for all elements.
func (w *wideCopy) convertAll(r *ops.Run) error {
	return r.For(w.shape.Elements(), ops.Grain(ops.ConvertCost), w.convert)
}

// state is what a Run keeps: the Run of the inner kernel and its tensors.
type state struct {
	run     ops.Run
	tensors []ir.Tensor
}

func newState() any { return new(state) }

// Compute computes the copy of output 0 from those of the inputs.
func (l *Layer) Compute(r *ops.Run) error {
	s := r.Own(newState).(*state)
	if len(s.tensors) <= len(l.inputs) {
		s.tensors = make([]ir.Tensor, len(l.inputs)+1)
	}
	inner := &s.run
	inner.Inputs, inner.Outputs = append(inner.Inputs[:0], r.Inputs...), append(inner.Outputs[:0], r.Outputs...)
	inner.Pool, inner.Division, inner.Stop, inner.Charge, inner.Scratch = r.Pool, r.Division, r.Stop, r.Charge, l.inner.In(r)
	for i := range l.inputs {
		w, t := &l.inputs[i], &s.tensors[i]
		if w.constant != nil {
			inner.Inputs[w.port] = w.constant
			continue
		}
		if err := t.Reset(l.conversion.To, w.shape, w.area.In(r), nil); err != nil {
			return err
		}
		inner.Inputs[w.port] = t
	}
	if l.output != nil {
		t := &s.tensors[len(l.inputs)]
		if err := t.Reset(l.conversion.To, l.output.shape, l.Output(r), nil); err != nil {
			return err
		}
		inner.Outputs[0] = t
	}
	return l.Inner.Kernel(inner)
}
