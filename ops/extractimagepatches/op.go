// Package extractimagepatches infers ExtractImagePatches, which lays windows of an
// image side by side in its channels.
//
//	output[n,(i*cols+j)*C+c,y,x] = image[n,c,y*strides+i*rates-pad,x*strides+j*rates-pad]
//
// for the elements i, j of a window of sizes [rows,cols]. Versions:
// ExtractImagePatches-3. Input: image [N,C,H,W] of any type. Output:
// [N,C*rows*cols,OH,OW]. Attributes, all required: sizes, strides and rates, each
// the numbers of the rows and of the columns; auto_pad valid, same_upper or
// same_lower. A window that is longer than the image has no place in it.
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
}}

type attributes struct {
	sizes, strides, rates []int64 // of rows and of columns
	autoPad               string
}

func parse(a *ir.Attributes) (any, error) {
	at := &attributes{autoPad: a.Enum("auto_pad", "explicit", "explicit", "same_upper", "same_lower", "valid")}
	if at.autoPad == "explicit" {
		a.Fail("auto_pad", "explicit says no padding, expected valid, same_upper or same_lower")
	}
	for _, list := range []struct {
		name string
		to   *[]int64
	}{{"sizes", &at.sizes}, {"strides", &at.strides}, {"rates", &at.rates}} {
		if *list.to = window.Sizes(a, list.name); len(*list.to) != 2 {
			a.Fail(list.name, "%d elements, expected those of the rows and of the columns", len(*list.to))
		}
	}
	return at, a.Err()
}
