package recurrent

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// attending is AttnLSTM: an LSTM with attention over a memory. Its input is x and, behind it, what
// the attention of the state before returned, 0 at the start.
//
//	align = softmax(sum(V * tanh(M*MW + h*QW)))
//	attention = align*M, or concat(h, align*M)*AW
func attending(n *convert.Node) []convert.Value {
	q := lstm.read(n, n.Shape(n.Input(2)).At(2))
	q.memory = newMemory(n)
	return q.results(weights{numbers: n.Input(1)}, weights{numbers: n.Input(2)})
}

// memory is what an AttnLSTM attends to. L is its length, S that of its elements, K that of keys,
// and A that of the attention.
type memory struct {
	values, known convert.Value // [B,L,S], and which of them there are, [B,L]; absent for all
	keyWeights    convert.Value // [D,S,K]
	queryWeights  convert.Value // [D,H,K]
	vector        convert.Value // [D,K]
	weights       convert.Value // [D,H+S,A]; absent if the attention is that to the values
}

// newMemory reads the inputs. Values behind the length of a memory are 0.
func newMemory(n *convert.Node) *memory {
	m := &memory{
		queryWeights: n.RequireInput(8), keyWeights: n.RequireInput(9), vector: n.RequireInput(10),
		values: n.RequireInput(11), weights: n.Input(13),
	}
	if lengths := n.Input(12); !lengths.Absent() {
		places := arithmetic.Range(n, arithmetic.Lengths(n, m.values, 1), ir.I64)
		m.known = n.Layer("Less", 1, nil, places, n.Unsqueeze(n.Convert(lengths, ir.I64), 1))
		m.values = arithmetic.Select(n, n.Unsqueeze(m.known, 2), m.values, n.Like(m.values, 0))
	}
	return m
}

// attention is the memory in the body of a loop, for one direction.
type attention struct {
	values, known, keys        convert.Value // [B,L,S], [B,L] and [B,L,K]
	queryWeights, vector       convert.Value // [H,K] and [K,1]
	contextWeights, ownWeights convert.Value // [S,A] and [H,A]; absent without AW
	inputWeights               convert.Value // [G*H,A]
	state                      convert.Value // [B,A]
}

// apart returns the weights of x and those of what is attended to, which w [G*H,I+A] has joined.
func (q *recurrence) apart(w convert.Value) (x, attention convert.Value) {
	n := q.n
	size := arithmetic.Lengths(n, q.x, 2)
	slice := func(from, to convert.Value) convert.Value {
		return n.Layer("Slice", 8, nil, w, from, to, n.IntValues(1), n.IntValues(1))
	}
	return slice(n.IntValues(0), size), slice(size, n.IntValues(math.MaxInt64))
}

// attention brings the memory into the body of a loop. part takes the direction from an axis, and
// constant brings a value into the body.
func (m *memory) attention(n *convert.Node, part func(convert.Value, int64) convert.Value, constant func(convert.Value) convert.Value) *attention {
	a := &attention{
		values: constant(m.values), keys: constant(arithmetic.MatMul(n, m.values, part(m.keyWeights, 0), false, false)),
		queryWeights: constant(part(m.queryWeights, 0)), vector: constant(n.Unsqueeze(part(m.vector, 0), 1)),
	}
	if !m.known.Absent() {
		a.known = constant(m.known)
	}
	if !m.weights.Absent() {
		weights, size := part(m.weights, 0), arithmetic.Lengths(n, m.queryWeights, 1)
		parts := n.Layer("VariadicSplit", 1, nil, weights, n.IntValue(0), n.Concat(0, size, n.IntValues(-1))).Outputs(2)
		a.ownWeights, a.contextWeights = constant(parts[0]), constant(parts[1])
	}
	return a
}

// next returns what a state h [B,H] attends to, [B,A].
func (a *attention) next(n *convert.Node, h convert.Value) convert.Value {
	query := n.Unsqueeze(arithmetic.MatMul(n, h, a.queryWeights, false, false), 1)
	sum := n.Layer("Tanh", 1, nil, arithmetic.Add(n, a.keys, query))
	scores := n.Squeeze(arithmetic.MatMul(n, sum, a.vector, false, false), 2)
	if !a.known.Absent() {
		scores = arithmetic.Select(n, a.known, scores, n.Like(scores, -math.MaxFloat32))
	}
	align := n.Layer("Softmax", 8, convert.Attributes("axis", -1), scores)
	context := n.Squeeze(arithmetic.MatMul(n, n.Unsqueeze(align, 1), a.values, false, false), 1)
	if a.ownWeights.Absent() {
		return context
	}
	return arithmetic.Add(n, arithmetic.MatMul(n, h, a.ownWeights, false, false), arithmetic.MatMul(n, context, a.contextWeights, false, false))
}
