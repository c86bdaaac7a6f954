// Package experimentaldetectronpriorgridgenerator computes ExperimentalDetectronPriorGridGenerator,
// which lays prior boxes on a grid over an image.
//
// Versions: ExperimentalDetectronPriorGridGenerator-6.
//
// Inputs, of one type T, f32, f64, f16 or bf16: priors [P,4], feature_map [N,C,H,W] and im_data
// [N,C,H',W']. The layer reads only the shapes of feature_map and im_data.
//
// Output: [H*W*P,4] of type T if the attribute flatten is true, and [H,W,P,4] otherwise.
//
//	output[h, w, i, :] = priors[i, :] + [x, y, x, y],   x = (w+0.5)*stride_x, y = (h+0.5)*stride_y
//
// f16 and bf16 are computed in float32 and rounded once.
//
// Attributes: flatten, false by default as in OpenVINO, although the specification has true; a note
// reports that it is missing. h, w, stride_x and stride_y are 0 by default, which means that the
// shapes determine them: H, W, W'/W and H'/H.
//
// Errors: an N that differs between feature_map and im_data; before running also an h or w that is
// not 0 and differs from H or W, which determine the shape of the output.
//
// Specification: OpenVINO operation set, detection, ExperimentalDetectronPriorGridGenerator-6.
package experimentaldetectronpriorgridgenerator

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExperimentalDetectronPriorGridGenerator", Version: 6,
	Inputs:     ops.Exactly(3),
	Types:      floats.Types,
	Attributes: parse,
	Infer:      infer,
	Prepare:    widened.Prepare(widened.Halves, prepare, 0),
}}

type attributes struct {
	flatten          bool
	height, width    int64   // 0: those of feature_map
	strideX, strideY float64 // 0: those that the shapes determine
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("flatten")
	return attributes{
		flatten: a.Bool("flatten", false),
		height:  a.Int("h", 0), width: a.Int("w", 0),
		strideX: a.Float("stride_x", 0), strideY: a.Float("stride_y", 0),
	}, a.Err()
}
