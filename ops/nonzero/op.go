// Package nonzero finds the elements that are not zero.
//
//	data[output[0, i], output[1, i], ...] != 0, for all i, in row-major order of data
//
// Versions: NonZero-3. Attributes: output_type, i32 or i64, i64 if missing. Inputs: data of type T.
// Output: output_type, of shape [rank of data, number of nonzero elements]. For a scalar it is
// [1,1] and holds 0, or it is [0,0]. T: f32, f64, f16, bf16, i8 to i64, u8 to u64, boolean. NaN is
// not zero; -0 is.
//
// Specification: OpenVINO operation set, condition, NonZero-3.
package nonzero

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "NonZero", Version: 3,
	Inputs:     ops.Exactly(1),
	Types:      types,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.Boolean,
}

type attributes struct {
	outputType ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{check.IndexAttribute(a, "output_type", ir.I64)}, a.Err()
}
