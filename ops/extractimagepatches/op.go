// Package extractimagepatches moves the elements of windows of an image into its channels.
//
//	output[n,(i*cols+j)*C+c,y,x] = image[n,c,y*strides+i*rates-pad,x*strides+j*rates-pad]
//
// i and j count the elements of a window of sizes [rows,cols].
//
// Versions: ExtractImagePatches-3.
//
// Input: image [N,C,H,W] of any element type.
//
// Output: [N,C*rows*cols,OH,OW] of the type of image. A window that is longer than the image has no
// place in it: OH or OW is 0.
//
// pad is 0 if auto_pad is valid. Otherwise it is half of the elements that the last window lacks;
// an odd element is at the end for same_upper, and at the beginning for same_lower. Elements of a
// window outside of image are 0, or empty strings.
//
// Attributes, without defaults: sizes, strides and rates, each with two elements, for the rows and
// for the columns; auto_pad, which is valid, same_upper or same_lower.
//
// Specification: OpenVINO operation set, movement, ExtractImagePatches-3.
package extractimagepatches

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ExtractImagePatches", Version: 3,
	Inputs:     ops.Exactly(1),
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

type attributes struct {
	sizes, strides, rates []int64 // for the rows and for the columns
	autoPad               string
}

func parse(a *ir.Attributes) (any, error) {
	at := &attributes{autoPad: a.Enum("auto_pad", "explicit", "explicit", "same_upper", "same_lower", "valid")}
	if at.autoPad == "explicit" {
		a.Fail("auto_pad", "explicit is not allowed, expected valid, same_upper or same_lower")
	}
	for _, list := range []struct {
		name string
		to   *[]int64
	}{{"sizes", &at.sizes}, {"strides", &at.strides}, {"rates", &at.rates}} {
		if *list.to = window.Sizes(a, list.name); len(*list.to) != 2 {
			a.Fail(list.name, "%d elements, expected 2, for the rows and for the columns", len(*list.to))
		}
	}
	return at, a.Err()
}
