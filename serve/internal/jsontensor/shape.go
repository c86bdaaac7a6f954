package jsontensor

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// ReadNested reads an element, or arrays of elements, as a tensor of type t whose shape is that of
// the arrays.
func ReadNested(s *jsonscan.Scanner, t ir.ElementType, options Options) (*ir.Tensor, error) {
	if s.Kind() != '[' {
		return Scalar(s, t, options)
	}
	from := s.Offset()
	var shape ir.Shape
	if err := lengths(s, &shape); err != nil {
		return nil, err
	}
	s.Seek(from)
	if _, err := ir.ByteSize(t, shape); err != nil {
		return nil, oip.Errorf(oip.Malformed, "%v", err)
	}
	return Read(s, t, shape, options)
}

// lengths reads an array, and appends its length to shape, then that of the first array in it, and
// so on.
func lengths(s *jsonscan.Scanner, shape *ir.Shape) error {
	axis := len(*shape)
	*shape = append(*shape, 0)
	return s.Array(func(i int) error {
		(*shape)[axis]++
		if i == 0 && s.Kind() == '[' {
			return lengths(s, shape)
		}
		return s.Skip()
	})
}
