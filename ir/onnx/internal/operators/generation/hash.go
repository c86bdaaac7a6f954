package generation

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// hashes has the tokens of a NGramHashMapping or VarlenNGramHashMapping.
type hashes struct {
	n           *convert.Node
	size, heads int64         // the largest number of tokens of an n-gram, and of hashes for each
	missing     convert.Value // what tokens in front of a text are
	// all has the past and the tokens: [batch, size-1+rows], or those of all texts behind each
	// other. axis is that along which they follow each other.
	all  convert.Value
	axis int64
	// before returns what values like all have a number of places before each token.
	before func(v convert.Value, places int64) convert.Value
	ends   []convert.Value // sums along all, which differ if there is a boundary between
}

// newHashes reads the attributes, and eos_token_id, which can be absent.
func newHashes(n *convert.Node, eos convert.Value) (h hashes, ok bool) {
	for _, name := range []string{"pad_id", "n_head_per_ngram", "max_ngram_size"} {
		n.RequireAttribute(name)
	}
	h = hashes{n: n, size: n.Int("max_ngram_size", 2), heads: n.Int("n_head_per_ngram", 1)}
	if h.size < 2 || h.size > maxGram || h.heads < 1 || h.heads > math.MaxInt32 {
		n.Fail("attributes max_ngram_size and n_head_per_ngram are %d and %d, expected 2 to %d and 1 to %d", h.size, h.heads, maxGram, math.MaxInt32)
		return h, false
	}
	h.missing = n.Like(n.Input(0), float64(n.Int("pad_id", 0)))
	if !eos.Absent() {
		h.missing = arithmetic.Scalar(n, eos)
	}
	return h, true
}

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
	h, ok := newHashes(n, n.Input(5))
	if !ok {
		return nil
	}
	ids, past := n.Input(0), n.Input(3)
	batch := n.Slice(n.ShapeOf(ids), 0, 0, 1)
	if past.Absent() {
		past = arithmetic.Broadcast(n, h.missing, n.Concat(0, batch, n.IntValues(h.size-1)))
	}
	h.all, h.axis = n.Concat(1, past, ids), 1
	h.before = func(v convert.Value, places int64) convert.Value {
		end := int64(math.MaxInt64)
		if places > 0 {
			end = -places
		}
		return n.Slice(v, 1, h.size-1-places, end)
	}
	h.resetOnEOS(n.Input(5))
	if n.Has(6) {
		// The first token of the input is no boundary, and neither is the past.
		none := arithmetic.Broadcast(n, n.ValueOf(false), n.Concat(0, batch, n.IntValues(h.size)))
		h.addBoundaries(n.Concat(1, none, changes(n, n.Input(6), 1)))
	}
	return []convert.Value{h.mapped(n.Input(4)), n.Slice(h.all, 1, 1-h.size, math.MaxInt64)}
}

// changes returns whether elements of v differ from those before them along an axis, without the
// first one.
func changes(n *convert.Node, v convert.Value, axis int64) convert.Value {
	return n.Layer("NotEqual", 1, nil, n.Slice(v, axis, 1, math.MaxInt64), n.Slice(v, axis, 0, -1))
}

// resetOnEOS adds the boundaries behind each eos_token_id, if it is there and the node wants them.
func (h *hashes) resetOnEOS(eos convert.Value) {
	if !eos.Absent() && h.n.Bool("reset_on_eos", false) {
		h.ends = append(h.ends, h.sums(h.n.Layer("Equal", 1, nil, h.all, h.missing), true))
	}
}

// addBoundaries adds the boundaries in front of the elements of all for which v is true.
func (h *hashes) addBoundaries(v convert.Value) { h.ends = append(h.ends, h.sums(v, false)) }

// sums returns the numbers of true elements up to each or, if exclusive is set, before each.
func (h *hashes) sums(v convert.Value, exclusive bool) convert.Value {
	n := h.n
	return n.Layer("CumSum", 3, convert.Attributes("exclusive", exclusive, "reverse", false), n.Convert(v, ir.I32), n.IntValue(h.axis))
}

// mapped returns the hashes, plus the offsets of the heads, which can be absent.
func (h *hashes) mapped(offsets convert.Value) convert.Value {
	n := h.n
	var parts []convert.Value
	var mix convert.Value
	for shift := range h.size {
		product := arithmetic.Multiply(n, h.shifted(shift), arithmetic.Gather(n, n.Input(1), n.IntValue(shift), 0))
		if shift == 0 {
			mix = product
			continue
		}
		mix = n.Layer("BitwiseXor", 13, nil, mix, product)
		vocabulary := n.Slice(n.Input(2), 0, (shift-1)*h.heads, shift*h.heads)
		parts = append(parts, n.Layer("FloorMod", 1, nil, n.Unsqueeze(mix, h.axis+1), vocabulary))
	}
	return arithmetic.Sum(n, n.Concat(h.axis+1, parts...), offsets)
}

// shifted returns the tokens a number of places before each.
func (h *hashes) shifted(places int64) convert.Value {
	n := h.n
	tokens := h.before(h.all, places)
	for _, ends := range h.ends {
		isSame := n.Layer("Equal", 1, nil, h.before(ends, places), h.before(ends, 0))
		tokens = arithmetic.Select(n, isSame, tokens, h.missing)
	}
	return tokens
}
