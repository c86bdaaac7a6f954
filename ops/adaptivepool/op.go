// Package adaptivepool infers AdaptiveAvgPool and AdaptiveMaxPool, which divide the
// spatial axes into as many parts as the output is long.
//
//	AdaptiveAvgPool output[n,c,y...] = mean of data[n,c,floor(y*H/h)...ceil((y+1)*H/h)-1...]
//	AdaptiveMaxPool output[n,c,y...] = max of the same elements
//
// where H is the length of a spatial axis of data and h that of the output. The
// second output of AdaptiveMaxPool holds the places of the maxima in the spatial
// axes of data, flattened. Versions: AdaptiveAvgPool-8, AdaptiveMaxPool-8. Inputs:
// data [N,C,spatial...] of rank 3 to 5 and any type, output_shape, a vector of the
// lengths of the output's spatial axes. Outputs: [N,C,output_shape...]. Attributes:
// index_element_type of AdaptiveMaxPool, i64 or i32, i64 where it is missing. Errors:
// data of another rank, an output_shape of another number of axes or with a negative
// length.
//
// Specification: OpenVINO operation set, pooling, AdaptiveAvgPool-8 and
// AdaptiveMaxPool-8.
package adaptivepool

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "AdaptiveAvgPool", Version: 8,
		MinInputs: 2, MaxInputs: 2,
		Values: []int{1},
		Infer:  inferAvg,
	},
	{
		Type: "AdaptiveMaxPool", Version: 8,
		MinInputs: 2, MaxInputs: 2,
		Attributes: parseMax,
		Values:     []int{1},
		Infer:      inferMax,
	},
}

type maxAttributes struct {
	indexType ir.ElementType
}

func parseMax(a *ir.Attributes) (any, error) {
	return maxAttributes{check.IndexAttribute(a, "index_element_type", ir.I64)}, a.Err()
}
