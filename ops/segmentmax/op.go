// Package segmentmax finds the largest elements of segments of rows.
//
//	output[s, ...] = the maximum of data[i, ...] over all i with segment_ids[i] == s
//
// Versions: SegmentMax-16.
//
// Inputs:
//   - data of a numeric type and rank 1 or more.
//   - segment_ids, a sorted vector of i32 or i64, with an element for each row of data.
//   - num_segments, an optional scalar of i32 or i64. Segments from this number on are left out.
//
// Output: the type and shape of data, but axis 0 has length num_segments, or the last segment id
// plus one if num_segments is missing.
//
// Attributes: fill_mode, without a default. It gives the elements of a segment without rows: zero,
// or lowest, the smallest number of the type.
//
// The kernel computes f32, f64, f16, bf16, i8 to i64 and u8 to u64. NaN is ignored unless all rows
// of a segment have it, as in OpenVINO. The lowest number of a floating-point type is finite.
//
// Errors: negative segment_ids; segment_ids that are not sorted, or whose length differs from the
// number of rows of data.
//
// Specification: OpenVINO operation set, reduction, SegmentMax-16.
package segmentmax

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SegmentMax", Version: 16,
	Inputs:     ops.Between(2, 3),
	Types:      types,
	Attributes: parse,
	Values:     []int{1, 2},
	Infer:      infer,
	Prepare:    widened.Prepare(widened.Saturating, prepare, 0),
	Traits:     ops.Traits{OwnType: true}, // fill_mode lowest
}}

var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
}

type attributes struct {
	lowest bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("fill_mode")
	return attributes{lowest: a.Enum("fill_mode", "zero", "zero", "lowest") == "lowest"}, a.Err()
}
