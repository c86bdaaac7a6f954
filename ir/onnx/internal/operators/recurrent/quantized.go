package recurrent

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// quantized is an LSTM whose weights have 8 bits, [D,I,4*H] and [D,H,4*H], and whose x and state
// are rounded to 8 bits when it runs. No layer of OpenVINO rounds the state of each step, so that
// there is one of ours. It has no peepholes, and other functions only if LSTMSequence has them:
// what is left is computed in floating point, with the same weights.
func quantized(n *convert.Node) []convert.Value {
	if !n.Has(8) || !n.Has(10) {
		n.Fail("inputs 8 and 10, the scales, are missing")
		return nil
	}
	q := lstm.read(n, n.Shape(n.Input(2)).At(1))
	if n.Failed() {
		return nil
	}
	if q.peepholes = n.Input(7); !q.fitsLayer() || !q.sameFunctions() {
		return lstm.withWeights(n, q.stored(1, 8), q.stored(2, 10))
	}
	x, zero := n.Input(0), n.Like(n.Input(0), 0)
	inputs := []convert.Value{x, n.Input(4)}
	if !n.Has(4) {
		inputs[1] = arithmetic.Broadcast(n, arithmetic.Lengths(n, x, 0), arithmetic.Lengths(n, x, 1))
	}
	directions := n.IntValues(int64(q.directions))
	for i := range q.cell.states {
		state := n.Input(5 + i)
		if state.Absent() {
			state = arithmetic.Broadcast(n, zero, n.Concat(0, directions, arithmetic.Lengths(n, x, 1), n.IntValues(q.hidden)))
		}
		inputs = append(inputs, state)
	}
	for i, factors := range []int{8, 10} {
		weights, zero := n.Input(1+i), n.Input(factors+1)
		if zero.Absent() {
			zero = arithmetic.Broadcast(n, n.Like(weights, 0), directions)
		}
		inputs = append(inputs, weights, n.Input(factors), zero)
	}
	bias := n.Input(3)
	if bias.Absent() {
		bias = arithmetic.Broadcast(n, zero, n.IntValues(int64(q.directions), 8*q.hidden))
	}
	attributes := convert.Attributes(q.functionAttributes(0, "direction", q.direction)...)
	return n.Own("DynamicQuantizeLSTM", attributes, append(inputs, bias)...).Outputs(3)
}

// stored returns the weights at an input, whose scale is another input, and the zero point the one
// after that.
func (q *recurrence) stored(numbers, scale int) weights {
	n, each := q.n, q.n.IntValues(int64(q.directions), -1, 1)
	w := weights{numbers: n.Transpose(n.Input(numbers), 0, 2, 1), scale: n.Reshape(n.Input(scale), each, false)}
	if zero := n.Input(scale + 1); !zero.Absent() {
		w.zero = n.Reshape(n.Convert(zero, n.Type(n.Input(scale))), each, false)
	}
	return w
}
