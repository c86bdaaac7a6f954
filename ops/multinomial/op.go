// Package multinomial infers Multinomial, which draws classes at random with given probabilities.
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
//   - global_seed and op_seed: 0 by default. If both are 0, each run draws another sequence.
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
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
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
