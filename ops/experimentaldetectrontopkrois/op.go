// Package experimentaldetectrontopkrois computes ExperimentalDetectronTopKROIs, which selects the
// regions of interest with the highest probabilities.
//
// Versions: ExperimentalDetectronTopKROIs-6.
//
// Inputs, of one type T, f32, f64, f16 or bf16: rois [R,4] and their probabilities [R].
//
// Output: [max_rois,4] of type T, in descending order of probability. Of equal probabilities, the
// first region comes first. NaN comes last. The specification leaves rows from R on undefined: they
// are 0.
//
// Attributes: max_rois, 0 by default.
//
// Errors: an R that differs between the inputs.
//
// Specification: OpenVINO operation set, sorting and maximization, ExperimentalDetectronTopKROIs-6.
package experimentaldetectrontopkrois

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronTopKROIs", Version: 6,
	Inputs:     ops.Exactly(2),
	Types:      floats.Types,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	maxROIs int64
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Int("max_rois", 0)}, a.Err()
}
