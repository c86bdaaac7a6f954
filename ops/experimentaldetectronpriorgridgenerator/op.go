// Package experimentaldetectronpriorgridgenerator lays prior boxes on a grid over an
// image.
//
// Versions: ExperimentalDetectronPriorGridGenerator-6. Inputs, of one floating-point
// type T: priors [P,4], feature_map [N,C,H,W] and im_data [N,C,H',W'], of which only
// the shapes count. Output, of type T: [H,W,P,4], or [H*W*P,4] with the attribute
// flatten. The other attributes are h, w, stride_x and stride_y, 0 by default, which
// stands for what the shapes say. Errors: an N of im_data that is not that of
// feature_map.
//
// The specification has flatten true where it is missing, OpenVINO has it false: so
// has this package, with a note.
//
// Specification: OpenVINO operation set, detection,
// ExperimentalDetectronPriorGridGenerator-6.
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
