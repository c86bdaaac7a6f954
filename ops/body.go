package ops

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// Body runs a body of a layer, such as a branch of If, in one InferRequest. Kernels find the
// bodies of their layer in Run.Bodies.
type Body interface {
	// Infer runs the body. inputs holds a tensor for each Parameter of the body, in the order of
	// Model.Parameters. Infer returns the tensors of the Results, in the order of Model.Results.
	// They are valid until the next call.
	//
	// outputs is nil or has an entry for each Result. If outputs[i] is a tensor of the type and
	// shape of Result i, the result is written there and outputs[i] is returned. Other entries,
	// which may be nil, are ignored.
	Infer(inputs, outputs []*ir.Tensor) ([]*ir.Tensor, error)
}

// Variable is a variable of a model in one InferRequest: a tensor that keeps its value from one
// inference to the next. Kernels find all variables in Run.Variables.
type Variable interface {
	// Value returns the value that the variable had when the inference began; nil if it had
	// none. The tensor is valid until the inference ends.
	Value() (*ir.Tensor, error)
	// Assign stores a copy of t, which becomes the value in the next inference. It is an error if
	// the variable cannot have the type or shape of t, or if the copy exceeds a memory limit. The
	// copy ends early if stop is requested.
	Assign(stop parallel.Stop, t *ir.Tensor) error
	// Shape returns the shape of Value without making a tensor of it; nil if there is no value.
	Shape() ir.Shape
	// Append appends to the value, and makes the result the value in the next inference. It does
	// not copy the value unless the value has no room to grow, or is reordered. It returns an error
	// as Assign does, or if the shapes do not fit each other.
	Append(stop parallel.Stop, a Append) (Grown, error)
}

// Append is the argument of Variable.Append.
type Append struct {
	// Rows is appended along Axis. The other axes must be as long as those of the value.
	Rows *ir.Tensor
	Axis int
	// Initial is the value if the variable has none.
	Initial *ir.Tensor
	// Order, if not nil, is i32 or i64 of one axis: before Rows is appended, index i of axis 0 of
	// the value becomes what index Order[i] was, or zeros if there was none, as in Gather-8. Axis
	// must then not be 0.
	Order *ir.Tensor
	// Type is the type that the value is kept in: F16, BF16, or U8 as levels.EncodeRows stores the
	// last axis, if Rows is f32; otherwise that of Rows. With U8, Axis must be the one before the
	// last.
	Type ir.ElementType
}

// Grown is a value with room to grow.
type Grown struct {
	// Memory is the value, in Append.Type, followed by room along the axis: its elements from
	// Length on are undefined. It is valid until the inference ends, and must not be written to.
	// With U8, its last axis is longer than that of the value.
	Memory *ir.Tensor
	// Length is the length of the value along the axis.
	Length int
}
