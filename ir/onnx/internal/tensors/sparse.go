package tensors

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// Sparse returns the tensor of s, with zeros where it has no values. Of several values for one
// element the last one counts.
func (l *Loader) Sparse(s *proto.SparseTensor) (*ir.Tensor, error) {
	if s.Values == nil || s.Indices == nil {
		return nil, errors.New("the sparse tensor has no values or no indices")
	}
	values, err := l.Tensor(s.Values)
	if err != nil {
		return nil, faults.Errorf("values: %w", err)
	}
	indices, err := l.Tensor(s.Indices)
	if err != nil {
		return nil, faults.Errorf("indices: %w", err)
	}
	e, shape, size, err := l.form(s.Values.DataType, s.Dims)
	switch {
	case err != nil:
		return nil, err
	case e.Size() == 0:
		return nil, faults.Errorf("a sparse tensor of %v is not supported", e)
	case len(values.Shape()) != 1 || indices.ElementType() != ir.I64:
		return nil, faults.Errorf("values are %v%v and indices %v%v, expected one axis, and i64", e, values.Shape(), indices.ElementType(), indices.Shape())
	}
	if err := l.reserve(size); err != nil {
		return nil, err
	}
	dense, err := ir.NewTensor(e, shape...)
	if err != nil {
		return nil, err
	}
	return dense, scatter(dense, values, indices)
}

// scatter copies values to the elements of dense that indices name: by their numbers, [n], or by
// their coordinates, [n, rank].
func scatter(dense, values, indices *ir.Tensor) error {
	shape, n := dense.Shape(), values.Len()
	perValue := 1
	lengths := []int{dense.Len()}
	if form := indices.Shape(); len(form) == 2 {
		perValue, lengths = len(shape), shape
		if form[1] != len(shape) {
			return faults.Errorf("indices are %v, expected [%d,%d]", form, n, len(shape))
		}
	}
	if indices.Len() != n*perValue || len(indices.Shape()) == 0 {
		return faults.Errorf("indices are %v for %d values", indices.Shape(), n)
	}
	coordinates, err := indices.Ints()
	if err != nil {
		return err
	}
	width := dense.ElementType().Size()
	to, from := dense.Bytes(), values.Bytes()
	for i := range n {
		at := 0
		for axis, length := range lengths {
			c := coordinates[i*perValue+axis]
			if c < 0 || c >= int64(length) {
				return faults.Errorf("index %d of value %d is %d, expected 0 to %d", axis, i, c, length-1)
			}
			at = at*length + int(c)
		}
		copy(to[at*width:(at+1)*width], from[i*width:])
	}
	return nil
}
