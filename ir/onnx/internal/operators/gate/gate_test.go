package gate_test

import (
	"math"
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/gate"
)

func check(t *testing.T, operator string, cases []onnxtest.Case) {
	t.Helper()
	s := onnxtest.NewSuite(t, gate.Rules())
	for _, c := range cases {
		c.Operator, c.Domain, c.Version, c.MaxRel = operator, "com.microsoft", 1, 1e-6
		s.Check(c)
	}
}

func sigmoid(x float64) float32 { return float32(1 / (1 + math.Exp(-x))) }

func TestLinearAttention(t *testing.T) {
	softplus := func(x float64) float32 { return float32(math.Log1p(math.Exp(x))) }
	a, b := [][][]float32{{{0, 1}}}, [][][]float32{{{2, -1}}}
	bias, scale := []float32{1, 0}, []float32{-1, -2}
	decay := [][][]float32{{{-softplus(1), -2 * softplus(1)}}}
	check(t, "LinearAttentionGate", []onnxtest.Case{
		{Inputs: []any{a, bias, scale}, Want: []any{decay}},
		{Inputs: []any{a, bias, scale, b}, Want: []any{decay, [][][]float32{{{sigmoid(2), sigmoid(-1)}}}}},
	})
}

func TestGatedAdd(t *testing.T) {
	x, y, by := [][]float32{{1, 2}, {3, 4}}, [][]float32{{10, 20}, {30, 40}}, [][]float32{{2}, {-1}}
	check(t, "GatedAdd", []onnxtest.Case{
		{Inputs: []any{x, y, by}, Want: []any{[][]float32{{21, 42}, {-27, -36}}}},
		{Inputs: []any{x, y, by, [][]float32{{1}}}, Error: "a gate that the node projects"},
	})
}

func TestEngram(t *testing.T) {
	// The normalised key and query are 1, 1 and 1, -1, or 1, 1: d is 0 and the root of 2.
	key, query := [][][][]float32{{{{2, 2}, {3, 3}}}}, [][][][]float32{{{{5, -5}, {4, 4}}}}
	value, ones := [][][]float32{{{1, 7}}}, [][]float32{{1, 1}, {1, 1}}
	second := sigmoid(math.Sqrt(math.Sqrt2))
	want := [][][][]float32{{{{0.5, 3.5}, {second, 7 * second}}}}
	check(t, "EngramGate", []onnxtest.Case{
		{Attributes: []any{"epsilon", 0.0}, Inputs: []any{key, query, value, ones, ones}, Want: []any{want}},
		{Attributes: []any{"epsilon", 0.0}, Inputs: []any{key, query, value, ones, ones, [][]float32{{5, 10}, {5, 5}}}, Want: []any{want, [][][][]float32{{{{1, 14}, {1, 7}}}}}},
	})
}

func TestMix(t *testing.T) {
	apart, joined := [][][]float32{{{1, 2}, {3, 4}}}, [][]float32{{1, 2, 3, 4}}
	check(t, "HyperConnectionPreMix", []onnxtest.Case{
		{Inputs: []any{apart, [][]float32{{10, 1}}}, Want: []any{[][]float32{{13, 24}}}},
		{Attributes: []any{"num_branches", 2, "reduction_scale", 0.5}, Inputs: []any{joined, [][]float32{{1, 0, 0, 1}}}, Want: []any{[][]float32{{0.5, 2}}}},
		{Attributes: []any{"num_branches", -1}, Inputs: []any{joined, [][]float32{{1, 1}}}, Error: "num_branches is -1"},
	})
	block, matrix := [][]float32{{100, 200}}, [][][]float32{{{0, 1}, {2, 0}}}
	check(t, "HyperConnectionPostMix", []onnxtest.Case{
		{Inputs: []any{apart, block, [][]float32{{1, 2}}}, Want: []any{[][][]float32{{{101, 202}, {203, 404}}}}},
		{Inputs: []any{apart, block, [][][]float32{{{1, 0}, {0, 1}}}, matrix}, Want: []any{[][][]float32{{{106, 8}, {1, 202}}}}},
		{Attributes: []any{"num_branches", 2}, Inputs: []any{joined, block, [][][]float32{{{1}, {0}}}}, Want: []any{[][]float32{{101, 202, 3, 4}}}},
	})
}

func TestGroupRouter(t *testing.T) {
	log := func(x float64) float32 { return float32(math.Log(float64(sigmoid(x)))) }
	logits, none := [][]float32{{3, -2, 1, 2}}, []float32{0, 0, 0, 0}
	check(t, "MoEGroupRouter", []onnxtest.Case{
		{Attributes: []any{"top_k", 2}, Inputs: []any{logits, none}, Want: []any{[][]float32{{log(3), -10000, -10000, log(2)}}}},
		// The second group has the larger sum, and the bias only chooses.
		{Attributes: []any{"top_k", 1, "n_group", 2, "router_sentinel", -9.0}, Inputs: []any{logits, []float32{0, 0, 1, 0}}, Want: []any{[][]float32{{-9, -9, log(1), -9}}}},
		{Attributes: []any{"top_k", 1, "n_group", 2, "group_topk", 1}, Inputs: []any{logits, none}, Want: []any{[][]float32{{log(3), -10000, -10000, -10000}}}},
		{Attributes: []any{"top_k", 1}, Inputs: []any{[][]float32{{0, 3}}, []float32{1, 2}},
			Want: []any{nil, [][]float32{{1.5, 2 + sigmoid(3)}}, [][]float32{{0.5, sigmoid(3)}}}},
		{Attributes: []any{"top_k", 0}, Inputs: []any{logits, none}, Error: "0 of the largest elements are wanted"},
		{Attributes: []any{"top_k", 1, "n_group", 0}, Inputs: []any{logits, none}, Error: "n_group is 0"},
		{Inputs: []any{logits, none}, Error: "attribute top_k is missing"},
		{Attributes: []any{"top_k", 1}, Inputs: []any{logits, none, logits}, Error: "a projection of its own"},
	})
}

func TestSwiGLU(t *testing.T) {
	gate, linear := [][]float32{{1, 3}}, [][]float32{{-2, 5}}
	check(t, "SwiGLU", []onnxtest.Case{
		{Inputs: []any{gate, linear}, Want: []any{[][]float32{{-2 * sigmoid(1), 15 * sigmoid(3)}}}},
		{Inputs: []any{[][]float32{{1, 3, -2, 5}}}, Want: []any{[][]float32{{-2 * sigmoid(1), 15 * sigmoid(3)}}}},
		{Attributes: []any{"limit", 1.5, "activation_alpha", 2.0, "activation_beta", 1.0, "round_activation", 1}, Inputs: []any{gate, linear},
			Want: []any{[][]float32{{-0.5 * sigmoid(2), 1.5 * 2.5 * sigmoid(3)}}}},
	})
}
