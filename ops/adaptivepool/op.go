// Package adaptivepool computes AdaptiveAvgPool and AdaptiveMaxPool, which divide the spatial
// axes into as many parts as the output has elements:
//
//	AdaptiveAvgPool output[n,c,y...] = mean of data[n,c,floor(y*H/h)...ceil((y+1)*H/h)-1...]
//	AdaptiveMaxPool output[n,c,y...] = max of the same elements
//
// where H is the length of a spatial axis of data and h that of the output. The second output
// of AdaptiveMaxPool holds the positions of the maxima in the flattened spatial axes of data.
// Of equal elements the first one counts. AdaptiveMaxPool propagates NaN.
//
// Versions: AdaptiveAvgPool-8, AdaptiveMaxPool-8. Inputs: data [N,C,spatial...] of rank 3 to 5
// and type T; output_shape, the lengths of the spatial axes of the output. T: f32, f64, f16,
// bf16, i8 to i64 and u8 to u64. Shapes are inferred for every type. Means of integers are computed
// in float32 and rounded to the nearest, halves to even, as in OpenVINO.
// The 16-bit types are computed in float32 and rounded once. Attributes: index_element_type of
// AdaptiveMaxPool: i64, which is the default, or i32.
//
// Errors: data without elements for an output that has some.
//
// Specification: OpenVINO operation set, pooling, AdaptiveAvgPool-8 and AdaptiveMaxPool-8.
package adaptivepool

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "AdaptiveAvgPool", Version: 8,
		Inputs:  ops.Exactly(2),
		Values:  []int{1},
		Infer:   inferAvg,
		Prepare: widened.Prepare(widened.Rounded, prepareAvg, 0),
		Types:   widened.RoundedTypes,
	},
	{
		Type: "AdaptiveMaxPool", Version: 8,
		Inputs:     ops.Exactly(2),
		Attributes: parseMax,
		Values:     []int{1},
		Infer:      inferMax,
		Traits:     ops.Traits{Selects: true},
		Prepare:    widened.Prepare(slices.Concat(widened.Halves, widened.Long), prepareMax, 0),
		Types: []ir.ElementType{
			ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
		},
	},
}

type maxAttributes struct {
	indexType ir.ElementType
}

func parseMax(a *ir.Attributes) (any, error) {
	return maxAttributes{check.IndexAttribute(a, "index_element_type", ir.I64)}, a.Err()
}
