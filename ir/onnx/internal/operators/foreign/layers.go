package foreign

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// layer is an operator that is a layer of OpenVINO.
type layer struct {
	operator string
	opset    int
	inputs   infer.Arity
	outputs  int
	// The names of the attributes, by their types. Those that a node does not have are left out.
	bools, ints, floats, texts, intLists, floatLists []string
}

// layers are sorted by name.
var layers = []layer{
	{
		operator: "DetectionOutput", opset: 1, inputs: infer.Arity{Min: 3, Max: 5}, outputs: 1,
		bools: []string{"variance_encoded_in_target", "share_location", "clip_after_nms", "clip_before_nms", "decrease_label_id", "normalized"},
		ints:  []string{"num_classes", "background_label_id", "top_k", "input_height", "input_width"}, intLists: []string{"keep_top_k"},
		floats: []string{"nms_threshold", "confidence_threshold", "objectness_score"}, texts: []string{"code_type"},
	},
	{
		operator: "ExperimentalDetectronDetectionOutput", opset: 6, inputs: infer.Arity{Min: 4, Max: 4}, outputs: 3,
		bools: []string{"class_agnostic_box_regression"}, ints: []string{"num_classes", "post_nms_count", "max_detections_per_image"},
		floats: []string{"score_threshold", "nms_threshold", "max_delta_log_wh"}, floatLists: []string{"deltas_weights"},
	},
	{
		operator: "ExperimentalDetectronGenerateProposalsSingleImage", opset: 6, inputs: infer.Arity{Min: 4, Max: 4}, outputs: 2,
		ints: []string{"post_nms_count", "pre_nms_count"}, floats: []string{"min_size", "nms_threshold"},
	},
	{
		operator: "ExperimentalDetectronPriorGridGenerator", opset: 6, inputs: infer.Arity{Min: 3, Max: 3}, outputs: 1,
		bools: []string{"flatten"}, ints: []string{"h", "w"}, floats: []string{"stride_x", "stride_y"},
	},
	{
		operator: "ExperimentalDetectronROIFeatureExtractor", opset: 6, inputs: infer.Arity{Min: 2, Max: -1}, outputs: 2,
		bools: []string{"aligned"}, ints: []string{"output_size", "sampling_ratio"}, intLists: []string{"pyramid_scales"},
	},
	{
		operator: "ExperimentalDetectronTopKROIs", opset: 6, inputs: infer.Arity{Min: 2, Max: 2}, outputs: 1,
		ints: []string{"max_rois"},
	},
	{operator: "FakeQuantize", opset: 1, inputs: infer.Arity{Min: 5, Max: 5}, outputs: 1, ints: []string{"levels"}},
}

// convert adds the layer.
func (l *layer) convert(n *convert.Node) []convert.Value {
	var list []any
	add := func(names []string, value func(name string) any) {
		for _, name := range names {
			if n.HasAttribute(name) {
				list = append(list, name, value(name))
			}
		}
	}
	add(l.bools, func(name string) any { return n.Bool(name, false) })
	add(l.ints, func(name string) any { return n.Int(name, 0) })
	add(l.floats, func(name string) any { return n.Float(name, 0) })
	add(l.texts, func(name string) any { return n.Text(name, "") })
	add(l.intLists, func(name string) any { return n.IntList(name) })
	add(l.floatLists, func(name string) any { return n.FloatList(name) })
	first := n.Layer(l.operator, l.opset, convert.Attributes(list...), n.Inputs()...)
	if n.Failed() {
		return nil
	}
	outputs := make([]convert.Value, l.outputs)
	for i := range outputs {
		outputs[i] = first.Output(i)
	}
	return outputs
}
