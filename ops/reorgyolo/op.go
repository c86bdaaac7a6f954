// Package reorgyolo moves blocks of rows and columns into the channels.
//
//	output[i] = image[n, c mod K, y*stride + b div stride, x*stride + b mod stride]
//
// i counts the elements of data in the order n, c, y, x. image is data reshaped to
// [N,K,H*stride,W*stride], K is C/(stride*stride), and b is c div K.
//
// Versions: ReorgYolo-2.
//
// Input: data [N,C,H,W] of any element type.
//
// Output: [N,C*stride*stride,H/stride,W/stride] of the type of data.
//
// Attributes: stride, without a default, a list whose first element is used.
//
// Errors: a stride that does not divide H or W, and fewer channels than stride*stride. When the
// layer runs, also channels that are no multiple of stride*stride, for which data cannot be
// reshaped: OpenVINO then reads elements of other rows and of other images.
//
// Specification: OpenVINO operation set, detection, ReorgYolo-1. Files have it in opset2.
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
	Prepare:    prepare,
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
