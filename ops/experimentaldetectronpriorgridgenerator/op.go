// Package experimentaldetectronpriorgridgenerator infers ExperimentalDetectronPriorGridGenerator,
// which lays prior boxes on a grid over an image.
//
// Versions: ExperimentalDetectronPriorGridGenerator-6.
//
// Inputs, of one floating-point type T: priors [P,4], feature_map [N,C,H,W] and im_data
// [N,C,H',W']. The layer reads only the shapes of feature_map and im_data.
//
// Output: [H*W*P,4] of type T if the attribute flatten is true, and [H,W,P,4] otherwise.
//
// Attributes: flatten, false by default as in OpenVINO, although the specification has true; a note
// reports that it is missing. h, w, stride_x and stride_y are 0 by default, which means that the
// shapes determine them.
//
// Errors: an N that differs between feature_map and im_data.
//
// Specification: OpenVINO operation set, detection, ExperimentalDetectronPriorGridGenerator-6.
package experimentaldetectronpriorgridgenerator

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronPriorGridGenerator", Version: 6,
	Inputs:     ops.Exactly(3),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	flatten bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("flatten")
	for _, name := range []string{"h", "w"} {
		a.Int(name, 0)
	}
	for _, name := range []string{"stride_x", "stride_y"} {
		a.Float(name, 0)
	}
	return attributes{a.Bool("flatten", false)}, a.Err()
}
