// Package detectionoutput computes DetectionOutput, which makes the list of detected objects from
// the scores of an SSD network and from its boxes, which are relative to prior boxes.
//
//	box of a prior and a class: the prior, moved by box_logits times its variances
//	candidates of a class: priors with score > confidence_threshold, the top_k highest scores
//	select each candidate unless its IoU with a selected box of the class is > nms_threshold
//	keep the keep_top_k selected boxes of an image with the highest scores
//
// With decrease_label_id, each prior is a candidate only for the class, other than 0, with its
// highest score, if that is >= confidence_threshold, and top_k limits the candidates of an image.
// With aux_box_preds, each prior is first moved by those. If the second score of a prior in
// aux_class_preds is below objectness_score, all its scores are 0.
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
// If normalized is false, coordinates are divided by input_width and input_height, both times if
// there are aux_box_preds, and the priors end before the first one whose first number is -1.
//
// Output: [1,1,S,7] of type T, with image, class (less 1 with decrease_label_id), score and the
// corners of a box. The rows are in the order of images, classes and scores. The row after the last
// box starts with -1; all other numbers are 0. S is
//
//	N * keep_top_k[0]        if keep_top_k[0] is above 0
//	N * top_k * classes      if keep_top_k[0] is -1 and top_k is above 0
//	N * priors * classes     otherwise
//
// T is any floating-point type. f16 and bf16 are computed in f32.
//
// Borders: equal scores are in the order of priors, with decrease_label_id first of classes.
// keep_top_k takes them in the order of priors, then of classes. A score of NaN is above no
// threshold. Boxes that are NaN overlap nothing. Of keep_top_k, only the first number counts; below
// 0 it means all.
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
// Errors: lengths that do not agree on N, the number of priors and the number of classes; a top_k
// below -1; a background_label_id other than 0 with decrease_label_id; an input_width or
// input_height of 0 if normalized is false.
//
// Specification: OpenVINO operation set, detection, DetectionOutput-1, DetectionOutput-8.
package detectionoutput

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{detectionOutput(1), detectionOutput(8)}

func detectionOutput(version int) ops.Op {
	return ops.Op{
		Type: "DetectionOutput", Version: version,
		Inputs:     ops.Between(3, 5),
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Types:      floats.Types,
		Infer:      infer,
		Prepare:    prepare,
	}
}

type attributes struct {
	classes                 int64 // 0 if the inputs determine it
	topK, keepTopK          int64
	shareLocation           bool
	priorSize, proposalRows int64 // the numbers of a prior, and the length of axis 1, in proposals

	normalized, centerSize, decreaseLabel, clipBefore, clipAfter bool
	overlap, confidence, objectness                              float32
	width, height                                                float32
	background                                                   int
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
	if at.normalized = a.Bool("normalized", false); at.normalized {
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
	at.parseRest(a)
	return at, a.Err()
}

// parseRest parses the attributes that do not affect shapes.
func (at *attributes) parseRest(a *ir.Attributes) {
	const corner, centerSize = "caffe.PriorBoxParameter.CORNER", "caffe.PriorBoxParameter.CENTER_SIZE"
	code := a.String("code_type", corner)
	if code != corner && code != centerSize {
		a.Fail("code_type", "%q is neither %s nor %s", code, corner, centerSize)
	}
	at.centerSize = code == centerSize
	a.Expect("nms_threshold")
	at.overlap = float32(a.Float("nms_threshold", 0))
	at.confidence = float32(a.Float("confidence_threshold", 0))
	at.objectness = float32(a.Float("objectness_score", 0))
	at.clipAfter = a.Bool("clip_after_nms", false)
	at.clipBefore = a.Bool("clip_before_nms", false)
	at.decreaseLabel = a.Bool("decrease_label_id", false)
	at.background = int(detection.Int32(a, "background_label_id", 0))
	at.height = float32(detection.Int32(a, "input_height", 1))
	at.width = float32(detection.Int32(a, "input_width", 1))
}
