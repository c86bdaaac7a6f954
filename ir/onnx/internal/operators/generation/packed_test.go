package generation_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
)

// TestPacked checks texts of one and five tokens. A hash is the xor of a token, ten times the one
// before and, for three tokens, a hundred times the one before that.
func TestPacked(t *testing.T) {
	ids, factors, sizes, ends := []int64{1, 2, 3, 4, 5, 6}, []int64{1, 10, 100}, []int64{1000, 1000}, []int32{0, 1, 6}
	past, segments, pastSegments := [][]int64{{11, 12}, {13, 14}}, []int32{7, 8, 8, 8, 4, 4}, [][]int32{{1, 2}, {3, 8}}
	attributes := func(more ...any) []any {
		return append([]any{"pad_id", 9, "n_head_per_ngram", 1, "max_ngram_size", 3}, more...)
	}
	// No token before these counts.
	alone, apart := []int64{1 ^ 90, 1 ^ 90 ^ 900}, []int64{5 ^ 90, 5 ^ 90 ^ 900}
	inside := [][]int64{{3 ^ 20, (3 ^ 20 ^ 1400) % 1000}, {4 ^ 30, 4 ^ 30 ^ 200}}
	second := []int64{6 ^ 50, 6 ^ 50 ^ 900}
	check(t, []onnxtest.Case{
		{Operator: "VarlenNGramHashMapping", Attributes: attributes(), Inputs: []any{ids, factors, sizes, ends}, Want: []any{
			[][]int64{alone, {2 ^ 90, 2 ^ 90 ^ 900}, {3 ^ 20, 3 ^ 20 ^ 900}, inside[1], {5 ^ 40, 5 ^ 40 ^ 300}, {6 ^ 50, 6 ^ 50 ^ 400}}, [][]int64{{9, 1}, {5, 6}}}},
		{Operator: "VarlenNGramHashMapping", Attributes: attributes(), Inputs: []any{ids, factors, sizes, ends, past, nil, nil, segments}, Want: []any{
			[][]int64{{1 ^ 120, (1 ^ 120 ^ 1100) % 1000}, {2 ^ 140, (2 ^ 140 ^ 1300) % 1000}, inside[0], inside[1], apart, second},
			[][]int64{{12, 1}, {5, 6}}, [][]int32{{7, 7}, {4, 4}}}},
		{Operator: "VarlenNGramHashMapping", Attributes: attributes(), Inputs: []any{ids, factors, sizes, ends, past, nil, nil, segments, pastSegments}, Want: []any{
			[][]int64{alone, {2 ^ 140, 2 ^ 140 ^ 900}, inside[0], inside[1], apart, second}, nil, [][]int32{{2, 7}, {4, 4}}}},
		{Operator: "VarlenNGramHashMapping", Attributes: attributes("state_update_capacity", 1), Inputs: []any{ids, factors, sizes, ends}, Error: "state_update_capacity is 1"},
		{Operator: "VarlenNGramHashMapping", Attributes: attributes()[:4], Inputs: []any{ids, factors, sizes, ends}, Error: "attribute max_ngram_size is missing"},
	})
}
