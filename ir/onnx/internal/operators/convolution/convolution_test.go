package convolution_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/convolution"
)

// tensor returns a tensor of f32.
func tensor(shape []int, data ...float32) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// line returns a tensor [1,1,n].
func line(data ...float32) *ir.Tensor { return tensor([]int{1, 1, len(data)}, data...) }

func TestConv(t *testing.T) {
	s := onnxtest.NewSuite(t, convolution.Rules())
	x, w := line(1, 2, 3, 4), line(1, 10)
	two := tensor([]int{1, 2, 2}, 1, 2, 3, 4)
	for _, c := range []onnxtest.Case{
		{Operator: "Conv", Version: 1, Inputs: []any{x, w}, Constants: []int{1}, Want: []any{line(21, 32, 43)}},
		{Operator: "Conv", Version: 11, Attributes: []any{"pads", []int{1, 0}, "strides", []int{2}, "kernel_shape", []int{2}}, Inputs: []any{x, w}, Constants: []int{1}, Want: []any{line(10, 32)}},
		{Operator: "Conv", Version: 11, Attributes: []any{"dilations", []int{2}}, Inputs: []any{x, w, []float32{100}}, Constants: []int{1}, Want: []any{line(131, 142)}},
		{Operator: "Conv", Version: 22, Attributes: []any{"auto_pad", "SAME_UPPER"}, Inputs: []any{x, w}, Constants: []int{1}, Want: []any{line(21, 32, 43, 4)}},
		{Operator: "Conv", Version: 22, Attributes: []any{"auto_pad", "SAME_LOWER"}, Inputs: []any{x, w}, Constants: []int{1}, Want: []any{line(10, 21, 32, 43)}},
		{Operator: "Conv", Version: 22, Attributes: []any{"auto_pad", "VALID"}, Inputs: []any{x, w}, Constants: []int{1}, Want: []any{line(21, 32, 43)}},
		{Operator: "Conv", Version: 11, Attributes: []any{"group", 2}, Inputs: []any{two, tensor([]int{2, 1, 1}, 1, 10), []float32{0, 5}}, Constants: []int{1},
			Want: []any{tensor([]int{1, 2, 2}, 1, 2, 35, 45)}},
		{Operator: "Conv", Version: 11, Attributes: []any{"group", 2}, Inputs: []any{two, tensor([]int{4, 1, 1}, 1, 2, 3, 4)}, Constants: []int{1},
			Want: []any{tensor([]int{1, 4, 2}, 1, 2, 2, 4, 9, 12, 12, 16)}},
		{Operator: "Conv", Version: 11, Attributes: []any{"group", 0}, Inputs: []any{x, w}, Error: "attribute group is 0"},
		{Operator: "Conv", Version: 11, Attributes: []any{"strides", []int{1, 1}}, Inputs: []any{x, w}, Error: "attribute strides has 2 numbers, expected 1"},
		{Operator: "Conv", Version: 11, Inputs: []any{x, []float32{1}}, Error: "the rank is 1, expected at least 3"},

		{Operator: "ConvTranspose", Version: 1, Inputs: []any{line(1, 2), w}, Constants: []int{1}, Want: []any{line(1, 12, 20)}},
		{Operator: "ConvTranspose", Version: 11, Attributes: []any{"strides", []int{2}, "pads", []int{1, 0}, "output_padding", []int{1}}, Inputs: []any{line(1, 2), w, []float32{100}},
			Constants: []int{1}, Want: []any{line(110, 102, 120, 100)}},
		{Operator: "ConvTranspose", Version: 11, Attributes: []any{"output_shape", []int{2}}, Inputs: []any{line(1, 2), w}, Constants: []int{1}, Want: []any{line(12, 20)}, Static: true},
		{Operator: "ConvTranspose", Version: 11, Attributes: []any{"output_shape", []int{1, 1, 2}, "auto_pad", "SAME_UPPER"}, Inputs: []any{line(1, 2), w}, Constants: []int{1},
			Want: []any{line(1, 12)}, Static: true},
		{Operator: "ConvTranspose", Version: 22, Attributes: []any{"auto_pad", "SAME_LOWER"}, Inputs: []any{line(1, 2), w}, Constants: []int{1}, Want: []any{line(12, 20)}, Static: true},
		{Operator: "ConvTranspose", Version: 22, Attributes: []any{"group", 2}, Inputs: []any{two, tensor([]int{2, 1, 1}, 1, 10)}, Constants: []int{1},
			Want: []any{tensor([]int{1, 2, 2}, 1, 2, 30, 40)}},
	} {
		s.Check(c)
	}
	// Weights of unknown shape
	s.Check(onnxtest.Case{
		Operator: "Conv", Version: 11, Attributes: []any{"group", 2, "kernel_shape", []int{1}}, Inputs: []any{two, tensor([]int{2, 1, 1}, 1, 10)},
		Want: []any{tensor([]int{1, 2, 2}, 1, 2, 30, 40)},
	})
}

func TestPool(t *testing.T) {
	s := onnxtest.NewSuite(t, convolution.Rules())
	x := line(1, 5, 3, 4)
	indices := func(list ...int64) *ir.Tensor {
		it, err := ir.TensorFrom(list, 1, 1, len(list))
		if err != nil {
			t.Fatal(err)
		}
		return it
	}
	// The numbers of elements are 0 2 4 in the first row, 1 3 5 in the second.
	columns, err := ir.TensorFrom([]int64{2, 1}, 1, 1, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	kernel := []any{"kernel_shape", []int{2}}
	with := func(more ...any) []any { return append(append([]any{}, kernel...), more...) }
	for _, c := range []onnxtest.Case{
		{Operator: "MaxPool", Version: 1, Attributes: kernel, Inputs: []any{x}, Want: []any{line(5, 5, 4)}},
		{Operator: "MaxPool", Version: 8, Attributes: with("strides", []int{2}), Inputs: []any{x}, Want: []any{line(5, 4), indices(1, 3)}},
		{Operator: "MaxPool", Version: 10, Attributes: with("strides", []int{3}, "ceil_mode", 1), Inputs: []any{x}, Want: []any{line(5, 4)}},
		{Operator: "MaxPool", Version: 11, Attributes: with("dilations", []int{2}), Inputs: []any{x}, Want: []any{line(3, 5)}},
		{Operator: "MaxPool", Version: 12, Attributes: with("storage_order", 1), Inputs: []any{x}, Want: []any{line(5, 5, 4)}},
		{Operator: "MaxPool", Version: 12, Attributes: []any{"kernel_shape", []int{1, 3}, "storage_order", 1}, Inputs: []any{tensor([]int{1, 1, 2, 3}, 1, 9, 2, 7, 3, 4)},
			Want: []any{tensor([]int{1, 1, 2, 1}, 9, 7), columns}},
		{Operator: "MaxPool", Version: 12, Inputs: []any{x}, Error: "attribute kernel_shape is missing"},
		// The window is longer than the padded input, but ceil_mode counts it.
		{Operator: "MaxPool", Version: 12, Attributes: []any{"kernel_shape", []int{6}, "strides", []int{3}, "ceil_mode", 1}, Inputs: []any{x}, Want: []any{line(5), indices(1)}},
		{Operator: "MaxPool", Version: 12, Attributes: []any{"kernel_shape", []int{6}, "strides", []int{2}, "ceil_mode", 1}, Inputs: []any{x},
			Error: "the window of 6 elements along spatial axis 0 is longer than the padded input of 4"},
		{Operator: "AveragePool", Version: 22, Attributes: []any{"kernel_shape", []int{6}, "strides", []int{3}, "ceil_mode", 1, "auto_pad", "VALID", "pads", []int{9, 9}},
			Inputs: []any{x}, Want: []any{line(3.25)}},
		{Operator: "AveragePool", Version: 22, Attributes: []any{"kernel_shape", []int{4}, "dilations", []int{2}, "strides", []int{3}, "ceil_mode", 1, "pads", []int{1, 0}, "count_include_pad", 1},
			Inputs: []any{x}, Want: []any{line(3)}},
		{Operator: "AveragePool", Version: 1, Attributes: kernel, Inputs: []any{x}, Want: []any{line(3, 4, 3.5)}},
		{Operator: "AveragePool", Version: 7, Attributes: with("pads", []int{1, 0}), Inputs: []any{x}, Want: []any{line(1, 3, 4, 3.5)}},
		{Operator: "AveragePool", Version: 19, Attributes: with("pads", []int{1, 0}, "count_include_pad", 1), Inputs: []any{x}, Want: []any{line(0.5, 3, 4, 3.5)}},
		{Operator: "AveragePool", Version: 22, Attributes: with("strides", []int{3}, "ceil_mode", 1), Inputs: []any{x}, Want: []any{line(3, 4)}},
		{Operator: "GlobalAveragePool", Version: 1, Inputs: []any{x}, Want: []any{line(3.25)}},
		{Operator: "GlobalMaxPool", Version: 22, Inputs: []any{x}, Want: []any{line(5)}},
	} {
		c.Static = !strings.HasPrefix(c.Operator, "Global") // the others need a rank
		s.Check(c)
	}
}

// TestLpPool computes norms of windows of 3 and 4, of which 5 and 7 are the norms.
func TestLpPool(t *testing.T) {
	s := onnxtest.NewSuite(t, convolution.Rules())
	x := line(3, -4, 0, 8)
	kernel := []any{"kernel_shape", []int{2}}
	with := func(more ...any) []any { return append(append([]any{}, kernel...), more...) }
	cube := float32(math.Cbrt(27 + 64))
	double, err := ir.TensorFrom([]float64{5, 4, 8}, 1, 1, 3)
	require.NoError(t, err)
	wide, err := ir.TensorFrom([]float64{3, -4, 0, 8}, 1, 1, 4)
	require.NoError(t, err)
	large := float16.Fromfloat32(30000)
	half, err := ir.TensorFrom([]float16.Float16{large, large}, 1, 1, 2)
	require.NoError(t, err)
	root, err := ir.TensorFrom([]float16.Float16{float16.Fromfloat32(30000 * math.Sqrt2)}, 1, 1, 1)
	require.NoError(t, err)
	for _, c := range []onnxtest.Case{
		{Operator: "LpPool", Version: 1, Attributes: kernel, Inputs: []any{x}, Want: []any{line(5, 4, 8)}},
		{Operator: "LpPool", Version: 1, Attributes: with("p", 1.0), Inputs: []any{x}, Want: []any{line(7, 4, 8)}},
		{Operator: "LpPool", Version: 2, Attributes: with("p", 3, "strides", []int{2}), Inputs: []any{x}, Want: []any{line(cube, 8)}},
		{Operator: "LpPool", Version: 2, Attributes: with("pads", []int{1, 1}), Inputs: []any{x}, Want: []any{line(3, 5, 4, 8, 8)}},
		{Operator: "LpPool", Version: 11, Attributes: with("auto_pad", "SAME_UPPER"), Inputs: []any{x}, Want: []any{line(5, 4, 8, 8)}},
		{Operator: "LpPool", Version: 11, Attributes: with("auto_pad", "SAME_LOWER", "ceil_mode", 1), Inputs: []any{x}, Want: []any{line(3, 5, 4, 8)}},
		{Operator: "LpPool", Version: 18, Attributes: with("dilations", []int{2}), Inputs: []any{x}, Want: []any{line(3, float32(math.Sqrt(80)))}},
		{Operator: "LpPool", Version: 18, Attributes: with("strides", []int{3}, "ceil_mode", 1), Inputs: []any{x}, Want: []any{line(5, 8)}},
		{Operator: "LpPool", Version: 22, Attributes: with("strides", []int{3}, "ceil_mode", 1, "auto_pad", "VALID"), Inputs: []any{x}, Want: []any{line(5, 8)}},
		// A window that would begin in the padding at the end is left out.
		{Operator: "LpPool", Version: 22, Attributes: with("strides", []int{4}, "pads", []int{0, 1}, "ceil_mode", 1), Inputs: []any{x}, Want: []any{line(5)}},
		{Operator: "LpPool", Version: 22, Attributes: kernel, Inputs: []any{wide}, Want: []any{double}},
		{Operator: "LpPool", Version: 22, Attributes: kernel, Inputs: []any{half}, Want: []any{root}, MaxRel: 1e-3},
		{Operator: "LpPool", Version: 22, Inputs: []any{x}, Error: "attribute kernel_shape is missing"},
		{Operator: "LpPool", Version: 22, Attributes: with("p", 0), Inputs: []any{x}, Error: "attribute p is 0, expected a number above 0"},
		{Operator: "GlobalLpPool", Version: 1, Attributes: []any{"p", 1.0}, Inputs: []any{x}, Want: []any{line(15)}},
		{Operator: "GlobalLpPool", Version: 2, Inputs: []any{x}, Want: []any{line(float32(math.Sqrt(89)))}},
		{Operator: "GlobalLpPool", Version: 22, Attributes: []any{"p", 3}, Inputs: []any{line(3, -4)}, Want: []any{line(cube)}},
	} {
		c.MaxRel, c.Static = max(c.MaxRel, 1e-6), !strings.HasPrefix(c.Operator, "Global")
		s.Check(c)
	}
}
