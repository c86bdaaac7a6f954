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

func TestHashMapping(t *testing.T) {
	ids, factors, sizes := [][]int64{{3, 1, 4}}, []int64{3, 5, 7}, []int64{10, 100, 11, 101}
	attributes := func(more ...any) []any {
		return append([]any{"pad_id", 2, "n_head_per_ngram", 2, "max_ngram_size", 3}, more...)
	}
	// row returns the hashes of a token and the two before it.
	row := func(a, b, c int64) []int64 {
		two := a*3 ^ b*5
		three := two ^ c*7
		return []int64{two % 10, two % 100, three % 11, three % 101}
	}
	plain := [][][]int64{{row(3, 2, 2), row(1, 3, 2), row(4, 1, 3)}}
	eos := int64(1)
	check(t, []onnxtest.Case{
		{Operator: "NGramHashMapping", Attributes: attributes(), Inputs: []any{ids, factors, sizes}, Want: []any{plain, [][]int64{{1, 4}}}},
		{Operator: "NGramHashMapping", Attributes: attributes(), Inputs: []any{ids, factors, sizes, [][]int64{{7, 8}}}, Want: []any{[][][]int64{{row(3, 8, 7), row(1, 3, 8), row(4, 1, 3)}}, nil}},
		{Operator: "NGramHashMapping", Attributes: attributes(), Inputs: []any{ids[:1], factors, sizes, nil, []int64{1000, 0, 0, 0}}, Want: []any{
			[][][]int64{{add(row(3, 2, 2), 1000), add(row(1, 3, 2), 1000), add(row(4, 1, 3), 1000)}}}},
		// The token 1 ends what is before it for the one behind it.
		{Operator: "NGramHashMapping", Attributes: attributes("reset_on_eos", 1), Inputs: []any{ids, factors, sizes, nil, nil, eos}, Want: []any{[][][]int64{{row(3, 1, 1), row(1, 3, 1), row(4, 1, 1)}}}},
		{Operator: "NGramHashMapping", Attributes: attributes(), Inputs: []any{ids, factors, sizes, nil, nil, nil, [][]int32{{0, 0, 5}}}, Want: []any{[][][]int64{{row(3, 2, 2), row(1, 3, 2), row(4, 2, 2)}}}},
		{Operator: "NGramHashMapping", Attributes: attributes()[:4], Inputs: []any{ids, factors, sizes}, Error: "attribute max_ngram_size is missing"},
		{Operator: "NGramHashMapping", Attributes: append(attributes()[:4], "max_ngram_size", 1), Inputs: []any{ids, factors, sizes}, Error: "max_ngram_size and n_head_per_ngram are 1 and 2"},
	})
}

// add returns a row with something added to the first element.
func add(row []int64, first int64) []int64 {
	row[0] += first
	return row
}
