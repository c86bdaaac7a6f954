// Package foreign converts operators of other projects that OpenVINO reads too: those of the
// domains org.openvinotoolkit, mmdeploy and org.pytorch.aten, and ATen of old files without a
// domain. Most are layers of OpenVINO, whose attributes have the same names.
package foreign

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Domains of operators.
const (
	openvino = "org.openvinotoolkit"
	mmdeploy = "mmdeploy"
	aten     = "org.pytorch.aten"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}
	rule := func(domain, operator string, inputs, outputs infer.Arity, f func(*convert.Node) []convert.Value) convert.Rule {
		return convert.Rule{Domain: domain, Operator: operator, Versions: []int{1}, Inputs: inputs, Outputs: outputs, Convert: f}
	}
	rules := []convert.Rule{
		rule(mmdeploy, "MMCVRoIAlignRotated", two, one, roiAlignRotated),
		rule(mmdeploy, "NMSRotated", two, one, nmsRotated),
		rule(openvino, "DeformableConv2D", infer.Arity{Min: 3, Max: 4}, one, deformableConvolution),
		rule(openvino, "ExperimentalDetectronGroupNorm", infer.Arity{Min: 3, Max: 3}, one, groupNorm),
		rule(openvino, "GenerateProposals", infer.Arity{Min: 4, Max: 4}, infer.Arity{Min: 1, Max: 3}, generateProposals),
		rule(openvino, "GroupNorm", infer.Arity{Min: 3, Max: 3}, one, groupNorm),
		rule(openvino, "Normalize", two, one, normalize),
		rule(openvino, "PriorBox", two, one, priorBox),
		rule(openvino, "PriorBoxClustered", two, one, priorBoxClustered),
		rule(openvino, "Swish", infer.Arity{Min: 1, Max: 2}, one, swish),
		rule("", "ATen", infer.Arity{Min: 2, Max: 4}, infer.Arity{Min: 1, Max: 4}, atenOperator),
		rule(aten, "ATen", infer.Arity{Min: 2, Max: 4}, infer.Arity{Min: 1, Max: 4}, atenOperator),
		rule(aten, "adaptive_avg_pool2d", two, one, adaptivePool),
	}
	for i := range layers {
		l := &layers[i]
		rules = append(rules, rule(openvino, l.operator, l.inputs, infer.Arity{Min: 1, Max: l.outputs}, l.convert))
	}
	return rules
}

// swish is x * sigmoid(beta*x), where beta is 1 by default.
func swish(n *convert.Node) []convert.Value {
	inputs := []convert.Value{n.Input(0)}
	if n.Has(1) {
		inputs = append(inputs, arithmetic.Scalar(n, n.Input(1)))
	}
	return []convert.Value{n.Layer("Swish", 4, nil, inputs...)}
}

// groupNorm normalizes groups of channels.
func groupNorm(n *convert.Node) []convert.Value {
	n.RequireAttribute("num_groups")
	attributes := convert.Attributes("num_groups", n.Int("num_groups", 1), "epsilon", n.Float("eps", 1e-6))
	channels := n.IntValues(-1)
	return []convert.Value{n.Layer("GroupNormalization", 12, attributes, n.Input(0), n.Reshape(n.Input(1), channels, false), n.Reshape(n.Input(2), channels, false))}
}

// nmsRotated selects rotated boxes, without a limit of their number.
func nmsRotated(n *convert.Node) []convert.Value {
	n.RequireAttribute("iou_threshold")
	n.RequireAttribute("score_threshold")
	attributes := convert.Attributes("sort_result_descending", false, "output_type", ir.I64, "clockwise", true)
	iou, score := n.Scalar(ir.F32, float64(n.Float("iou_threshold", 0))), n.Scalar(ir.F32, float64(n.Float("score_threshold", 0)))
	return []convert.Value{n.Layer("NMSRotated", 13, attributes, n.Input(0), n.Input(1), n.IntValue(math.MaxInt64), iou, score)}
}

// roiAlignRotated pools rotated regions, each of which starts with the number of its image.
func roiAlignRotated(n *convert.Node) []convert.Value {
	for _, name := range []string{"output_height", "output_width"} {
		n.RequireAttribute(name)
	}
	if !n.Bool("aligned", true) {
		n.Unsupported("samples that are not moved by half an element")
		return nil
	}
	rois := n.Input(1)
	images := n.Convert(n.Squeeze(n.Slice(rois, 1, 0, 1), 1), ir.I64)
	attributes := convert.Attributes("pooled_h", n.Int("output_height", 0), "pooled_w", n.Int("output_width", 0),
		"sampling_ratio", n.Int("sampling_ratio", 0), "spatial_scale", n.Float("spatial_scale", 1), "clockwise_mode", n.Bool("clockwise", false))
	return []convert.Value{n.Layer("ROIAlignRotated", 15, attributes, n.Input(0), n.Slice(rois, 1, 1, math.MaxInt64), images)}
}
