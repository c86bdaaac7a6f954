package foreign

import (
	"strings"

	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// layer is an operator that is a layer of OpenVINO.
type layer struct {
	operator string
	opset    int
	inputs   infer.Arity
	outputs  int
	// attributes has the names and the defaults of the attributes, which alternate. The defaults
	// are those of OpenVINO's own reader, not those of the layer. Empty lists are left out.
	attributes []any
}

// layers are sorted by name.
var layers = []layer{
	{
		operator: "DetectionOutput", opset: 8, inputs: infer.Arity{Min: 3, Max: 5}, outputs: 1,
		attributes: []any{
			"background_label_id", 0, "top_k", -1, "variance_encoded_in_target", false, "keep_top_k", keepTopK, "code_type", codeType,
			"share_location", true, "nms_threshold", required, "confidence_threshold", float32(0), "clip_after_nms", false,
			"clip_before_nms", false, "decrease_label_id", false, "normalized", true, "input_height", 1, "input_width", 1,
			"objectness_score", float32(0),
		},
	},
	{
		operator: "ExperimentalDetectronDetectionOutput", opset: 6, inputs: infer.Arity{Min: 4, Max: 4}, outputs: 3,
		attributes: []any{
			"class_agnostic_box_regression", false, "num_classes", 81, "post_nms_count", 2000, "max_detections_per_image", 100,
			"score_threshold", float32(0.05), "nms_threshold", float32(0.5), "max_delta_log_wh", float32(4.135166556742356), // log(1000/16)
			"deltas_weights", []float32{10, 10, 5, 5},
		},
	},
	{
		operator: "ExperimentalDetectronGenerateProposalsSingleImage", opset: 6, inputs: infer.Arity{Min: 4, Max: 4}, outputs: 2,
		attributes: []any{"min_size", float32(0), "nms_threshold", float32(0.7), "post_nms_count", 1000, "pre_nms_count", 1000},
	},
	{
		operator: "ExperimentalDetectronPriorGridGenerator", opset: 6, inputs: infer.Arity{Min: 3, Max: 3}, outputs: 1,
		attributes: []any{"flatten", true, "h", 0, "w", 0, "stride_x", float32(0), "stride_y", float32(0)},
	},
	{
		operator: "ExperimentalDetectronROIFeatureExtractor", opset: 6, inputs: infer.Arity{Min: 2, Max: -1}, outputs: 2,
		attributes: []any{"output_size", 7, "sampling_ratio", 2, "aligned", false, "pyramid_scales", []int64{4, 8, 16, 32, 64}},
	},
	{
		operator: "ExperimentalDetectronTopKROIs", opset: 6, inputs: infer.Arity{Min: 2, Max: 2}, outputs: 1,
		attributes: []any{"max_rois", 1000},
	},
	{
		operator: "FakeQuantize", opset: 1, inputs: infer.Arity{Min: 5, Max: 5}, outputs: 1,
		attributes: []any{"levels", func(n *convert.Node, name string) any {
			n.RequireAttribute(name)
			return n.Int(name, 0)
		}},
	},
}

// convert adds the layer.
func (l *layer) convert(n *convert.Node) []convert.Value {
	first := n.Layer(l.operator, l.opset, convert.Attributes(values(n, l.attributes)...), n.Inputs()...)
	if n.Failed() {
		return nil
	}
	outputs := make([]convert.Value, l.outputs)
	for i := range outputs {
		outputs[i] = first.Output(i)
	}
	return outputs
}

// values returns names and values of attributes, for convert.Attributes, from names and defaults. A
// function in place of a default reads the attribute.
func values(n *convert.Node, attributes []any) (list []any) {
	for i := 0; i < len(attributes); i += 2 {
		name := attributes[i].(string)
		value, isThere := attributes[i+1], n.HasAttribute(name)
		switch def := value.(type) {
		case func(*convert.Node, string) any:
			value = def(n, name)
		case bool:
			value = n.Bool(name, def)
		case int:
			value = n.Int(name, int64(def))
		case float32:
			value = n.Float(name, def)
		case []int64:
			if isThere {
				value = n.IntList(name)
			}
		case []float32:
			if isThere {
				def = n.FloatList(name)
			}
			if value = def; len(def) == 0 {
				continue
			}
		}
		list = append(list, name, value)
	}
	return list
}

// required reads a float that has no default.
func required(n *convert.Node, name string) any {
	n.RequireAttribute(name)
	return n.Float(name, 0)
}

// keepTopK reads a number, which some files have as a list of one.
func keepTopK(n *convert.Node, name string) any {
	if n.IsList(name) {
		return n.IntList(name)
	}
	return n.Int(name, 1)
}

// codeType reads how boxes are written, which some files have without the name of the enumeration.
func codeType(n *convert.Node, name string) any {
	const prefix = "caffe.PriorBoxParameter."
	return prefix + strings.TrimPrefix(n.Text(name, "CORNER"), prefix)
}
