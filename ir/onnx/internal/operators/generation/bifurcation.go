package generation

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// bifurcation is for a decoder that predicts a text to be like its source: it appends the
// predictions to the tokens of the decoder, up to the first one that is not the token of the
// source from prev_suffix_match_idx on, and that one. Output 1 is where the source continues the
// result: behind its only place that has the last tokens of the result, or -1. The number of tokens
// that are compared is the smallest from min_ngram_size to max_ngram_size that has only one place.
func bifurcation(n *convert.Node) []convert.Value {
	least, most := n.Int("min_ngram_size", 1), n.Int("max_ngram_size", 3)
	if least < 1 || most < least || most > maxGram {
		n.Fail("attributes min_ngram_size and max_ngram_size are %d and %d, expected 1 to %d, in this order", least, most, maxGram)
		return nil
	}
	source, tokens := n.Input(0), n.Input(1)
	if n.Has(3) {
		tokens = n.Concat(0, tokens, accepted(n, source, n.Input(3), n.Reshape(n.Input(2), n.IntValues(1), false)))
	}
	return []convert.Value{tokens, n.Reshape(continuation(n, source, tokens, least, most), n.ShapeOf(n.Input(2)), false)}
}

// accepted returns the predictions up to the first that is not the token of the source, of which
// the first is at start.
func accepted(n *convert.Node, source, predictions, start convert.Value) convert.Value {
	rest := n.Layer("Slice", 8, nil, source, start, n.IntValues(math.MaxInt64), n.IntValues(1), n.IntValues(0))
	equal := n.Layer("Equal", 1, nil, n.Slice(predictions, 0, 0, -1), rest)
	count := arithmetic.Length(n, rest, 0)
	end := n.Unsqueeze(arithmetic.Plus(n, first(n, n.Layer("LogicalNot", 1, nil, equal), count), 1), 0)
	return n.Layer("Slice", 8, nil, predictions, n.IntValues(0), end, n.IntValues(1), n.IntValues(0))
}

// first returns the number of the first element of a vector of booleans that is true, or count,
// which is its length, if there is none.
func first(n *convert.Node, v, count convert.Value) convert.Value {
	numbers := arithmetic.Select(n, v, arithmetic.Range(n, count, ir.I64), count)
	numbers = n.Concat(0, numbers, n.Unsqueeze(count, 0))
	return n.Layer("ReduceMin", 1, convert.Attributes("keep_dims", false), numbers, n.IntValue(0))
}

// continuation returns where source continues tokens.
func continuation(n *convert.Node, source, tokens convert.Value, least, most int64) convert.Value {
	before := func(v convert.Value, count int64) convert.Value {
		return n.Concat(0, n.Convert(n.ValueOf(make([]int64, count)), n.Type(v)), v)
	}
	// Elements in front keep indices valid: what they are compared with does not count.
	count, length := arithmetic.Length(n, source, 0), arithmetic.Length(n, tokens, 0)
	places, padded, ends := arithmetic.Range(n, count, ir.I64), before(source, most-1), before(tokens, most)
	// matches are the places where the last tokens of a number end in source.
	matches := make([]convert.Value, most+1)
	for i := int64(1); i <= most; i++ {
		token := arithmetic.Gather(n, ends, n.IntValue(-i), 0)
		end := int64(math.MaxInt64)
		if i > 1 {
			end = 1 - i
		}
		match := n.Layer("Equal", 1, nil, n.Slice(padded, 0, most-i, end), token)
		for _, condition := range []convert.Value{
			n.Layer("GreaterEqual", 1, nil, places, n.IntValue(i-1)), n.Layer("GreaterEqual", 1, nil, length, n.IntValue(i)), matches[i-1],
		} {
			if !condition.Absent() {
				match = n.Layer("LogicalAnd", 1, nil, match, condition)
			}
		}
		matches[i] = match
	}
	result := n.IntValue(-1)
	for i := most; i >= least; i-- {
		place := first(n, matches[i], count)
		last := n.Layer("ReduceMax", 1, convert.Attributes("keep_dims", false),
			n.Concat(0, arithmetic.Select(n, matches[i], places, n.IntValue(-1)), n.IntValues(-1)), n.IntValue(0))
		isOnly := n.Layer("Equal", 1, nil, place, last)
		result = arithmetic.Select(n, isOnly, arithmetic.Plus(n, place, 1), result)
		result = arithmetic.Select(n, n.Layer("Less", 1, nil, last, n.IntValue(0)), n.IntValue(-1), result)
	}
	return result
}
