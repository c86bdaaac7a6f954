// Package col2im adds the columns of windows to the image that they were taken from. It is the
// transpose of im2col.
//
//	output[n,c,y,x] = sum of data[n,(c*KH+i)*KW+j,l]
//
// The sum is over all elements i, j of a window of kernel_size [KH,KW], and over all places l of
// the window at which element i, j lies on y, x.
//
// Versions: Col2Im-15.
//
// Inputs: data [N,C*KH*KW,L] or [C*KH*KW,L] of a numeric type; output_size [2], the height and
// width of the image; kernel_size [2]. output_size and kernel_size are both i32 or both i64.
//
// Output: [N,C,H,W] or [C,H,W] of the type of data. An element that lies in no window is 0. The
// elements of a sum are added in the order of i and j. Sums of integers wrap; those of f16 and bf16
// are computed in float32 and rounded once.
//
// Attributes: strides and dilations, 1 by default; pads_begin and pads_end, 0 by default. Each has
// two elements, for the rows and for the columns.
//
// Errors: a number of channels that is not a multiple of KH*KW, and an L that is not the number of
// places of the window in the padded image.
//
// Specification: OpenVINO operation set, movement, Col2Im-15.
package col2im

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Col2Im", Version: 15,
	Inputs:     ops.Exactly(3),
	Attributes: parse,
	Values:     []int{1, 2},
	Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64},
	Infer:      infer,
	Prepare:    widened.Prepare(slices.Concat(widened.Halves, widened.Small), prepare, 0),
}}

// attributes are the parsed attributes, each for the rows and for the columns.
type attributes struct {
	strides, dilations, padsBegin, padsEnd [2]int64
}

func parse(a *ir.Attributes) (any, error) {
	at := &attributes{
		strides:   pair(a, "strides", 1, window.Sizes(a, "strides")),
		dilations: pair(a, "dilations", 1, window.Sizes(a, "dilations")),
		padsBegin: pair(a, "pads_begin", 0, window.Pads(a, "pads_begin")),
		padsEnd:   pair(a, "pads_end", 0, window.Pads(a, "pads_end")),
	}
	return at, a.Err()
}

// pair returns the two elements of list, the value of attribute name, or def twice if list is
// empty.
func pair(a *ir.Attributes, name string, def int64, list []int64) [2]int64 {
	if len(list) == 0 {
		return [2]int64{def, def}
	}
	if len(list) != 2 {
		a.Fail(name, "%d elements, expected 2, for the rows and for the columns", len(list))
		return [2]int64{def, def}
	}
	return [2]int64(list)
}
