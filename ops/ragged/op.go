// Package ragged works on rows of different lengths: row i has the items begins[i] to ends[i]-1 of
// data.
//
//	RaggedToDense     rows of one length: cut, and filled up with a default value; and which
//	                  elements are those of the row
//	RaggedToSparse    the row and the number within it of each item
//	RaggedToRagged    begins and ends from the row of each item
//	RaggedTensorPack  data alone
//	FuzeRagged        of rows of strings, the first begin and the last end of the strings of each
//	CombineSegments   rows side by side, and the number of the segment that each item is from
//	Truncate          rows that are not longer than a maximum
//
// All are of version extension. Inputs and outputs:
//
//	RaggedToDense     begins, ends, data, target, default, [pad_right] → dense, mask
//	RaggedToSparse    begins, ends → pairs i32 [n,2]
//	RaggedToRagged    row ids i32 [n], number of rows i32 [1] → begins, ends
//	RaggedTensorPack  begins, ends, data → data
//	FuzeRagged        begins, ends of rows, begins, ends of strings → begins, ends
//	CombineSegments   k × (begins, ends, data), ids [k] → begins, ends, data, begins, ends, ids
//	Truncate          1 or 2 × (begins, ends, data), max_length, side u8, mode u8 → 1 or 2 ×
//	                  (begins, ends, data)
//
// Begins and ends are i32, of one shape. Data is a vector, that of RaggedToDense has any axes after
// the first. Data is of any type of whole bytes; RaggedTensorPack takes strings too.
//
// RaggedToDense keeps the first items of a row that is longer than target. The row is at the start
// of the dense row, or at its end if pad_right is false: the input, else the attribute of that
// name. With the attribute m_pad_max_length, it takes as many items from begins[i] on as target
// says, whatever ends[i] is. CombineSegments takes the row of a segment that has only one for all
// rows. Truncate cuts rows on a side, "left" or "right"; a pair by mode, "only_first",
// "only_second" or "longest_first": see internal/text/ragged. An empty row of FuzeRagged is the
// string that begins[i] says, as in OpenVINO, or an empty one behind the last string.
//
// Errors: rows that end before they begin or outside of data; segments and pairs with different
// numbers of rows; a negative target, max_length, number of rows or row id; row ids that descend;
// an unknown side or mode; more items than an i32 counts.
//
// Specification: OpenVINO Tokenizers, src/ragged_to_dense.cpp and the others by these names.
package ragged

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "RaggedToDense", Namespace: "extension",
		Inputs:     ops.Between(5, 6),
		PortTypes:  []ops.PortTypes{{Port: 2, Types: types}},
		Attributes: parseDense,
		Infer:      inferDense,
		Prepare:    prepareDense,
	},
	{
		Type: "RaggedToSparse", Namespace: "extension",
		Inputs:  ops.Exactly(2),
		Infer:   inferSparse,
		Prepare: prepareSparse,
	},
	{
		Type: "RaggedToRagged", Namespace: "extension",
		Inputs:  ops.Exactly(2),
		Infer:   inferRagged,
		Written: 2,
		Prepare: prepareRagged,
	},
	{
		Type: "RaggedTensorPack", Namespace: "extension",
		Inputs:  ops.Exactly(3),
		Infer:   inferPack,
		Prepare: preparePack,
	},
	{
		Type: "FuzeRagged", Namespace: "extension",
		Inputs:  ops.Exactly(4),
		Infer:   inferFuze,
		Written: 2,
		Prepare: prepareFuze,
	},
	{
		Type: "CombineSegments", Namespace: "extension",
		Inputs:    ops.AtLeast(4),
		PortTypes: []ops.PortTypes{{Port: 2, Types: types}, {Output: true, Port: 5, Types: types}},
		Infer:     inferCombine,
		Written:   6,
		Prepare:   prepareCombine,
	},
	{
		Type: "Truncate", Namespace: "extension",
		Inputs:     ops.Between(6, 9),
		PortTypes:  []ops.PortTypes{{Port: 2, Types: types}, {Output: true, Port: 5, Types: types}},
		Attributes: parseTruncate,
		Infer:      inferTruncate,
		Prepare:    prepareTruncate,
	},
}

// types are the types of data.
var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.Boolean,
}

// dense are the attributes of RaggedToDense.
type dense struct{ padRight, padMaxLength bool }

func parseDense(a *ir.Attributes) (any, error) {
	return dense{a.Bool("pad_right", true), a.Bool("m_pad_max_length", false)}, a.Err()
}

// parseTruncate reads the number of rows that are cut together, which the number of inputs says
// too.
func parseTruncate(a *ir.Attributes) (any, error) {
	a.Int("m_num_inputs", 0)
	return nil, a.Err()
}
