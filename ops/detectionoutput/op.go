// Package detectionoutput makes the list of the objects that an SSD network has
// found, out of its scores and its boxes relative to prior boxes.
//
// Versions: DetectionOutput-1, and DetectionOutput-8, which finds the number of
// classes by itself and has no attribute num_classes. Inputs: box_logits
// [N,priors*L*4], where L is 1, or classes with share_location false; class_preds
// [N,priors*classes] of the same type T; proposals [N or 1,1 or 2,priors*4 or *5],
// of another floating-point type maybe, where the second axis is of length 1 with
// variance_encoded_in_target, and the last counts 4 coordinates, or 5 with normalized
// false; and, both or none, aux_class_preds [N,priors*2] and aux_box_preds
// [N,priors*L*4] of type T. Output: [1,1,S,7] of type T, where S is
//
//	N * keep_top_k[0]        if keep_top_k[0] is above 0
//	N * top_k * classes      if keep_top_k[0] is -1 and top_k above 0
//	N * priors * classes     otherwise
//
// T: every floating-point type. Attributes without a default: num_classes, keep_top_k
// and nms_threshold. By default top_k is -1, share_location true, normalized and
// variance_encoded_in_target false, background_label_id 0, code_type
// caffe.PriorBoxParameter.CORNER (the other is .CENTER_SIZE), confidence_threshold and
// objectness_score 0, clip_after_nms, clip_before_nms and decrease_label_id false,
// input_height and input_width 1.
//
// Errors: lengths that do not come of one N, number of priors and number of classes.
//
// Specification: OpenVINO operation set, detection, DetectionOutput-1,
// DetectionOutput-8.
package detectionoutput

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{detectionOutput(1), detectionOutput(8)}

func detectionOutput(version int) ops.Op {
	return ops.Op{
		Type: "DetectionOutput", Version: version,
		Inputs:     ops.Between(3, 5),
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Infer:      infer,
	}
}

type attributes struct {
	classes                 int64 // 0 where the inputs tell it
	topK, keepTopK          int64
	shareLocation           bool
	priorSize, proposalRows int64
}

func parse(a *ir.Attributes, version int) (any, error) {
	at := &attributes{
		topK:          detection.Int32(a, "top_k", -1),
		shareLocation: a.Bool("share_location", true),
		priorSize:     5,
		proposalRows:  2,
	}
	if version == 1 {
		a.Expect("num_classes")
		if at.classes = detection.Int32(a, "num_classes", 0); at.classes <= 0 {
			a.Fail("num_classes", "%d is not above 0", at.classes)
		}
	}
	if a.Bool("normalized", false) {
		at.priorSize = 4
	}
	if a.Bool("variance_encoded_in_target", false) {
		at.proposalRows = 1
	}
	keep := a.Ints("keep_top_k")
	if len(keep) == 0 {
		a.Fail("keep_top_k", "one number is needed")
	} else {
		at.keepTopK = keep[0]
	}
	for _, k := range keep {
		if k < math.MinInt32 || k > math.MaxInt32 {
			a.Fail("keep_top_k", "%d is not a 32-bit number", k)
		}
	}
	parseRest(a)
	return at, a.Err()
}

// parseRest checks the attributes that shapes do not depend on.
func parseRest(a *ir.Attributes) {
	const corner, centerSize = "caffe.PriorBoxParameter.CORNER", "caffe.PriorBoxParameter.CENTER_SIZE"
	if code := a.String("code_type", corner); code != corner && code != centerSize {
		a.Fail("code_type", "%q is neither %s nor %s", code, corner, centerSize)
	}
	a.Expect("nms_threshold")
	for _, name := range []string{"nms_threshold", "confidence_threshold", "objectness_score"} {
		a.Float(name, 0)
	}
	for _, name := range []string{"clip_after_nms", "clip_before_nms", "decrease_label_id"} {
		a.Bool(name, false)
	}
	a.Int("background_label_id", 0)
	a.Int("input_height", 1)
	a.Int("input_width", 1)
}
