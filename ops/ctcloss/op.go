// Package ctcloss computes CTCLoss, the negative log-likelihood of labels, given the class scores
// of each step.
//
//	output[b] = -ln(sum over alignments of the product over t of softmax(logits[b, t, :])[class of t])
//
// An alignment spreads labels[b, :label_length[b]] over the steps t < logit_length[b]. Blanks
// may separate the labels.
//
// Versions: CTCLoss-4.
//
// Inputs:
//   - logits [N, T, C] of type f32, f64, f16 or bf16. All are computed in float64, except that the
//     exponentials of the 16-bit types and f32 are rounded to float32.
//   - logit_length [N], labels [N, T] and label_length [N] of integer types.
//   - blank_index, optional: a scalar of an integer type. It is the class of the blank, by default
//     the last class.
//
// Output: [N] of the type of logits.
//
// Attributes:
//   - preprocess_collapse_repeated, false by default: equal labels in a row count as one.
//   - ctc_merge_repeated, true by default: equal classes of steps in a row count as one label.
//   - unique, false by default: labels are made unique first. The first one of equal labels stays.
//
// The loss is infinite if no alignment fits, and 0 for a logit_length of 0. It is NaN if one of the
// steps has a logit that is NaN or infinity, or only logits of -infinity. A label that equals the
// blank is treated as in OpenVINO: no alignment skips from it to the next label.
//
// Errors: lengths N and T that differ between the inputs; before running also logits without
// classes; in a run, a logit_length that is negative or above T, a label_length that is negative or
// above the logit_length, and a label or blank_index that is no class.
//
// Specification: OpenVINO operation set, sequence processing, CTCLoss-4.
package ctcloss

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "CTCLoss", Version: 4,
	Inputs:     ops.Between(4, 5),
	Types:      floats.Types,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
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
