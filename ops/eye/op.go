// Package eye makes matrices with ones on a diagonal.
//
//	output[..., i, j] = 1 if j - i == diagonal_index, 0 otherwise
//
// Versions: Eye-9.
//
// Inputs, of type i32 or i64: num_rows, num_columns and diagonal_index, scalars or vectors of one
// element; batch_shape, an optional vector. num_rows, num_columns and the elements of batch_shape
// are not negative.
//
// Output: the type output_type and the shape batch_shape + [num_rows, num_columns].
//
// Attributes: output_type, without a default. The kernel computes f32, f64, f16, bf16, i8 to i64,
// u8 to u64 and boolean.
//
// A diagonal_index beyond the matrix gives a matrix of zeros.
//
// Specification: OpenVINO operation set, generation, Eye-9.
package eye

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Eye", Version: 9,
	Inputs:     ops.Between(3, 4),
	PortTypes:  []ops.PortTypes{{Output: true, Types: types}},
	Attributes: parse,
	Values:     []int{0, 1, 2, 3},
	Infer:      infer,
	Bounds:     inferBounds,
	Prepare:    prepare,
}}

// types are the values of output_type that the kernel computes.
var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.Boolean,
}

type attributes struct {
	outputType ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("output_type")
	return attributes{a.ElementType("output_type", ir.Dynamic)}, a.Err()
}
