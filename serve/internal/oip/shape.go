package oip

import "github.com/vinoir/vinoir/ir"

// ShapeOf returns dims as the shape of a tensor of type t. It returns an error with the code
// Malformed if there are more than maxRank dimensions, one is negative, or the number of bytes does
// not fit an int.
func ShapeOf(t ir.ElementType, dims []int64, maxRank int) (ir.Shape, error) {
	if len(dims) > maxRank {
		return nil, Errorf(Malformed, "the shape has %d dimensions, the limit is %d", len(dims), maxRank)
	}
	shape := make(ir.Shape, len(dims))
	for i, d := range dims {
		if d < 0 || int64(int(d)) != d {
			return nil, Errorf(Malformed, "dimension %d of shape %v is %d", i, dims, d)
		}
		shape[i] = int(d)
	}
	if _, err := ir.ByteSize(t, shape); err != nil {
		return nil, Errorf(Malformed, "%v", err)
	}
	return shape, nil
}
