// Package detectionoutput infers DetectionOutput, which makes the list of detected objects from the
// scores of an SSD network and from its boxes, which are relative to prior boxes.
//
// Versions: DetectionOutput-1; DetectionOutput-8, which finds the number of classes in the shapes
// of the inputs and has no attribute num_classes.
//
// Inputs:
//   - box_logits [N,priors*L*4] of type T. L is 1 if share_location is true, and the number of
//     classes otherwise.
//   - class_preds [N,priors*classes] of type T.
//   - proposals [N or 1,R,priors*P] of any floating-point type. R is 1 if
//     variance_encoded_in_target is true, and 2 otherwise. P is 4 if normalized is true, and 5
//     otherwise.
//   - aux_class_preds [N,priors*2] and aux_box_preds [N,priors*L*4] of type T. Both are connected,
//     or neither is.
//
// Output: [1,1,S,7] of type T, where S is
//
//	N * keep_top_k[0]        if keep_top_k[0] is above 0
//	N * top_k * classes      if keep_top_k[0] is -1 and top_k is above 0
//	N * priors * classes     otherwise
//
// T is any floating-point type.
//
// Attributes: num_classes, keep_top_k and nms_threshold have no default. The defaults of the others
// are:
//   - share_location: true.
//   - normalized, variance_encoded_in_target, clip_after_nms, clip_before_nms and
//     decrease_label_id: false.
//   - top_k: -1.
//   - background_label_id, confidence_threshold and objectness_score: 0.
//   - input_height and input_width: 1.
//   - code_type: caffe.PriorBoxParameter.CORNER. The other value is
//     caffe.PriorBoxParameter.CENTER_SIZE.
//
// Errors: lengths that do not agree on N, the number of priors and the number of classes.
//
// Specification: OpenVINO operation set, detection, DetectionOutput-1, DetectionOutput-8.
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
	classes                 int64 // 0 if the inputs determine it
	topK, keepTopK          int64
	shareLocation           bool
	priorSize, proposalRows int64 // the numbers of a prior, and the length of axis 1, in proposals
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

// parseRest checks the attributes that do not affect shapes.
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
