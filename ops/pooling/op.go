// Package pooling computes the maximum or the mean of a window that slides over
// the spatial axes of a tensor.
//
//	MaxPool output[n,c,y...] = max over k... of data[n,c,y*strides+k*dilations-pads_begin...]
//	AvgPool output[n,c,y...] = mean over the same elements
//
// in one, two and three dimensions, over the elements that lie in data. AvgPool
// with exclude-pad false counts the padding as zeros, but not what lies beyond it; with
// true, or where it is missing, a window must not lie in the padding alone.
// A window that meets no element gives the lowest finite value of the type, or 0
// for AvgPool. MaxPool propagates NaN.
//
// Versions: MaxPool-1; MaxPool-8, with dilations and a second output, the places
// of the maxima in data flattened from attribute axis on, the first of equals;
// MaxPool-14 and AvgPool-14, with rounding_type ceil_torch; AvgPool-1; AvgPool-16,
// with dilations. Input: data [N,C,spatial...] of rank 3 to 5 and type T. Outputs:
// [N,C,spatial...]. T: f32, f64, f16, bf16, and i8 to i64, u8 to u64 for MaxPool.
//
// Attributes: kernel, required; strides, dilations, pads_begin, pads_end and auto_pad
// as for a convolution, but that strides are required; exclude-pad of AvgPool;
// rounding_type floor, where it is missing, ceil, or ceil_torch, which leaves out a
// window that starts in the padding at the end; index_element_type i64, where it is
// missing, or i32; axis, 0 where it is missing.
//
// Errors: a window that is longer than the padded input or, for AvgPool with
// exclude-pad, than which the padding is not shorter; an axis beyond the rank of data.
//
// Specification: OpenVINO operation set, pooling, AvgPool-1, AvgPool-14, AvgPool-16,
// MaxPool-1, MaxPool-8 and MaxPool-14.
package pooling

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	pool("AvgPool", 1, floatTypes),
	pool("AvgPool", 14, floatTypes),
	pool("AvgPool", 16, floatTypes),
	pool("MaxPool", 1, numberTypes),
	pool("MaxPool", 8, numberTypes),
	pool("MaxPool", 14, numberTypes),
}

var (
	floatTypes  = []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}
	numberTypes = []ir.ElementType{
		ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
	}
)

type attributes struct {
	window.Attributes
	kernel     []int64
	mean       bool
	excludePad bool
	indexType  ir.ElementType // of output 1; Dynamic where the version has none
	axis       int64
}

func pool(name string, version int, types []ir.ElementType) ops.Op {
	return ops.Op{
		Type: name, Version: version,
		Inputs:     ops.Exactly(1),
		Types:      types,
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, name == "AvgPool", version) },
		Infer:      infer,
		Fusion:     ops.Fusion{Applies: true},
		Prepare:    prepare,
	}
}

func parse(a *ir.Attributes, mean bool, version int) (any, error) {
	a.Expect("kernel")
	at := &attributes{Attributes: window.Parse(a), kernel: window.Sizes(a, "kernel"), mean: mean}
	roundings := []string{"floor", "ceil", "ceil_torch"}
	if version < 14 {
		roundings = roundings[:2]
	}
	at.Rounding = a.Enum("rounding_type", "floor", roundings...)
	if mean {
		a.Expect("exclude-pad")
		at.excludePad = a.Bool("exclude-pad", true)
	}
	if version >= 16 || !mean && version >= 8 {
		at.Dilations = window.Sizes(a, "dilations")
	}
	if at.AutoPad == "explicit" { // unlike those of a convolution, the pads are not negative
		window.Pads(a, "pads_begin")
		window.Pads(a, "pads_end")
	}
	if !mean && version >= 8 {
		at.indexType = check.IndexAttribute(a, "index_element_type", ir.I64)
		at.axis = a.Int("axis", 0)
	}
	return at, a.Err()
}
