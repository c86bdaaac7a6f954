package attention_test

import (
	"math"
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/attention"
)

// recurrence is linear attention by its definition, for tensors [batch, rows, heads*size]. decay
// and beta can be nil.
type recurrence struct {
	query, key, value, state, decay, beta *ir.Tensor
	heads, kvHeads                        int
	scale                                 float64
}

// run returns the output and the last state.
func (r recurrence) run() (output, last *ir.Tensor) {
	s, size, vsize := r.query.Shape(), r.key.Shape()[2]/r.kvHeads, r.value.Shape()[2]/r.kvHeads
	states := make([]float64, s[0]*r.kvHeads*size*vsize)
	if r.state != nil {
		for i := range states {
			states[i] = r.state.Values()(i)
		}
	}
	out := make([]float32, s[0]*s[1]*r.heads*vsize)
	for b := range s[0] {
		for h := range r.kvHeads {
			state := states[(b*r.kvHeads+h)*size*vsize:][:size*vsize]
			for t := range s[1] {
				r.step(state, b, t, h, vsize)
				for q := h * r.heads / r.kvHeads; q < (h+1)*r.heads/r.kvHeads; q++ {
					for m := range vsize {
						sum := 0.0
						for d := range size {
							sum += r.scale * at(r.query, b, t, q*size+d) * state[d*vsize+m]
						}
						out[((b*s[1]+t)*r.heads+q)*vsize+m] = float32(sum)
					}
				}
			}
		}
	}
	final := make([]float32, len(states))
	for i, v := range states {
		final[i] = float32(v)
	}
	return tensor([]int{s[0], s[1], r.heads * vsize}, out), tensor([]int{s[0], r.kvHeads, size, vsize}, final)
}

// step changes the state of a head by a row.
func (r recurrence) step(state []float64, b, t, h, vsize int) {
	size := len(state) / vsize
	for i := range state {
		if r.decay != nil {
			each := r.decay.Shape()[2] / r.kvHeads
			state[i] *= math.Exp(at(r.decay, b, t, h*each+i/vsize%each))
		}
	}
	for m := range vsize {
		v := at(r.value, b, t, h*vsize+m)
		if r.beta != nil {
			known := 0.0
			for d := range size {
				known += at(r.key, b, t, h*size+d) * state[d*vsize+m]
			}
			v = at(r.beta, b, t, h%r.beta.Shape()[2]) * (v - known)
		}
		for d := range size {
			state[d*vsize+m] += at(r.key, b, t, h*size+d) * v
		}
	}
}

func TestLinearAttention(t *testing.T) {
	s := onnxtest.NewSuite(t, attention.Rules())
	// Four heads of queries and two of keys, of length 2, and of values, of length 3
	q, k, v := wave(0, 2, 3, 8), wave(1, 2, 3, 4), wave(2, 2, 3, 6)
	state, each, all := wave(3, 2, 2, 2, 3), wave(4, 2, 3, 4), wave(5, 2, 3, 2)
	beta, one := wave(6, 2, 3, 2), wave(7, 2, 3, 1)
	base := recurrence{query: q, key: k, value: v, heads: 4, kvHeads: 2, scale: 1 / math.Sqrt2}
	for _, c := range []struct {
		rule               string
		state, decay, beta *ir.Tensor
		scale              float64
	}{
		{rule: "linear"},
		{rule: "linear", state: state, scale: 0.5},
		{rule: "gated", decay: each},
		{rule: "gated", decay: all, state: state},
		{rule: "delta", beta: beta},
		{rule: "gated_delta", decay: all, beta: one, state: state},
		{rule: "gated_delta", decay: each, beta: beta, state: state},
	} {
		r := base
		r.state, r.decay, r.beta = c.state, c.decay, c.beta
		attributes := []any{"update_rule", c.rule, "q_num_heads", 4, "kv_num_heads", 2}
		if c.scale != 0 {
			r.scale = c.scale
			attributes = append(attributes, "scale", c.scale)
		}
		inputs := []any{q, k, v}
		for _, x := range []*ir.Tensor{c.state, c.decay, c.beta} {
			if x == nil {
				inputs = append(inputs, nil)
			} else {
				inputs = append(inputs, x)
			}
		}
		output, last := r.run()
		want := []any{output, last}
		s.Check(onnxtest.Case{Operator: "LinearAttention", Version: 27, Attributes: attributes, Inputs: inputs, Want: want, MaxRel: 1e-5})
	}
	heads := []any{"q_num_heads", 4, "kv_num_heads", 2}
	for _, c := range []onnxtest.Case{
		{Inputs: []any{q, k, v}, Error: "attribute q_num_heads is missing"},
		{Inputs: []any{q, k, v}, Attributes: []any{"q_num_heads", 4, "kv_num_heads", 3}, Error: "there are 4 heads for queries and 3 for keys"},
		{Inputs: []any{q, k, v}, Attributes: heads, Error: "update_rule is gated_delta, and decay is there: false"},
		{Inputs: []any{q, k, v, nil, all}, Attributes: heads, Error: "update_rule is gated_delta, and beta is there: false"},
	} {
		c.Operator, c.Version = "LinearAttention", 27
		s.Check(c)
	}
	microsoft(t, "LinearAttention", []onnxtest.Case{
		{Inputs: []any{q, k, v}, Attributes: append([]any{"state_window", 2}, heads...), Error: "attribute state_window is 2, and only 0 is supported"},
	})
	microsoft(t, "CausalConvWithState", []onnxtest.Case{
		{Inputs: []any{[][][]float32{{{1, 2, 3}}}, [][][]float32{{{10, 1}}}}, Want: []any{[][][]float32{{{1, 12, 23}}}, [][][]float32{{{3}}}}},
		{Inputs: []any{q, k}, Attributes: []any{"ndim", 2}, Error: "attribute ndim is 2, and only 1 is supported"},
	})
}
