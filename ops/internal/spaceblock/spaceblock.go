// Package spaceblock holds code that layers share that move blocks between the spatial axes and
// another axis: the attributes of DepthToSpace and SpaceToDepth, and the inputs after data of
// BatchToSpace and SpaceToBatch, whose kernels are inverse to each other.
package spaceblock

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// names are the names of the inputs after data. %s is crops or pads.
var names = [...]string{"block_shape", "%s_begin", "%s_end"}

// MergeShapes returns the common shape of the inputs after data: block_shape, <ends>_begin and
// <ends>_end, where ends is "crops" or "pads". They must be vectors of the same length.
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
			return same, faults.Errorf("%s has shape %v, the inputs before it have %v", name, s, same)
		}
		same = both
	}
	return same, nil
}

// Values holds the values of the inputs after data; nil if they are not known. Begin and End
// are only known together.
type Values struct {
	Block, Begin, End []int64
}

// ValuesOf returns the known values of the inputs after data.
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

// BlockElements returns the number of elements of a block. Negative lengths count as 0.
func (v *Values) BlockElements() ir.Dimension {
	product := ir.Dim(1)
	for _, n := range v.Block {
		product = product.Mul(ir.Dim(max(n, 0)))
	}
	return product
}
