package ops

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// Kernel computes the outputs of a layer from its inputs. It must not allocate, and it must be
// safe for concurrent calls with different Runs. If the data is invalid, such as an index out of
// range, it returns an error and does not panic.
type Kernel func(*Run) error

// Run holds the tensors and the memory of one execution of a kernel. The same Run may be used again
// for later executions on other data.
type Run struct {
	// Inputs and Outputs have the types and shapes that the kernel was prepared for. If there are
	// Preparation.Stages, their operands follow the inputs of the layer, and output 0 is that of
	// the last stage: it has the same number of elements, but may have another type and shape.
	Inputs, Outputs []*ir.Tensor
	// Scratch has at least Prepared.ScratchBytes bytes and starts at a cache line. Its content is
	// undefined.
	Scratch []byte
	// Pool runs parts of the kernel in parallel. Kernels use it through For. nil means one thread.
	Pool *parallel.Pool
	// Bodies are the bodies of the layer, in the order of Layer.Bodies.
	Bodies []Body
	// Variables are the variables of the model. Preparation.Variables has their indices.
	Variables []Variable
	// Resize implements SetShape, which kernels call instead. It must not keep shape.
	Resize func(output int, shape ir.Shape) error

	part    Part
	lengths ir.Shape
	own     any
}

// Own returns the value that make returned at the first call of Own for r. A kernel keeps in it
// what it would otherwise allocate in each run, such as a function that refers to r. The first
// call must not be in a Part.
func (r *Run) Own(make func() any) any {
	if r.own == nil {
		r.own = make()
	}
	return r.own
}

// SetShape sets the shape of an output whose shape depends on the data, and sets Outputs[output]
// to a tensor of that shape. The kernel must call it before it writes the output. If the shape was
// inferred as static, lengths must equal it.
func (r *Run) SetShape(output int, lengths ...int) error {
	// If lengths were passed on, each call would allocate it.
	r.lengths = append(r.lengths[:0], lengths...)
	return r.Resize(output, r.lengths)
}

// Part computes the items lo to hi-1 of a kernel.
type Part func(r *Run, lo, hi int) error

// For splits n items into parts of at least grain items, runs part for each of them on the pool,
// and returns the error of the first part, in order of items, that failed. part must be created by
// Prepare, because a closure that the kernel creates is an allocation. A Part must not call For.
func (r *Run) For(n, grain int, part Part) error {
	r.part = part
	return r.Pool.For(n, grain, r)
}

// Do runs the items lo to hi-1 of the Part that For was given. It implements parallel.Task.
func (r *Run) Do(lo, hi int) error { return r.part(r, lo, hi) }
