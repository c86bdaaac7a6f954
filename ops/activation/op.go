// Package activation computes the activations whose parameters are inputs:
//
//	HardSigmoid  min(max(alpha*x+beta, 0), 1)
//	Selu         lambda*x where x > 0, else lambda*alpha*(exp(x)-1)
//	Swish        x/(1+exp(-beta*x)); without the input beta, it is 1
//
// Versions: HardSigmoid-1, Selu-1, Swish-4. Inputs: data of type T and any shape,
// and the parameters, of T and one element each: alpha and beta of HardSigmoid and
// beta of Swish are scalars. Output: T and the shape of data. T: a floating-point
// type; OpenVINO takes every type in HardSigmoid, and alpha and lambda of any shape.
//
// Specification: OpenVINO operation set, activation, HardSigmoid-1, Selu-1, Swish-4.
package activation

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{Type: "HardSigmoid", Version: 1, MinInputs: 3, MaxInputs: 3, Infer: inferHardSigmoid},
	{Type: "Selu", Version: 1, MinInputs: 3, MaxInputs: 3, Infer: inferSelu},
	{Type: "Swish", Version: 4, MinInputs: 1, MaxInputs: 2, Infer: inferSwish},
}
