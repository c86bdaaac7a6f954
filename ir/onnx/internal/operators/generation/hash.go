package generation

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// hashMapping is NGramHashMapping: for each token, and each number n of tokens from 2 to
// max_ngram_size, the hash of the last n tokens,
//
//	shifted_0*multipliers[0] xor ... xor shifted_(n-1)*multipliers[n-1]
//
// modulo the vocabulary size of each head, plus the offset of the head. Tokens in front of the text
// are those of past_ids, or else eos_token_id or pad_id. With reset_on_eos, a token counts as
// eos_token_id if there is one from it on before the last token; and so does one in front of a new
// segment. Output 1 is the past of what follows.
func hashMapping(n *convert.Node) []convert.Value {
	for _, name := range []string{"pad_id", "n_head_per_ngram", "max_ngram_size"} {
		n.RequireAttribute(name)
	}
	size, heads := n.Int("max_ngram_size", 2), n.Int("n_head_per_ngram", 1)
	if size < 2 || size > maxGram || heads < 1 || heads > math.MaxInt32 {
		n.Fail("attributes max_ngram_size and n_head_per_ngram are %d and %d, expected 2 to %d and 1 to %d", size, heads, maxGram, math.MaxInt32)
		return nil
	}
	h := hashes{n: n, size: size, missing: n.Like(n.Input(0), float64(n.Int("pad_id", 0)))}
	if n.Has(5) {
		h.missing = arithmetic.Scalar(n, n.Input(5))
	}
	h.read()
	var parts []convert.Value
	var mix convert.Value
	for shift := range size {
		factor := arithmetic.Gather(n, n.Input(1), n.IntValue(shift), 0)
		product := arithmetic.Multiply(n, h.shifted(shift), factor)
		if shift == 0 {
			mix = product
			continue
		}
		mix = n.Layer("BitwiseXor", 13, nil, mix, product)
		vocabulary := n.Slice(n.Input(2), 0, (shift-1)*heads, shift*heads)
		parts = append(parts, n.Layer("FloorMod", 1, nil, n.Unsqueeze(mix, 2), vocabulary))
	}
	ids := n.Concat(2, parts...)
	if n.Has(4) {
		ids = arithmetic.Add(n, ids, n.Input(4))
	}
	return []convert.Value{ids, n.Slice(h.all, 1, 1-size, math.MaxInt64)}
}

// hashes has the tokens of a NGramHashMapping.
type hashes struct {
	n       *convert.Node
	size    int64
	missing convert.Value   // what tokens in front of a text are
	all     convert.Value   // [batch, size-1+rows]: the past and the tokens
	ends    []convert.Value // sums along all, which differ if there is a boundary between
}

// read reads the inputs.
func (h *hashes) read() {
	n, ids := h.n, h.n.Input(0)
	past := n.Input(3)
	if past.Absent() {
		past = arithmetic.Broadcast(n, h.missing, n.Concat(0, n.Slice(n.ShapeOf(ids), 0, 0, 1), n.IntValues(h.size-1)))
	}
	h.all = n.Concat(1, past, ids)
	sums := func(v convert.Value, exclusive bool) convert.Value {
		return n.Layer("CumSum", 3, convert.Attributes("exclusive", exclusive, "reverse", false), n.Convert(v, ir.I32), n.IntValue(1))
	}
	if n.Has(5) && n.Bool("reset_on_eos", false) {
		h.ends = append(h.ends, sums(n.Layer("Equal", 1, nil, h.all, h.missing), true))
	}
	if n.Has(6) {
		// The first token of the input is no boundary, and neither is the past.
		segments := n.Input(6)
		differs := n.Layer("NotEqual", 1, nil, n.Slice(segments, 1, 1, math.MaxInt64), n.Slice(segments, 1, 0, -1))
		before := arithmetic.Broadcast(n, n.ValueOf(false), n.Concat(0, n.Slice(n.ShapeOf(ids), 0, 0, 1), n.IntValues(h.size)))
		h.ends = append(h.ends, sums(n.Concat(1, before, differs), false))
	}
}

// shifted returns the tokens a number of places before each.
func (h *hashes) shifted(places int64) convert.Value {
	n := h.n
	at := func(v convert.Value, places int64) convert.Value {
		end := int64(math.MaxInt64)
		if places > 0 {
			end = -places
		}
		return n.Slice(v, 1, h.size-1-places, end)
	}
	tokens := at(h.all, places)
	for _, ends := range h.ends {
		isSame := n.Layer("Equal", 1, nil, at(ends, places), at(ends, 0))
		tokens = arithmetic.Select(n, isSame, tokens, h.missing)
	}
	return tokens
}
