// Package reorgyolo infers ReorgYolo, which moves blocks of rows and columns into
// the channels.
//
//	output[i] = image[n, c mod K, y*stride + b div stride, x*stride + b mod stride]
//
// where i counts the elements of data by n, c, y, x, image is data taken for one of
// shape [N,K,H*stride,W*stride], K is C/(stride*stride) and b is c div K. Versions:
// ReorgYolo-2. Input: data [N,C,H,W] of any type. Output:
// [N,C*stride*stride,H/stride,W/stride].
//
// Attribute: stride, required, a list of which the first element counts. Errors: a
// stride that divides H or W with a remainder, fewer channels than stride*stride.
//
// Specification: OpenVINO operation set, detection, ReorgYolo-1, which XML writes
// with opset2.
package reorgyolo

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ReorgYolo", Version: 2,
	Inputs:     ops.Exactly(1),
	Attributes: parse,
	Infer:      infer,
}}

type attributes struct {
	stride int64
}

func parse(a *ir.Attributes) (any, error) {
	strides := window.Sizes(a, "stride")
	if len(strides) == 0 {
		a.Fail("stride", "missing")
		return nil, a.Err()
	}
	return attributes{strides[0]}, a.Err()
}
