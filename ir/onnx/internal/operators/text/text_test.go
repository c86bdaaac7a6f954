package text_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/text"
)

func TestTfIdfVectorizer(t *testing.T) {
	s := onnxtest.NewSuite(t, text.Rules())
	words := []string{"a", "b", "a", "b", "a"}
	// with returns the attributes for the n-grams a; b; a,b with others that go before them.
	with := func(others ...any) []any {
		return append(others, "ngram_counts", []int{0, 2}, "ngram_indexes", []int{2, 0, 3}, "min_gram_length", 1, "max_gram_length", 2, "max_skip_count", 1)
	}
	texts, weights := []string{"a", "b", "a", "b"}, []float64{10, 20, 30}
	for _, c := range []onnxtest.Case{
		{Attributes: with("mode", "TF", "pool_strings", texts, "weights", weights), Inputs: []any{words}, Want: []any{[]float32{2, 0, 3, 2}}},
		{Attributes: with("mode", "IDF", "pool_strings", texts, "weights", weights), Inputs: []any{words}, Want: []any{[]float32{20, 0, 10, 30}}},
		{Attributes: with("mode", "IDF", "pool_strings", texts), Inputs: []any{words}, Want: []any{[]float32{1, 0, 1, 1}}},
		{Attributes: with("mode", "TFIDF", "pool_strings", texts, "weights", weights), Inputs: []any{words}, Want: []any{[]float32{40, 0, 30, 60}}},
		{Attributes: with("mode", "TF", "pool_int64s", []int{7, 8, 7, 8}), Inputs: []any{[][]int64{{7, 8}, {8, 9}}}, Want: []any{[][]float32{{1, 0, 1, 1}, {1, 0, 0, 0}}}},
		{Attributes: with("mode", "TF", "pool_int64s", []int{7, 8, 7, 8}), Inputs: []any{[]int32{7, 7}}, Want: []any{[]float32{0, 0, 2, 0}}},
		{Attributes: with("mode", "TF"), Inputs: []any{words}, Error: "attribute pool_int64s is missing"},
		{Attributes: with("mode", "tf", "pool_strings", texts), Inputs: []any{words}, Error: "attribute mode"},
		{Attributes: with("pool_strings", texts), Inputs: []any{words}, Error: "attribute mode is missing"},
		{Attributes: with("mode", "IDF", "pool_strings", texts, "weights", []float64{1}), Inputs: []any{words}, Error: "weights has 1 elements, ngram_indexes has 3"},
		{Attributes: with("mode", "TF", "pool_strings", texts[:3]), Inputs: []any{words}, Error: "the n-grams of 2 items are items 2 to 3 of pool, which has 3"},
	} {
		c.Operator, c.Version = "TfIdfVectorizer", 9
		s.Check(c)
	}
}
