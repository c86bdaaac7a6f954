package check

import (
	"math/bits"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
)

// tensor checks that a tensor has the elements that its dims and its type demand, if they are in
// the file of the model.
func (c *checker) tensor(t *proto.Tensor) {
	what := "tensor " + quote(t.Name)
	if t.DataType == 0 {
		c.add(KindField, "%s has no element type", what)
		return
	}
	if t.External {
		return
	}
	elements := uint64(1)
	for _, dim := range t.Dims {
		high, low := bits.Mul64(elements, uint64(dim))
		if dim < 0 || high != 0 {
			c.add(KindField, "%s has dims %v, which no tensor can have", what, t.Dims)
			return
		}
		elements = low
	}
	fields := 0
	for _, n := range [...]int{len(t.Raw), len(t.Floats), len(t.Doubles), len(t.Int32s), len(t.Int64s), len(t.Uint64s), len(t.Strings)} {
		if n > 0 {
			fields++
		}
	}
	switch {
	case fields > 1:
		c.add(KindField, "%s has elements in %d fields, one is allowed", what, fields)
	case fields == 0 && elements > 0:
		c.add(KindField, "%s has no elements, and dims %v demand %d", what, t.Dims, elements)
	case fields == 1:
		c.elements(t, what, elements)
	}
}

// elements checks the number of elements of a tensor.
func (c *checker) elements(t *proto.Tensor, what string, elements uint64) {
	e, err := tensors.ElementType(t.DataType)
	if err != nil {
		return // a type that cannot be read, such as complex numbers
	}
	if len(t.Raw) == 0 && !inField(t) {
		c.add(KindField, "%s of %v has its elements in the field of another type", what, t.DataType)
		return
	}
	width, has := uint64(max(e.Bits(), 1)), uint64(0)
	switch {
	case len(t.Raw) > 0 && e == ir.String:
		c.add(KindField, "%s has strings in raw_data, which cannot hold them", what)
		return
	case len(t.Raw) > 0:
		high, low := bits.Mul64(elements, width)
		if want := low/8 + (low%8+7)/8; high != 0 || want > uint64(len(t.Raw)) {
			c.add(KindField, "%s has %d bytes, and dims %v of %v demand more", what, len(t.Raw), t.Dims, e)
		}
		return
	case len(t.Floats) > 0:
		has = uint64(len(t.Floats))
	case len(t.Doubles) > 0:
		has = uint64(len(t.Doubles))
	case len(t.Int32s) > 0:
		has = uint64(len(t.Int32s))
		if width < 8 { // an entry is a byte of them
			has *= 8 / width
		}
	case len(t.Int64s) > 0:
		has = uint64(len(t.Int64s))
	case len(t.Uint64s) > 0:
		has = uint64(len(t.Uint64s))
	case len(t.Strings) > 0:
		has = uint64(len(t.Strings))
	}
	if has < elements {
		c.add(KindField, "%s has %d elements, and dims %v demand %d", what, has, t.Dims, elements)
	}
}

// inField reports whether the elements of t are in the field for its type.
func inField(t *proto.Tensor) bool {
	switch t.DataType {
	case proto.Float, proto.Complex64:
		return len(t.Floats) > 0
	case proto.Double, proto.Complex128:
		return len(t.Doubles) > 0
	case proto.Int64:
		return len(t.Int64s) > 0
	case proto.Uint32, proto.Uint64:
		return len(t.Uint64s) > 0
	case proto.String:
		return len(t.Strings) > 0
	}
	return len(t.Int32s) > 0
}

// sparse checks a sparse tensor.
func (c *checker) sparse(s *proto.SparseTensor) {
	what := "sparse tensor " + quote(s.Values.Name)
	switch {
	case s.Indices == nil:
		c.add(KindField, "%s has no indices", what)
	case s.Indices.DataType != proto.Int64:
		c.add(KindField, "%s has indices of %v, expected INT64", what, s.Indices.DataType)
	case len(s.Values.Dims) != 1:
		c.add(KindField, "%s has values of %d axes, expected 1", what, len(s.Values.Dims))
	case len(s.Dims) == 0:
		c.add(KindField, "%s has no dims", what)
	default:
		c.tensor(s.Indices)
	}
}
