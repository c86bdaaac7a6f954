package generation

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// packedHashMapping is VarlenNGramHashMapping: hashMapping of texts that are packed one behind the
// other, [tokens], and end at cumulative_sequence_length [batch+1], the first of which is 0. The
// past of segment_ids is a boundary too. Output 2 is their past for what follows.
func packedHashMapping(n *convert.Node) []convert.Value {
	if capacity := n.Int("state_update_capacity", 0); capacity != 0 {
		n.Fail("attribute state_update_capacity is %d, and only 0 is supported", capacity)
	}
	h, ok := newHashes(n, n.Input(6))
	if !ok {
		return nil
	}
	p := newPacked(n, n.Input(0), n.Input(3), h.size-1)
	past := n.Input(4)
	if past.Absent() {
		past = h.missing
	}
	h.all = p.joined(past, n.Input(0))
	h.before = func(v convert.Value, places int64) convert.Value {
		return arithmetic.Gather(n, v, arithmetic.Plus(n, p.places, float64(-places)), 0)
	}
	h.resetOnEOS(n.Input(6))
	outputs := []convert.Value{{}, p.last(h.all)}
	if segments := n.Input(7); !segments.Absent() {
		before := n.Input(8)
		if before.Absent() { // the segment of the first token
			before = n.Unsqueeze(arithmetic.Gather(n, segments, p.starts, 0), 1)
		}
		all := p.joined(before, segments)
		h.addBoundaries(n.Concat(0, n.ValueOf([]bool{false}), changes(n, all, 0)))
		outputs = append(outputs, p.last(all))
	}
	outputs[0] = h.mapped(n.Input(5))
	return outputs
}

// packed says where tokens of packed texts are if each text has a number of places in front of it,
// for its past.
type packed struct {
	n           *convert.Node
	past        int64
	starts      convert.Value // of the texts, without the past
	ends        convert.Value // of the texts, with the past
	pastPlaces  convert.Value // [batch, past]
	places      convert.Value // [tokens]
	placesOfAll convert.Value // of the past, and of the tokens
}

// newPacked returns the places for tokens of texts that end at ends [batch+1].
func newPacked(n *convert.Node, tokens, ends convert.Value, past int64) *packed {
	ends = n.Convert(ends, ir.I64)
	p := &packed{n: n, past: past, starts: n.Slice(ends, 0, 0, -1)}
	ends = n.Slice(ends, 0, 1, math.MaxInt64)
	texts := arithmetic.Range(n, arithmetic.Lengths(n, ends, 0), ir.I64)
	p.ends = arithmetic.Add(n, ends, arithmetic.Times(n, arithmetic.Plus(n, texts, 1), float64(past)))
	starts := arithmetic.Add(n, p.starts, arithmetic.Times(n, texts, float64(past)))
	p.pastPlaces = arithmetic.Add(n, n.Unsqueeze(starts, 1), arithmetic.Range(n, n.IntValue(past), ir.I64))
	// A token is behind the past of its text, and of those before it.
	numbers := arithmetic.Range(n, arithmetic.Lengths(n, tokens, 0), ir.I64)
	isBehind := n.Layer("GreaterEqual", 1, nil, n.Unsqueeze(numbers, 1), p.starts)
	count := n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", false), n.Convert(isBehind, ir.I64), n.IntValue(1))
	p.places = arithmetic.Add(n, numbers, arithmetic.Times(n, count, float64(past)))
	p.placesOfAll = n.Concat(0, n.Reshape(p.pastPlaces, n.IntValues(-1), false), p.places)
	return p
}

// joined returns tokens with the past of their texts in front, one value or [batch, past].
func (p *packed) joined(past, tokens convert.Value) convert.Value {
	n := p.n
	past = n.Reshape(arithmetic.Broadcast(n, past, n.ShapeOf(p.pastPlaces)), n.IntValues(-1), false)
	values := n.Concat(0, past, tokens)
	return n.Layer("ScatterUpdate", 3, nil, values, p.placesOfAll, values, n.IntValue(0))
}

// last returns the past for what follows, of values like those that joined returns.
func (p *packed) last(all convert.Value) convert.Value {
	n := p.n
	first := n.Unsqueeze(arithmetic.Plus(n, p.ends, float64(-p.past)), 1)
	return arithmetic.Gather(n, all, arithmetic.Add(n, first, arithmetic.Range(n, n.IntValue(p.past), ir.I64)), 0)
}
