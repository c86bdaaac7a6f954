// Package unique finds the elements, or the slices along an axis, that differ from each
// other.
//
//	output_data[k]                 the unique elements, in order where sorted, else as they come
//	output_data[reverse_index[i]]  = data[i]
//	data[first_index[k]]           the first element equal to output_data[k]
//	count[k]                       how many are equal to it
//
// Versions: Unique-10. Attributes: sorted, true where it is missing;
// index_element_type and count_element_type, i32 or i64, i64 where they are missing.
// Inputs: data of type T; optionally axis, a Constant of type i32 or i64, a scalar or a
// vector of one element, negative counting from the back. Without it all elements of
// data are compared. Outputs: output_data of type T, a vector, or data with fewer
// slices along axis; first_index and reverse_index of index_element_type; count of
// count_element_type. T: every element type.
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
	Inputs:     ops.Between(1, 2),
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
}}

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
