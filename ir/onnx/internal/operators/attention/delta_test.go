package attention_test

import (
	"math"
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
)

// deltaNet is a text of a GatedDeltaNet with one head of keys of two elements for two of values of
// one element, and what its rows change the state by: a factor, and a share of what is new.
type deltaNet struct {
	query, key   [][2]float64 // of the rows
	value        [][2]float64 // of the heads of each row
	decay, share func(row, head int) float64
	start        float64 // all elements of the state before the first row
}

// run returns the output [rows, 2, 1] and the last state [2, 1, 2].
func (d deltaNet) run(scale float64) (output, last []float32) {
	var states [2][2]float64
	for h := range states {
		states[h] = [2]float64{d.start, d.start}
	}
	for i := range d.query {
		for h := range states {
			s := &states[h]
			before := 0.0
			for e := range s {
				s[e] *= d.decay(i, h)
				before += s[e] * d.key[i][e]
			}
			y := 0.0
			for e := range s {
				s[e] += d.key[i][e] * d.share(i, h) * (d.value[i][h] - before)
				y += s[e] * d.query[i][e]
			}
			output = append(output, float32(scale*y))
		}
	}
	for _, s := range states {
		last = append(last, float32(s[0]), float32(s[1]))
	}
	return output, last
}

func TestGatedDelta(t *testing.T) {
	flat := func(rows [][2]float64) (list []float32) {
		for _, row := range rows {
			list = append(list, float32(row[0]), float32(row[1]))
		}
		return list
	}
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	query, key := [][2]float64{{1, 2}, {0.5, -1}, {2, 0}}, [][2]float64{{0.6, 0.8}, {1, 0}, {0, -1}}
	value := [][2]float64{{3, -2}, {1, 4}, {-1, 0.5}}
	decay, beta := [][2]float64{{-0.1, -0.2}, {-1, -0.3}, {0, -2}}, [][2]float64{{0.5, 1}, {0.25, 0}, {-1, 2}}
	net := func(from, to int) deltaNet {
		return deltaNet{
			query: query[from:to], key: key[from:to], value: value[from:to],
			decay: func(i, h int) float64 { return math.Exp(decay[from+i][h]) },
			share: func(i, h int) float64 { return beta[from+i][h] },
			start: 1,
		}
	}
	q, k, v := tensor([]int{3, 1, 2}, flat(query)), tensor([]int{3, 1, 2}, flat(key)), tensor([]int{3, 2, 1}, flat(value))
	g, b := tensor([]int{3, 2}, flat(decay)), tensor([]int{3, 2}, flat(beta))
	state := func(texts int) *ir.Tensor {
		return tensor([]int{texts, 2, 1, 2}, flat([][2]float64{{1, 1}, {1, 1}, {1, 1}, {1, 1}}[:2*texts]))
	}
	root := 1 / math.Sqrt2
	y, last := net(0, 3).run(root)
	first, firstLast := net(0, 1).run(root)
	second, secondLast := net(1, 3).run(root)
	joined := make([]float32, 0, 18)
	for i := range 3 {
		joined = append(joined, flat(query)[2*i:2*i+2]...)
		joined = append(joined, flat(key)[2*i:2*i+2]...)
		joined = append(joined, flat(value)[2*i:2*i+2]...)
	}
	soft := net(0, 3)
	soft.decay = func(i, h int) float64 { return math.Exp(-math.E * math.Log1p(math.Exp(decay[i][h]+1))) }
	soft.share = func(i, h int) float64 { return logistic(beta[i][h]) }
	softY, _ := soft.run(3)
	bounded := net(0, 3)
	bounded.decay = func(i, h int) float64 { return math.Exp(-2 * logistic(math.E*(decay[i][h]+1))) }
	boundedY, _ := bounded.run(root)
	fresh := net(0, 3)
	fresh.start = 0
	freshY, freshLast := fresh.run(root)
	ones := []float32{1, 1}
	whole := func(y []float32) *ir.Tensor { return tensor([]int{3, 2, 1}, y) }
	microsoft(t, "GatedDeltaNet", []onnxtest.Case{
		{Inputs: []any{q, k, v, nil, g, b, state(1)}, Want: []any{whole(y), tensor([]int{1, 2, 1, 2}, last)}, Static: true},
		{Inputs: []any{q, k, v, []int32{0, 1, 3}, g, b, state(2)}, Want: []any{whole(append(first, second...)), tensor([]int{2, 2, 1, 2}, append(firstLast, secondLast...))}, Static: true},
		{Inputs: []any{tensor([]int{3, 6}, joined), nil, nil, nil, g, b, state(1)}, Want: []any{whole(y)}, Static: true},
		{Inputs: []any{tensor([]int{1, 3, 1, 2}, flat(query)), tensor([]int{1, 3, 1, 2}, flat(key)), tensor([]int{1, 3, 2, 1}, flat(value)), nil,
			tensor([]int{1, 3, 2}, flat(decay)), tensor([]int{1, 3, 2}, flat(beta)), state(1)}, Want: []any{tensor([]int{1, 3, 2, 1}, y)}, Static: true},
		{Attributes: []any{"gate_activation", "softplus", "beta_activation", "sigmoid", "scale", 3.0}, Inputs: []any{q, k, v, nil, g, b, state(1), ones, ones}, Want: []any{whole(softY)}, Static: true},
		{Attributes: []any{"gate_activation", "kda", "gate_lower_bound", -2.0}, Inputs: []any{q, k, v, nil, g, b, state(1), ones, ones}, Want: []any{whole(boundedY)}, Static: true},
		{Inputs: []any{q, k, v, []int32{0, 3}, g, b}, Want: []any{whole(freshY), tensor([]int{1, 2, 1, 2}, freshLast)}, Static: true},
		// Keys of length 1 stay as they are.
		{Attributes: []any{"qk_l2_norm", 1, "scale", 5.0}, Inputs: []any{tensor([]int{1, 1, 2}, []float32{3, 4}), tensor([]int{1, 1, 2}, []float32{0.6, 0.8}),
			tensor([]int{1, 2, 1}, []float32{3, -2}), nil, tensor([]int{1, 2}, flat(decay[:1])), tensor([]int{1, 2}, flat(beta[:1])), state(1)},
			Want: []any{nil, tensor([]int{1, 2, 1, 2}, firstLast)}, Static: true},
		{Attributes: []any{"gate_activation", "softplus"}, Inputs: []any{q, k, v, nil, g, b, state(1)}, Error: "a_log or dt_bias is absent"},
		{Inputs: []any{q, k, v, nil, nil, b, state(1)}, Error: "input 4 is absent"},
		{Inputs: []any{q, k, v, nil, g, b}, Error: "nothing says how many texts there are"},
	})
}

// TestVarlenConv checks texts of one and two tokens, of one channel.
func TestVarlenConv(t *testing.T) {
	x, weight, ends := [][]float32{{1}, {2}, {3}}, [][][]float32{{{10, 1}}}, []int32{0, 1, 3}
	state := [][][]float32{{{5}}, {{7}}}
	swish := func(x float64) float32 { return float32(x / (1 + math.Exp(-x))) }
	microsoft(t, "VarlenCausalConvWithState", []onnxtest.Case{
		{Inputs: []any{x, weight, ends, nil, state}, Want: []any{[][]float32{{51}, {72}, {23}}, [][][]float32{{{1}}, {{3}}}}},
		{Attributes: []any{"dilation", 2}, Inputs: []any{x, weight, ends, []float32{0.5}, [][][]float32{{{5, 6}}, {{7, 8}}}},
			Want: []any{[][]float32{{51.5}, {72.5}, {83.5}}, [][][]float32{{{6, 1}}, {{2, 3}}}}},
		{Attributes: []any{"activation", "silu"}, Inputs: []any{x, [][][]float32{{{1}}}, ends, nil, tensor([]int{2, 1, 0}, nil)}, Want: []any{[][]float32{{swish(1)}, {swish(2)}, {swish(3)}}}},
		{Inputs: []any{x, weight, ends}, Error: "input 4 is absent"},
		{Attributes: []any{"dilation", 0}, Inputs: []any{x, weight, ends, nil, state}, Error: "attribute dilation is 0"},
		{Inputs: []any{x, weight, ends, nil, state, nil, x, x}, Error: "weights that differ between tokens"},
	})
}
