package attention_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/attention"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// tensor returns a tensor of f32.
func tensor(shape []int, data []float32) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// wave returns a tensor of numbers that differ.
func wave(phase float64, shape ...int) *ir.Tensor {
	data := make([]float32, ir.Shape(shape).Elements())
	for i := range data {
		data[i] = float32(math.Sin(phase + 1.7*float64(i)))
	}
	return tensor(shape, data)
}

// at returns an element of a tensor of f32.
func at(t *ir.Tensor, index ...int) float64 {
	place := 0
	for axis, i := range index {
		place = place*t.Shape()[axis] + i
	}
	return t.Values()(place)
}

// joined returns [batch, heads, rows, size] as [batch, rows, heads*size].
func joined(t *ir.Tensor) *ir.Tensor {
	s := t.Shape()
	var data []float32
	for b := range s[0] {
		for i := range s[2] {
			for h := range s[1] {
				for k := range s[3] {
					data = append(data, float32(at(t, b, h, i, k)))
				}
			}
		}
	}
	return tensor([]int{s[0], s[2], s[1] * s[3]}, data)
}

// concat joins [batch, heads, rows, size] along the rows.
func concat(a, b *ir.Tensor) *ir.Tensor {
	s := a.Shape()
	var data []float32
	for batch := range s[0] {
		for h := range s[1] {
			for _, t := range []*ir.Tensor{a, b} {
				for i := range t.Shape()[2] {
					for k := range s[3] {
						data = append(data, float32(at(t, batch, h, i, k)))
					}
				}
			}
		}
	}
	return tensor([]int{s[0], s[1], s[2] + b.Shape()[2], s[3]}, data)
}

// reference is attention by its definition, for tensors [batch, heads, rows, size].
type reference struct {
	query, key, value *ir.Tensor
	// scale is 1/sqrt(size) if it is 0.
	scale, softcap float64
	// bias returns what is added to a score, -Inf for what is not allowed; it can be nil.
	bias func(b, h, i, j int) float64
	// sink returns a further term of a head in the sum; it can be nil.
	sink func(h int) float64
}

// causal allows a query the keys up to its own, which is at its number plus offset.
func causal(offset int) func(b, h, i, j int) float64 {
	return func(_, _, i, j int) float64 { return keep(j <= i+offset) }
}

// keep returns the bias of a key that is allowed or not.
func keep(allowed bool) float64 {
	if allowed {
		return 0
	}
	return math.Inf(-1)
}

// run returns the output, and the weights.
func (r reference) run() (output, weights *ir.Tensor) {
	q, k := r.query.Shape(), r.value.Shape()
	if r.scale == 0 {
		r.scale = 1 / math.Sqrt(float64(q[3]))
	}
	group := q[1] / k[1]
	var out, all []float32
	for b := range q[0] {
		for h := range q[1] {
			for i := range q[2] {
				w := r.row(b, h, i, group)
				for _, v := range w {
					all = append(all, float32(v))
				}
				for e := range k[3] {
					sum := 0.0
					for j, v := range w {
						sum += v * at(r.value, b, h/group, j, e)
					}
					out = append(out, float32(sum))
				}
			}
		}
	}
	return tensor([]int{q[0], q[1], q[2], k[3]}, out), tensor([]int{q[0], q[1], q[2], k[2]}, all)
}

// row returns the weights of the keys for one query.
func (r reference) row(b, h, i, group int) []float64 {
	w, sum := make([]float64, r.key.Shape()[2]), 0.0
	for j := range w {
		for e := range r.query.Shape()[3] {
			w[j] += at(r.query, b, h, i, e) * at(r.key, b, h/group, j, e) * r.scale
		}
		if r.softcap != 0 {
			w[j] = r.softcap * math.Tanh(w[j]/r.softcap)
		}
		if r.bias != nil {
			w[j] += r.bias(b, h, i, j)
		}
		w[j] = math.Exp(w[j])
		sum += w[j]
	}
	if r.sink != nil {
		sum += math.Exp(r.sink(h))
	}
	for j := range w {
		if sum > 0 {
			w[j] /= sum
		}
	}
	return w
}

func TestAttention(t *testing.T) {
	s := onnxtest.NewSuite(t, attention.Rules())
	q, k, v := wave(0, 2, 4, 3, 4), wave(1, 2, 4, 3, 4), wave(2, 2, 4, 3, 5)
	k2, v2 := wave(3, 2, 2, 3, 4), wave(4, 2, 2, 3, 5)
	pastKey, pastValue := wave(5, 2, 2, 2, 4), wave(6, 2, 2, 2, 5)
	allKeys, allValues := concat(pastKey, k2), concat(pastValue, v2)
	keepsSome := func(_, _, i, j int) float64 { return keep(i != 1 && (i+j)%3 != 0) }
	some := [][]bool{{false, true, true}, {false, false, false}, {true, false, true}}
	present := func(lengths ...int) func(b, h, i, j int) float64 {
		return func(b, _, _, j int) float64 { return keep(j < lengths[b]) }
	}
	inf := float32(math.Inf(-1))
	for _, c := range []struct {
		version     int
		attributes  []any
		inputs      []any
		of          reference
		joined      bool
		wantsPasts  bool
		mode        int // of the scores, which are wanted if it is not 0
		needsStatic bool
	}{
		{version: 23, inputs: []any{q, k, v}, of: reference{query: q, key: k, value: v}},
		{version: 23, attributes: []any{"scale", 0.3}, inputs: []any{q, k, v}, of: reference{query: q, key: k, value: v, scale: 0.3}},
		{version: 23, attributes: []any{"is_causal", 1}, inputs: []any{q, k2, v2}, of: reference{query: q, key: k2, value: v2, bias: causal(0)}},
		{version: 23, attributes: []any{"q_num_heads", 4, "kv_num_heads", 2, "is_causal", 1}, inputs: []any{joined(q), joined(k2), joined(v2), nil, pastKey, pastValue},
			of: reference{query: q, key: allKeys, value: allValues, bias: causal(2)}, joined: true, wantsPasts: true},
		{version: 23, inputs: []any{q, k, v, some}, of: reference{query: q, key: k, value: v, bias: keepsSome}},
		{version: 23, inputs: []any{q, k, v, []bool{true, false, true}}, of: reference{query: q, key: k, value: v, bias: func(_, _, _, j int) float64 { return keep(j != 1) }}},
		{version: 23, inputs: []any{q, k, v, [][]float32{{1, 0, 2}, {inf, inf, inf}, {0, inf, 3}}}, of: reference{query: q, key: k, value: v, bias: func(_, _, i, j int) float64 {
			return [][]float64{{1, 0, 2}, {keep(false), keep(false), keep(false)}, {0, keep(false), 3}}[i][j]
		}}},
		{version: 24, attributes: []any{"is_causal", 1}, inputs: []any{q, k, v, []float32{1, 0}}, of: reference{query: q, key: k, value: v, bias: func(_, _, i, j int) float64 {
			return []float64{1, 0, keep(false)}[j] + keep(j <= i)
		}}, needsStatic: true},
		{version: 24, attributes: []any{"is_causal", 1}, inputs: []any{q, k, v, nil, nil, nil, []int64{2, 3}}, of: reference{query: q, key: k, value: v, bias: func(b, _, i, j int) float64 {
			return keep(j <= i+b-1 && j < 2+b)
		}}},
		{version: 24, inputs: []any{q, k, v, nil, nil, nil, []int64{0, 2}}, of: reference{query: q, key: k, value: v, bias: present(0, 2)}},
		{version: 25, attributes: []any{"left_window_size", 1, "right_window_size", 0}, inputs: []any{q, k, v}, of: reference{query: q, key: k, value: v, bias: func(_, _, i, j int) float64 {
			return keep(j <= i && j >= i-1)
		}}},
		{version: 25, attributes: []any{"left_window_size", 1, "is_causal", 1}, inputs: []any{q, k2, v2, nil, pastKey, pastValue}, of: reference{query: q, key: allKeys, value: allValues, bias: func(_, _, i, j int) float64 {
			return keep(j <= i+2 && j >= i+1)
		}}, wantsPasts: true},
		{version: 23, attributes: []any{"softcap", 0.5}, inputs: []any{q, k, v, some}, of: reference{query: q, key: k, value: v, softcap: 0.5, bias: keepsSome}},
		{version: 23, attributes: []any{"qk_matmul_output_mode", 3, "is_causal", 1, "softmax_precision", 1}, inputs: []any{q, k, v}, of: reference{query: q, key: k, value: v, bias: causal(0)}, mode: 3},
		{version: 23, attributes: []any{"qk_matmul_output_mode", 3}, inputs: []any{q, k, v, some}, of: reference{query: q, key: k, value: v, bias: keepsSome}, mode: 3},
	} {
		output, weights := c.of.run()
		if c.joined {
			output = joined(output)
		}
		want := []any{output}
		if c.wantsPasts {
			want = append(want, allKeys, allValues)
		}
		if c.mode == 3 {
			want = append(want, nil, nil, weights)
		}
		s.Check(onnxtest.Case{Operator: "Attention", Version: c.version, Attributes: c.attributes, Inputs: c.inputs, Want: want, MaxRel: 1e-5, Static: c.needsStatic})
	}
	for _, c := range []onnxtest.Case{
		{Inputs: []any{q, k, v, nil, pastKey}, Error: "past_key and past_value must be there both"},
		{Inputs: []any{joined(q), joined(k), joined(v)}, Error: "attribute q_num_heads is missing"},
		{Inputs: []any{joined(q), joined(k), joined(v)}, Attributes: []any{"q_num_heads", 0, "kv_num_heads", 2}, Error: "the number of heads is 0"},
		{Inputs: []any{q, k2, v2, nil, pastKey, pastValue, []int64{1, 1}}, Error: "nonpad_kv_seqlen cannot be there with past_key"},
		{Inputs: []any{q, k, v}, Attributes: []any{"qk_matmul_output_mode", 4}, Error: "qk_matmul_output_mode is 4"},
	} {
		c.Operator, c.Version = "Attention", 24
		s.Check(c)
	}
}

func TestAttention_scores(t *testing.T) {
	s := onnxtest.NewSuite(t, attention.Rules())
	one := [][][][]float32{{{{2}}}}
	capped := float32(3 * math.Tanh(2.0/3))
	for mode, want := range []float32{2, capped, capped + 1, 1} {
		s.Check(onnxtest.Case{Operator: "Attention", Version: 23, Attributes: []any{"qk_matmul_output_mode", mode, "softcap", 3.0, "scale", 0.5},
			Inputs: []any{one, one, one, [][]float32{{1}}}, Want: []any{one, nil, nil, [][][][]float32{{{{want}}}}}, MaxRel: 1e-6})
	}
}

func TestRotaryEmbedding(t *testing.T) {
	s := onnxtest.NewSuite(t, attention.Rules())
	// Position 0 leaves a pair as it is, and position 1 turns it by a right angle.
	cosine, sine := [][]float32{{1, 1}, {0, 0}}, [][]float32{{0, 0}, {1, 1}}
	x := tensor([]int{1, 2, 8}, []float32{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8})
	ids := [][]int64{{0, 1}}
	halves := tensor([]int{1, 2, 8}, []float32{1, 2, 3, 4, 5, 6, 7, 8, -3, -4, 1, 2, -7, -8, 5, 6})
	pairs := tensor([]int{1, 2, 8}, []float32{1, 2, 3, 4, 5, 6, 7, 8, -2, 1, -4, 3, -6, 5, -8, 7})
	part := tensor([]int{1, 2, 8}, []float32{1, 2, 3, 4, 5, 6, 7, 8, -3, -4, 1, 2, 5, 6, 7, 8})
	apart := tensor([]int{1, 2, 2, 4}, []float32{1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8})
	turned := tensor([]int{1, 2, 2, 4}, []float32{1, 2, 3, 4, -3, -4, 1, 2, 5, 6, 7, 8, -7, -8, 5, 6})
	for _, c := range []onnxtest.Case{
		{Attributes: []any{"num_heads", 2}, Inputs: []any{x, cosine, sine, ids}, Want: []any{halves}},
		{Attributes: []any{"num_heads", 2, "interleaved", 1}, Inputs: []any{x, cosine, sine, ids}, Want: []any{pairs}},
		{Attributes: []any{"num_heads", 1, "rotary_embedding_dim", 4}, Inputs: []any{x, cosine, sine, ids}, Want: []any{part}},
		{Attributes: []any{"num_heads", 2}, Inputs: []any{x, [][][]float32{cosine}, [][][]float32{sine}}, Want: []any{halves}},
		{Inputs: []any{apart, cosine, sine, ids}, Want: []any{turned}},
		{Inputs: []any{x, cosine, sine, ids}, Error: "attribute num_heads is missing"},
		{Inputs: []any{float32(1), cosine, sine, ids}, Attributes: []any{"rotary_embedding_dim", 2}, Error: "data is a scalar"},
		{Inputs: []any{apart, cosine, sine, ids}, Attributes: []any{"rotary_embedding_dim", 3}, Error: "rotary_embedding_dim is 3"},
	} {
		c.Operator, c.Version = "RotaryEmbedding", 23
		s.Check(c)
	}
	for _, c := range []onnxtest.Case{
		{Inputs: []any{x, ids, cosine, sine}, Want: []any{halves}},
		{Inputs: []any{x, []int64{0}, cosine, sine}, Want: []any{halves}},
		{Attributes: []any{"num_heads", 1, "rotary_embedding_dim", 4}, Inputs: []any{x, ids, cosine, sine}, Want: []any{part}},
		{Inputs: []any{apart, []int64{0}, cosine, sine}, Want: []any{turned}},
		{Inputs: []any{apart, ids, cosine, sine}, Want: []any{turned}},
		{Attributes: []any{"is_packed_batching", 1}, Inputs: []any{x, ids, cosine, sine}, Want: []any{halves}},
	} {
		c.Operator, c.Domain, c.Version, c.Static = "RotaryEmbedding", "com.microsoft", 1, true
		s.Check(c)
	}
}

func TestTensorScatter(t *testing.T) {
	s := onnxtest.NewSuite(t, attention.Rules())
	cache := [][][]float32{{{1}, {2}, {3}, {4}}, {{5}, {6}, {7}, {8}}}
	update := [][][]float32{{{10}, {20}}, {{30}, {40}}}
	for _, c := range []onnxtest.Case{
		{Inputs: []any{cache, update}, Want: []any{[][][]float32{{{10}, {20}, {3}, {4}}, {{30}, {40}, {7}, {8}}}}, Static: true},
		{Inputs: []any{cache, update, []int64{1, 2}}, Attributes: []any{"axis", 1}, Want: []any{[][][]float32{{{1}, {10}, {20}, {4}}, {{5}, {6}, {30}, {40}}}}},
		{Inputs: []any{cache, update, []int64{3, 6}}, Attributes: []any{"mode", "circular", "axis", 1}, Want: []any{[][][]float32{{{20}, {2}, {3}, {10}}, {{5}, {6}, {30}, {40}}}}},
		{Inputs: []any{cache, update}, Attributes: []any{"axis", 0}, Error: "axis is 0, the axis of the batch"},
		{Inputs: []any{cache, update}, Attributes: []any{"axis", 3}, Error: "axis 3 of rank 3 is out of range"},
	} {
		c.Operator, c.Version = "TensorScatter", 24
		s.Check(c)
	}
}

func TestCausalConv(t *testing.T) {
	s := onnxtest.NewSuite(t, attention.Rules())
	x, weight := [][][]float32{{{1, 2, 3}, {4, 5, 6}}}, [][][]float32{{{10, 1}}, {{0, 2}}}
	silu := func(v float64) float32 { return float32(v / (1 + math.Exp(-v))) }
	for _, c := range []onnxtest.Case{
		{Inputs: []any{x, weight}, Want: []any{[][][]float32{{{1, 12, 23}, {8, 10, 12}}}, [][][]float32{{{3}, {6}}}}},
		{Inputs: []any{x, weight, []float32{100, 200}, [][][]float32{{{7}, {8}}}}, Want: []any{[][][]float32{{{171, 112, 123}, {208, 210, 212}}}, [][][]float32{{{3}, {6}}}}},
		{Inputs: []any{x, weight}, Attributes: []any{"activation", "silu"}, Want: []any{[][][]float32{{{silu(1), silu(12), silu(23)}, {silu(8), silu(10), silu(12)}}}}},
		{Inputs: []any{x, weight}, Attributes: []any{"activation", "relu"}, Error: "relu"},
	} {
		c.Operator, c.Version, c.MaxRel = "CausalConvWithState", 27, 1e-6
		s.Check(c)
	}
}

// TestAttention_masked checks that no query is asked for the largest element of its mask: of
// infinities only, OpenVINO's CPU plugin gives a finite one.
func TestAttention_masked(t *testing.T) {
	m, err := onnxtest.NewSuite(t, attention.Rules()).Convert(t, onnxtest.Model(23, &proto.Graph{
		Nodes: []*proto.Node{onnxtest.Node("Attention", "q k v mask", "y")},
		Inputs: []*proto.ValueInfo{
			onnxtest.Value("q", ir.F32, 1, 2, 3, 4), onnxtest.Value("k", ir.F32, 1, 2, 5, 4), onnxtest.Value("v", ir.F32, 1, 2, 5, 4),
			onnxtest.Value("mask", ir.F32, 3, 5),
		},
		Outputs: []*proto.ValueInfo{{Name: "y"}},
	}))
	require.NoError(t, err)
	var types []string
	for _, layer := range m.Order {
		types = append(types, layer.Type)
	}
	assert.NotContains(t, types, "ReduceMax")
	assert.Contains(t, types, "ReduceLogicalOr")
}

// TestMultimodalRotary checks tables of two angles, 0 and a right angle, by which pairs are turned:
// those of the time, the row and the column of a row.
func TestMultimodalRotary(t *testing.T) {
	cosine, sine := [][]float32{{1, 1, 1}, {0, 0, 0}}, [][]float32{{0, 0, 0}, {1, 1, 1}}
	x := tensor([]int{1, 1, 6}, []float32{1, 2, 3, 4, 5, 6})
	row, time := [][][]int64{{{0}}, {{1}}, {{0}}}, [][][]int64{{{1}}, {{0}}, {{0}}}
	sections := func(a, b, c int, more ...any) []any {
		return append([]any{"num_heads", 1, "mrope_section", []int{a, b, c}}, more...)
	}
	microsoft(t, "MRotaryEmbedding", []onnxtest.Case{
		{Attributes: sections(1, 1, 1), Inputs: []any{x, row, cosine, sine}, Want: []any{tensor([]int{1, 1, 6}, []float32{1, -5, 3, 4, 2, 6})}, Static: true},
		{Attributes: sections(1, 2, 0), Inputs: []any{x, row, cosine, sine}, Want: []any{tensor([]int{1, 1, 6}, []float32{1, -5, -6, 4, 2, 3})}, Static: true},
		{Attributes: sections(2, 1, 0, "mrope_layout", 1), Inputs: []any{x, time, cosine, sine}, Want: []any{tensor([]int{1, 1, 6}, []float32{-4, 2, -6, 1, 5, 3})}, Static: true},
		{Attributes: sections(1, 1, 1)[2:], Inputs: []any{tensor([]int{1, 1, 1, 6}, []float32{1, 2, 3, 4, 5, 6}), row, cosine, sine}, Want: []any{tensor([]int{1, 1, 1, 6}, []float32{1, -5, 3, 4, 2, 6})}, Static: true},
		{Attributes: sections(1, 1, -1), Inputs: []any{x, row, cosine, sine}, Error: "mrope_section is [1 1 -1]"},
		{Attributes: sections(1, 1, 1, "mrope_layout", 2), Inputs: []any{x, row, cosine, sine}, Error: "mrope_layout is 2"},
	})
}
