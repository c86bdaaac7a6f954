// Package ops defines what a layer type is to vinoir: one plain Op value with its attributes,
// its shape rule and the preparation of its kernel. Each family of layer types has a folder
// of its own below this one.
package ops

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Op is one revision of a layer type. Type, Version and Infer are needed. An ordinary family
// sets some of the fields up to Prepare; those behind it are for layer types that are
// special in one way.
type Op struct {
	// Type is the canonical layer type: "ScatterUpdate". Version is the opset that
	// introduced this revision: 3 in ScatterUpdate-3.
	Type    string
	Version int
	// Inputs bounds the number of connected inputs: Exactly(2), Between(1, 3), AtLeast(1).
	Inputs Arity
	// Types lists the element types of the first input, or of the first output of a layer
	// without inputs, that the kernel computes. nil means every type that Infer accepts.
	Types []ir.ElementType
	// Attributes parses and checks the data element. Infer, Bounds and Prepare receive what
	// it returns and must not change it. nil means that the type has no attributes.
	Attributes func(*ir.Attributes) (any, error)
	// Values lists the inputs whose values Infer and Prepare read, beyond type and shape.
	// They find them as Tensor. If such an input is not constant, the layer is prepared when
	// it runs, and the kernel is kept for the next run with the same values.
	Values []int
	// Infer sets the types and shapes of the outputs. It is pure, and one function serves
	// static, interval and unknown shapes.
	Infer func(*Inference) error
	// Bounds follows known values of small tensors through the layer, after Infer: from the
	// Bounds or Intervals of Inputs to the Values of Outputs.
	Bounds func(*Inference)
	// Memory says which tensors of the layer can share memory.
	Memory Memory
	// Prepare makes the kernel for given types, shapes and constants. It is called once for
	// each set of input shapes. Layers of a type without Prepare are inferred, but a model
	// that has one cannot be compiled.
	Prepare func(*Preparation) (*Prepared, error)

	// Namespace is the version attribute of layers outside OpenVINO's numbered opsets, such
	// as "extension" or a program's own; "" for OpenVINO's opsets.
	Namespace string
	// Fusion says how the layer takes part in the fusion of elementwise layers.
	Fusion Fusion
	// Traits are properties that decide when and how the layer is computed.
	Traits Traits
}

// Memory describes the memory of a layer's tensors to the planner. The zero value promises
// nothing.
type Memory struct {
	// View means that output 0 holds the elements of input 0 in the same order, so that it
	// can lie in its memory. The kernel is not called if it does.
	View bool
	// Pieces, for static shapes, returns the element of input 0 at which each output starts,
	// if the outputs are contiguous pieces of it that can lie in its memory; nil otherwise.
	Pieces func(p *Preparation) []int
	// Joins, for static shapes, returns the element of output 0 at which each input starts,
	// if output 0 is all inputs one after the other; nil otherwise.
	Joins func(p *Preparation) []int
	// InPlace lists the inputs whose memory output 0 may take over if type and shape are
	// equal. The kernel must allow that input and output 0 to alias.
	InPlace []int
	// Unaligned lists the inputs that the kernel reads as bytes, so that a constant may lie
	// at any address.
	Unaligned []int
}

// Fusion describes how a layer is fused with others. The zero value means not at all.
type Fusion struct {
	// Stage returns an elementwise layer as a stage of the layer that produces its input
	// number through; nil if it cannot be one. The inputs are float32 of static shapes, and
	// input through has as many elements as the output.
	Stage func(p *Preparation, through int) (*Stage, error)
	// Applies means that the kernel applies Preparation.Stages to output 0. Stores means that
	// the last of them can be one with a Store.
	Applies, Stores bool
}

// Traits are properties of a layer type that few have.
type Traits struct {
	// Stateful means that the outputs depend on more than the inputs, as random numbers and
	// variables do. The layer is run even if its inputs are constant.
	Stateful bool
	// Deferrable means that a layer of constants can be computed when its output is first
	// read rather than when the model is compiled: it has one output, and its kernel
	// refuses no data. Weights on their way to a convolution pass through such layers.
	Deferrable bool
	// Reads and Assigns return, from what Attributes returned, the variable_id of the
	// variable that the layer reads or assigns. They are nil for layers that do not.
	Reads, Assigns func(attributes any) string
}

// Arity bounds the number of connected inputs. The zero value means none.
type Arity = infer.Arity

// Exactly is the Arity of n inputs.
func Exactly(n int) Arity { return Arity{Min: n, Max: n} }

// Between is the Arity of lo to hi inputs.
func Between(lo, hi int) Arity { return Arity{Min: lo, Max: hi} }

// AtLeast is the Arity of n inputs or more.
func AtLeast(n int) Arity { return Arity{Min: n, Max: -1} }

// Inference is what the shape rule of a layer reads and fills in.
type Inference = infer.Inference

// String returns the name of the revision as OpenVINO writes it: "ScatterUpdate-3", or
// "Type-namespace" if the Op has a Namespace.
func (op *Op) String() string {
	if op.Namespace != "" {
		return op.Type + "-" + op.Namespace
	}
	return op.Type + "-" + strconv.Itoa(op.Version)
}

// Computes returns an error that says why the kernel does not compute a layer with the
// given facts: the type has no kernel, or not for that element type. A type that is not
// known yet, Dynamic, is no error.
func (op *Op) Computes(inputs, outputs []ir.Fact) error {
	if op.Prepare == nil {
		return fmt.Errorf("%v has a shape rule and no kernel", op)
	}
	t, of := ir.Dynamic, ""
	switch {
	case len(inputs) > 0:
		t, of = inputs[0].Type, "input 0"
	case len(outputs) > 0:
		t, of = outputs[0].Type, "output 0"
	}
	if op.Types == nil || t == ir.Dynamic || slices.Contains(op.Types, t) {
		return nil
	}
	return fmt.Errorf("%v has no kernel for %s of type %v, only for %v", op, of, t, op.Types)
}
