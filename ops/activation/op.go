// Package activation computes activation functions whose parameters are inputs:
//
//	HardSigmoid  min(max(alpha*x+beta, 0), 1)
//	Selu         lambda*x if x > 0, else lambda*alpha*(exp(x)-1)
//	Swish        x/(1+exp(-beta*x)); beta is 1 if the input is missing
//
// Versions: HardSigmoid-1, Selu-1, Swish-4.
//
// Inputs: data, of type T and any shape, and the parameters, of type T with one element each. alpha
// and beta of HardSigmoid and beta of Swish are scalars. Output: type T and the shape of data.
//
// T: f32, f64, f16 or bf16. f16 and bf16 are computed in f32 and rounded once. So are integers in
// HardSigmoid, as in OpenVINO: to the nearest, halves to even. The vector code for
// Selu and Swish in f32 has an error of at most 4 ULP, where Swish takes the rounded product beta*x
// as exact. As in OpenVINO, the shape rules accept every type in HardSigmoid, and any shape of
// alpha and lambda in Selu.
//
// Specification: OpenVINO operation set, activation, HardSigmoid-1, Selu-1, Swish-4.
package activation

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// function is one of the activations.
type function uint8

const (
	hardSigmoid function = iota
	selu
	swish
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	activation("HardSigmoid", 1, hardSigmoid, 3, inferHardSigmoid),
	activation("Selu", 1, selu, 3, inferSelu),
	activation("Swish", 4, swish, 1, inferSwish),
}

func activation(layerType string, version int, f function, minInputs int, infer func(*ops.Inference) error) ops.Op {
	types := floats.Types
	if f == hardSigmoid {
		types = widened.RoundedTypes
	}
	return ops.Op{
		Type: layerType, Version: version,
		Inputs: ops.Between(minInputs, max(minInputs, 2)),
		Types:  types,
		Infer:  infer,
		Memory: ops.Memory{InPlace: []int{0}},
		Fusion: ops.Fusion{
			Applies: true, Stores: true,
			Stage: func(p *ops.Preparation, through int) (*ops.Stage, error) { return stage(p, f, through), nil },
		},
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) { return prepare(p, f) },
	}
}
