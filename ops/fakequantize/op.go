// Package fakequantize rounds floats to a number of levels, as a quantised model does.
//
//	output = output_low   if x <= min(input_low, input_high)
//	output = output_high  if x >  max(input_low, input_high)
//	output = round((x-input_low) / (input_high-input_low) * (levels-1)) /
//	         (levels-1) * (output_high-output_low) + output_low   otherwise
//
// Halves are rounded to even.
//
// Versions: FakeQuantize-1. Inputs: data x, and the limits input_low, input_high, output_low and
// output_high, which broadcast by auto_broadcast (see package autobroadcast). Output: the type and
// shape of data. Attributes: auto_broadcast, and levels, which is required. The specification asks
// for at least 2 levels; this is not checked.
//
// As in OpenVINO, the shape rule accepts any element types, and limits whose shape is larger than
// that of data. The kernel needs limits that broadcast to data, and one type for all inputs: f32,
// f64, f16, bf16 or integers. f16 and bf16 are computed in f32 and rounded once. So are integers,
// as in OpenVINO: to the nearest, halves to even, within the limits of the type.
//
// Quantize-vinoir, which only passes insert, returns the number of the level as u8, 0 to levels-1.
// The levels fall with data if high is below low:
//
//	output = round(clamp(x*scale - low*scale, 0, levels-1)), where scale = (levels-1) / (high-low)
//
// Where FakeQuantize rounds x in the middle of two levels, Quantize may return the other one, as
// its scale is rounded. NaN becomes 0. Inputs: data, f32; low and high, f32, of one element or of
// one for each element of axis 1 of data. Attribute: levels, 2 to 256.
//
// Dequantize-vinoir, which only passes insert, returns the numbers of levels:
//
//	output = low + data*step
//
// Inputs: data, u8; low and step, f32 of one element. Output: f32.
//
// DequantizeAdd-vinoir, which only passes insert, returns the sums of the numbers of two levels:
//
//	output = low + data[0]*step[0] + data[1]*step[1]
//
// Inputs: two data of the same shape, u8; low, f32 of one element; step, f32 of two
// elements. Output: f32.
//
// Specification: OpenVINO operation set, quantization, FakeQuantize-1.
package fakequantize

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/autobroadcast"
	"github.com/vinoir/vinoir/ops/internal/passes/integers"
	"github.com/vinoir/vinoir/ops/internal/passes/quantization"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "FakeQuantize", Version: 1,
		Inputs:     ops.Exactly(5),
		Types:      widened.RoundedTypes,
		Attributes: parse,
		Infer:      infer,
		Memory:     ops.Memory{InPlace: []int{0}},
		Prepare:    prepare,
		Passes:     []ops.Pass{{Name: "MergeQuantization", Run: quantization.MergeQuantization}},
	},
	{
		Type: "Quantize", Namespace: "vinoir",
		Inputs:     ops.Exactly(3),
		Types:      []ir.ElementType{ir.F32},
		Attributes: parseBytes,
		Values:     []int{1, 2},
		Infer:      inferBytes,
		Fusion:     ops.Fusion{Stage: stageBytes},
		Prepare:    prepareBytes,
		Passes:     []ops.Pass{{Name: "ComputeInIntegers", Run: integers.ComputeInIntegers}},
	},
	{
		Type: "Dequantize", Namespace: "vinoir",
		Inputs:  ops.Exactly(3),
		Types:   []ir.ElementType{ir.U8},
		Values:  []int{1, 2},
		Infer:   inferValues,
		Fusion:  ops.Fusion{Applies: true, Stores: true},
		Prepare: prepareValues,
	},
	{
		Type: "DequantizeAdd", Namespace: "vinoir",
		Inputs:  ops.Exactly(4),
		Types:   []ir.ElementType{ir.U8},
		Values:  []int{2, 3},
		Infer:   inferValues,
		Fusion:  ops.Fusion{Applies: true, Stores: true},
		Prepare: prepareSums,
	},
}

type attributes struct {
	autobroadcast.Rule
	levels int64
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("levels")
	return attributes{autobroadcast.Parse(a), a.Int("levels", 0)}, a.Err()
}
