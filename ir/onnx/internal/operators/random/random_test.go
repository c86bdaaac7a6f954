package random_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/random"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// tensor returns a tensor of the type of data.
func tensor(shape []int, data any) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// TestCertain has distributions with one possible result.
func TestCertain(t *testing.T) {
	s := onnxtest.NewSuite(t, random.Rules())
	x := tensor([]int{1, 3}, []float32{0, 1, 1})
	never := float32(math.Inf(-1))
	for _, c := range []onnxtest.Case{
		{Operator: "RandomNormal", Version: 1, Attributes: []any{"shape", []int{2}, "mean", 3.0, "scale", 0.0}, Want: []any{[]float32{3, 3}}},
		{Operator: "RandomUniform", Version: 22, Attributes: []any{"shape", []int{2}, "low", 2.0, "high", 2.0, "dtype", 11}, Want: []any{[]float64{2, 2}}},
		{Operator: "RandomNormalLike", Version: 22, Attributes: []any{"mean", 3.0, "scale", 0.0}, Inputs: []any{x}, Want: []any{tensor([]int{1, 3}, []float32{3, 3, 3})}},
		{Operator: "RandomUniformLike", Version: 1, Attributes: []any{"low", 2.0, "high", 2.0, "dtype", 1}, Inputs: []any{[]int32{1, 2}}, Want: []any{[]float32{2, 2}}},
		{Operator: "Bernoulli", Version: 15, Inputs: []any{x}, Want: []any{x}},
		{Operator: "Bernoulli", Version: 22, Attributes: []any{"dtype", 9, "seed", 1.0}, Inputs: []any{[]float64{1, 0}}, Want: []any{[]bool{true, false}}},
		{Operator: "Multinomial", Version: 7, Attributes: []any{"sample_size", 2}, Inputs: []any{tensor([]int{2, 3}, []float32{never, 5, never, never, never, -9})}, Want: []any{tensor([]int{2, 2}, []int32{1, 1, 2, 2})}},
		{Operator: "Multinomial", Version: 22, Attributes: []any{"dtype", 7, "seed", 2.0}, Inputs: []any{tensor([]int{1, 2}, []float32{never, 0})}, Want: []any{tensor([]int{1, 1}, []int64{1})}},
		{Operator: "RandomNormal", Version: 1, Error: "attribute shape is missing"},
		{Operator: "RandomNormal", Version: 1, Attributes: []any{"shape", []int{2, -1}}, Error: "attribute shape has the length -1, expected at least 0"},
		{Operator: "RandomNormalLike", Version: 1, Inputs: []any{[]int32{1}}, Error: "the type is i32, expected one of floats"},
		{Operator: "Multinomial", Version: 7, Attributes: []any{"sample_size", -1}, Inputs: []any{x}, Error: "attribute sample_size is -1, expected at least 0"},
	} {
		s.Check(c)
	}
}

// TestDropout has nodes that drop all elements, or none.
func TestDropout(t *testing.T) {
	s := onnxtest.NewSuite(t, random.Rules())
	x := tensor([]int{2, 2}, []float32{1, 3, 5, 2})
	kept, ones := tensor([]int{2, 2}, []bool{true, true, true, true}), tensor([]int{2, 2}, []float32{1, 1, 1, 1})
	for _, c := range []onnxtest.Case{
		{Operator: "Dropout", Version: 6, Attributes: []any{"is_test", 1}, Inputs: []any{x}, Want: []any{x}},
		{Operator: "Dropout", Version: 1, Inputs: []any{x}, Error: "only in training"},
		{Operator: "Dropout", Version: 7, Inputs: []any{x}, Want: []any{x, ones}},
		{Operator: "Dropout", Version: 10, Inputs: []any{x}, Want: []any{x, kept}},
		{Operator: "Dropout", Version: 12, Inputs: []any{x, float32(0.5)}, Want: []any{x, kept}},
		{Operator: "Dropout", Version: 13, Inputs: []any{x, float32(0.5), false}, Want: []any{x, kept}},
		{Operator: "Dropout", Version: 13, Inputs: []any{x, float32(0), true}, Want: []any{x, kept}},
		{Operator: "Dropout", Version: 13, Inputs: []any{x, []float32{0}, []bool{true}}, Want: []any{x, kept}},
		{Operator: "Dropout", Version: 22, Inputs: []any{x, nil, false}, Want: []any{x, kept}},
	} {
		s.Check(c)
	}
	// Kernels draw numbers below 1, so that a ratio of almost 1 drops all but a few in a million.
	s.Check(onnxtest.Case{
		Operator: "Dropout", Version: 22, Attributes: []any{"seed", 7}, Inputs: []any{x, float32(1 - 1e-6), true},
		Want: []any{tensor([]int{2, 2}, make([]float32, 4)), tensor([]int{2, 2}, make([]bool, 4))},
	})
}

// draw returns the numbers of a node with attributes, of two requests.
func draw(t *testing.T, operator string, attributes ...any) (first, second []float32) {
	t.Helper()
	m := onnxtest.Model(22, &proto.Graph{
		Name: "test", Nodes: []*proto.Node{onnxtest.Node(operator, "", "y", onnxtest.Attributes(attributes...)...)}, Outputs: []*proto.ValueInfo{{Name: "y"}},
	})
	model, err := onnxtest.NewSuite(t, random.Rules()).Convert(t, m)
	require.NoError(t, err)
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(t.Context(), model, plugin.CompileOptions{InferenceNumThreads: 1})
	require.NoError(t, err)
	defer compiled.Close()
	var lists [2][]float32
	for i := range lists {
		request := compiled.NewInferRequest()
		require.NoError(t, request.Infer(t.Context()))
		lists[i] = ir.Data[float32](request.Output(0))
	}
	return lists[0], lists[1]
}

// moments returns the mean and the standard deviation.
func moments(list []float32) (mean, deviation float64) {
	var squares float64
	for _, v := range list {
		mean += float64(v)
		squares += float64(v) * float64(v)
	}
	mean /= float64(len(list))
	return mean, math.Sqrt(squares/float64(len(list)) - mean*mean)
}

// TestDistributions has seeds, so that its result is always the same.
func TestDistributions(t *testing.T) {
	uniform, again := draw(t, "RandomUniform", "shape", []int{10_000}, "low", -1.0, "high", 3.0, "seed", 5.0)
	require.Equal(t, uniform, again, "a seed gives the same numbers")
	mean, deviation := moments(uniform)
	require.InDelta(t, 1, mean, 0.05)
	require.InDelta(t, 4/math.Sqrt(12), deviation, 0.05)
	normal, _ := draw(t, "RandomNormal", "shape", []int{10_000}, "mean", 7.0, "scale", 2.0, "seed", 0.0)
	mean, deviation = moments(normal)
	require.InDelta(t, 7, mean, 0.1)
	require.InDelta(t, 2, deviation, 0.1)
	within := 0
	for _, v := range normal {
		if v > 5 && v < 9 {
			within++
		}
	}
	require.InDelta(t, 0.683, float64(within)/10_000, 0.02, "the part within one standard deviation")
	first, second := draw(t, "RandomNormal", "shape", []int{10})
	require.NotEqual(t, first, second, "there is no seed")
}
