// Package sparsefillemptyrows gives each row of a sparse matrix an element.
//
// The matrix of dense_shape, rows and columns, holds values[k] at indices[k, :]. A
// row r without elements gets one, default_value at [r, 0]. Versions:
// SparseFillEmptyRows-16. Inputs: values, a vector of type T; dense_shape, a vector of
// two elements, and indices, two of them for each value, of type T_IDX; default_value,
// a scalar of type T. Outputs: output_indices and output_values, as indices and values
// with those of the rows that were empty, in the order of the rows; empty_row_indicator,
// of booleans, which rows those are. T: every element type. T_IDX: i32, i64. Errors: an
// index outside of dense_shape.
//
// Specification: OpenVINO operation set, sparse, SparseFillEmptyRows-16.
package sparsefillemptyrows

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SparseFillEmptyRows", Version: 16,
	Inputs: ops.Exactly(4),
	Values: []int{1, 2},
	Infer:  infer,
}}
