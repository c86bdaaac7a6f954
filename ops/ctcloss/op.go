// Package ctcloss computes how unlikely labels are, given what a network says of each
// step.
//
//	output[b] = -ln of the sum, over all ways to spread labels[b, :label_length[b]]
//	over logit_length[b] steps, of the product of softmax(logits[b, t, :])[label of t]
//
// where blank_index, the last class where it is missing, may stand between labels.
// Versions: CTCLoss-4. Attributes: preprocess_collapse_repeated, false where it is
// missing, whether equal labels that follow each other are one; ctc_merge_repeated,
// true where it is missing, whether equal classes of steps that follow each other are
// one label; unique, false where it is missing, whether labels are made unique first.
// Inputs: logits of shape [N, T, C], of floats; logit_length of shape [N], labels of
// shape [N, T] and label_length of shape [N], and optionally the scalar blank_index,
// of types of integers. Output: the type of logits, of shape [N].
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
