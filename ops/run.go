package ops

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// Kernel computes a layer. It only touches buffers: it must not allocate, and it is called
// concurrently with different Runs.
type Kernel func(*Run) error

// Run is one execution of a kernel.
type Run struct {
	Inputs, Outputs []*ir.Tensor
	// Scratch starts at a cache line. Its content is undefined.
	Scratch []byte
	// Pool runs parts of the kernel in parallel.
	Pool *parallel.Pool
	// Bodies are those of the layer, in order.
	Bodies []Body
	// Variables are those of the model, in the order of Preparation.Variables.
	Variables []Variable
	// Resize sets the shape of an output that is known only now, and allocates it. Kernels
	// call it by SetShape.
	Resize func(output int, shape ir.Shape) error

	part    Part
	lengths ir.Shape
	own     any
}

// Own returns what make returned when Own was first called for r. A kernel keeps there what
// it would otherwise allocate in each run, such as a function that refers to r. The first
// call must not be in a Part.
func (r *Run) Own(make func() any) any {
	if r.own == nil {
		r.own = make()
	}
	return r.own
}

// SetShape sets the shape of an output that is known only now, and makes Outputs[output] a
// tensor of that shape.
func (r *Run) SetShape(output int, lengths ...int) error {
	// A Shape made by the kernel would be an allocation.
	r.lengths = append(r.lengths[:0], lengths...)
	return r.Resize(output, r.lengths)
}

// Part is a piece of a kernel that For runs in parallel: items lo to hi-1.
type Part func(r *Run, lo, hi int) error

// For splits n items into parts of at least grain items, runs them on the pool and returns
// the error of the lowest part that failed. Prepare must make the part, since a closure that
// is made in a kernel is an allocation. Calls do not nest.
func (r *Run) For(n, grain int, part Part) error {
	r.part = part
	return r.Pool.For(n, grain, r)
}

// Do runs one piece of the part that For was given. It makes Run a parallel.Task.
func (r *Run) Do(lo, hi int) error { return r.part(r, lo, hi) }
