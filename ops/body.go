package ops

import "github.com/vinoir/vinoir/ir"

// Body is a body of a layer, such as a branch of If, in one InferRequest. Kernels find those
// of their layer in Run.Bodies.
type Body interface {
	// Infer runs the body. inputs has a tensor for each Parameter of the body, in order. The
	// tensors it returns are those of the Results; they are valid until the next call.
	// Result i is written to outputs[i] if that is a tensor of the type and shape of the
	// result. A nil outputs means none.
	Infer(inputs, outputs []*ir.Tensor) ([]*ir.Tensor, error)
}

// Variable is a variable of a model in one InferRequest: a tensor that lives from one Infer
// to the next. Kernels find all of them in Run.Variables.
type Variable interface {
	// Value returns the value that the variable had when Infer began; nil if it has none. It
	// is valid until Infer ends.
	Value() *ir.Tensor
	// Assign makes a copy of t the value for the Infer that follows.
	Assign(t *ir.Tensor) error
}
