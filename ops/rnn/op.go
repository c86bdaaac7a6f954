// Package rnn computes recurrent cells, and sequences, which feed a cell its own output step by
// step.
//
//	RNNCell    Ht = f(X·Wᵀ + H·Rᵀ + B)
//	GRUCell    z = f(X·Wzᵀ + H·Rzᵀ + Bz), r = f(X·Wrᵀ + H·Rrᵀ + Br)
//	           h = g(X·Whᵀ + (r*H)·Rhᵀ + Bh)
//	           h = g(X·Whᵀ + r*(H·Rhᵀ + Bb) + Bh) with linear_before_reset
//	           Ht = (1-z)*h + z*H
//	LSTMCell   f, i, c, o = f(gate f), f(gate i), g(gate c), f(gate o)
//	           gate k = X·Wkᵀ + H·Rkᵀ + Bk
//	           Ct = f*C + i*c, Ht = o*h(Ct)
//
// Versions: RNNCell-1, GRUCell-3, LSTMCell-1 and -4; RNNSequence-5, GRUSequence-5 and
// LSTMSequence-5.
//
// Inputs: G is the number of gates (1 for RNN, 3 for GRU, 4 for LSTM), N the batch, T the number of
// steps, I the length of X, S the length of the state, and D the number of directions.
//
//	           cell            sequence
//	X          [N,I]           [N,T,I]
//	H          [N,S]           [N,D,S]
//	C          [N,S]           [N,D,S]     only LSTM
//	lengths                    [N]         only sequences, of any type
//	W          [G*S,I]         [D,G*S,I]
//	R          [G*S,S]         [D,G*S,S]
//	B          [G*S]           [D,G*S]     G+1 instead of G with linear_before_reset
//	P          [3*S]                       only LSTMCell-1
//
// B and P of LSTMCell-1 are optional and zero by default. All inputs except lengths have one type:
// f32, f64, f16 or bf16; the last two are computed in f32. The shape rules accept other types.
//
// Outputs: Ht [N,S] of a cell, and Ct [N,S] of an LSTM cell; Y [N,D,T,S] and Ho [N,D,S] of a
// sequence, and Co [N,D,S] of an LSTM sequence.
//
// A sequence of length L has the steps 0 to L-1. The reverse direction, and the second one of
// bidirectional, begins with step L-1. Y is 0 from step L on, and Ho and Co are the states after L
// steps.
//
// GRUCell-vinoir, GRUSequence-vinoir, LSTMCell-vinoir, LSTMSequence-vinoir, RNNCell-vinoir and
// RNNSequence-vinoir are what the compiler inserts for constant weights of 8 bits. Instead of X, W,
// R and B, they have:
//
//	           cell            sequence
//	gates      [N,G*S]         [N,T,D*G*S]  X·Wᵀ + B, input 0
//	codes      [G*S,S]         [D,G*S,S]    i8, constant, in the place of W
//	scale      [G*S]           [D*G*S]      f32, constant: a row of R is that of codes times its scale
//	B          [(G+1)*S]       [D,(G+1)*S]  only with linear_before_reset, of which only the last part is read
//
// Attributes:
//   - hidden_size: S, without a default.
//   - direction of sequences: forward, reverse or bidirectional, without a default.
//   - activations: f, g and h, each sigmoid, tanh, relu or hardsigmoid. The default is
//     sigmoid,tanh,tanh for LSTM, sigmoid,tanh for GRU and tanh for RNN.
//   - activations_alpha and activations_beta: a and b of each hardsigmoid, min(max(a*x+b, 0), 1);
//     0.2 and 0.5 by default.
//   - clip: the limit of the sums that f and g are applied to; 0 by default, which means no limit.
//     h is applied to Ct without a limit, as in OpenVINO.
//   - linear_before_reset of GRU: false by default.
//   - weights_format and input_forget of LSTMCell-1, which have no effect, and neither has P: the
//     specification does not mention them, and OpenVINO ignores them. The gates are in the order f,
//     i, c, o.
//
// Errors: types, batches, directions or lengths that differ, W, R, B or P whose number of rows does
// not match the gates, and lengths below 0 or above T.
//
// Specification: OpenVINO operation set, sequence processing.
package rnn

import (
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
	"github.com/vinoir/vinoir/ops/internal/recurrence"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	layer("GRUCell", 3, kind{gates: 3, states: 1, defaults: "sigmoid,tanh"}),
	layer("GRUSequence", 5, kind{gates: 3, states: 1, sequence: true, defaults: "sigmoid,tanh"}),
	layer("LSTMCell", 1, kind{gates: 4, states: 2, peepholes: true, defaults: "sigmoid,tanh,tanh"}),
	layer("LSTMCell", 4, kind{gates: 4, states: 2, defaults: "sigmoid,tanh,tanh"}),
	layer("LSTMSequence", 5, kind{gates: 4, states: 2, sequence: true, defaults: "sigmoid,tanh,tanh"}),
	layer("RNNCell", 1, kind{gates: 1, states: 1, defaults: "tanh"}),
	layer("RNNSequence", 5, kind{gates: 1, states: 1, sequence: true, defaults: "tanh"}),
	layer("GRUCell", 0, kind{gates: 3, states: 1, compressed: true, defaults: "sigmoid,tanh"}),
	layer("GRUSequence", 0, kind{gates: 3, states: 1, sequence: true, compressed: true, defaults: "sigmoid,tanh"}),
	layer("LSTMCell", 0, kind{gates: 4, states: 2, compressed: true, defaults: "sigmoid,tanh,tanh"}),
	layer("LSTMSequence", 0, kind{gates: 4, states: 2, sequence: true, compressed: true, defaults: "sigmoid,tanh,tanh"}),
	layer("RNNCell", 0, kind{gates: 1, states: 1, compressed: true, defaults: "tanh"}),
	layer("RNNSequence", 0, kind{gates: 1, states: 1, sequence: true, compressed: true, defaults: "tanh"}),
}

// kind holds the properties in which the layer types differ.
type kind struct {
	gates, states int
	sequence      bool
	peepholes     bool   // LSTMCell-1, whose B and P are optional
	compressed    bool   // those of vinoir: X·Wᵀ + B is an input, and R is in 8 bits
	defaults      string // the default of the attribute activations
}

func layer(name string, version int, k kind) ops.Op {
	inputs, outputs := 4+k.states, k.states
	if k.sequence {
		inputs, outputs = inputs+1, outputs+1
	}
	op := ops.Op{
		Type: name, Version: version,
		Written:    outputs,
		Inputs:     ops.Exactly(inputs),
		Attributes: k.parse,
		Infer:      infer,
		Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
		Prepare:    prepare,
	}
	if k.sequence {
		op.PortTypes = []ops.PortTypes{{Port: 1 + k.states, Types: gatherscatter.Integers}}
	}
	if !k.peepholes && !k.compressed {
		op.Traits.States = k.states
	}
	if k.peepholes {
		op.Inputs = ops.Between(inputs-1, inputs+1)
	}
	if k.compressed {
		op.Namespace, op.Inputs, op.Infer, op.Types = "vinoir", ops.Exactly(inputs-1), inferCompressed, []ir.ElementType{ir.F32}
		if k.gates == 3 { // B
			op.Inputs = ops.Between(inputs-1, inputs)
		}
		op.Values = []int{inputs - 3, inputs - 2}
	}
	return op
}

type attributes struct {
	kind
	hiddenSize        int64
	sized             bool // the file has a hidden_size
	activations       recurrence.Activations
	clip              float64
	linearBeforeReset bool
	direction         string
}

func (k kind) parse(a *ir.Attributes) (any, error) {
	a.Expect("hidden_size")
	at := attributes{
		kind:        k,
		hiddenSize:  a.Int("hidden_size", 0),
		activations: recurrence.ReadActivations(a, k.defaults),
		clip:        a.Float("clip", 0),
	}
	if at.hiddenSize < 0 {
		a.Fail("hidden_size", "%d is negative", at.hiddenSize)
	}
	_, at.sized = a.Lookup("hidden_size")
	if k.gates == 3 {
		at.linearBeforeReset = a.Bool("linear_before_reset", false)
	}
	if k.peepholes {
		a.Bool("input_forget", false)
		a.Enum("weights_format", "ifco", "fico", "icof", "ifco", "ifoc", "iofc")
	}
	if k.sequence {
		a.Expect("direction")
		at.direction = a.Enum("direction", "forward", "forward", "reverse", "bidirectional")
	} else {
		// OpenVINO does not check those of a sequence before it computes it.
		at.activations.Check(a, k.functionCount())
	}
	return &at, a.Err()
}

// functionCount returns the number of activations of a cell.
func (k kind) functionCount() int { return strings.Count(k.defaults, ",") + 1 }
