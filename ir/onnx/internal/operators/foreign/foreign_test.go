package foreign_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/foreign"
)

// tensor returns a tensor of f32.
func tensor(shape []int, data ...float32) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, foreign.Rules())
	x, image := []float32{-1, 0, 0.4, 2}, tensor([]int{1, 1, 2, 2}, 1, 2, 3, 4)
	low, high := float32(0), float32(1)
	pooled, pair := tensor([]int{1, 1, 1, 1}, 2.5), tensor([]int{1, 2, 1}, 1, 3)
	rotated := tensor([]int{1, 6}, 0, 1, 1, 2, 2, 0)
	output := []any{"output_height", 1, "output_width", 1, "sampling_ratio", 1}
	boxes := tensor([]int{1, 2, 5}, 1, 1, 2, 2, 0, 1, 1, 2, 2, 0)
	thresholds := []any{"iou_threshold", 0.5, "score_threshold", 0.0}
	for _, c := range []onnxtest.Case{
		{Domain: "org.openvinotoolkit", Operator: "FakeQuantize", Attributes: []any{"levels", 2}, Inputs: []any{x, low, high, low, high}, Want: []any{[]float32{0, 0, 0, 1}}},
		{Domain: "org.openvinotoolkit", Operator: "FakeQuantize", Inputs: []any{x, low, high, low, high}, Error: "levels"},
		{Domain: "org.openvinotoolkit", Operator: "Swish", Inputs: []any{[]float32{0, 2}}, Want: []any{[]float32{0, 1.7615942}}},
		{Domain: "org.openvinotoolkit", Operator: "Swish", Inputs: []any{[]float32{0, 2}, []float32{0}}, Want: []any{[]float32{0, 1}}},
		{Domain: "org.openvinotoolkit", Operator: "GroupNorm", Attributes: []any{"num_groups", 1, "eps", 0.0}, Inputs: []any{pair, []float32{1, 2}, []float32{0, 1}}, Want: []any{tensor([]int{1, 2, 1}, -1, 3)}},
		{Domain: "org.openvinotoolkit", Operator: "ExperimentalDetectronGroupNorm", Inputs: []any{pair, []float32{1, 2}, []float32{0, 1}}, Error: "attribute num_groups is missing"},
		{Domain: "org.openvinotoolkit", Operator: "ExperimentalDetectronTopKROIs", Attributes: []any{"max_rois", 1}, Inputs: []any{[][]float32{{1, 2, 3, 4}, {5, 6, 7, 8}}, []float32{0.1, 0.9}}, Want: []any{[][]float32{{5, 6, 7, 8}}}},
		{Domain: "org.openvinotoolkit", Operator: "ExperimentalDetectronPriorGridGenerator", Attributes: []any{"flatten", 1, "h", 0, "w", 0, "stride_x", 2.0, "stride_y", 2.0},
			Inputs: []any{[][]float32{{0, 0, 1, 1}}, tensor([]int{1, 1, 1, 2}, 0, 0), tensor([]int{1, 3, 2, 4}, make([]float32, 24)...)}, Want: []any{[][]float32{{1, 1, 2, 2}, {3, 1, 4, 2}}}},
		{Domain: "org.openvinotoolkit", Operator: "DeformableConv2D", Inputs: []any{image, tensor([]int{1, 2, 2, 2}, 0, 0, 0, 0, 0, 0, 0, 0), tensor([]int{1, 1, 1, 1}, 2)}, Want: []any{tensor([]int{1, 1, 2, 2}, 2, 4, 6, 8)}},
		{Domain: "org.openvinotoolkit", Operator: "DeformableConv2D", Attributes: []any{"strides", []int{2, 2}, "pads", []int{1, 1, 0, 0}},
			Inputs: []any{image, tensor([]int{1, 2, 2, 2}, 1, 0, 0, 0, 1, 0, 0, 0), tensor([]int{1, 1, 1, 1}, 1), tensor([]int{1, 1, 2, 2}, 0.5, 1, 1, 1)},
			Want:   []any{tensor([]int{1, 1, 2, 2}, 0.5, 0, 0, 4)}},
		{Domain: "org.openvinotoolkit", Operator: "DeformableConv2D", Attributes: []any{"strides", []int{2}}, Inputs: []any{image, image, image}, Error: "attribute strides has 1 numbers, expected 2"},
		{Domain: "org.openvinotoolkit", Operator: "GenerateProposals", Attributes: []any{"legacy_plus_one", 0},
			Inputs: []any{tensor([]int{1, 1, 1, 2}, 0.5, 0.9), tensor([]int{1, 4, 1, 2}, 0, 1, 0, 0, 0, 0, 0, 0), [][]float32{{9, 9, 1}}, [][]float32{{1, 1, 3, 3}}},
			Want:   []any{[][]float32{{3, 1, 5, 3}, {1, 1, 3, 3}}, []float32{0.9, 0.5}, []int64{2}}},
		{Domain: "org.openvinotoolkit", Operator: "Normalize", Inputs: []any{[][][]float32{{{3, 0}, {4, 2}}}, []float32{1, 2}}, Want: []any{[][][]float32{{{0.6, 0}, {1.6, 2}}}}},
		{Domain: "org.openvinotoolkit", Operator: "Normalize", Attributes: []any{"across_spatial", 1, "channel_shared", 1},
			Inputs: []any{[][][]float32{{{3, 0}, {4, 0}}}, []float32{10}}, Want: []any{[][][]float32{{{6, 0}, {8, 0}}}}},
		{Domain: "org.openvinotoolkit", Operator: "PriorBox", Attributes: []any{"min_size", []float64{2}, "variance", []float64{0.5}},
			Inputs: []any{pooled, image}, Want: []any{[][][]float32{{{0, 0, 1, 1}, {0.5, 0.5, 0.5, 0.5}}}}},
		{Domain: "org.openvinotoolkit", Operator: "PriorBoxClustered", Attributes: []any{"width", []float64{4}, "height", []float64{2}, "offset", 0.5},
			Inputs: []any{pooled, image}, Want: []any{[][][]float32{{{-0.5, 0, 1.5, 1}, {0.1, 0.1, 0.1, 0.1}}}}},
		{Domain: "org.openvinotoolkit", Operator: "DetectionOutput", Attributes: []any{"background_label_id", -1, "keep_top_k", []int{1}, "nms_threshold", 0.5, "code_type", "CORNER"},
			Inputs: []any{[][]float32{{0, 0, 0, 0}}, [][]float32{{0.2, 0.7}}, [][][]float32{{{0.1, 0.2, 0.3, 0.4}, {1, 1, 1, 1}}}}, Want: []any{[][][][]float32{{{{0, 1, 0.7, 0.1, 0.2, 0.3, 0.4}}}}}},
		{Domain: "", Operator: "ATen", Attributes: []any{"operator", "embedding_bag", "mode", 0}, Inputs: []any{[][]float32{{1}, {2}, {4}}, [][]int64{{0, 2}, {1, 1}}}, Want: []any{[][]float32{{5}, {4}}}},
		{Domain: "org.pytorch.aten", Operator: "ATen", Attributes: []any{"operator", "embedding_bag", "mode", 0}, Inputs: []any{[][]float32{{1}, {2}, {4}}, []int64{0, 2, 1}, []int64{0, 2}}, Want: []any{[][]float32{{5}, {2}}}},
		{Domain: "org.pytorch.aten", Operator: "ATen", Attributes: []any{"operator", "embedding_bag", "mode", 0},
			Inputs: []any{[][]float32{{1}, {2}, {4}}, []int64{0, 2, 1}, []int64{0, 2, 2}, []float32{1, 10, 100}}, Want: []any{[][]float32{{41}, {0}, {200}}}},
		{Domain: "org.pytorch.aten", Operator: "ATen", Attributes: []any{"operator", "embedding_bag", "mode", 1}, Inputs: []any{[][]float32{{1}}, [][]int64{{0}}}, Error: "embedding_bag with mean or maximum"},
		{Domain: "org.pytorch.aten", Operator: "ATen", Attributes: []any{"operator", "adaptive_avg_pool2d"}, Inputs: []any{image, []int64{1, 1}}, Want: []any{pooled}},
		{Domain: "org.pytorch.aten", Operator: "ATen", Attributes: []any{"operator", "other"}, Inputs: []any{image, []int64{1, 1}}, Error: "attribute operator is other"},
		{Domain: "org.pytorch.aten", Operator: "adaptive_avg_pool2d", Inputs: []any{image, []int64{1, 1}}, Want: []any{pooled}},
		{Domain: "mmdeploy", Operator: "MMCVRoIAlignRotated", Attributes: output, Inputs: []any{image, rotated}, Want: []any{pooled}},
		{Domain: "mmdeploy", Operator: "MMCVRoIAlignRotated", Attributes: append(output, "aligned", 0), Inputs: []any{image, rotated}, Error: "not moved by half an element"},
		{Domain: "mmdeploy", Operator: "NMSRotated", Attributes: thresholds, Inputs: []any{boxes, tensor([]int{1, 1, 2}, 0.5, 0.9)}, Want: []any{[][]int64{{0, 0, 1}}}},
		{Domain: "mmdeploy", Operator: "NMSRotated", Inputs: []any{boxes, tensor([]int{1, 1, 2}, 0.5, 0.9)}, Error: "attribute iou_threshold is missing"},
	} {
		c.Version, c.MaxRel, c.Static = 1, 1e-6, true
		s.Check(c)
	}
}
