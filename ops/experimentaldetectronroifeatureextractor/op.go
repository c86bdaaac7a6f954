// Package experimentaldetectronroifeatureextractor computes
// ExperimentalDetectronROIFeatureExtractor, which pools each region of interest from the level of a
// feature pyramid that suits its size.
//
//	features[r,c,y,x] = mean of samples of level k(r), channel c, in bin y, x of rois[r] / pyramid_scales[k(r)]
//	k(r) = floor(2 + log2(sqrt(area of rois[r]) / 224 + 0.000001)), limited to the levels
//
// Samples are those of ROIAlign: see there. In the level, a region has at least the size of an
// element.
//
// Versions: ExperimentalDetectronROIFeatureExtractor-6.
//
// Inputs, of one floating-point type T: rois [R,4], and one or more levels [1,C,H,W].
//
// Outputs, of type T: features [R,C,output_size,output_size] and rois [R,4].
//
// The kernel computes f32, f64, f16 and bf16; the 16-bit types are computed in float32 and rounded
// once.
//
// Attributes: output_size, sampling_ratio and pyramid_scales, without defaults in the
// specification; aligned, which moves the regions by half an element, false by default. With a
// sampling_ratio of 0 or less, a bin has a sample for each element that it covers along an axis.
//
// The features of a region whose area is not positive are 0, as in OpenVINO. A region whose
// coordinates are not finite is NaN where no position follows from them.
//
// Errors: levels that differ in C; fewer pyramid_scales than levels, or one that is less than 1;
// and a sampling_ratio above 65536.
//
// Specification: OpenVINO operation set, detection, ExperimentalDetectronROIFeatureExtractor-6.
package experimentaldetectronroifeatureextractor

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronROIFeatureExtractor", Version: 6,
	Inputs:     ops.AtLeast(2),
	Types:      sampling.Reals,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	outputSize, samplingRatio int64
	pyramidScales             []int64
	aligned                   bool
}

func parse(a *ir.Attributes) (any, error) {
	for _, name := range []string{"output_size", "sampling_ratio", "pyramid_scales"} {
		a.Expect(name)
	}
	return &attributes{
		outputSize: a.Int("output_size", 0), samplingRatio: a.Int("sampling_ratio", 0),
		pyramidScales: a.Ints("pyramid_scales"), aligned: a.Bool("aligned", false),
	}, a.Err()
}
