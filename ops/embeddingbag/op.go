// Package embeddingbag sums rows of a table in bags.
//
//	output[b] = sum over the members i of bag b of weights[i] * emb_table[indices[i]]
//
// If the attribute reduction is mean, the output is the mean of the rows instead. The members i of
// bag b are:
//
//	EmbeddingBagOffsets    offsets[b] <= i < offsets[b+1], or to the end in the last bag
//	EmbeddingBagPacked     i = (b, k) for all k: indices has shape [bags, members]
//	EmbeddingSegmentsSum   segment_ids[i] == b, for num_segments bags
//
// An empty bag is row default_index of the table, or 0 if default_index is missing or -1. It has no
// weight. Like OpenVINO's, EmbeddingSegmentsSum accepts segment_ids in any order; members whose id
// is outside of [0,num_segments-1] belong to no bag. An offset may be the number of indices, which
// OpenVINO refuses: the bag is then empty. Members before offsets[0] belong to no bag.
//
// Sums and products of integers wrap; their mean is that of the sum, rounded towards zero. f16 and
// bf16 are computed in float32 and rounded once.
//
// Versions:
//   - EmbeddingBagOffsets-15 and EmbeddingBagPacked-15, with the attribute reduction: sum, the
//     default, or mean.
//   - EmbeddingBagOffsetsSum-3, EmbeddingBagPackedSum-3 and EmbeddingSegmentsSum-3, which only sum.
//
// Inputs:
//   - emb_table [rows, ...] of a numeric type T.
//   - indices, a vector, or a matrix for the types with Packed in their name.
//   - offsets, a vector, for the types with Offsets in their name; segment_ids, a vector, and
//     num_segments, a scalar, for EmbeddingSegmentsSum.
//   - default_index, an optional scalar, not for the types with Packed in their name.
//   - per_sample_weights, optional and only for sums, of type T and the shape of indices.
//
// All inputs except emb_table and per_sample_weights have one type, i32 or i64.
//
// Output: [bags, ...] of type T.
//
// Errors: an index, or a default_index that an empty bag needs, outside of the table; offsets that
// decrease, are negative, or are greater than the number of indices.
//
// Specification: OpenVINO operation set, sparse.
package embeddingbag

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	bags("EmbeddingBagOffsets", 15, 3, 5, inferOffsets, offsets, parse),
	bags("EmbeddingBagOffsetsSum", 3, 3, 5, inferOffsets, offsets, nil),
	bags("EmbeddingBagPacked", 15, 2, 3, inferPacked, packed, parse),
	bags("EmbeddingBagPackedSum", 3, 2, 3, inferPacked, packed, nil),
	bags("EmbeddingSegmentsSum", 3, 4, 6, inferSegments, segments, nil),
}

func bags(name string, version, least, most int, infer func(*ops.Inference) error, l layout, parse func(*ir.Attributes) (any, error)) ops.Op {
	op := ops.Op{
		Type: name, Version: version,
		Inputs:     ops.Between(least, most),
		Attributes: parse,
		Types:      []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64},
		Infer:      infer,
		Prepare:    prepareAs(l),
	}
	if l == segments {
		op.Values = []int{3}
	}
	return op
}

// mean is what parse returns for layers that compute the mean.
type mean struct{}

func parse(a *ir.Attributes) (any, error) {
	if a.Enum("reduction", "sum", "sum", "mean") == "mean" {
		return mean{}, a.Err()
	}
	return nil, a.Err()
}
