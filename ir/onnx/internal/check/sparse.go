package check

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// sparse checks a sparse tensor whose values are a tensor that has been checked.
func (c *checker) sparse(s *proto.SparseTensor) {
	what := "sparse tensor " + quote(s.Values.Name)
	switch {
	case len(s.Values.Dims) != 1:
		c.add(KindField, "%s has values of %d axes, expected 1", what, len(s.Values.Dims))
	case len(s.Dims) == 0:
		c.add(KindField, "%s has no dims", what)
	case slices.ContainsFunc(s.Dims, func(length int64) bool { return length < 1 }):
		c.add(KindField, "%s has dims %v, expected lengths of at least 1", what, s.Dims)
	case s.Indices == nil:
		if s.Values.Dims[0] != 0 {
			c.add(KindField, "%s has no indices", what)
		}
	case s.Indices.DataType != proto.Int64:
		c.add(KindField, "%s has indices of %v, expected INT64", what, s.Indices.DataType)
	default:
		before := len(c.problems) + c.more
		c.tensor(s.Indices)
		if before == len(c.problems)+c.more && !s.Indices.External {
			c.indices(s, what)
		}
	}
}

// indices checks the indices of a sparse tensor, which are a tensor that has been checked:
// [values], counted in the whole tensor, or [values,axes]. They must be in the tensor, and increase.
func (c *checker) indices(s *proto.SparseTensor, what string) {
	dims, lengths := s.Indices.Dims, s.Dims
	switch {
	case len(dims) != 1 && len(dims) != 2:
		c.add(KindField, "%s has indices of %d axes, expected 1 or 2", what, len(dims))
		return
	case dims[0] != s.Values.Dims[0]:
		c.add(KindField, "%s has %d indices and %d values", what, dims[0], s.Values.Dims[0])
		return
	case len(dims) == 2 && dims[1] != int64(len(lengths)):
		c.add(KindField, "%s has indices of %d numbers for %d axes", what, dims[1], len(lengths))
		return
	case len(dims) == 1:
		lengths = []int64{elementsOf(lengths)}
	}
	last, index := make([]int64, len(lengths)), make([]int64, len(lengths))
	for i := range int(dims[0]) {
		if i%pollEvery == 0 && c.ctx.Err() != nil {
			return
		}
		for axis, length := range lengths {
			index[axis] = indexAt(s.Indices, i*len(lengths)+axis)
			if index[axis] < 0 || index[axis] >= length {
				c.add(KindField, "%s has index %d at %d, expected less than %d", what, index[axis], i, length)
				return
			}
		}
		if i > 0 && slices.Compare(last, index) >= 0 {
			c.add(KindField, "%s has indices that do not increase at %d", what, i)
			return
		}
		last, index = index, last
	}
}

// pollEvery is the number of indices between two looks at the context.
const pollEvery = 1 << 16

// elementsOf returns the number of elements of a tensor, at most the largest i64.
func elementsOf(dims []int64) int64 {
	n := uint64(1)
	for _, length := range dims {
		high, low := bits.Mul64(n, uint64(length))
		if high != 0 || low > math.MaxInt64 {
			return math.MaxInt64
		}
		n = low
	}
	return int64(n)
}

// indexAt returns element i of a tensor of i64.
func indexAt(t *proto.Tensor, i int) int64 {
	if len(t.Raw) > 0 {
		return int64(binary.LittleEndian.Uint64(t.Raw[8*i:]))
	}
	return t.Int64s[i]
}
