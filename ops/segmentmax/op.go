// Package segmentmax finds the largest elements of segments of rows.
//
//	output[s, ...] = the maximum of data[i, ...] over all i with segment_ids[i] == s
//
// The attribute fill_mode says what a segment without rows holds: zero, or lowest, the
// smallest number of the type; it has no default. Versions: SegmentMax-16. Inputs: data
// of type T and at least one axis; segment_ids, a sorted vector as long as axis 0 of
// data; optionally num_segments, a scalar, the segments from which on are left out. The
// last two are of type i32 or i64. Output: T, of the shape of data, with num_segments
// or the last segment plus one in place of the length of axis 0. T: numbers. Errors:
// segment_ids that are not sorted, or not as long as data.
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
