// Package ops defines the contract of a layer type. An Op is a plain value that holds the parser
// of the attributes, the shape rule, and the function that prepares the kernel. Each family of
// layer types is a package in its own folder below this one. Package builtin lists all families.
package ops

import (
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Op is one revision of a layer type. Type, Version and Infer are required. Most families set
// only fields up to Prepare; the fields after it are for layer types with special needs.
type Op struct {
	// Type is OpenVINO's name of the layer type: "ScatterUpdate". Version is the number of the
	// opset that introduced this revision: 3 in ScatterUpdate-3.
	Type    string
	Version int
	// Inputs bounds the number of connected inputs: Exactly(2), Between(1, 3), AtLeast(1).
	Inputs Arity
	// Types lists the element types that the kernel computes. They are types of input 0 or, if
	// the layer has no inputs, of output 0. nil means every type that Infer accepts.
	Types []ir.ElementType
	// PortTypes lists the element types that the kernel computes of further inputs and outputs,
	// unless it computes every type that Infer accepts.
	PortTypes []PortTypes
	// Written is the number of outputs that the kernel writes, where a layer can have fewer: a file
	// may leave out the last output ports. Such a layer can be inferred, but not compiled. 0 means
	// that the kernel writes those that there are.
	Written int
	// Attributes parses and checks the data element. Infer, Bounds and Prepare receive its
	// result and must not change it. nil means that the type has no attributes.
	Attributes func(*ir.Attributes) (any, error)
	// Values lists the inputs whose values Infer and Prepare read, not only their types and
	// shapes. Infer finds Tensor set only if such an input is constant. Prepare always finds it
	// set: if such an input is not constant, the layer is prepared when it runs, and the kernel
	// is kept for later runs with the same values.
	Values []int
	// Infer sets the types and shapes of the outputs. It is a pure function that accepts
	// static, interval and unknown shapes. It returns an error if the inputs violate the
	// specification of the layer type.
	Infer func(*Inference) error
	// Bounds sets the Values of Outputs, as far as they follow from the Bounds or Intervals of
	// Inputs. It is called after Infer. nil means that nothing is known about the values.
	Bounds func(*Inference)
	// Memory describes which tensors of the layer can share memory.
	Memory Memory
	// Prepare returns the kernel for given types, shapes and constants. It is called for each
	// new combination of input shapes and, for the inputs in Values, of values. Calls for
	// different layers may be concurrent. If Prepare is nil, layers of the type can be inferred,
	// but a model that contains one cannot be compiled.
	Prepare func(*Preparation) (*Prepared, error)

	// Namespace is the version attribute of layers outside OpenVINO's numbered opsets, such
	// as "extension" or a name that a program chooses; "" for OpenVINO's opsets.
	Namespace string
	// Fusion describes how the layer takes part in the fusion of elementwise layers.
	Fusion Fusion
	// Traits are properties that decide when and how the layer is computed.
	Traits Traits
	// Passes are rewrites of models that make layers of the type, or that such layers need.
	Passes []Pass
}

// PortTypes lists the element types that a kernel computes of an input or output.
type PortTypes struct {
	Output bool // Port is the number of an output
	Port   int
	Types  []ir.ElementType
}

// Memory describes which tensors of a layer can share memory. In the zero value, none can.
type Memory struct {
	// View means that output 0 holds the elements of input 0 in the same order, and can
	// therefore share its memory. If it does, the kernel is not called.
	View bool
	// Pieces returns, for each output, the index in input 0 of the output's first element. It
	// returns nil if the outputs are not contiguous pieces of input 0. It is called only if all
	// shapes are static. If the outputs share the memory of input 0, the kernel is not called.
	Pieces func(p *Preparation) []int
	// Joins returns, for each input, the index in output 0 of the input's first element. It
	// returns nil if output 0 is not all inputs one after the other. It is called only if all
	// shapes are static. If the inputs share the memory of output 0, the kernel is not called.
	Joins func(p *Preparation) []int
	// InPlace lists the inputs whose memory output 0 can take over if type and shape are equal.
	// The kernel must allow such an input and output 0 to alias.
	InPlace []int
	// Unaligned lists the inputs that the kernel reads as bytes. If such an input is constant,
	// its memory can start at any address.
	Unaligned []int
}

// Fusion describes how a layer is fused with other layers. In the zero value, it is not.
type Fusion struct {
	// Stage returns an elementwise layer as a stage of the layer that produces input number
	// `through`; nil if that is not possible. The inputs are float32 of static shapes. Input
	// `through` has as many elements as the output.
	Stage func(p *Preparation, through int) (*Stage, error)
	// Applies means that the kernel applies Preparation.Stages to output 0. Stores means that
	// the last stage may have a Store.
	Applies, Stores bool
}

// Arity bounds the number of connected inputs. The zero value means none.
type Arity = infer.Arity

// Exactly is the Arity of n inputs. It is not inlined: with Between and AtLeast, the command would
// be 8 KiB larger.
//
//go:noinline
func Exactly(n int) Arity { return Arity{Min: n, Max: n} }

// Between is the Arity of lo to hi inputs. It is not inlined: see Exactly.
//
//go:noinline
func Between(lo, hi int) Arity { return Arity{Min: lo, Max: hi} }

// AtLeast is the Arity of n inputs or more. It is not inlined: see Exactly.
//
//go:noinline
func AtLeast(n int) Arity { return Arity{Min: n, Max: -1} }

// Inference holds what the shape rule of a layer reads and sets.
type Inference = infer.Inference

// String returns the name of the revision as OpenVINO writes it: "ScatterUpdate-3", or
// "Type-namespace" if the Op has a Namespace.
func (op *Op) String() string {
	if op.Namespace != "" {
		return op.Type + "-" + op.Namespace
	}
	return op.Type + "-" + strconv.Itoa(op.Version)
}

// Computes returns an error unless the kernel can compute a layer with the given inputs and
// outputs: if op has no kernel, or if an element type is not in Types or PortTypes. An element type
// that is not yet known, Dynamic, is no error.
func (op *Op) Computes(inputs, outputs []ir.Fact) error {
	if op.Prepare == nil {
		return faults.Errorf("%v has a shape rule and no kernel", op)
	}
	if len(outputs) < op.Written {
		return faults.Errorf("the layer has %d outputs in the file, its kernel writes %d", len(outputs), op.Written)
	}
	first := PortTypes{Output: len(inputs) == 0, Types: op.Types}
	if op.Types != nil {
		if err := first.check(op, inputs, outputs); err != nil {
			return err
		}
	}
	for i := range op.PortTypes {
		if err := op.PortTypes[i].check(op, inputs, outputs); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the type of the port is known and not in Types.
func (p *PortTypes) check(op *Op, inputs, outputs []ir.Fact) error {
	facts, of := inputs, "input"
	if p.Output {
		facts, of = outputs, "output"
	}
	if p.Port >= len(facts) {
		return nil
	}
	t := facts[p.Port].Type
	if t == ir.Dynamic || slices.Contains(p.Types, t) {
		return nil
	}
	return faults.Errorf("%v has no kernel for %s %d of type %v, only for %v", op, of, p.Port, t, p.Types)
}
