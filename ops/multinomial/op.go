// Package multinomial draws classes at random with given probabilities.
//
//	output[b, s] = c with a probability proportional to probs[b, c]
//
// Versions: Multinomial-13.
//
// Inputs: probs, a matrix of a floating-point type, and num_samples, a scalar or a vector of one
// element, of an integer type.
//
// Output: [batch, num_samples] of type convert_type.
//
// Attributes, the first three without defaults:
//   - convert_type: the type of the output.
//   - with_replacement: whether a class can be drawn again.
//   - log_probs: whether probs are logarithms.
//   - global_seed and op_seed, not negative: 0 by default. If both are 0, each run draws another
//     sequence; otherwise each run draws the same.
//
// The random numbers are those of OpenVINO's CPU plugin: 32 bits of a Mersenne twister that a seed
// sequence of global_seed and op_seed has seeded, one for each element of the output. A sample is
// the first class whose cumulative probability reaches its random number. f16 and bf16 are computed
// in float32. Logarithms are first reduced by the greatest of their row, so that none overflows. A
// class of probability 0 is never drawn.
//
// Errors: a convert_type other than i32 and i64; probs that are NaN, negative or infinite; a row
// whose sum is 0 or infinite; and without replacement, fewer classes with a probability above 0
// than num_samples.
//
// Specification: OpenVINO operation set, generation, Multinomial-13.
package multinomial

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Multinomial", Version: 13,
	Inputs:     ops.Exactly(2),
	Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
	PortTypes:  []ops.PortTypes{{Output: true, Types: []ir.ElementType{ir.I32, ir.I64}}},
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
	Prepare:    prepare,
	Traits:     ops.Traits{Stateful: true},
}}

type attributes struct {
	outputType         ir.ElementType
	replace, logarithm bool
	globalSeed, opSeed int64
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{"convert_type", "with_replacement", "log_probs"} {
		a.Expect(name)
	}
	return attributes{
		outputType: a.ElementType("convert_type", ir.Dynamic),
		replace:    a.Bool("with_replacement", false),
		logarithm:  a.Bool("log_probs", false),
		globalSeed: a.Int("global_seed", 0),
		opSeed:     a.Int("op_seed", 0),
	}, a.Err()
}
