package attention_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/attention"
)

// microsoft checks cases of an operator of ONNX Runtime.
func microsoft(t *testing.T, operator string, cases []onnxtest.Case) {
	t.Helper()
	s := onnxtest.NewSuite(t, attention.Rules())
	for _, c := range cases {
		c.Operator, c.Domain, c.Version, c.MaxRel = operator, "com.microsoft", 1, 1e-5
		s.Check(c)
	}
}

// with returns the joined output of a reference whose bias is another.
func (r reference) with(bias func(b, h, i, j int) float64) *ir.Tensor {
	r.bias = bias
	output, _ := r.run()
	return joined(output)
}

// filter returns a bias of -10000 for keys that are not kept.
func filter(kept func(b, i, j int) bool) func(b, h, i, j int) float64 {
	return func(b, _, i, j int) float64 {
		if kept(b, i, j) {
			return 0
		}
		return -10000
	}
}

// either returns a tensor of i32 with 1 where kept is true.
func either(shape []int, kept func(i int) bool) *ir.Tensor {
	data := make([]int32, ir.Shape(shape).Elements())
	for i := range data {
		if kept(i) {
			data[i] = 1
		}
	}
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func TestMultiHead(t *testing.T) {
	q, k, v := wave(0, 2, 2, 3, 4), wave(1, 2, 2, 3, 4), wave(2, 2, 2, 3, 4)
	pastKey, pastValue := wave(5, 2, 2, 2, 4), wave(6, 2, 2, 2, 4)
	self, long := reference{query: q, key: k, value: v}, reference{query: q, key: concat(pastKey, k), value: concat(pastValue, v)}
	x, y, z := joined(q), joined(k), joined(v)
	attributes := func(more ...any) []any { return append([]any{"num_heads", 2}, more...) }
	bias := wave(7, 1, 2, 3, 3)
	notSecond := func(i int) bool { return i%3 != 1 }
	microsoft(t, "MultiHeadAttention", []onnxtest.Case{
		{Attributes: attributes(), Inputs: []any{x, y, z}, Want: []any{self.with(nil)}},
		{Attributes: attributes("unidirectional", 1), Inputs: []any{x, y, z}, Want: []any{self.with(causal(0)), k, v}},
		{Attributes: attributes(), Inputs: []any{x, k, v}, Want: []any{self.with(nil), k, v}, Static: true},
		// Keys of another text: the last query has all of them.
		{Attributes: attributes("unidirectional", 1), Inputs: []any{x, long.key, long.value}, Static: true, Want: []any{
			(reference{query: q, key: long.key, value: long.value}).with(func(_, _, i, j int) float64 { return keep(j <= i || i == 2) }), long.key, long.value}},
		{Attributes: attributes("unidirectional", 1), Inputs: []any{x, y, z, nil, nil, nil, pastKey, pastValue}, Want: []any{long.with(causal(2)), long.key, long.value}},
		{Attributes: attributes(), Inputs: []any{x, y, z, nil, []int32{1, 3}}, Want: []any{self.with(filter(func(b, _, j int) bool { return j < 1+2*b }))}, Static: true},
		{Attributes: attributes(), Inputs: []any{x, y, z, nil, either([]int{2, 3}, notSecond)}, Want: []any{self.with(filter(func(_, _, j int) bool { return j != 1 }))}, Static: true},
		{Attributes: attributes("mask_filter_value", -1.0), Inputs: []any{x, y, z, nil, either([]int{2, 3, 3}, func(i int) bool { return i%9 == 0 })},
			Want: []any{self.with(func(_, _, i, j int) float64 {
				if i == 0 && j == 0 {
					return 0
				}
				return -1
			})}, Static: true},
		{Attributes: attributes(), Inputs: []any{x, y, z, nil, nil, bias}, Want: []any{self.with(func(_, h, i, j int) float64 { return at(bias, 0, h, i, j) })}},
		{Attributes: attributes(), Inputs: []any{x, y, nil}, Error: "axis 3 is outside [-3,2] for rank 3"},
		{Attributes: attributes(), Inputs: []any{x, y, z, nil, nil, nil, pastKey}, Error: "past_key and past_value must be there both"},
		{Attributes: attributes(), Inputs: []any{x, y, z, nil, nil, nil, nil, nil, nil, []int32{1}}, Error: "input 9, cache_indirection, is not supported"},
	})
}

// rowOf returns one row of [batch, heads, rows, size].
func rowOf(t *ir.Tensor, row int) *ir.Tensor {
	s := t.Shape()
	var data []float32
	for b := range s[0] {
		for h := range s[1] {
			for e := range s[3] {
				data = append(data, float32(at(t, b, h, row, e)))
			}
		}
	}
	return tensor([]int{s[0], s[1], 1, s[3]}, data)
}

func TestMaskedMultiHead(t *testing.T) {
	q, k, v := wave(0, 2, 2, 1, 4), wave(1, 2, 2, 1, 4), wave(2, 2, 2, 1, 4)
	pastKey, pastValue := wave(5, 2, 2, 2, 4), wave(6, 2, 2, 2, 4)
	long := reference{query: q, key: concat(pastKey, k), value: concat(pastValue, v)}
	kept, bias := either([]int{2, 3}, func(i int) bool { return i%3 != 1 }), wave(7, 1, 2, 1, 3)
	inputs := []any{joined(q), joined(k), joined(v), kept, bias, pastKey, pastValue}
	microsoft(t, "DecoderMaskedMultiHeadAttention", []onnxtest.Case{
		{Attributes: []any{"num_heads", 2}, Inputs: inputs, Want: []any{long.with(func(_, h, _, j int) float64 {
			return filter(func(_, _, j int) bool { return j != 1 })(0, h, 0, j) + at(bias, 0, h, 0, j)
		}), long.key, long.value}, Static: true},
		{Attributes: []any{"num_heads", 2}, Inputs: []any{joined(q), joined(k), joined(v), nil, nil, concat(pastKey, pastKey), concat(pastValue, pastValue), []int32{2}},
			Want: []any{long.with(nil), concat(long.key, rowOf(pastKey, 1)), concat(long.value, rowOf(pastValue, 1))}},
		{Attributes: []any{"num_heads", 2}, Inputs: append(inputs[:7:7], nil, nil, []int32{0}), Error: "input 9, cache_indirection, is not supported"},
	})
}

// TestMultiHead_packed checks inputs that hold key and value, and a bias: all elements of a head
// are equal.
func TestMultiHead_packed(t *testing.T) {
	one, two := tensor([]int{1, 1, 2, 3, 1}, []float32{1, 2, 3, 4, 5, 6}), tensor([]int{1, 1, 2, 2, 1}, []float32{2, 3, 5, 6})
	rows := tensor([]int{1, 1, 2}, []float32{1, 4})
	bias := []float32{0, 0, 0, 0, 10, 20}
	microsoft(t, "MultiHeadAttention", []onnxtest.Case{
		{Attributes: []any{"num_heads", 2}, Inputs: []any{one}, Want: []any{tensor([]int{1, 1, 2}, []float32{3, 6})}},
		{Attributes: []any{"num_heads", 2}, Inputs: []any{rows, two, nil, bias}, Want: []any{tensor([]int{1, 1, 2}, []float32{13, 26})}},
		{Attributes: []any{"num_heads", 2}, Inputs: []any{rows, rows, rows, bias}, Want: []any{tensor([]int{1, 1, 2}, []float32{11, 24})}},
	})
}

func TestPackedWeights(t *testing.T) {
	// The weights are such that query is x, key is 2*x, and value is 3*x.
	q := wave(0, 2, 2, 3, 2)
	x := joined(q)
	times := func(t *ir.Tensor, factor float32) *ir.Tensor {
		data := make([]float32, t.Len())
		for i := range data {
			data[i] = factor * float32(t.Values()(i))
		}
		return tensor(t.Shape(), data)
	}
	weights := make([]float32, 4*12)
	for i := range 4 {
		weights[12*i+i], weights[12*i+4+i], weights[12*i+8+i] = 1, 2, 3
	}
	w := tensor([]int{4, 12}, weights)
	self := reference{query: q, key: times(q, 2), value: times(q, 3)}
	past := wave(4, 2, 2, 2, 2, 2)
	half := past.Len() / 2
	flat := func(from int) *ir.Tensor {
		var data []float32
		for i := range half {
			data = append(data, float32(past.Values()(from+i)))
		}
		return tensor([]int{2, 2, 2, 2}, data)
	}
	long := reference{query: q, key: concat(flat(0), self.key), value: concat(flat(half), self.value)}
	present := make([]float32, 0, 2*long.key.Len())
	for _, part := range []*ir.Tensor{long.key, long.value} {
		for i := range part.Len() {
			present = append(present, float32(part.Values()(i)))
		}
	}
	attributes := func(more ...any) []any { return append([]any{"num_heads", 2}, more...) }
	microsoft(t, "Attention", []onnxtest.Case{
		{Attributes: attributes(), Inputs: []any{x, w}, Want: []any{self.with(nil)}},
		{Attributes: attributes("qkv_hidden_sizes", []int{4, 4, 4}, "unidirectional", 1), Inputs: []any{x, w, make([]float32, 12)}, Want: []any{self.with(causal(0))}},
		{Attributes: attributes("unidirectional", 1), Inputs: []any{x, w, nil, nil, past}, Want: []any{long.with(causal(2)), tensor([]int{2, 2, 2, 5, 2}, present)}},
		{Attributes: attributes(), Inputs: []any{x, w, nil, []int32{1, 3}}, Want: []any{self.with(filter(func(b, _, j int) bool { return j < 1+2*b }))}, Static: true},
		{Attributes: attributes(), Inputs: []any{x, w, nil, []int32{2, 3, 0, 2}}, Want: []any{self.with(filter(func(b, _, j int) bool { return j < 2+b && j >= 2*b }))}, Static: true},
		{Attributes: attributes(), Inputs: []any{x, w, nil, either([]int{2, 1, 4, 4}, func(i int) bool { return i%4 <= i/4%4 }), past}, Error: "attention_mask has shape [2,1,2,4]"},
		{Attributes: attributes(), Inputs: []any{x, w, nil, either([]int{2, 1, 6, 6}, func(i int) bool { return i%6 <= i/6%6 }), past},
			Want: []any{long.with(filter(func(_, i, j int) bool { return j <= i+2 }))}, Static: true},
		{Attributes: attributes("qkv_hidden_sizes", []int{4, 4}), Inputs: []any{x, w}, Error: "qkv_hidden_sizes has 2 numbers, expected 3"},
		{Attributes: attributes("do_rotary", 1), Inputs: []any{x, w}, Error: "attribute do_rotary is 1, and only 0 is supported"},
		{Attributes: attributes(), Inputs: []any{x, w, nil, either([]int{1, 1, 1, 1, 1}, func(int) bool { return true })}, Error: "the mask has rank 5"},
	})
	row := reference{query: rowOf(q, 0), key: concat(flat(0), rowOf(self.key, 0)), value: concat(flat(half), rowOf(self.value, 0))}
	inputs := []any{joined(rowOf(q, 0)), w, make([]float32, 12), nil, past, nil, []int32{2}}
	microsoft(t, "DecoderMaskedSelfAttention", []onnxtest.Case{
		{Attributes: attributes(), Inputs: inputs, Want: []any{row.with(nil)}},
		{Attributes: attributes("past_present_share_buffer", 1), Inputs: inputs, Error: "attribute past_present_share_buffer is 1"},
		{Attributes: attributes(), Inputs: append(inputs, nil, []int32{0}), Error: "input 8, cache_indirection, is not supported"},
	})
}

func TestGroupQuery(t *testing.T) {
	q, k, v := wave(0, 2, 4, 3, 4), wave(1, 2, 2, 3, 4), wave(2, 2, 2, 3, 4)
	pastKey, pastValue := wave(5, 2, 2, 2, 4), wave(6, 2, 2, 2, 4)
	x, y, z := joined(q), joined(k), joined(v)
	long := reference{query: q, key: concat(pastKey, k), value: concat(pastValue, v)}
	self := reference{query: q, key: k, value: v}
	attributes := func(more ...any) []any { return append([]any{"num_heads", 4, "kv_num_heads", 2}, more...) }
	inputs := func(more ...any) []any { return append([]any{x, y, z, pastKey, pastValue}, more...) }
	last, total := []int32{4, 4}, []int32{5}
	sink, bias := []float32{0.5, 1, -1, 2}, wave(7, 1, 4, 3, 5)
	sunk := func(of func(h int) float64) *ir.Tensor {
		r := long
		r.sink = of
		return r.with(causal(2))
	}
	capped := long
	capped.softcap, capped.scale, capped.sink = 0.7, 0.25, func(h int) float64 { return float64(sink[h]) }
	// The past is the first of five rows of a buffer.
	buffer, buffer2 := wave(8, 2, 2, 5, 4), wave(9, 2, 2, 5, 4)
	short := reference{query: q, key: concat(rowOf(buffer, 0), k), value: concat(rowOf(buffer2, 0), v)}
	microsoft(t, "GroupQueryAttention", []onnxtest.Case{
		{Attributes: attributes(), Inputs: inputs(last, total), Want: []any{long.with(causal(2)), long.key, long.value}},
		{Attributes: attributes(), Inputs: []any{x, y, z, nil, nil, []int32{2, 2}, []int32{3}}, Want: []any{self.with(causal(0)), k, v}},
		{Attributes: attributes(), Inputs: []any{x, y, z, buffer, buffer2, []int32{3, 3}, []int32{4}}, Want: []any{short.with(causal(1))}},
		{Attributes: attributes("local_window_size", 2), Inputs: inputs(last, total), Want: []any{long.with(func(_, _, i, j int) float64 { return keep(j <= i+2 && j > i) })}},
		{Attributes: attributes("causal", 0), Inputs: inputs(last, total), Want: []any{long.with(nil)}},
		{Attributes: attributes("smooth_softmax", 1), Inputs: inputs(last, total), Want: []any{sunk(func(int) float64 { return 0 })}},
		{Attributes: attributes(), Inputs: inputs(last, total, nil, nil, nil, nil, sink), Want: []any{sunk(func(h int) float64 { return float64(sink[h]) })}},
		{Attributes: attributes("softcap", 0.7, "scale", 0.25), Inputs: inputs(last, total, nil, nil, nil, nil, sink), Want: []any{capped.with(causal(2))}},
		{Attributes: attributes(), Inputs: inputs(last, total, nil, nil, nil, bias), Want: []any{long.with(func(_, h, i, j int) float64 { return at(bias, 0, h, i, j) + keep(j <= i+2) })}},
		{Attributes: attributes("kv_num_heads", 3)[2:], Inputs: inputs(last, total), Error: "there are 0 heads for queries and 2 for keys"},
		{Attributes: attributes("k_quant_type", "PER_TENSOR"), Inputs: inputs(last, total), Error: "a cache of integers is not supported"},
		{Attributes: attributes("do_rotary", 1), Inputs: inputs(last, total), Error: "cos_cache or sin_cache is absent"},
		{Attributes: attributes(), Inputs: []any{x, y, z, pastKey, nil, last, total}, Error: "past_key and past_value must be there both"},
		{Attributes: attributes(), Inputs: []any{x, y, nil, nil, nil, last, total}, Error: "key and value must be there both"},
		{Attributes: attributes(), Inputs: inputs(last), Error: "input 6 is absent"},
	})
}

// TestGroupQuery_prepared checks what comes before the attention, by keys that are returned.
func TestGroupQuery_prepared(t *testing.T) {
	// The new row is at position 1, where pairs turn by a right angle.
	cosine, sine := [][]float32{{1}, {0}}, [][]float32{{0}, {1}}
	packed, past := [][][]float32{{{1, 2, 3, 4, 5, 6}}}, [][][][]float32{{{{0, 0}}}}
	last, total := []int32{1}, []int32{2}
	inputs := func(more ...any) []any { return append([]any{packed, nil, nil, past, past, last, total}, more...) }
	attributes := func(more ...any) []any { return append([]any{"num_heads", 1, "kv_num_heads", 1}, more...) }
	keys := func(row ...float32) []any {
		return []any{nil, [][][][]float32{{{{0, 0}, row}}}, [][][][]float32{{{{0, 0}, {5, 6}}}}}
	}
	root := float32(3.5355339) // of the mean of the squares of 3 and 4
	microsoft(t, "GroupQueryAttention", []onnxtest.Case{
		{Attributes: attributes(), Inputs: inputs(), Want: keys(3, 4)},
		{Attributes: attributes("do_rotary", 1), Inputs: inputs(cosine, sine), Want: keys(-4, 3)},
		{Attributes: attributes("do_rotary", 1, "rotary_interleaved", 1), Inputs: inputs(cosine, sine, [][]int64{{0}}), Want: keys(3, 4)},
		{Attributes: attributes(), Inputs: inputs(nil, nil, nil, nil, nil, nil, nil, []float32{1, 1}, []float32{1, 2}), Want: keys(3/root, 8/root)},
	})
}

func TestQuantizedWeights(t *testing.T) {
	// One head of one element: the query is 1, the keys are equal, and the values are 1.5 and 4.5.
	x, err := ir.TensorFrom([]uint8{3, 5}, 1, 2, 1)
	require.NoError(t, err)
	w, err := ir.TensorFrom([]int8{0, 0, 3}, 1, 3)
	require.NoError(t, err)
	scale, zero := float32(0.5), uint8(2)
	microsoft(t, "QAttention", []onnxtest.Case{
		{Attributes: []any{"num_heads", 1}, Inputs: []any{x, w, []float32{1, 1, 0}, scale, []float32{1, 1, 1}, nil, zero}, Want: []any{[][][]float32{{{3}, {3}}}}, Static: true},
		{Attributes: []any{"num_heads", 1}, Inputs: []any{x, w, []float32{1, 1, 0}, scale, scale, []int32{1}, zero}, Want: []any{[][][]float32{{{0.75}, {0.75}}}}, Static: true},
	})
}
