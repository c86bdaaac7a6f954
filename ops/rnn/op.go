// Package rnn computes recurrent cells, and sequences that feed a cell its own
// output step by step.
//
//	RNNCell    Ht = f(X·Wᵀ + H·Rᵀ + B)
//	GRUCell    z = f(X·Wzᵀ + H·Rzᵀ + Bz), r = f(X·Wrᵀ + H·Rrᵀ + Br)
//	           h = g(X·Whᵀ + (r*H)·Rhᵀ + Bh)
//	           or, with linear_before_reset, g(X·Whᵀ + r*(H·Rhᵀ + Bb) + Bh)
//	           Ht = (1-z)*h + z*H
//	LSTMCell   f, i, c, o = f(gate f), f(gate i), g(gate c), f(gate o)
//	           where gate k = X·Wkᵀ + H·Rkᵀ + Bk
//	           Ct = f*C + i*c, Ht = o*h(Ct)
//
// Versions: RNNCell-1, GRUCell-3, LSTMCell-1 and -4; RNNSequence-5, GRUSequence-5
// and LSTMSequence-5. With G gates (1, 3, 4), batches N, lengths I of a step and S
// of the state, and D directions, the inputs are
//
//	           of a cell       of a sequence
//	X          [N,I]           [N,T,I]
//	H          [N,S]           [N,D,S]
//	C          [N,S]           [N,D,S]     LSTM alone
//	lengths                    [N]         sequences alone, of any type
//	W          [G*S,I]         [D,G*S,I]
//	R          [G*S,S]         [D,G*S,S]
//	B          [G*S]           [D,G*S]     G+1 with linear_before_reset
//	P          [3*S]                       LSTMCell-1 alone
//
// and the outputs Ht (and Ct) of a cell's [N,S], or Y [N,D,T,S] and then Ho (and Co)
// [N,D,S]. LSTMCell-1 takes zeros for B and P where it has no such inputs. All but
// lengths are of one type; the kernels want floats, the rules do not.
//
// Attributes: hidden_size S, and direction of sequences, forward, reverse or
// bidirectional, have no default; activations f, g, h of sigmoid, tanh, relu and
// hardsigmoid, by default sigmoid,tanh,tanh of LSTM, sigmoid,tanh of GRU and tanh of
// RNN, with activations_alpha and activations_beta, by default empty; clip, by default
// 0, which is no limit; linear_before_reset of GRU, by default false; weights_format,
// by default ifco, and input_forget, by default false, of LSTMCell-1.
//
// Errors: types, batches, directions or lengths that differ, and rows of W, R, B and P
// that are not those of all gates.
//
// Specification: OpenVINO operation set, sequence processing.
package rnn

import (
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
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
}

// kind is what the layer types differ in.
type kind struct {
	gates, states int
	sequence      bool
	peepholes     bool   // LSTMCell-1, which also has defaults for B and P
	defaults      string // of the attribute activations
}

func layer(name string, version int, k kind) ops.Op {
	inputs := 4 + k.states
	if k.sequence {
		inputs++
	}
	op := ops.Op{
		Type: name, Version: version,
		Inputs:     ops.Exactly(inputs),
		Attributes: k.parse,
		Infer:      infer,
	}
	if k.peepholes {
		op.Inputs = ops.Between(inputs-1, inputs+1)
	}
	return op
}

type attributes struct {
	kind
	hiddenSize        int64
	sized             bool // the file has a hidden_size
	activations       []string
	alpha, beta       []float64
	clip              float64
	linearBeforeReset bool
	inputForget       bool
	weightsFormat     string
	direction         string
}

func (k kind) parse(a *ir.Attributes) (any, error) {
	a.Expect("hidden_size")
	at := attributes{
		kind:        k,
		hiddenSize:  a.Int("hidden_size", 0),
		activations: names(a.String("activations", k.defaults)),
		alpha:       a.Floats("activations_alpha"), beta: a.Floats("activations_beta"),
		clip: a.Float("clip", 0),
	}
	if at.hiddenSize < 0 {
		a.Fail("hidden_size", "%d is negative", at.hiddenSize)
	}
	_, at.sized = a.Lookup("hidden_size")
	if k.gates == 3 {
		at.linearBeforeReset = a.Bool("linear_before_reset", false)
	}
	if k.peepholes {
		at.inputForget = a.Bool("input_forget", false)
		at.weightsFormat = a.Enum("weights_format", "ifco", "fico", "icof", "ifco", "ifoc", "iofc")
	}
	if k.sequence {
		a.Expect("direction")
		at.direction = a.Enum("direction", "forward", "forward", "reverse", "bidirectional")
	} else {
		k.checkActivations(a, at.activations)
	}
	return &at, a.Err()
}

// names cuts a list of names, and makes them lower case.
func names(text string) []string {
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, strings.ToLower(item))
		}
	}
	return list
}

// checkActivations checks the names that a cell goes by; OpenVINO does not read
// more of them, nor any of a sequence before it computes it.
func (k kind) checkActivations(a *ir.Attributes, list []string) {
	n := strings.Count(k.defaults, ",") + 1
	if len(list) < n {
		a.Fail("activations", "%d are named, the cell has %d", len(list), n)
		return
	}
	for _, name := range list[:n] {
		switch name {
		case "sigmoid", "tanh", "relu", "hardsigmoid":
		default:
			a.Fail("activations", "%.100q is none of sigmoid, tanh, relu, hardsigmoid", name)
		}
	}
}
