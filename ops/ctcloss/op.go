// Package ctcloss infers CTCLoss, the negative log-likelihood of labels, given the class scores of
// each step.
//
//	output[b] = -ln(sum over alignments of the product over t of softmax(logits[b, t, :])[class of t])
//
// An alignment spreads labels[b, :label_length[b]] over the steps t < logit_length[b]. Blanks
// may separate the labels.
//
// Versions: CTCLoss-4.
//
// Inputs:
//   - logits [N, T, C] of a floating-point type.
//   - logit_length [N], labels [N, T] and label_length [N] of integer types.
//   - blank_index, optional: a scalar of an integer type. It is the class of the blank, by default the
//     last class.
//
// Output: [N] of the type of logits.
//
// Attributes:
//   - preprocess_collapse_repeated, false by default: equal labels in a row count as one.
//   - ctc_merge_repeated, true by default: equal classes of steps in a row count as one label.
//   - unique, false by default: labels are made unique first.
//
// Specification: OpenVINO operation set, sequence processing, CTCLoss-4.
package ctcloss

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "CTCLoss", Version: 4,
	Inputs:     ops.Between(4, 5),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	collapse, merge, unique bool
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{
		collapse: a.Bool("preprocess_collapse_repeated", false),
		merge:    a.Bool("ctc_merge_repeated", true),
		unique:   a.Bool("unique", false),
	}, a.Err()
}
