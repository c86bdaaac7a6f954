// Package ops defines what a layer type is to vinoir: one plain Op value with
// its attributes, its shape rule and the preparation of its kernel. Each family
// of layer types has a folder of its own below this one.
package ops

import (
	"strconv"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// Op is one revision of a layer type. All fields but Type, Version and Infer may
// be left out.
type Op struct {
	// Type is the canonical type: "ScatterUpdate". Version is the opset that
	// introduced this revision: 3 in ScatterUpdate-3.
	Type    string
	Version int
	// Namespace is the version attribute of layers that belong to no numbered
	// opset, such as "extension" or a program's own; "" for OpenVINO's opsets.
	Namespace string
	// MinInputs and MaxInputs bound the number of connected inputs; a MaxInputs
	// of -1 is no bound. The driver checks them before Infer.
	MinInputs, MaxInputs int
	// Types are the element types that the kernel computes, for the table of
	// supported layers; nil means all.
	Types []ir.ElementType
	// Attributes parses and checks the data element. What it returns is handed
	// to Infer, Bounds and Prepare, and must not be changed by them.
	Attributes func(*ir.Attributes) (any, error)
	// Values lists the inputs whose values, beyond type and shape, Infer and
	// Prepare read. Prepare finds their Tensor: where they are not constant, the
	// layer is prepared when it runs, and the kernel is kept by their values.
	Values []int
	// Infer fills in the types and shapes of the outputs. It is pure, and the
	// same function serves static, interval and unknown shapes.
	Infer func(*Inference) error
	// Bounds follows known values of small tensors through the layer, after
	// Infer: Inputs' Bounds or Intervals in, Outputs' Values out.
	Bounds func(*Inference)
	// View says that output 0 holds the elements of input 0 in the same order,
	// so that it can share its memory; the kernel then is never called for it.
	View bool
	// Pieces, if not nil, returns at which element of input 0 each output starts, where
	// the outputs are whole pieces of it that can share its memory; nil where they are
	// not. Joins returns at which element of output 0 each input starts, where that is
	// all the inputs one after the other. All shapes are static.
	Pieces, Joins func(p *Preparation) []int
	// InPlace lists the inputs whose buffer output 0 may take over where their
	// type and shape are equal: the kernel must be right when both are one.
	InPlace []int
	// Unaligned lists the inputs that the kernel reads as bytes, so that the address of
	// a constant need not suit its elements.
	Unaligned []int
	// Stage, in an elementwise layer, returns it as a stage of the layer that computes
	// its input through; nil where it cannot be one. The inputs and the output are
	// float32 of static shapes, and input through has as many elements as the output.
	Stage func(p *Preparation, through int) (*Stage, error)
	// Fuses says that the kernel applies Preparation.Stages to output 0.
	Fuses bool
	// Stateful says that the outputs depend on more than the inputs, as random
	// numbers and variables do: the layer is run even if its inputs are constant.
	Stateful bool
	// Prepare does what types, shapes and constants decide, and returns the
	// kernel. It is called once for each set of input shapes. A layer type without
	// Prepare has its shapes inferred, but models that hold it cannot be compiled.
	Prepare func(*Preparation) (Kernel, error)
}

// String returns the name of the revision as OpenVINO writes it:
// "ScatterUpdate-3", or "Type-namespace" where the Op has a namespace.
func (op *Op) String() string {
	if op.Namespace != "" {
		return op.Type + "-" + op.Namespace
	}
	return op.Type + "-" + strconv.Itoa(op.Version)
}

// Preparation is what Prepare knows of the layer.
type Preparation struct {
	Attributes any
	Layer      *ir.Layer
	// Inputs and Outputs have static shapes, but for the outputs of a layer
	// whose output shapes depend on the data. Tensor is set on an input that is
	// constant, and on those of Op.Values.
	Inputs, Outputs []ir.Fact
	// Unread says of each output whether nobody reads it, so that the kernel need not
	// write it; nil where that is not known.
	Unread []bool
	// Threads is the number of threads that the kernel may use.
	Threads int
	// Stages are the layers that the kernel applies to output 0, where Op.Fuses is
	// set. Their other inputs follow the layer's own in Run.Inputs. Inputs and
	// Outputs are those of the layer itself.
	Stages []Stage
	// Operands says, for Op.Stage, where each input of the layer stands in
	// Run.Inputs; that of the input through means nothing.
	Operands []int
	// Algorithm is set by Prepare to what the kernel is, in a few words, where there
	// are several, and Flops to its floating-point operations, for profiles; Bytes to
	// what has to be read and written where that is not all of the inputs and outputs.
	Algorithm string
	Flops     float64
	Bytes     int64
	// ScratchBytes is set by Prepare to the bytes that the kernel needs besides
	// its inputs and outputs; Run.Scratch is then that long.
	ScratchBytes int
	// Keep, if not nil, returns what make returned when it was called for this
	// layer and key before, and calls it otherwise. Prepare calls it by Once.
	Keep func(key string, make func() (any, error)) (any, error)

	released uint64
}

// Release says that the kernel does not read Inputs[input], and that nothing that
// Prepare has made refers to the memory of its Tensor: packed weights stand for
// it. Large constants are in memory only as long as a kernel reads them.
func (p *Preparation) Release(input int) {
	if input < 64 {
		p.released |= 1 << input
	}
}

// Released reports whether Prepare has called Release of input.
func (p *Preparation) Released(input int) bool { return input < 64 && p.released>>input&1 != 0 }

// Once returns what make returns, and calls it only once for each layer of a
// compiled model and key: for what is made of constants alone, such as packed
// weights, and is the same for all shapes of the other inputs. What is made must not
// be changed later.
func (p *Preparation) Once(key string, make func() (any, error)) (any, error) {
	if p.Keep == nil {
		return make()
	}
	return p.Keep(key, make)
}

// PicksData sets Bytes for a kernel that reads no more elements of input 0 than
// output 0 has.
func (p *Preparation) PicksData() {
	if len(p.Inputs) == 0 || len(p.Outputs) == 0 {
		return // there is no layer, and nobody asks
	}
	p.Bytes = 2 * sizeOf(&p.Outputs[0])
	for i := 1; i < len(p.Inputs); i++ {
		p.Bytes += sizeOf(&p.Inputs[i])
	}
}

// sizeOf returns the bytes of a tensor, 0 of one whose shape or type has none.
func sizeOf(fact *ir.Fact) int64 {
	shape, err := fact.Shape.Static()
	if err != nil {
		return 0
	}
	n, err := ir.ByteSize(fact.Type, shape)
	if err != nil {
		return 0
	}
	return int64(n)
}

// Kernel computes a layer. It only touches buffers: it must not allocate, and it
// is called concurrently with different Runs.
type Kernel func(*Run) error

// Run is one execution of a kernel.
type Run struct {
	Inputs, Outputs []*ir.Tensor
	// Scratch starts at a cache line and holds whatever the last user left.
	Scratch []byte
	// Pool runs parts of the kernel in parallel.
	Pool *parallel.Pool
	// Resize sets the shape of an output that is known only now, and allocates it;
	// kernels call it by SetShape.
	Resize func(output int, shape ir.Shape) error

	part    Part
	lengths ir.Shape
	own     any
}

// Own returns what make returned the first time it was called for r: what a kernel
// needs and would otherwise allocate whenever it runs, such as a function that
// holds r. The first call is not to be in a Part.
func (r *Run) Own(make func() any) any {
	if r.own == nil {
		r.own = make()
	}
	return r.own
}

// SetShape sets the lengths of the axes of an output whose shape is known only
// now, and makes Outputs[output] a tensor of that shape.
func (r *Run) SetShape(output int, lengths ...int) error {
	// A Shape made by the kernel would be an allocation.
	r.lengths = append(r.lengths[:0], lengths...)
	return r.Resize(output, r.lengths)
}

// Part is a piece of a kernel that For runs in parallel: items lo to hi-1.
type Part func(r *Run, lo, hi int) error

// For splits n items into parts of at least grain items, runs them on the pool
// and returns the error of the lowest part that failed. The part must be made by
// Prepare, not by the kernel: a closure made in a kernel is an allocation. Calls
// do not nest.
func (r *Run) For(n, grain int, part Part) error {
	r.part = part
	return r.Pool.For(n, grain, r)
}

// Do runs one piece of the part that For was given; it makes Run a parallel.Task.
func (r *Run) Do(lo, hi int) error { return r.part(r, lo, hi) }
