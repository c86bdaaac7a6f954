// Package segmentmax infers SegmentMax, which finds the largest elements of segments of rows.
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
// Errors: segment_ids that are not sorted, or whose length differs from the number of rows of data.
//
// Specification: OpenVINO operation set, reduction, SegmentMax-16.
package segmentmax

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "SegmentMax", Version: 16,
	Inputs:     ops.Between(2, 3),
	Attributes: parse,
	Values:     []int{1, 2},
	Infer:      infer,
}}

type attributes struct {
	lowest bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("fill_mode")
	return attributes{lowest: a.Enum("fill_mode", "zero", "zero", "lowest") == "lowest"}, a.Err()
}
