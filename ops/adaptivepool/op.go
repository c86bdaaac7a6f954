// Package adaptivepool computes AdaptiveAvgPool and AdaptiveMaxPool, which divide
// the spatial axes into as many parts as the output is long.
//
//	AdaptiveAvgPool output[n,c,y...] = mean of data[n,c,floor(y*H/h)...ceil((y+1)*H/h)-1...]
//	AdaptiveMaxPool output[n,c,y...] = max of the same elements
//
// where H is the length of a spatial axis of data and h that of the output. The
// second output of AdaptiveMaxPool holds the places of the maxima in the spatial
// axes of data, flattened, the first of equals. AdaptiveMaxPool propagates NaN.
//
// Versions: AdaptiveAvgPool-8, AdaptiveMaxPool-8. Inputs: data [N,C,spatial...] of
// rank 3 to 5 and type T, output_shape, the lengths of the output's spatial axes. T:
// f32, f64, f16, bf16, and i8 to i64, u8 to u64 for AdaptiveMaxPool; shapes are
// inferred for every type. The 16-bit types are computed in float32 and rounded
// once. Attributes: index_element_type of AdaptiveMaxPool, i64 or i32, i64 where it
// is missing.
//
// Errors: an output with elements of data without.
//
// Specification: OpenVINO operation set, pooling, AdaptiveAvgPool-8 and
// AdaptiveMaxPool-8.
package adaptivepool

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "AdaptiveAvgPool", Version: 8,
		Inputs:  ops.Exactly(2),
		Values:  []int{1},
		Infer:   inferAvg,
		Prepare: prepareAvg,
		Types:   floats.Types,
	},
	{
		Type: "AdaptiveMaxPool", Version: 8,
		Inputs:     ops.Exactly(2),
		Attributes: parseMax,
		Values:     []int{1},
		Infer:      inferMax,
		Prepare:    prepareMax,
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
