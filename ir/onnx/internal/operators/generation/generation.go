// Package generation converts operators that work on the tokens of texts while these are generated:
// BifurcationDetector, NGramHashMapping, NGramRepeatBlock and VarlenNGramHashMapping.
package generation

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	return []convert.Rule{
		{Domain: "com.microsoft", Operator: "BifurcationDetector", Versions: []int{1}, Inputs: infer.Arity{Min: 3, Max: 4}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: bifurcation},
		{Domain: "com.microsoft", Operator: "NGramHashMapping", Versions: []int{1}, Inputs: infer.Arity{Min: 3, Max: 7}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: hashMapping},
		{Domain: "com.microsoft", Operator: "NGramRepeatBlock", Versions: []int{1}, Inputs: two, Outputs: one, Convert: repeatBlock},
		{Domain: "com.microsoft", Operator: "VarlenNGramHashMapping", Versions: []int{1}, Inputs: infer.Arity{Min: 4, Max: 10}, Outputs: infer.Arity{Min: 1, Max: 4}, Convert: packedHashMapping},
	}
}

// maxGram bounds the length of n-grams: each token of one is compared by layers of its own.
const maxGram = 64

// repeatBlock makes the scores of tokens that would repeat an n-gram of a text -Inf: those that
// follow where the last n-1 tokens were before.
func repeatBlock(n *convert.Node) []convert.Value {
	n.RequireAttribute("ngram_size")
	size := n.Int("ngram_size", 1)
	if size < 1 || size > maxGram {
		n.Fail("attribute ngram_size is %d, expected 1 to %d", size, maxGram)
		return nil
	}
	tokens, scores := n.Input(0), n.Input(1)
	count := arithmetic.Maximum(n, arithmetic.Plus(n, arithmetic.Length(n, tokens, 1), float64(1-size)), n.IntValue(0))
	starts := arithmetic.Range(n, count, ir.I64)
	next := arithmetic.Gather(n, tokens, arithmetic.Plus(n, starts, float64(size-1)), 1)
	var repeats convert.Value
	if size == 1 {
		repeats = n.ValueOf(true)
	} else {
		windows := arithmetic.Add(n, n.Unsqueeze(starts, 1), arithmetic.Range(n, n.IntValue(size-1), ir.I64))
		last := n.Unsqueeze(n.Slice(tokens, 1, 1-size, math.MaxInt64), 1)
		// A text that is shorter than an n-gram has no window to compare its end with.
		last = n.Layer("Pad", 12, convert.Attributes("pad_mode", "constant"), last, n.IntValues(0, 0, size-1), n.IntValues(0, 0, 0), n.Like(last, 0))
		last = n.Slice(last, 2, 1-size, math.MaxInt64)
		equal := n.Layer("Equal", 1, nil, arithmetic.Gather(n, tokens, windows, 1), last)
		repeats = n.Layer("ReduceLogicalAnd", 1, convert.Attributes("keep_dims", false), equal, n.IntValue(-1))
	}
	limits := arithmetic.Select(n, repeats, n.Like(scores, math.Inf(-1)), n.Like(scores, math.Inf(1)))
	limits = arithmetic.Broadcast(n, limits, n.ShapeOf(next))
	attributes := convert.Attributes("reduction", "min", "use_init_val", true)
	return []convert.Value{n.Layer("ScatterElementsUpdate", 12, attributes, scores, next, limits, n.IntValue(1))}
}
