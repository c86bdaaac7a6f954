// Package experimentaldetectronroifeatureextractor infers ExperimentalDetectronROIFeatureExtractor,
// which pools each region of interest from the level of a feature pyramid that suits its size.
//
// Versions: ExperimentalDetectronROIFeatureExtractor-6.
//
// Inputs, of one floating-point type T: rois [R,4], and one or more levels [1,C,H,W].
//
// Outputs, of type T: features [R,C,output_size,output_size] and rois [R,4].
//
// Attributes: output_size, sampling_ratio and pyramid_scales, without defaults in the
// specification; aligned, false by default.
//
// Errors: levels that differ in C.
//
// Specification: OpenVINO operation set, detection, ExperimentalDetectronROIFeatureExtractor-6.
package experimentaldetectronroifeatureextractor

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronROIFeatureExtractor", Version: 6,
	Inputs:     ops.AtLeast(2),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	outputSize int64
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{"output_size", "sampling_ratio", "pyramid_scales"} {
		a.Expect(name)
	}
	a.Int("sampling_ratio", 0)
	a.Ints("pyramid_scales")
	a.Bool("aligned", false)
	return attributes{a.Int("output_size", 0)}, a.Err()
}
