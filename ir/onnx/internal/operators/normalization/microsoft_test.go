package normalization_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/normalization"
)

func TestSkip(t *testing.T) {
	s := onnxtest.NewSuite(t, normalization.Rules())
	// The sums of the rows are 1, 3 and 3, 11: means 2 and 7, standard deviations 1 and 4.
	x, skip := tensor([]int{1, 2, 2}, 0, 1, 2, 9), tensor([]int{2, 2}, 1, 2, 1, 2)
	two, bias := tensor([]int{2}, 2, 2), tensor([]int{2}, -1, 1)
	added := tensor([]int{1, 2, 2}, 1, 3, 3, 11)
	for _, c := range []onnxtest.Case{
		{Operator: "SkipLayerNormalization", Attributes: []any{"epsilon", 0.0}, Inputs: []any{x, skip, two}, Want: []any{tensor([]int{1, 2, 2}, -2, 2, -2, 2), nil, nil, added}},
		{Operator: "SkipLayerNormalization", Inputs: []any{x, skip, two, bias, bias},
			Want: []any{tensor([]int{1, 2, 2}, -3, 3, -3, 3), tensor([]int{1, 2, 1}, 2, 7), tensor([]int{1, 2, 1}, 0.5, 0.2), tensor([]int{1, 2, 2}, 0, 4, 2, 12)}},
		{Operator: "SkipSimplifiedLayerNormalization", Inputs: []any{x, skip, two},
			Want: []any{tensor([]int{1, 2, 2}, 2*inv(5), 6*inv(5), 6*inv(65), 22*inv(65)), nil, tensor([]int{1, 2, 1}, inv(5), inv(65)), added}},
		{Operator: "SkipSimplifiedLayerNormalization", Inputs: []any{x, skip, two, bias},
			Want: []any{tensor([]int{1, 2, 2}, 0, 8*inv(8), 4*inv(74), 24*inv(74)), nil, nil, tensor([]int{1, 2, 2}, 0, 4, 2, 12)}},
	} {
		c.Domain, c.Version, c.MaxRel = "com.microsoft", 1, 1e-6
		s.Check(c)
	}
	s.Check(onnxtest.Case{Operator: "SimplifiedLayerNormalization", Version: 1, Attributes: []any{"epsilon", 0.0}, Inputs: []any{added, two},
		Want: []any{tensor([]int{1, 2, 2}, 2*inv(5), 6*inv(5), 6*inv(65), 22*inv(65)), tensor([]int{1, 2, 1}, inv(5), inv(65))}, MaxRel: 1e-6})
}

func TestEmbed(t *testing.T) {
	s := onnxtest.NewSuite(t, normalization.Rules())
	words := tensor([]int{3, 2}, 0, 0, 1, 3, 2, 6)
	places := tensor([]int{3, 2}, 0, 0, 10, 20, 30, 60)
	segments := tensor([]int{2, 2}, 0, 0, 100, 200)
	one, zero := tensor([]int{2}, 1, 1), tensor([]int{2}, 0, 0)
	ids, second := [][]int32{{1, 2}}, [][]int32{{0, 1}}
	y := tensor([]int{1, 2, 2}, -1, 1, -1, 1)
	for _, c := range []onnxtest.Case{
		{Inputs: []any{ids, nil, words, places, nil, one, zero}, Want: []any{y, []int32{0}, tensor([]int{1, 2, 2}, 1, 3, 12, 26)}},
		{Inputs: []any{ids, second, words, places, segments, one, zero, [][]int32{{1, 0}}}, Want: []any{y, []int32{1}, tensor([]int{1, 2, 2}, 1, 3, 112, 226)}},
		{Inputs: []any{ids, nil, words, places, nil, one, zero, nil, [][]int32{{2, 0}}}, Want: []any{y, nil, tensor([]int{1, 2, 2}, 31, 63, 2, 6)}},
		{Inputs: []any{ids, nil, words, nil, nil, one, zero}, Error: "input 3 is absent"},
		{Inputs: []any{ids, second, words, places, nil, one, zero}, Error: "segment_ids and segment_embedding must be there both"},
	} {
		c.Operator, c.Domain, c.Version, c.MaxRel = "EmbedLayerNormalization", "com.microsoft", 1, 1e-6
		s.Check(c)
	}
}

func TestGroupNorm(t *testing.T) {
	s := onnxtest.NewSuite(t, normalization.Rules())
	// Two pixels with four channels, in two groups: 1, 3, 1, 3 and 0, 8, 0, 8.
	x := tensor([]int{1, 1, 2, 4}, 1, 3, 0, 8, 1, 3, 0, 8)
	gamma, beta := tensor([]int{4}, 1, 1, 2, 2), tensor([]int{4}, 0, 0, 1, 1)
	plain, silu := []any{"groups", 2, "activation", 0, "epsilon", 0.0}, []any{"groups", 2, "activation", 1, "epsilon", 0.0}
	const low, high, minus, three = -0.26894143, 0.7310586, -0.26894143, 2.8577223
	for _, c := range []onnxtest.Case{
		{Operator: "GroupNorm", Attributes: plain, Inputs: []any{x, gamma, beta}, Want: []any{tensor([]int{1, 1, 2, 4}, -1, 1, -1, 3, -1, 1, -1, 3)}},
		{Operator: "GroupNorm", Attributes: silu, Inputs: []any{x, gamma, beta}, Want: []any{tensor([]int{1, 1, 2, 4}, low, high, minus, three, low, high, minus, three)}},
		{Operator: "GroupNorm", Attributes: append([]any{"channels_last", 0}, plain...), Inputs: []any{tensor([]int{1, 4, 1, 2}, 1, 1, 3, 3, 0, 0, 8, 8), gamma, beta},
			Want: []any{tensor([]int{1, 4, 1, 2}, -1, -1, 1, 1, -1, -1, 3, 3)}},
		{Operator: "SkipGroupNorm", Attributes: plain, Inputs: []any{x, gamma, beta, tensor([]int{1, 4}, 1, 1, 0, 0), tensor([]int{4}, 0, 0, 2, 2)},
			Want: []any{tensor([]int{1, 1, 2, 4}, -1, 1, -1, 3, -1, 1, -1, 3), tensor([]int{1, 1, 2, 4}, 2, 4, 2, 10, 2, 4, 2, 10)}, Static: true},
		{Operator: "GroupNorm", Attributes: []any{"groups", 2, "activation", 7}, Inputs: []any{x, gamma, beta}, Error: "activation is 7, expected 0 or 1"},
		{Operator: "GroupNorm", Attributes: []any{"groups", 2}, Inputs: []any{x, gamma, beta}, Error: "attribute activation is missing"},
	} {
		c.Domain, c.Version, c.MaxRel = "com.microsoft", 1, 1e-5
		s.Check(c)
	}
}

// TestEmbed_quantized checks tables of bytes: a scale of 0.5 and a zero point of 10 for the words.
func TestEmbed_quantized(t *testing.T) {
	s := onnxtest.NewSuite(t, normalization.Rules())
	bytes := func(shape []int, data ...uint8) *ir.Tensor {
		b, err := ir.TensorFrom(data, shape...)
		require.NoError(t, err)
		return b
	}
	words, places := bytes([]int{2, 2}, 10, 10, 12, 20), bytes([]int{1, 2}, 0, 0)
	gamma, beta := bytes([]int{2}, 4, 4), bytes([]int{2}, 0, 2)
	half, one, ten, zero := float32(0.5), float32(1), uint8(10), uint8(0)
	inputs := []any{[][]int32{{1}}, nil, words, places, nil, gamma, beta, nil, half, one, nil, half, one, ten, zero, nil, zero, zero}
	with := func(i int, value any) []any {
		list := slices.Clone(inputs)
		list[i] = value
		return list
	}
	segments := with(4, words)
	segments[1] = [][]int32{{0}}
	for _, c := range []onnxtest.Case{
		{Inputs: inputs, Want: []any{tensor([]int{1, 1, 2}, -2, 4), []int32{0}}},
		{Inputs: with(7, [][]int32{{1}}), Want: []any{nil, []int32{1}}},
		{Inputs: with(9, nil), Error: "input 9 is absent"},
		{Inputs: segments, Error: "input 10 is absent"},
	} {
		c.Operator, c.Domain, c.Version, c.MaxRel = "QEmbedLayerNormalization", "com.microsoft", 1, 1e-6
		s.Check(c)
	}
}

func TestRMSParts(t *testing.T) {
	s := onnxtest.NewSuite(t, normalization.Rules())
	// Two parts of two elements, of which the means of the squares are 25 and 100.
	x, scale := tensor([]int{1, 4}, 1, 7, 14, -2), tensor([]int{2}, 5, 10)
	zeros := tensor([]int{1, 4}, 0, 0, 0, 0)
	exact := func(more ...any) []any { return append([]any{"epsilon", 0.0}, more...) }
	silu := float32(0.880797) * 2
	for _, c := range []onnxtest.Case{
		{Operator: "GatedRMSNorm", Attributes: exact("activation", "sigmoid"), Inputs: []any{x, scale, zeros}, Want: []any{tensor([]int{1, 4}, 0.5, 7, 3.5, -1)}},
		{Operator: "GatedRMSNorm", Attributes: exact(), Inputs: []any{x, scale, tensor([]int{1, 4}, 2, 2, 2, 2)}, Want: []any{tensor([]int{1, 4}, silu, 14*silu, 7*silu, -2*silu)}},
		{Operator: "GatedRMSNorm", Attributes: exact("activation", "tanh"), Inputs: []any{x, scale, zeros}, Error: "attribute activation is"},
		{Operator: "BranchwiseRMSNorm", Attributes: exact("num_branches", 2), Inputs: []any{x}, Want: []any{tensor([]int{1, 4}, 0.2, 1.4, 1.4, -0.2)}},
		{Operator: "BranchwiseRMSNorm", Attributes: exact("num_branches", 2), Inputs: []any{x, scale}, Want: []any{tensor([]int{1, 4}, 1, 14, 7, -2)}},
		{Operator: "BranchwiseRMSNorm", Attributes: exact("num_branches", 2), Inputs: []any{x, tensor([]int{4}, 5, 10, 1, 2)}, Want: []any{tensor([]int{1, 4}, 1, 14, 1.4, -0.4)}},
		{Operator: "BranchwiseRMSNorm", Attributes: exact(), Inputs: []any{tensor([]int{2, 2}, 1, 7, 14, -2), tensor([]int{2, 2}, 5, 10, 1, 2)}, Want: []any{tensor([]int{2, 2}, 1, 14, 1.4, -0.4)}},
	} {
		c.Domain, c.Version, c.MaxRel = "com.microsoft", 1, 1e-6
		s.Check(c)
	}
}
