// Package activation computes the activations whose parameters are inputs:
//
//	HardSigmoid  min(max(alpha*x+beta, 0), 1)
//	Selu         lambda*x where x > 0, else lambda*alpha*(exp(x)-1)
//	Swish        x/(1+exp(-beta*x)); without the input beta, it is 1
//
// Versions: HardSigmoid-1, Selu-1, Swish-4. Inputs: data of type T and any shape,
// and the parameters, of T and one element each: alpha and beta of HardSigmoid and
// beta of Swish are scalars. Output: T and the shape of data. T: f32, f64, f16 and
// bf16, which are computed in f32 and rounded once; Selu and Swish of f32 are within
// four units in the last place where vector code computes them, Swish with beta*x
// rounded. OpenVINO's rules take every type
// in HardSigmoid, and alpha and lambda of any shape.
//
// Specification: OpenVINO operation set, activation, HardSigmoid-1, Selu-1, Swish-4.
package activation

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
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
	return ops.Op{
		Type: layerType, Version: version,
		Inputs: ops.Between(minInputs, max(minInputs, 2)),
		Types:  []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
		Infer:  infer,
		Memory: ops.Memory{InPlace: []int{0}},
		Fusion: ops.Fusion{
			Applies: true,
			Stage:   func(p *ops.Preparation, through int) (*ops.Stage, error) { return stage(p, f, through), nil },
		},
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) { return prepare(p, f) },
	}
}
