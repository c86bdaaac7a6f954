// Package randomuniform makes numbers at random.
//
//	minval <= output[i] < maxval, each as likely as the others
//
// Versions: RandomUniform-8. Attributes: output_type, without a default; global_seed
// and op_seed, 0 where they are missing, which together 0 stand for another sequence in
// each run; alignment, whether the numbers are those of tensorflow or of pytorch,
// tensorflow where it is missing. Inputs: shape, a vector of type i32 or i64; minval
// and maxval of output_type, scalars or vectors of one element. Output: output_type,
// one of the types of floats, i32 or i64, of the shape that the first input holds.
// Errors: a minval that is not below maxval.
//
// Specification: OpenVINO operation set, generation, RandomUniform-8.
package randomuniform

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "RandomUniform", Version: 8,
	Inputs:     ops.Exactly(3),
	Attributes: parse,
	Values:     []int{0, 1, 2},
	Infer:      infer,
	Traits:     ops.Traits{Stateful: true},
}}

type attributes struct {
	outputType         ir.ElementType
	globalSeed, opSeed int64
	pytorch            bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("output_type")
	at := attributes{
		outputType: a.ElementType("output_type", ir.Dynamic),
		globalSeed: a.Int("global_seed", 0),
		opSeed:     a.Int("op_seed", 0),
		pytorch:    a.Enum("alignment", "tensorflow", "tensorflow", "pytorch") == "pytorch",
	}
	if t := at.outputType; t != ir.I32 && t != ir.I64 && !t.IsReal() {
		a.Fail("output_type", "%v is neither a type of floats nor i32 or i64", t)
	}
	return at, a.Err()
}
