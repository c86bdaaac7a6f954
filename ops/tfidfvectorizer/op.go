// Package tfidfvectorizer computes TfIdfVectorizer: how often n-grams occur in rows of items.
//
//	output[r, columns[g]] = sum of weights[g] over all places of row r with n-gram g of the pool
//
// for all g. An n-gram is a list of n items. It is at a place of a row if its items follow each
// other there with a distance of 1 to max_skip_count+1, the same between all of them; an n-gram of
// one item has only one distance. Items that no n-gram has count for nothing.
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layer, since none
// of OpenVINO's says it.
//
// Inputs: data of i64 or string, [c] or [r, c], or one item without axes; pool, a constant vector
// of that type; columns, a constant vector of i64 with an element for each n-gram; weights, a
// constant vector of f32 as long as columns, or all 1 if it is missing.
//
// Output: f32, [n] or [r, n], where n is 1 more than the largest of columns.
//
// Attributes:
//   - ngram_counts: where in pool the n-grams of each length start, from that of one item on. Those
//     of length n are all items from there to the next start, n at a time. The number of an n-gram
//     counts all before it.
//   - min_gram_length, max_gram_length, 1 by default: the n-grams of other lengths are not looked
//     for.
//   - max_skip_count: 0 by default.
//   - binary: false by default. If it is true, an element is not the sum of weights, but one of
//     them, however often its n-gram occurs. Where n-grams share a column, it is that of the one
//     with the largest distance, the last place, and the most items, in this order.
//
// Errors: n-grams that are in the pool twice.
//
// Specification: ONNX has an operator of that name. Where n-grams share a column, it is open what
// binary means; this is what ONNX Runtime does.
package tfidfvectorizer

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "TfIdfVectorizer", Namespace: "vinoir",
	Inputs:     ops.Between(3, 4),
	Types:      []ir.ElementType{ir.I64, ir.String},
	Attributes: parse,
	Values:     []int{1, 2, 3},
	Infer:      infer,
	Prepare:    prepare,
}}

// attributes are those of a layer.
type attributes struct {
	starts            []int64 // in the pool, of n-grams by their length
	shortest, longest int
	distances         int // that items of an n-gram can have
	binary            bool
}

func parse(a *ir.Attributes) (any, error) {
	starts, skips := a.Ints("ngram_counts"), a.Int("max_skip_count", 0)
	shortest, longest := a.Int("min_gram_length", 1), a.Int("max_gram_length", 1)
	binary := a.Bool("binary", false)
	if a.Err() == nil && (shortest < 1 || shortest > longest || longest > int64(len(starts))) {
		return nil, faults.Errorf("n-grams have %d to %d items, and ngram_counts has %d elements", shortest, longest, len(starts))
	}
	if a.Err() == nil && (skips < 0 || skips == math.MaxInt64) {
		return nil, faults.Errorf("max_skip_count is %d", skips)
	}
	return attributes{starts, int(shortest), int(longest), int(min(skips+1, math.MaxInt)), binary}, a.Err()
}
