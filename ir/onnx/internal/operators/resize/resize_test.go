package resize_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/resize"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
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

func TestUpsample(t *testing.T) {
	s := onnxtest.NewSuite(t, resize.Rules())
	image := tensor([]int{1, 1, 1, 2}, 1, 3)
	for _, c := range []onnxtest.Case{
		{Operator: "Upsample", Version: 1, Attributes: []any{"height_scale", 2.0, "width_scale", 1.0}, Inputs: []any{image}, Want: []any{tensor([]int{1, 1, 2, 2}, 1, 3, 1, 3)}},
		{Operator: "Upsample", Version: 1, Attributes: []any{"height_scale", 2.0}, Inputs: []any{image}, Error: "attribute width_scale is missing"},
		{Operator: "Upsample", Version: 7, Attributes: []any{"scales", []float64{1, 1, 2}, "mode", "linear"}, Inputs: []any{line(1, 3)}, Want: []any{line(1, 2, 3, 3)}},
		{Operator: "Upsample", Version: 7, Inputs: []any{line(1, 3)}, Error: "attribute scales is missing"},
		{Operator: "Upsample", Version: 9, Inputs: []any{line(1, 3), []float32{1, 1, 2}}, Want: []any{line(1, 1, 3, 3)}},
		{Operator: "Upsample", Version: 9, Inputs: []any{[]bool{true, false}, []float32{2}}, Want: []any{[]bool{true, true, false, false}}, Static: true},
		{Operator: "Upsample", Version: 9, Inputs: []any{line(1, 3), []float32{1, 1, 1}}, Want: []any{line(1, 3)}},
		{Operator: "Resize", Version: 10, Inputs: []any{line(1, 2, 3, 4), []float32{1, 1, 0.6}}, Want: []any{line(1, 3)}},
		{Operator: "Resize", Version: 10, Inputs: []any{[]bool{true, false, true, false}, []float32{0.6}}, Want: []any{[]bool{true, true}}, Static: true},
	} {
		s.Check(c)
	}
}

func TestResize(t *testing.T) {
	s := onnxtest.NewSuite(t, resize.Rules())
	x := line(1, 2, 3, 4)
	none := make([]float32, 0)
	for _, c := range []onnxtest.Case{
		{Operator: "Resize", Version: 11, Inputs: []any{x, none, []float32{1, 1, 2}}, Constants: []int{1}, Want: []any{line(1, 1, 2, 2, 3, 3, 4, 4)}},
		{Operator: "Resize", Version: 11, Attributes: []any{"mode", "linear"}, Inputs: []any{x, none, none, []int64{1, 1, 2}}, Constants: []int{1, 2}, Want: []any{line(1.5, 3.5)}},
		{Operator: "Resize", Version: 13, Attributes: []any{"mode", "linear", "coordinate_transformation_mode", "align_corners"}, Inputs: []any{x, nil, []float32{1, 1, 0.5}}, Want: []any{line(1, 4)}},
		{Operator: "Resize", Version: 13, Attributes: []any{"nearest_mode", "ceil"}, Inputs: []any{x, nil, nil, []int64{1, 1, 3}}, Want: []any{line(2, 3, 4)}},
		{Operator: "Resize", Version: 18, Attributes: []any{"axes", []int{-1}}, Inputs: []any{x, nil, []float32{0.5}}, Want: []any{line(1, 3)}, Static: true},
		{Operator: "Resize", Version: 13, Inputs: []any{x}, Error: "neither scales nor sizes are given"},
		{Operator: "Resize", Version: 18, Attributes: []any{"axes", []int{3}}, Inputs: []any{x, nil, []float32{0.5}}, Error: "axis 3 of rank 3 is out of range"},
		{Operator: "Resize", Version: 13, Attributes: []any{"coordinate_transformation_mode", "tf_crop_and_resize"}, Inputs: []any{x, nil, []float32{1, 1, 1}}, Error: "roi is absent"},
	} {
		s.Check(c)
	}
}

// TestResize_byAxis has what one layer does not say.
func TestResize_byAxis(t *testing.T) {
	s := onnxtest.NewSuite(t, resize.Rules())
	x := line(1, 2, 3, 4)
	mode := func(mode string, more ...any) []any { return append([]any{"mode", mode}, more...) }
	crop := func(more ...any) []any {
		return append([]any{"coordinate_transformation_mode", "tf_crop_and_resize", "axes", []int{2}}, more...)
	}
	quarters := ir.Shape{1, 1, 4}
	integers, err := ir.TensorOf(ir.U8, quarters, []uint8{1, 2, 3, 255})
	if err != nil {
		t.Fatal(err)
	}
	means, err := ir.TensorOf(ir.U8, ir.Shape{1, 1, 2}, []uint8{2, 129})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []onnxtest.Case{
		// The first element weights the two around it by 3/8, and those beside them by 1/8.
		{Operator: "Resize", Version: 18, Attributes: mode("linear", "antialias", 1), Inputs: []any{x, nil, []float32{1, 1, 0.5}}, Want: []any{line(1.625, 3.375)}, MaxRel: 1e-6},
		{Operator: "Resize", Version: 18, Attributes: mode("linear", "antialias", 1), Inputs: []any{x, nil, []float32{1, 1, 2}},
			Want: []any{line(1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4)}, MaxRel: 1e-6},
		{Operator: "Resize", Version: 13, Attributes: mode("cubic", "exclude_outside", 1, "cubic_coeff_a", -0.5), Inputs: []any{x, nil, nil, []int64{1, 1, 2}},
			Want: []any{line(1.4117647, 3.5882353)}, MaxRel: 1e-6},
		{Operator: "Resize", Version: 18, Attributes: mode("linear", "exclude_outside", 1, "axes", []int{0}), Inputs: []any{[][][]float32{{{1}}, {{3}}}, nil, []float32{2}},
			Want: []any{[][][]float32{{{1}}, {{1.5}}, {{2.5}}, {{3}}}}, MaxRel: 1e-6},
		{Operator: "Resize", Version: 18, Attributes: mode("linear", "antialias", 1), Inputs: []any{integers, nil, []float32{1, 1, 0.5}}, Want: []any{means}},
		{Operator: "Resize", Version: 18, Attributes: []any{"keep_aspect_ratio_policy", "not_larger", "axes", []int{1, 2}}, Inputs: []any{x, nil, nil, []int64{2, 2}},
			Want: []any{tensor([]int{1, 1, 2}, 1, 3)}},
		{Operator: "Resize", Version: 18, Attributes: []any{"keep_aspect_ratio_policy", "not_smaller", "axes", []int{2}}, Inputs: []any{x, nil, nil, []int64{2}}, Want: []any{line(1, 3)}},
		{Operator: "Resize", Version: 19, Attributes: mode("linear", "coordinate_transformation_mode", "half_pixel_symmetric"), Inputs: []any{x, nil, []float32{1, 1, 0.6}},
			Want: []any{line(1.6666666, 3.3333333)}, MaxRel: 1e-6},
		{Operator: "Resize", Version: 18, Attributes: crop("mode", "linear", "extrapolation_value", 9.0), Inputs: []any{x, []float32{0.5, 1.5}, nil, []int64{3}},
			Want: []any{line(2.5, 4, 9)}, MaxRel: 1e-6},
		{Operator: "Resize", Version: 18, Attributes: crop(), Inputs: []any{x, []float32{0, 1}, nil, []int64{1}}, Want: []any{line(2)}},
		{Operator: "Resize", Version: 18, Attributes: crop("nearest_mode", "round_prefer_ceil"), Inputs: []any{x, []float32{0, 1}, nil, []int64{1}}, Want: []any{line(3)}},
	} {
		c.Static = true // the others need the rank
		s.Check(c)
	}
	// Strings are no type of Interpolate.
	for coordinates, want := range map[string][]string{
		"asymmetric": {"a", "a", "b"}, "half_pixel": {"a", "a", "b"}, "pytorch_half_pixel": {"a", "a", "b"},
		"align_corners": {"a", "a", "b"}, "tf_half_pixel_for_nn": {"a", "b", "b"},
	} {
		s.Check(onnxtest.Case{
			Operator: "Resize", Version: 11, Attributes: []any{"coordinate_transformation_mode", coordinates, "nearest_mode", "floor"}, Static: true,
			Inputs: []any{[]string{"a", "b"}, make([]float32, 0), []float32{1.5}}, Constants: []int{1}, Want: []any{want},
		})
	}
}

// TestResize_unknown has two axes of a known rank, and scales of which nothing is known.
func TestResize_unknown(t *testing.T) {
	s := onnxtest.NewSuite(t, resize.Rules())
	scales := onnxtest.Value("scales", ir.F32)
	scales.Type.Shape = nil
	m := onnxtest.Model(18, &proto.Graph{
		Nodes:   []*proto.Node{onnxtest.Node("Resize", "x", "y", onnxtest.Attributes("mode", "linear", "exclude_outside", 1, "axes", []int{1, 2})...)},
		Inputs:  []*proto.ValueInfo{onnxtest.Value("x", ir.F32, 1, 2, 2), scales},
		Outputs: []*proto.ValueInfo{{Name: "y"}},
	})
	m.Graph.Nodes[0].Inputs = []string{"x", "", "scales"}
	outputs, err := s.Infer(t, m, tensor([]int{1, 2, 2}, 1, 2, 3, 4), tensor([]int{2}, 0.5, 0.5))
	require.NoError(t, err)
	require.Equal(t, []float32{2.5}, ir.Data[float32](outputs[0]))
}
