package models

import (
	"fmt"
	"math/rand/v2"

	"github.com/vinoir/vinoir/ir"
)

// anyLength is the length of dimensions that can have any in generated inputs.
const anyLength = 8

// maxGeneratedBytes bounds the memory of a generated input.
const maxGeneratedBytes = 256 << 20

// lengthsOf returns lengths that shape allows, with rows for the first one if that is not negative.
func lengthsOf(shape ir.PartialShape, rows int) (ir.Shape, error) {
	if !shape.RankKnown() {
		return nil, fmt.Errorf("its number of dimensions is not known")
	}
	lengths := make(ir.Shape, shape.Rank())
	for i, d := range shape.Dims() {
		lengths[i] = int(min(max(d.Min, anyLength), d.Max))
	}
	if rows >= 0 && len(lengths) > 0 {
		lengths[0] = rows
	}
	return lengths, nil
}

// generated returns a tensor for an input of a model that is tried: random numbers, or zeros
// without random. Integers, which are often indices, are 0 and 1.
func generated(t ir.ElementType, shape ir.Shape, random *rand.Rand) (*ir.Tensor, error) {
	bytes, err := ir.ByteSize(t, shape)
	if err != nil {
		return nil, err
	}
	if bytes > maxGeneratedBytes {
		return nil, fmt.Errorf("an input of the shape %s has %d bytes, more than the limit of %d", shape, bytes, maxGeneratedBytes)
	}
	tensor, err := ir.NewTensor(t, shape...)
	if err != nil || random == nil {
		return tensor, err
	}
	for i := range tensor.Len() {
		switch {
		case t == ir.String:
			tensor.Strings()[i] = string(rune('a' + random.IntN(26)))
		case t.IsFloat():
			tensor.SetValue(i, random.Float64())
		default:
			tensor.SetValue(i, float64(random.IntN(2)))
		}
	}
	return tensor, nil
}
