package attention_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
)

func TestPadding(t *testing.T) {
	texts := [][][]float32{{{1}, {2}, {0}}, {{3}, {0}, {0}}}
	packed, offsets := [][]float32{{1}, {2}, {3}}, [][]int32{{0, 1, 3}, {2, 4, 5}}
	microsoft(t, "RemovePadding", []onnxtest.Case{
		{Inputs: []any{texts, []int32{2, 1}}, Want: []any{packed, offsets, []int32{0, 2, 3}, []int32{2}}},
	})
	microsoft(t, "RestorePadding", []onnxtest.Case{{Inputs: []any{packed, offsets}, Want: []any{texts}}})
}

// TestPacked checks two texts of two tokens and one, where all keys are alike.
func TestPacked(t *testing.T) {
	offsets, ends := [][]int32{{0, 1}, {2, 3}}, []int32{0, 2, 3}
	rows, values := [][]float32{{1, 1}, {1, 1}, {1, 1}}, [][]float32{{1, 2}, {3, 4}, {5, 6}}
	want := [][]float32{{2, 3}, {2, 3}, {5, 6}}
	heads := []any{"num_heads", 2}
	all := tensor([]int{3, 2, 3, 1}, []float32{1, 1, 1, 1, 1, 2, 1, 1, 3, 1, 1, 4, 1, 1, 5, 1, 1, 6})
	bias := [][][][]float32{{{{0, 1e4}, {0, 0}}}}
	microsoft(t, "PackedMultiHeadAttention", []onnxtest.Case{
		{Attributes: heads, Inputs: []any{rows, rows, values, nil, offsets, ends}, Want: []any{want}},
		{Attributes: heads, Inputs: []any{all, nil, nil, nil, offsets, ends}, Want: []any{want}},
		{Attributes: heads, Inputs: []any{rows, rows, values, []float32{0, 0, 0, 0, 10, 20}, offsets, ends}, Want: []any{[][]float32{{12, 23}, {12, 23}, {15, 26}}}},
		{Attributes: heads, Inputs: []any{rows, rows, values, nil, offsets, ends, bias}, Want: []any{[][]float32{{3, 4}, {2, 3}, {5, 6}}}},
		{Attributes: heads, Inputs: []any{rows, rows, nil, nil, offsets, ends}, Error: "key and value must be there both"},
		{Attributes: heads, Inputs: []any{rows, rows, values, nil, offsets}, Error: "input 5 is absent"},
		{Inputs: []any{rows, rows, values, nil, offsets, ends}, Error: "the number of heads is 0"},
	})
	// The weights are such that query and key are 0, and value is the input.
	weights := [][]float32{{0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}}
	microsoft(t, "PackedAttention", []onnxtest.Case{
		{Attributes: heads, Inputs: []any{values, weights, make([]float32, 6), offsets, ends}, Want: []any{want}},
		{Attributes: append(heads, "qkv_hidden_sizes", []int{2, 2, 2}), Inputs: []any{values, weights, make([]float32, 6), offsets, ends, bias}, Want: []any{[][]float32{{3, 4}, {2, 3}, {5, 6}}}},
		{Attributes: append(heads, "qkv_hidden_sizes", []int{2, 2}), Inputs: []any{values, weights, make([]float32, 6), offsets, ends}, Error: "qkv_hidden_sizes has 2 numbers"},
	})
}

func TestRelativeBias(t *testing.T) {
	// The table has the numbers of the buckets, and 10 more for the second head.
	table := tensor([]int{8, 2}, []float32{0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17})
	rows := func(of func(distance int) int) any {
		var data []float32
		for h := range 2 {
			for i := range 7 {
				for j := range 7 {
					data = append(data, float32(of(j-i)+10*h))
				}
			}
		}
		return tensor([]int{1, 2, 7, 7}, data)
	}
	// 4 buckets have a distance each, the other 4 those up to 16: a factor of 1.41 each.
	one := rows(func(distance int) int { return []int{0, 1, 2, 3, 4, 4, 5}[max(distance, -distance)] })
	// 2 buckets of 4 have a distance each, the other 2 those up to 16: a factor of 2.83 each.
	both := rows(func(distance int) int {
		if distance > 0 {
			return 4 + []int{0, 1, 2, 2, 2, 2, 3}[distance]
		}
		return []int{0, 1, 2, 2, 2, 2, 3}[-distance]
	})
	microsoft(t, "RelativePositionBias", []onnxtest.Case{
		{Attributes: []any{"max_distance", 16}, Inputs: []any{table, int64(7), int64(7)}, Want: []any{one}},
		{Attributes: []any{"max_distance", 16, "is_bidirectional", 1}, Inputs: []any{table, []int64{7}, []int64{7}}, Want: []any{both}},
		{Inputs: []any{table, int64(7), int64(7)}, Error: "attribute max_distance is missing"},
	})
}

func TestGatedBias(t *testing.T) {
	// A query of 0 and a bias of 0 give gates of a half: (0.5*(0.5*4-1) + 2) = 2.5.
	query, bias := [][][]float32{{{1, -1}, {1, -1}}}, []float32{-1, 1}
	position := [][][][]float32{{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}}
	want := [][][][]float32{{{{2.5, 5}, {7.5, 10}}, {{12.5, 15}, {17.5, 20}}}}
	ones := tensor([]int{1, 2, 1, 1}, []float32{4, 4})
	inputs := []any{query, bias, position, [][]float32{{1, 2}}, []float32{0, 0}, ones}
	packed := append([]any{query[0]}, append(inputs[1:6:6], [][]int32{{0, 1}})...)
	microsoft(t, "GatedRelativePositionBias", []onnxtest.Case{
		{Attributes: []any{"num_heads", 2}, Inputs: inputs, Want: []any{want}},
		{Attributes: []any{"num_heads", 2}, Inputs: packed, Want: []any{want}},
	})
}
