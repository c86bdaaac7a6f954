// Package multinomial draws classes at random, by their probabilities.
//
//	output[b, s] = c with a probability in proportion to probs[b, c]
//
// Versions: Multinomial-13. Attributes, the first three without a default:
// convert_type, the type of the output; with_replacement, whether a class can be drawn
// again; log_probs, whether probs are logarithms; global_seed and op_seed, 0 where they
// are missing, which together 0 stand for another sequence in each run. Inputs: probs,
// a matrix of floats, and num_samples, of a type of integers, a scalar or a vector of
// one element. Output: convert_type, of shape [batch, num_samples].
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
