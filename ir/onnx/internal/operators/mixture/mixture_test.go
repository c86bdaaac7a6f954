package mixture_test

import (
	"math"
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/mixture"
)

// run checks cases of an operator.
func run(t *testing.T, operator string, cases []onnxtest.Case) {
	t.Helper()
	s := onnxtest.NewSuite(t, mixture.Rules())
	for _, c := range cases {
		c.Operator, c.Domain, c.Version, c.MaxRel = operator, "com.microsoft", 1, 1e-5
		s.Check(c)
	}
}

func TestPlain(t *testing.T) {
	// Expert e has the activation of (e+1)*x[0], times 1 and 10. The rows prefer expert 1, and 0.
	x, scores := [][]float32{{1, 5}, {-2, 6}}, [][]float32{{0, float32(math.Ln2)}, {float32(math.Log(3)), 0}}
	first, second := [][][]float32{{{1, 0}}, {{2, 0}}}, [][][]float32{{{1}, {10}}, {{1}, {10}}}
	inputs := func(more ...any) []any { return append([]any{x, scores, first, nil, second}, more...) }
	attributes := func(more ...any) []any { return append([]any{"activation_type", "identity"}, more...) }
	row := func(v float64) []float32 { return []float32{float32(v), float32(10 * v)} }
	silu := func(v float64) float64 { return v / (1 + math.Exp(-v)) }
	gelu := func(v float64) float64 { return v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v))) }
	run(t, "MoE", []onnxtest.Case{
		{Attributes: attributes(), Inputs: inputs(), Want: []any{[][]float32{row(2 * 2.0 / 3), row(-2 * 0.75)}}},
		{Attributes: attributes("normalize_routing_weights", 1), Inputs: inputs(), Want: []any{[][]float32{row(2), row(-2)}}},
		{Attributes: attributes("k", 2, "normalize_routing_weights", 1), Inputs: inputs(), Want: []any{[][]float32{row(5.0 / 3), row(-2.5)}}},
		{Attributes: attributes("normalize_routing_weights", 1), Inputs: []any{[][][]float32{x}, scores, first, [][]float32{{100}, {200}}, second, [][]float32{{1, 2}, {3, 4}}},
			Want: []any{[][][]float32{{{205, 2024}, {99, 982}}}}},
		{Attributes: attributes("normalize_routing_weights", 1), Inputs: inputs(nil, [][][]float32{{{0, 1}}, {{0, 2}}}), Want: []any{[][]float32{row(20), row(-12)}}},
		{Attributes: []any{"normalize_routing_weights", 1}, Inputs: inputs(), Want: []any{[][]float32{row(2), row(0)}}},
		{Attributes: []any{"normalize_routing_weights", 1, "activation_type", "silu"}, Inputs: inputs(), Want: []any{[][]float32{row(silu(2)), row(silu(-2))}}},
		{Attributes: []any{"normalize_routing_weights", 1, "activation_type", "gelu"}, Inputs: inputs(), Want: []any{[][]float32{row(gelu(2)), row(gelu(-2))}}},
		{Attributes: attributes("use_sparse_mixer", 1), Inputs: inputs(), Error: "use_sparse_mixer is 1"},
		{Attributes: []any{"activation_type", "sine"}, Inputs: inputs(), Error: "sine"},
		{Attributes: attributes(), Inputs: []any{x, scores, first}, Error: "the weights of the second product are absent"},
		{Attributes: []any{"activation_type", "swiglu"}, Inputs: inputs(), Error: "the weights of the third product are absent"},
		{Attributes: []any{"activation_type", "swiglu", "swiglu_fusion", 3}, Inputs: inputs(), Error: "swiglu_fusion is 3"},
	})
}

func TestPlain_gated(t *testing.T) {
	// One expert: the gate is x[0], and the linear part x[1].
	x, scores, second := [][]float32{{3, 4}}, [][]float32{{0}}, [][][]float32{{{1}, {0}}}
	both, gate, linear := [][][]float32{{{1, 0}, {0, 1}}}, [][][]float32{{{1, 0}}}, [][][]float32{{{0, 1}}}
	attributes := func(more ...any) []any { return append([]any{"activation_type", "swiglu"}, more...) }
	swish := func(v, alpha float64) float64 { return v / (1 + math.Exp(-alpha*v)) }
	want := func(v float64) []any { return []any{[][]float32{{float32(v), 0}}} }
	run(t, "MoE", []onnxtest.Case{
		{Attributes: attributes("swiglu_fusion", 1), Inputs: []any{x, scores, both, nil, second}, Want: want(4 * swish(3, 1))},
		{Attributes: attributes("swiglu_fusion", 2, "activation_alpha", 2.0, "activation_beta", 1.0), Inputs: []any{x, scores, both, nil, second}, Want: want(5 * swish(3, 2))},
		{Attributes: attributes(), Inputs: []any{x, scores, gate, nil, second, nil, linear}, Want: want(4 * swish(3, 1))},
		{Attributes: attributes("swiglu_fusion", 1, "swiglu_limit", 2.0), Inputs: []any{x, scores, both, nil, second}, Want: want(2 * swish(2, 1))},
		{Attributes: attributes("swiglu_fusion", 1, "swiglu_limit", 2.0, "swiglu_limit_after_activation", 1), Inputs: []any{x, scores, both, nil, second}, Want: want(4)},
	})
}

func TestQuantized(t *testing.T) {
	x, scores := [][]float32{{1, 2}}, [][]float32{{0}}
	bytes := func(shape []int, data ...uint8) *ir.Tensor {
		tensor, err := ir.TensorFrom(data, shape...)
		if err != nil {
			panic(err)
		}
		return tensor
	}
	// The first product has the columns 1, -1 and 2, 0; the second one the columns 1, 1 and 0, -8.
	first, second := bytes([]int{1, 2, 1}, 0x79, 0x8a), bytes([]int{1, 2, 1}, 0x99, 0x08)
	one, scales := [][]float32{{1, 1}}, [][]float32{{1, 0.5}}
	constants, attributes := []int{2, 5, 11, 12}, []any{"activation_type", "identity"}
	wide := append([]any{"expert_weight_bits", 8}, attributes...)
	run(t, "QMoE", []onnxtest.Case{
		{Attributes: attributes, Inputs: []any{x, scores, first, one, nil, second, scales}, Want: []any{[][]float32{{1, -8}}}, Constants: constants, Static: true},
		{Attributes: attributes, Inputs: []any{x, scores, first, one, nil, second, scales, nil, nil, nil, nil, bytes([]int{1, 1}, 0x88), bytes([]int{1, 1}, 0x88), nil, [][]float32{{3}}},
			Want: []any{[][]float32{{3, -24}}}, Constants: constants, Static: true},
		{Attributes: wide, Inputs: []any{x, scores, bytes([]int{1, 2, 2}, 129, 127, 130, 128), [][][]float32{{{1, 1}, {1, 1}}}, nil, bytes([]int{1, 2, 2}, 129, 129, 128, 120), scales},
			Want: []any{[][]float32{{1, -8}}}, Constants: constants, Static: true},
		{Attributes: wide, Inputs: []any{x, scores, bytes([]int{1, 2, 2}, 2, 0, 3, 1), [][][]float32{{{1, 1}, {1, 1}}}, nil, bytes([]int{1, 2, 2}, 129, 129, 128, 120), scales,
			nil, nil, nil, nil, bytes([]int{1, 2, 2}, 1, 1, 1, 1)}, Want: []any{[][]float32{{1, -8}}}, Constants: constants, Static: true},
		// The weight of the one expert of two that is chosen is 1.
		{Attributes: attributes, Inputs: []any{x, [][]float32{{1, 0}}, bytes([]int{2, 2, 1}, 0x79, 0x8a, 0, 0), [][]float32{{1, 1}, {1, 1}}, nil,
			bytes([]int{2, 2, 1}, 0x99, 0x08, 0, 0), [][]float32{{1, 0.5}, {1, 1}}}, Want: []any{[][]float32{{1, -8}}}, Constants: constants, Static: true},
		{Attributes: attributes, Inputs: []any{x, scores, [][][]float32{{{1}}}, one, nil, second, scales}, Error: "input 2"},
		{Attributes: attributes, Inputs: []any{x, scores, first, nil, nil, second, scales}, Constants: constants, Error: "input 3, the scales of input 2, is absent"},
		{Attributes: append([]any{"expert_weight_bits", 3}, attributes...), Inputs: []any{x, scores, first, one, nil, second, scales}, Error: "weights of 3 bits are not supported"},
		{Attributes: append([]any{"expert_weight_bits", 0}, attributes...), Inputs: []any{x, scores, first, one, nil, second, scales}, Error: "weights of 0 bits are not supported"},
		{Attributes: append([]any{"quant_type", "fp4"}, attributes...), Inputs: []any{x, scores, first, one, nil, second, scales}, Error: "quant_type is fp4"},
	})
}
