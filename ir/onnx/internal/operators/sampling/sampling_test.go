package sampling_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/sampling"
)

// tensor returns a tensor of f32.
func tensor(shape []int, data ...float32) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func TestGridSample(t *testing.T) {
	s := onnxtest.NewSuite(t, sampling.Rules())
	image := tensor([]int{1, 1, 1, 3}, 1, 2, 4)
	grid := tensor([]int{1, 1, 2, 2}, 0, 0, 1, 0)
	line := tensor([]int{1, 1, 3}, 1, 2, 4)
	at := func(x ...float32) *ir.Tensor { return tensor([]int{1, len(x), 1}, x...) }
	row := func(x ...float32) *ir.Tensor { return tensor([]int{1, 1, len(x)}, x...) }
	volume := tensor([]int{1, 1, 1, 1, 2}, 1, 3)
	for _, c := range []onnxtest.Case{
		{Operator: "GridSample", Version: 16, Inputs: []any{image, grid}, Want: []any{tensor([]int{1, 1, 1, 2}, 2, 2)}},
		{Operator: "GridSample", Version: 20, Attributes: []any{"mode", "cubic", "align_corners", 1}, Inputs: []any{image, grid}, Want: []any{tensor([]int{1, 1, 1, 2}, 2, 4)}},
		{Operator: "GridSample", Domain: "com.microsoft", Version: 1, Attributes: []any{"mode", "nearest"}, Inputs: []any{image, grid}, Want: []any{tensor([]int{1, 1, 1, 2}, 2, 4)}},
		{Operator: "GridSample", Version: 22, Static: true, Inputs: []any{volume, tensor([]int{1, 1, 1, 2, 3}, 0, 0, 0, 1, 0, 0)}, Want: []any{tensor([]int{1, 1, 1, 1, 2}, 2, 1.5)}},
		{Operator: "GridSample", Version: 20, Static: true, Inputs: []any{line, at(-1, 0.5, 3)}, Want: []any{row(0.5, 3.5, 0)}},
		{Operator: "GridSample", Version: 20, Static: true, Attributes: []any{"mode", "nearest"}, Inputs: []any{line, at(-1.2, 0.5, -0.9)}, Want: []any{row(0, 4, 1)}},
		{Operator: "GridSample", Version: 20, Static: true, Attributes: []any{"padding_mode", "border"}, Inputs: []any{line, at(-1, 0.5, 3)}, Want: []any{row(1, 3.5, 4)}},
		{Operator: "GridSample", Version: 20, Static: true, Attributes: []any{"padding_mode", "reflection", "align_corners", 1}, Inputs: []any{line, at(-1.5, 0.5, 3)}, Want: []any{row(1.5, 3, 1)}},
		{Operator: "GridSample", Version: 20, Static: true, Attributes: []any{"padding_mode", "reflection", "mode", "nearest"}, Inputs: []any{line, at(-1.1, 1.9, 3)}, Want: []any{row(1, 2, 1)}},
		{Operator: "GridSample", Version: 20, Static: true, Attributes: []any{"padding_mode", "reflection", "align_corners", 1}, Inputs: []any{row(5), at(-1.5, 3)}, Want: []any{row(5, 5)}},
		// 2.5 is rounded before it is reflected.
		{Operator: "GridSample", Version: 20, Static: true, Attributes: []any{"padding_mode", "reflection", "mode", "nearest"}, Inputs: []any{row(1, 3), at(2)}, Want: []any{row(3)}},
		{Operator: "GridSample", Version: 20, Static: true, MaxRel: 1e-5, Attributes: []any{"mode", "cubic", "padding_mode", "zeros"}, Inputs: []any{line, at(-1.1, -0.9, 0.5, 0.9, 3)}, Want: []any{row(0.27321851, 0.55615705, 4.0039062, 2.8900638, 0)}},
		{Operator: "GridSample", Version: 20, Static: true, MaxRel: 1e-5, Attributes: []any{"mode", "cubic", "padding_mode", "border"}, Inputs: []any{line, at(-1.1, -0.9, 0.5, 0.9, 3)}, Want: []any{row(1, 0.88909441, 3.5820312, 4.2218132, 4)}},
		{Operator: "GridSample", Version: 20, Static: true, MaxRel: 1e-5, Attributes: []any{"mode", "cubic", "padding_mode", "reflection"}, Inputs: []any{line, at(-1.1, -0.9, 0.5, 0.9, 3)}, Want: []any{row(0.82937557, 0.82937557, 3.5820312, 4.3412504, 0.8125)}},
		{Operator: "GridSample", Version: 20, Static: true, MaxRel: 1e-5, Attributes: []any{"mode", "cubic", "padding_mode", "reflection", "align_corners", 1}, Inputs: []any{line, at(-1.1, -0.9, 0.5, 0.9, 3)}, Want: []any{row(1.0077506, 1.0077506, 3.28125, 3.9642501, 1)}},
		{Operator: "GridSample", Version: 20, Static: true, MaxRel: 1e-5, Attributes: []any{"mode", "cubic", "padding_mode", "border"}, Inputs: []any{tensor([]int{1, 1, 1, 2, 2}, 1, 3, -2, 5), tensor([]int{1, 1, 1, 2, 3}, 0, 0, 0, 0.3, -0.4, 0.2)},
			Want: []any{tensor([]int{1, 1, 1, 1, 2}, 1.75, 2.7398412)}},
		{Operator: "GridSample", Version: 20, Inputs: []any{[][]float32{{1}}, [][]float32{{1}}}, Error: "the rank is 2, expected at least 3"},
	} {
		s.Check(c)
	}
}

func TestAffineGrid(t *testing.T) {
	s := onnxtest.NewSuite(t, sampling.Rules())
	swap := tensor([]int{1, 2, 3}, 0, 1, 0, 1, 0, 0.5)
	size := []int64{1, 1, 2, 1}
	for _, c := range []onnxtest.Case{
		{Operator: "AffineGrid", Version: 20, Static: true, Inputs: []any{swap, size}, Want: []any{tensor([]int{1, 2, 1, 2}, -0.5, 0.5, 0.5, 0.5)}},
		{Operator: "AffineGrid", Version: 20, Static: true, Attributes: []any{"align_corners", 1}, Inputs: []any{swap, []int64{1, 1, 2, 2}}, Want: []any{tensor([]int{1, 2, 2, 2}, -1, -0.5, -1, 1.5, 1, -0.5, 1, 1.5)}},
		{Operator: "AffineGrid", Version: 20, Static: true, Inputs: []any{tensor([]int{1, 3, 4}, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2), []int64{1, 1, 1, 1, 2}},
			Want: []any{tensor([]int{1, 1, 1, 2, 3}, -0.5, 0, 2, 0.5, 0, 2)}},
		{Operator: "AffineGrid", Version: 20, Inputs: []any{swap, []int64{1, 1, 2}}, Error: "an image of 1 axes, expected 2 or 3"},
	} {
		s.Check(c)
	}
}

func TestRegions(t *testing.T) {
	s := onnxtest.NewSuite(t, sampling.Rules())
	image := tensor([]int{1, 1, 2, 2}, 1, 2, 3, 4)
	box, region := [][]float32{{0, 0, 1, 1}}, [][]float32{{0, 0, 0, 1, 1}}
	pooled := []any{"output_height", 1, "output_width", 1, "sampling_ratio", 1}
	bilinear := []any{"extrapolation_value", 9.0}
	crop := func(x float32, shape ...int) *ir.Tensor { return tensor(append([]int{1, 1}, shape...), x) }
	for _, c := range []onnxtest.Case{
		{Operator: "MaxRoiPool", Version: 1, Attributes: []any{"pooled_shape", []int{1, 2}}, Inputs: []any{image, region}, Want: []any{tensor([]int{1, 1, 1, 2}, 3, 4)}},
		{Operator: "MaxRoiPool", Version: 22, Attributes: []any{"pooled_shape", []int{1}}, Inputs: []any{image, region}, Error: "attribute pooled_shape has 1 numbers, expected 2"},
		{Operator: "MaxRoiPool", Version: 22, Inputs: []any{image, region}, Error: "attribute pooled_shape is missing"},
		{Operator: "RoiAlign", Version: 10, Attributes: pooled, Inputs: []any{image, box, []int64{0}}, Want: []any{crop(2.5, 1, 1)}},
		{Operator: "RoiAlign", Version: 16, Attributes: pooled, Inputs: []any{image, [][]float32{{0, 0, 2, 2}}, []int64{0}}, Want: []any{crop(2.5, 1, 1)}},
		{Operator: "RoiAlign", Version: 22, Attributes: []any{"coordinate_transformation_mode", "output_half_pixel"}, Inputs: []any{image, box, []int64{0}}, Want: []any{crop(2.5, 1, 1)}},
		{Operator: "RoiAlign", Version: 16, Attributes: append(pooled, "mode", "max"), Inputs: []any{image, [][]float32{{0, 0, 2, 2}, {1, 1, 2, 2}}, []int64{0, 0}}, Want: []any{tensor([]int{2, 1, 1, 1}, 1, 4)}},
		{Operator: "RoiAlign", Version: 10, Attributes: []any{"mode", "max"}, Inputs: []any{image, [][]float32{{0, 0, 1, 1}, {0, 0, 0.5, 2}}, []int64{0, 0}}, Want: []any{tensor([]int{2, 1, 1, 1}, 1, 2)}},
		{Operator: "RoiAlign", Version: 22, Attributes: []any{"mode", "max"}, Inputs: []any{image, [][]float32{{1, 1, 1, 1}}, []int64{0}}, Want: []any{crop(0, 1, 1)}},
		{Operator: "CropAndResize", Domain: "com.microsoft", Version: 1, Attributes: bilinear, Inputs: []any{image, [][]float32{{0, 0.5, 1, 1.5}}, []int32{0}, []int32{2, 2}},
			Want: []any{tensor([]int{1, 1, 2, 2}, 1.5, 9, 3.5, 9)}},
		{Operator: "CropAndResize", Domain: "com.microsoft", Version: 1, Attributes: []any{"mode", "nearest"}, Inputs: []any{image, box, []int32{0}, []int32{1, 1}}, Want: []any{crop(4, 1, 1)}},
		{Operator: "CropAndResize", Domain: "com.microsoft", Version: 1, Attributes: []any{"mode", "cubic"}, Inputs: []any{image, box, []int32{0}, []int32{1, 1}}, Error: "attribute mode"},
	} {
		s.Check(c)
	}
}

func TestDeformConv(t *testing.T) {
	s := onnxtest.NewSuite(t, sampling.Rules())
	image := tensor([]int{1, 1, 2, 2}, 1, 2, 3, 4)
	one, offset, mask := tensor([]int{1, 1, 1, 1}, 10), tensor([]int{1, 2, 2, 2}, 0, 0, 0, 0.5, 0, 0.5, 0, 0), tensor([]int{1, 1, 2, 2}, 1, 1, 0, 1)
	for _, c := range []onnxtest.Case{
		{Operator: "DeformConv", Version: 19, Inputs: []any{image, one, offset}, Want: []any{tensor([]int{1, 1, 2, 2}, 10, 10, 30, 20)}},
		{Operator: "DeformConv", Version: 22, Inputs: []any{image, one, offset, []float32{1}, mask}, Want: []any{tensor([]int{1, 1, 2, 2}, 11, 11, 1, 21)}},
		{Operator: "DeformConv", Version: 22, Attributes: []any{"pads", []int{1}}, Inputs: []any{image, one, offset}, Error: "attribute pads has 1 numbers, expected 4"},
	} {
		s.Check(c)
	}
}
