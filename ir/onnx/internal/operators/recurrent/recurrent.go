// Package recurrent converts RNN, GRU and LSTM. They become sequence layers of OpenVINO, which have
// the batch as their first axis, and another order of gates. What these cannot compute, such as
// peepholes, becomes a loop over the steps.
package recurrent

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// cell is what distinguishes the operators.
type cell struct {
	layer  string // the sequence layer
	states int    // 2 with a cell state
	// order lists the gates in the order of the layer, by their number in ONNX.
	order []int
	// functions are the activations f, g and h, if the node does not name others.
	functions []string
}

var (
	rnn  = cell{layer: "RNNSequence", states: 1, order: []int{0}, functions: []string{"Tanh"}}
	gru  = cell{layer: "GRUSequence", states: 1, order: []int{0, 1, 2}, functions: []string{"Sigmoid", "Tanh"}}
	lstm = cell{layer: "LSTMSequence", states: 2, order: []int{2, 0, 3, 1}, functions: []string{"Sigmoid", "Tanh", "Tanh"}}
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	return []convert.Rule{
		{Operator: "GRU", Versions: []int{1, 3, 7, 14, 22}, Inputs: infer.Arity{Min: 3, Max: 6}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: gru.convert},
		{Operator: "LSTM", Versions: []int{1, 7, 14, 22}, Inputs: infer.Arity{Min: 3, Max: 8}, Outputs: infer.Arity{Min: 1, Max: 3}, Convert: lstm.convert},
		{Operator: "RNN", Versions: []int{1, 7, 14, 22}, Inputs: infer.Arity{Min: 3, Max: 6}, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: rnn.convert},
		{Domain: "com.microsoft", Operator: "AttnLSTM", Versions: []int{1}, Inputs: infer.Arity{Min: 3, Max: 14},
			Outputs: infer.Arity{Min: 1, Max: 3}, Convert: attending},
		{Domain: "com.microsoft", Operator: "DynamicQuantizeLSTM", Versions: []int{1}, Inputs: infer.Arity{Min: 3, Max: 12},
			Outputs: infer.Arity{Min: 1, Max: 3}, Convert: quantized},
	}
}

// recurrence is a node, with most inputs as the layers want them. B is the batch, T the number of
// steps, I the length of the input, D the number of directions, G that of gates, and H the length
// of the state.
type recurrence struct {
	*cell
	n          *convert.Node
	batchFirst bool
	direction  string
	directions int
	hidden     int64
	clip       float32
	functions  [][]arithmetic.Activation // of each direction

	linearBeforeReset, inputForget bool

	x         convert.Value   // [B,T,I]
	lengths   convert.Value   // [B], absent if all are T
	states    []convert.Value // [B,D,H]
	w, r      convert.Value   // [D,G*H,I] and [D,G*H,H], gates in the order of the layer
	b         []convert.Value // [D,H] for each gate of the layer; one more with linearBeforeReset
	peepholes convert.Value   // [D,3*H] for the gates i, o, f; absent if there are none
	memory    *memory         // nil if there is none
}

// convert converts a node whose weights are inputs 1 and 2.
func (c *cell) convert(n *convert.Node) []convert.Value {
	return c.withWeights(n, weights{numbers: n.Input(1)}, weights{numbers: n.Input(2)})
}

// weights are those of x or of the state, with gates in the order of ONNX.
type weights struct {
	numbers convert.Value // [D,G*H,I] or [D,G*H,H]
	// scale multiplies the numbers, after zero is subtracted. Both are [D,1,1] or [D,G*H,1]; zero
	// can be absent, or both.
	scale, zero convert.Value
}

// withWeights converts a node with the given weights.
func (c *cell) withWeights(n *convert.Node, w, r weights) []convert.Value {
	return c.read(n, n.Shape(r.numbers).At(2)).results(w, r)
}

// results reads the inputs, and returns the outputs of the node.
func (q *recurrence) results(w, r weights) []convert.Value {
	n := q.n
	if n.Failed() {
		return nil
	}
	q.readInputs(w, r)
	var results []convert.Value // [B,D,T,H], and the states [B,D,H]
	switch {
	case !q.fitsLayer():
		results = q.looped()
	case q.sameFunctions():
		results = q.sequence(0, q.directions)
	default:
		results = joined(n, q.sequence(0, 1), q.sequence(1, 2))
	}
	if n.Failed() {
		return nil
	}
	if q.batchFirst {
		results[0] = n.Transpose(results[0], 0, 2, 1, 3)
		return results
	}
	results[0] = n.Transpose(results[0], 2, 1, 0, 3)
	for i := range results[1:] {
		results[1+i] = n.Transpose(results[1+i], 1, 0, 2)
	}
	return results
}

// read reads the attributes. hidden is the length of the state that the weights have.
func (c *cell) read(n *convert.Node, hidden ir.Dimension) *recurrence {
	q := &recurrence{
		cell: c, n: n, batchFirst: n.Bool("layout", false), directions: 1,
		direction: n.Enum("direction", "forward", "forward", "reverse", "bidirectional"), clip: n.Float("clip", 0),
		linearBeforeReset: len(c.order) == 3 && n.Bool("linear_before_reset", false), inputForget: c.states == 2 && n.Bool("input_forget", false),
	}
	if q.direction == "bidirectional" {
		q.directions = 2
	}
	q.functions = functionsOf(n, c.functions, q.directions)
	switch {
	case n.HasAttribute("hidden_size"):
		q.hidden = n.Int("hidden_size", 0)
	case hidden.Min == hidden.Max:
		q.hidden = hidden.Min
	default:
		n.Fail("attribute hidden_size is missing, and the shape of input 2 is not known")
	}
	if q.hidden < 1 {
		n.Fail("the state has length %d, expected at least 1", q.hidden)
	}
	return q
}

// readInputs reads the inputs, and adds layers that bring them into the form of the layers.
func (q *recurrence) readInputs(w, r weights) {
	n := q.n
	q.x, q.lengths, q.peepholes = q.batched(n.Input(0)), n.Input(4), n.Input(7)
	zero := n.Like(q.x, 0)
	for i := range q.cell.states {
		state := q.batched(n.Input(5 + i))
		if state.Absent() {
			shape := n.Concat(0, arithmetic.Lengths(n, q.x, 0), n.IntValues(int64(q.directions), q.hidden))
			state = arithmetic.Broadcast(n, zero, shape)
		} else if q.mayBeEmpty() {
			// The state after an empty sequence is 0 in ONNX Runtime. ONNX does not mention it.
			some := n.Layer("Greater", 1, nil, q.lengths, n.Like(q.lengths, 0))
			state = arithmetic.Select(n, n.Unsqueeze(some, 1, 2), state, zero)
		}
		q.states = append(q.states, state)
	}
	q.w, q.r = q.scaled(w), q.scaled(r)
	q.b = q.biases(zero)
}

// mayBeEmpty reports whether a sequence can have the length 0.
func (q *recurrence) mayBeEmpty() bool {
	if q.lengths.Absent() {
		return false
	}
	lengths, known := q.n.Ints(q.lengths)
	return !known || slices.Contains(lengths, 0)
}

// allLengths returns q.lengths, or T for each sequence if they are absent.
func (q *recurrence) allLengths() convert.Value {
	if !q.lengths.Absent() {
		return q.lengths
	}
	return arithmetic.Broadcast(q.n, arithmetic.Lengths(q.n, q.x, 1), arithmetic.Lengths(q.n, q.x, 0))
}

// batched returns a value whose first two axes have the batch first.
func (q *recurrence) batched(v convert.Value) convert.Value {
	if q.batchFirst || v.Absent() {
		return v
	}
	return q.n.Transpose(v, 1, 0, 2)
}

// scaled returns weights with the gates in the order of the layer. The numbers are ordered before
// they are scaled, so that the compiler can keep them in 8 bits.
func (q *recurrence) scaled(w weights) convert.Value {
	v := q.ordered(w.numbers)
	if w.scale.Absent() {
		return v
	}
	v = q.n.Convert(v, q.n.Type(w.scale))
	if !w.zero.Absent() {
		v = arithmetic.Subtract(q.n, v, q.factor(w.zero, w.numbers))
	}
	return arithmetic.Multiply(q.n, v, q.factor(w.scale, w.numbers))
}

// factor returns a scale or a zero point of numbers, with the gates in the order of the layer.
func (q *recurrence) factor(v, numbers convert.Value) convert.Value {
	n := q.n
	switch count := n.Shape(v).At(1); {
	case count == ir.Dim(1):
		return v
	case !count.IsStatic():
		v = arithmetic.Broadcast(n, v, n.Concat(0, n.IntValues(int64(q.directions)), arithmetic.Lengths(n, numbers, 1), n.IntValues(1)))
	}
	return q.ordered(v)
}

// ordered returns what has a row for each row of the weights, with the gates in the order of the
// layer.
func (q *recurrence) ordered(v convert.Value) convert.Value {
	if slices.IsSorted(q.order) {
		return v
	}
	gates := q.n.Split(v, 1, len(q.order))
	var list []convert.Value
	for _, gate := range q.order {
		list = append(list, gates[gate])
	}
	return q.n.Concat(1, list...)
}

// biases returns q.b. ONNX has two biases for each gate, which are added, except those of the
// candidate of a GRU that resets after the product.
func (q *recurrence) biases(zero convert.Value) []convert.Value {
	n, gates := q.n, len(q.order)
	count := gates
	if q.linearBeforeReset {
		count++
	}
	if !n.Has(3) {
		none := arithmetic.Broadcast(n, zero, n.IntValues(int64(q.directions), q.hidden))
		return slices.Repeat([]convert.Value{none}, count)
	}
	parts := n.Split(n.Input(3), 1, 2*gates)
	var list []convert.Value
	for i, gate := range q.order {
		if q.linearBeforeReset && i == gates-1 {
			return append(list, parts[gate], parts[gates+gate])
		}
		list = append(list, arithmetic.Add(n, parts[gate], parts[gates+gate]))
	}
	return list
}
