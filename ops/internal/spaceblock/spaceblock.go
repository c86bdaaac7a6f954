// Package spaceblock holds what layers share that move blocks between axes: of
// DepthToSpace and SpaceToDepth the attributes; of BatchToSpace and SpaceToBatch the
// inputs, the lengths of a block, and how many elements are cut off or put at the ends
// of axes.
package spaceblock

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// names are those of the inputs behind data: "ends" stands for crops or pads.
var names = [...]string{"block_shape", "%s_begin", "%s_end"}

// MergeShapes returns what is known of the shape of block_shape, and of the inputs
// ends_begin and ends_end behind it, which are alike.
func MergeShapes(inputs []ir.Fact, ends string) (ir.PartialShape, error) {
	same := ir.UnknownRank
	for i, name := range names {
		if i > 0 {
			name = fmt.Sprintf(name, ends)
		}
		s := inputs[i+1].Shape
		if err := check.Rank(name, s, 1); err != nil {
			return same, err
		}
		both, ok := same.Merge(s)
		if !ok {
			return same, fmt.Errorf("%s has shape %v, the inputs before it have %v", name, s, same)
		}
		same = both
	}
	return same, nil
}

// Values are the values of block_shape and of the two inputs behind it, nil where
// they are not known: of the ends, both are or none.
type Values struct {
	Block, Begin, End []int64
}

// ValuesOf returns the values of the inputs behind data that are known.
func ValuesOf(inputs []ir.Fact) Values {
	var v Values
	v.Block, _ = inputs[1].Ints()
	begin, beginKnown := inputs[2].Ints()
	end, endKnown := inputs[3].Ints()
	if beginKnown && endKnown {
		v.Begin, v.End = begin, end
	}
	return v
}

// BlockElements returns the number of elements of a block; a negative number counts as 0.
func (v *Values) BlockElements() ir.Dimension {
	product := ir.Dim(1)
	for _, n := range v.Block {
		product = product.Mul(ir.Dim(max(n, 0)))
	}
	return product
}
