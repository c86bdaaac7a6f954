package generation_test

import (
	"math"
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/generation"
)

func check(t *testing.T, cases []onnxtest.Case) {
	t.Helper()
	s := onnxtest.NewSuite(t, generation.Rules())
	for _, c := range cases {
		c.Domain, c.Version = "com.microsoft", 1
		s.Check(c)
	}
}

func TestRepeatBlock(t *testing.T) {
	none := float32(math.Inf(-1))
	tokens, scores := [][]int64{{1, 2, 3, 1, 2}, {0, 1, 0, 1, 0}}, [][]float32{{1, 2, 3, 4}, {5, 6, 7, 8}}
	size := func(n int) []any { return []any{"ngram_size", n} }
	check(t, []onnxtest.Case{
		{Operator: "NGramRepeatBlock", Attributes: size(1), Inputs: []any{tokens, scores}, Want: []any{[][]float32{{1, none, none, none}, {none, none, 7, 8}}}},
		{Operator: "NGramRepeatBlock", Attributes: size(2), Inputs: []any{tokens, scores}, Want: []any{[][]float32{{1, 2, 3, none}, {5, none, 7, 8}}}},
		{Operator: "NGramRepeatBlock", Attributes: size(5), Inputs: []any{tokens, scores}, Want: []any{scores}},
		{Operator: "NGramRepeatBlock", Attributes: size(9), Inputs: []any{tokens, scores}, Want: []any{scores}},
		{Operator: "NGramRepeatBlock", Attributes: size(65), Inputs: []any{tokens, scores}, Error: "attribute ngram_size is 65, expected 1 to 64"},
		{Operator: "NGramRepeatBlock", Inputs: []any{tokens, scores}, Error: "attribute ngram_size is missing"},
	})
}

func TestBifurcation(t *testing.T) {
	source, none := []int64{1, 2, 3, 1, 4}, []int64{}
	grams := func(least, most int) []any { return []any{"min_ngram_size", least, "max_ngram_size", most} }
	check(t, []onnxtest.Case{
		{Operator: "BifurcationDetector", Inputs: []any{source, []int64{7}, int64(3), []int64{1, 5, 6}}, Want: []any{[]int64{7, 1, 5}, int64(-1)}},
		{Operator: "BifurcationDetector", Inputs: []any{source, []int64{7}, []int64{3}, []int64{1, 4, 2}}, Want: []any{[]int64{7, 1, 4, 2}, []int64{2}}},
		{Operator: "BifurcationDetector", Inputs: []any{source, none, int64(5), []int64{4}}, Want: []any{[]int64{4}, int64(5)}},
		{Operator: "BifurcationDetector", Inputs: []any{source, none, int64(0)}, Want: []any{none, int64(-1)}},
		// 1 is in two places, and 3, 1 in one.
		{Operator: "BifurcationDetector", Inputs: []any{source, []int64{3, 1}, int64(0)}, Want: []any{nil, int64(4)}},
		{Operator: "BifurcationDetector", Attributes: grams(1, 1), Inputs: []any{source, []int64{3, 1}, int64(0)}, Want: []any{nil, int64(-1)}},
		// 9, 1 is in none.
		{Operator: "BifurcationDetector", Inputs: []any{source, []int64{9, 1}, int64(0)}, Want: []any{nil, int64(-1)}},
		{Operator: "BifurcationDetector", Attributes: grams(3, 3), Inputs: []any{source, []int64{3, 1}, int64(0)}, Want: []any{nil, int64(-1)}},
		{Operator: "BifurcationDetector", Attributes: grams(3, 2), Inputs: []any{source, []int64{3, 1}, int64(0)}, Error: "are 3 and 2, expected 1 to 64, in this order"},
	})
}
