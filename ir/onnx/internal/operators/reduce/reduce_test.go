package reduce_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/reduce"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// logs returns the logarithms of numbers.
func logs(list ...float64) []float32 {
	result := make([]float32, len(list))
	for i, x := range list {
		result[i] = float32(math.Log(x))
	}
	return result
}

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, reduce.Rules())
	x := [][]float32{{3, -4}, {1, 1}}
	e := math.E
	for _, c := range []struct {
		operator string
		x        [][]float32
		rows     []float32 // along axis 1
		all      float32
		element  [][]float32
	}{
		{"ReduceL1", x, []float32{7, 2}, 9, [][]float32{{3, 4}, {1, 1}}},
		{"ReduceL2", x, []float32{5, float32(math.Sqrt2)}, float32(math.Sqrt(27)), [][]float32{{3, 4}, {1, 1}}},
		{"ReduceLogSum", [][]float32{{1, 2}, {3, 4}}, logs(3, 7), logs(10)[0], [][]float32{logs(1, 2), logs(3, 4)}},
		{"ReduceLogSumExp", [][]float32{{1, 2}, {0, 0}}, logs(e+e*e, 2), logs(e + e*e + 2)[0], [][]float32{{1, 2}, {0, 0}}},
		{"ReduceMax", x, []float32{3, 1}, 3, x}, {"ReduceMean", x, []float32{-0.5, 1}, 0.25, x}, {"ReduceMin", x, []float32{-4, 1}, -4, x},
		{"ReduceProd", x, []float32{-12, 1}, -12, x}, {"ReduceSum", x, []float32{-1, 2}, 1, x}, {"ReduceSumSquare", x, []float32{25, 2}, 27, [][]float32{{9, 16}, {1, 1}}},
	} {
		newest := 18
		if c.operator == "ReduceSum" {
			newest = 13
		}
		check := func(version int, attributes []any, axes, want any, constants ...int) {
			inputs := []any{c.x, axes}
			if axes == nil {
				inputs = inputs[:1]
			}
			s.Check(onnxtest.Case{Operator: c.operator, Version: version, Attributes: attributes, Inputs: inputs, Want: []any{want}, MaxRel: 1e-6, Constants: constants})
		}
		column := [][]float32{{c.rows[0]}, {c.rows[1]}}
		check(1, []any{"axes", []int{1}, "keepdims", 0}, nil, c.rows)
		check(11, []any{"axes", []int{-1}}, nil, column)
		check(1, nil, nil, [][]float32{{c.all}})
		check(newest, nil, []int64{1}, column)
		check(newest, []any{"keepdims", 0}, make([]int64, 0), c.all)
		check(newest, []any{"noop_with_empty_axes", 1}, make([]int64, 0), c.element, 1)
		check(newest, []any{"noop_with_empty_axes", 1, "keepdims", 0}, []int64{1}, c.rows)
	}
	inf := float32(math.Inf(1))
	for _, c := range []onnxtest.Case{
		{Operator: "ReduceMax", Version: 20, Attributes: []any{"keepdims", 0}, Inputs: []any{[]bool{false, true}}, Want: []any{true}},
		{Operator: "ReduceMax", Version: 20, Attributes: []any{"keepdims", 0}, Inputs: []any{[]int8{-5, 3}}, Want: []any{int8(3)}},
		{Operator: "ReduceMin", Version: 20, Attributes: []any{"keepdims", 0}, Inputs: []any{[]bool{false, true}}, Want: []any{false}},
		{Operator: "ReduceMax", Version: 20, Inputs: []any{[]bool{false, true}, []int64{0}}, Want: []any{[]bool{true}}},
		{Operator: "ReduceMin", Version: 20, Inputs: []any{[]bool{true, true}, []int64{0}}, Want: []any{[]bool{true}}},
		{Operator: "ReduceMean", Version: 13, Attributes: []any{"keepdims", 0}, Inputs: []any{[]int32{1, 2}}, Want: []any{int32(1)}},
		{Operator: "ReduceLogSumExp", Version: 18, Attributes: []any{"keepdims", 0}, Inputs: []any{[]float32{1000, 1000}}, Want: []any{float32(1000 + math.Log(2))}, MaxRel: 1e-6},
		{Operator: "ReduceLogSumExp", Version: 18, Attributes: []any{"keepdims", 0}, Inputs: []any{[]float32{inf, 0}}, Want: []any{inf}},
		{Operator: "ReduceLogSumExp", Version: 18, Attributes: []any{"keepdims", 0}, Inputs: []any{[]int32{5, 5}}, Want: []any{int32(5)}},
		{Operator: "ReduceLogSum", Version: 18, Attributes: []any{"keepdims", 0}, Inputs: []any{[]int32{5, 1}}, Want: []any{int32(1)}},
		{Operator: "ReduceSum", Version: 11, Inputs: []any{[]float32{1}, []int64{0}}, Error: "2 inputs are connected, expected 1 before version 13"},
		{Operator: "ReduceSum", Version: 13, Inputs: []any{[]float32{1}, []int64{1}}, Constants: []int{1}, Error: "axis"},
	} {
		s.Check(c)
	}
}

// TestReduce_noAxes checks that axes are known if there is none, also if they are an input of the
// model: OpenVINO's CPU plugin refuses a reduction along them.
func TestReduce_noAxes(t *testing.T) {
	node := onnxtest.Node("ReduceSum", "x axes", "y", onnxtest.Attributes("noop_with_empty_axes", 1)...)
	m, err := onnxtest.NewSuite(t, reduce.Rules()).Convert(t, onnxtest.Model(13, &proto.Graph{
		Nodes:   []*proto.Node{node},
		Inputs:  []*proto.ValueInfo{onnxtest.Value("x", ir.F32, 3, 4), onnxtest.Value("axes", ir.I64, 0)},
		Outputs: []*proto.ValueInfo{{Name: "y"}},
	}))
	require.NoError(t, err)
	assert.Equal(t, "Parameter", m.Results[0].Inputs[0].Source.Type)
}
