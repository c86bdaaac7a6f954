// Package embeddingbag sums rows of a table in bags.
//
//	output[b] = sum over the members i of bag b of weights[i] * emb_table[indices[i]]
//
// or the mean of the rows, where the attribute reduction says so. Which i are members
// of bag b:
//
//	EmbeddingBagOffsets    offsets[b] <= i < offsets[b+1], to the end of the last one
//	EmbeddingBagPacked     i = (b, k) for all k: indices has shape [bags, members]
//	EmbeddingSegmentsSum   segment_ids[i] == b, for num_segments bags
//
// A bag without members is row default_index of the table; zeros where there is no
// such input, or where it is -1.
//
// Versions: EmbeddingBagOffsets-15 and EmbeddingBagPacked-15 with reduction sum, the
// default, or mean; EmbeddingBagOffsetsSum-3, EmbeddingBagPackedSum-3 and
// EmbeddingSegmentsSum-3, which only sum. Inputs:
//
//	emb_table, [rows, ...] of any type T
//	indices, a vector; a matrix of the Packed ones
//	offsets | - | segment_ids, a vector, and num_segments, a scalar
//	default_index, a scalar, not of the Packed ones; optional
//	per_sample_weights, of type T and indices' shape; optional, and only of sums
//
// All but the table and the weights are of one type, i32 or i64. Output: type T and
// shape [bags, ...].
//
// Specification: OpenVINO operation set, sparse.
package embeddingbag

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	bags("EmbeddingBagOffsets", 15, 3, 5, inferOffsets, parse),
	bags("EmbeddingBagOffsetsSum", 3, 3, 5, inferOffsets, nil),
	bags("EmbeddingBagPacked", 15, 2, 3, inferPacked, parse),
	bags("EmbeddingBagPackedSum", 3, 2, 3, inferPacked, nil),
	bags("EmbeddingSegmentsSum", 3, 4, 6, inferSegments, nil),
}

func bags(name string, version, least, most int, infer func(*ops.Inference) error, parse func(*ir.Attributes) (any, error)) ops.Op {
	op := ops.Op{
		Type: name, Version: version,
		Inputs:     ops.Between(least, most),
		Attributes: parse,
		Infer:      infer,
	}
	if name == "EmbeddingSegmentsSum" {
		op.Values = []int{3}
	}
	return op
}

// mean is the attributes of layers that compute it.
type mean struct{}

func parse(a *ir.Attributes) (any, error) {
	if a.Enum("reduction", "sum", "sum", "mean") == "mean" {
		return mean{}, a.Err()
	}
	return nil, a.Err()
}
