// Package sparsefillemptyrows adds an element to each empty row of a sparse matrix.
//
// The matrix has the rows and columns of dense_shape, and holds values[k] at indices[k, :]. A row r
// without elements gets default_value at [r, 0].
//
// Versions: SparseFillEmptyRows-16.
//
// Inputs: values [K] of any element type T; dense_shape [2] and indices [K,2] of one type, i32 or
// i64; default_value, a scalar of type T.
//
// Outputs:
//   - output_indices and output_values: indices and values with the added elements, in the order of
//     the rows. Elements of one row keep their order.
//   - empty_row_indicator: a boolean for each row, true if the row was empty.
//
// The kernel computes each T whose elements are 1, 2, 4 or 8 bytes, or strings.
//
// Errors: an index outside of dense_shape, and rows without columns, in which no element can be
// added.
//
// Specification: OpenVINO operation set, sparse, SparseFillEmptyRows-16.
package sparsefillemptyrows

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SparseFillEmptyRows", Version: 16,
	Written: 3,
	Inputs:  ops.Exactly(4),
	Types:   types,
	Values:  []int{1, 2},
	Infer:   infer,
	Prepare: prepare,
}}

// types are the types of values: those of whole bytes.
var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.F8E4M3, ir.F8E5M2, ir.F8E8M0, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.Boolean, ir.String,
}
