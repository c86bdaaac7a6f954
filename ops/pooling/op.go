// Package pooling computes the maximum or the mean of a window that slides over the spatial
// axes of a tensor:
//
//	MaxPool output[n,c,y...] = max over k... of data[n,c,y*strides+k*dilations-pads_begin...]
//	AvgPool output[n,c,y...] = mean over the same elements
//
// There are one, two or three spatial axes, and only elements within data count. If exclude-pad
// is false, AvgPool also counts the padding, as zeros, but not what is beyond it. If it is
// true, which is the default, a window must not lie in the padding alone. A window without
// elements yields the lowest finite value of the type, or 0 for AvgPool. MaxPool propagates
// NaN.
//
// Versions: MaxPool-1; MaxPool-8, which adds dilations and a second output; MaxPool-14 and
// AvgPool-14, which add rounding_type ceil_torch; AvgPool-1; AvgPool-16, which adds dilations. The
// second output holds the positions of the maxima, in data flattened from attribute axis on. Of
// equal elements the first one counts. Input: data [N,C,spatial...] of rank 3 to 5 and type T.
// Outputs: [N,C,spatial...]. T: f32, f64, f16, bf16, i8 to i64 and u8 to u64. Means of integers are
// computed in float32 and rounded to the nearest, halves to even, as in OpenVINO.
//
// Attributes: kernel, required; strides, required; dilations, pads_begin, pads_end and auto_pad
// as for a convolution; exclude-pad of AvgPool; rounding_type: floor, which is the default,
// ceil, or ceil_torch, which leaves out a window that starts in the padding at the end;
// index_element_type: i64, which is the default, or i32; axis, by default 0.
//
// Errors: a window that is longer than the padded input; for AvgPool with exclude-pad, padding
// that is at least as long as the window; an axis that is out of range for the rank of data.
//
// Specification: OpenVINO operation set, pooling, AvgPool-1, AvgPool-14, AvgPool-16, MaxPool-1,
// MaxPool-8 and MaxPool-14.
package pooling

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/widened"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{
	pool("AvgPool", 1, widened.Rounded),
	pool("AvgPool", 14, widened.Rounded),
	pool("AvgPool", 16, widened.Rounded),
	pool("MaxPool", 1, maxima),
	pool("MaxPool", 8, maxima),
	pool("MaxPool", 14, maxima),
}

type attributes struct {
	window.Attributes
	kernel     []int64
	mean       bool
	excludePad bool
	indexType  ir.ElementType // of output 1; Dynamic if the version has no output 1
	axis       int64
}

func pool(name string, version int, conversions []widened.Conversion) ops.Op {
	return ops.Op{
		Type: name, Version: version,
		Inputs:     ops.Exactly(1),
		Types:      widened.RoundedTypes,
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, name == "AvgPool", version) },
		Infer:      infer,
		Fusion:     ops.Fusion{Applies: true},
		Traits:     ops.Traits{Selects: name == "MaxPool"},
		Prepare:    widened.Prepare(conversions, prepare, 0),
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
	if at.AutoPad == "explicit" { // unlike those of a convolution, these must not be negative
		window.Pads(a, "pads_begin")
		window.Pads(a, "pads_end")
	}
	if !mean && version >= 8 {
		at.indexType = check.IndexAttribute(a, "index_element_type", ir.I64)
		at.axis = a.Int("axis", 0)
	}
	return at, a.Err()
}
