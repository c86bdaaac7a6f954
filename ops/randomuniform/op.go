// Package randomuniform makes uniformly distributed random numbers.
//
//	minval <= output[i] < maxval
//
// Versions: RandomUniform-8.
//
// Inputs: shape, a vector of i32 or i64; minval and maxval, scalars or vectors of one element, of
// type output_type.
//
// Output: type output_type and the shape that the first input holds.
//
// Attributes:
//   - output_type, without a default: a floating-point type, i32 or i64.
//   - global_seed and op_seed, not negative: 0 by default. If both are 0, each run makes another
//     sequence.
//   - alignment: tensorflow (the default) or pytorch, the framework whose numbers the layer makes.
//
// With alignment tensorflow, the numbers are those of Philox with the key global_seed and the
// counter op_seed. The second run of a request continues the sequence of its first, as in OpenVINO;
// each request starts at the seeds, as does one whose shape, minval or maxval has changed. With
// alignment pytorch, they are those of the Mersenne twister with the seed global_seed, the same in
// each run; op_seed is ignored unless both are 0. f16 and bf16 round after each operation. The
// numbers do not depend on the number of threads.
//
// i64 with alignment tensorflow takes 64 random bits for each element, as TensorFlow and OpenVINO's
// reference do. OpenVINO's CPU plugin computes i64 in i32, and f64 and f16 in f32, with other
// numbers.
//
// Errors: a minval that is not below maxval, such as NaN, and a negative seed.
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
	PortTypes:  []ops.PortTypes{{Output: true, Types: []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I32, ir.I64}}},
	Attributes: parse,
	Values:     []int{0, 1, 2},
	Infer:      infer,
	Prepare:    prepare,
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
