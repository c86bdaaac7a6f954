package text_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/text"
)

func tensor(t *testing.T, data any, shape ...int) *ir.Tensor {
	t.Helper()
	made, err := ir.TensorFrom(data, shape...)
	require.NoError(t, err)
	return made
}

func TestTokenizer(t *testing.T) {
	s := onnxtest.NewSuite(t, text.Rules())
	// with returns attributes with those that a Tokenizer must have.
	with := func(shortest, mark int, others ...any) []any {
		return append(others, "mincharnum", shortest, "mark", mark, "pad_value", "#")
	}
	for _, c := range []onnxtest.Case{
		{Attributes: with(1, 0, "separators", []string{" ", "[.]"}), Inputs: []any{[]string{"a b.", "c"}}, Want: []any{[][]string{{"a", "b"}, {"c", "#"}}}},
		{Attributes: with(1, 1, "separators", []string{""}), Inputs: []any{[]string{"hé"}}, Want: []any{[][]string{{"\x02", "h", "é", "\x03"}}}},
		{Attributes: with(1, 0, "tokenexp", "."), Inputs: []any{[]string{"hé"}}, Want: []any{[][]string{{"h", "é"}}}},
		{Attributes: with(2, 0, "tokenexp", `\w+`), Inputs: []any{[][]string{{"ab c", "de"}}}, Want: []any{tensor(t, []string{"ab", "de"}, 1, 2, 1)}},
		{Attributes: with(2, 0, "tokenexp", "."), Inputs: []any{[]string{"a"}}, Error: "mincharnum is 2"},
		{Attributes: with(1, 0, "tokenexp", "("), Inputs: []any{[]string{"a"}}, Error: `pattern "(" is no regular expression`},
		{Attributes: with(1, 0, "separators", []string{}), Inputs: []any{[]string{"a"}}, Error: "the node has no separators"},
		{Attributes: with(1, 0), Inputs: []any{[]string{"a"}}, Error: "attribute tokenexp is missing"},
		{Attributes: []any{"tokenexp", "a"}, Inputs: []any{[]string{"a"}}, Error: "attribute mark is missing"},
	} {
		c.Domain, c.Operator, c.Version = "com.microsoft", "Tokenizer", 1
		s.Check(c)
	}
}

func TestMurmurHash3(t *testing.T) {
	s := onnxtest.NewSuite(t, text.Rules())
	for _, c := range []onnxtest.Case{
		{Inputs: []any{[]string{"", "abcd"}}, Want: []any{[]uint32{0, 1139631978}}},
		{Attributes: []any{"seed", 5, "positive", 0}, Inputs: []any{[]int32{0, 7}}, Want: []any{[]int32{-1234368524, 1836245473}}},
	} {
		c.Domain, c.Operator, c.Version = "com.microsoft", "MurmurHash3", 1
		s.Check(c)
	}
}

func TestWordConvEmbedding(t *testing.T) {
	s := onnxtest.NewSuite(t, text.Rules())
	words := [][]int32{{1, 2, 2, 0}, {2, 0, 0, 0}, {0, 1, 1, 1}}
	filter, bias := tensor(t, []float32{1, -1}, 1, 1, 2, 1), []float32{0.5}
	embedding := [][]float32{{0.25}, {1}, {3}}
	tanh := func(x float64) float32 { return float32(math.Tanh(x)) }
	// The places of the first word have 1-3 and 3-3; the second word is as long as the filter.
	want := [][]float32{{tanh(0.5)}, {tanh(3 - 0.25 + 0.5)}, {0}}
	for _, c := range []onnxtest.Case{
		{Attributes: []any{"conv_window_size", 2, "embedding_size", 1, "char_embedding_size", 1}, Inputs: []any{words, filter, bias, embedding}, Want: []any{want}},
		{Inputs: []any{words, filter, bias, embedding}, Want: []any{want}},
		{Attributes: []any{"conv_window_size", 3}, Inputs: []any{words, filter, bias, embedding}, Error: "attribute conv_window_size is 3, the length in the model is 2"},
	} {
		c.Domain, c.Operator, c.Version, c.MaxRel = "com.microsoft", "WordConvEmbedding", 1, 1e-6
		s.Check(c)
	}
}
