// Package unique finds the unique elements of a tensor, or its unique slices
// along an axis.
//
//	output_data[k]                 the unique elements, in ascending order if sorted is true
//	output_data[reverse_index[i]]  = data[i]
//	data[first_index[k]]           the first element equal to output_data[k]
//	count[k]                       the number of elements equal to output_data[k]
//
// Versions: Unique-10.
//
// Inputs: data of any element type T; optionally axis, a Constant of type i32 or i64, a scalar or a
// vector of one element. A negative axis counts from the back. Without axis, all elements of data
// are compared.
//
// Outputs: output_data of type T, a vector, or data with fewer slices along axis; first_index and
// reverse_index of type index_element_type; count of type count_element_type.
//
// The kernel computes f32, f64, f16, bf16, i8 to i64, u8 to u64, boolean, and string, whose order
// is that of its bytes. Slices are ordered by their elements in row-major order. If sorted is
// false, unique elements keep the order of their first occurrences. 0 equals -0, and the output has
// the first of them. NaN of the same bits are one element, as in the shape rule; NaN comes last.
// OpenVINO's CPU plugin returns indices of other elements for sorted data with NaN. Slices without
// elements are all equal.
//
// Attributes: sorted, true by default; index_element_type and count_element_type, i32 or i64 (the
// default).
//
// Specification: OpenVINO operation set, movement, Unique-10.
package unique

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "Unique", Version: 10,
	Written:    4,
	Inputs:     ops.Between(1, 2),
	Types:      types,
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
	Prepare:    prepare,
}}

var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.Boolean,
	ir.String,
}

type attributes struct {
	sorted               bool
	indexType, countType ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	return attributes{
		sorted:    a.Bool("sorted", true),
		indexType: check.IndexAttribute(a, "index_element_type", ir.I64),
		countType: check.IndexAttribute(a, "count_element_type", ir.I64),
	}, a.Err()
}
