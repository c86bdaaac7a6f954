// Package experimentaldetectrontopkrois picks the regions of interest of the highest
// probabilities.
//
// Versions: ExperimentalDetectronTopKROIs-6. Inputs, of one floating-point type T:
// rois [R,4] and their probabilities [R]. Output, of type T: [max_rois,4], in falling
// order of probability; rows beyond R are not defined. The attribute max_rois is 0 by
// default. Errors: an R that differs between the inputs.
//
// Specification: OpenVINO operation set, sorting and maximization,
// ExperimentalDetectronTopKROIs-6.
package experimentaldetectrontopkrois

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronTopKROIs", Version: 6,
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	maxROIs int64
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Int("max_rois", 0)}, a.Err()
}
