package attention_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
)

// TestSparse checks a buffer of four keys, in blocks of two.
func TestSparse(t *testing.T) {
	q, k, v := wave(0, 2, 4, 4, 4), wave(1, 2, 2, 4, 4), wave(2, 2, 2, 4, 4)
	buffer := wave(5, 2, 2, 4, 4)
	self := reference{query: q, key: k, value: v}
	// All heads but every second lack the first block of the second row.
	rows, columns := [][]int32{{0, 1, 2}, {0, 1, 3}}, [][]int32{{0, 1, -1}, {0, 0, 1}}
	lacks := func(h, i, j int) bool { return h%2 == 0 && i >= 2 && j < 2 }
	attributes := func(more ...any) []any {
		return append([]any{"num_heads", 4, "kv_num_heads", 2, "sparse_block_size", 2}, more...)
	}
	inputs := func(more ...any) []any {
		return append([]any{joined(q), joined(k), joined(v), buffer, buffer, rows, columns}, more...)
	}
	want := self.with(func(_, h, i, j int) float64 { return keep(j <= i && !lacks(h, i, j)) })
	// The last row alone, with the others in the buffer.
	one := []any{joined(rowOf(q, 3)), joined(rowOf(k, 3)), joined(rowOf(v, 3)), k, v, rows, columns}
	last := reference{query: rowOf(q, 3), key: k, value: v}.with(func(_, h, _, j int) float64 { return keep(!lacks(h, 3, j)) })
	microsoft(t, "SparseAttention", []onnxtest.Case{
		{Attributes: attributes(), Inputs: inputs([]int32{4}, []int32{4, 4}), Want: []any{want, k, v}},
		{Attributes: attributes(), Inputs: append(one, []int32{4}, []int32{4, 4}), Want: []any{last, k, v}},
		{Attributes: attributes()[:4], Inputs: inputs([]int32{4}, []int32{4, 4}), Error: "attribute sparse_block_size is missing"},
		{Attributes: append(attributes()[:4], "sparse_block_size", 0), Inputs: inputs([]int32{4}, []int32{4, 4}), Error: "sparse_block_size is 0"},
		{Attributes: attributes("do_rotary", 1), Inputs: inputs([]int32{4}, []int32{4, 4}), Error: "cos_cache or sin_cache is absent"},
		{Attributes: attributes(), Inputs: inputs([]int32{4}), Error: "input 8 is absent"},
	})
}
