package ir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
)

// MaxRank is the largest number of axes of a tensor. The reader, the shape rules and the
// constructors of tensors return an error for more. It is also NumPy's limit; real models have up
// to eight.
const MaxRank = 64

// CheckRank returns an error if a tensor cannot have n axes.
func CheckRank[T int | int64](n T) error {
	if int64(n) > MaxRank {
		return faults.Errorf("%d axes are more than the limit of %d", n, MaxRank)
	}
	return nil
}

// PartialShape is what is known about a tensor's shape: an unknown rank, or a Dimension for
// each axis. The zero value is the shape of a scalar.
//
// A PartialShape is a value: no method changes its receiver, and the slice that Dims returns
// must not be written to.
type PartialShape struct {
	dims        []Dimension
	unknownRank bool
}

// UnknownRank is the shape with unknown rank: "[...]".
var UnknownRank = PartialShape{unknownRank: true}

// ShapeOf returns the shape with the given dimensions. It keeps the slice.
func ShapeOf(dims ...Dimension) PartialShape { return PartialShape{dims: dims} }

// StaticShape returns the shape with the given lengths.
// It is not inlined, as it has many callers.
//
//go:noinline
func StaticShape[T int | int64](lengths ...T) PartialShape {
	dims := make([]Dimension, len(lengths))
	for i, n := range lengths {
		dims[i] = Dim(int64(n))
	}
	return PartialShape{dims: dims}
}

// ShapeOfRank returns the shape with the given rank and unknown lengths.
func ShapeOfRank(rank int) PartialShape {
	dims := make([]Dimension, rank)
	for i := range dims {
		dims[i] = AnyDim
	}
	return PartialShape{dims: dims}
}

// RankKnown reports whether the number of axes is known.
func (s PartialShape) RankKnown() bool { return !s.unknownRank }

// Rank returns the number of axes; -1 if it is unknown.
func (s PartialShape) Rank() int {
	if s.unknownRank {
		return -1
	}
	return len(s.dims)
}

// Dims returns the dimensions; nil if the rank is unknown. The slice is shared: copy it before
// changing it.
func (s PartialShape) Dims() []Dimension { return s.dims }

// At returns dimension i; AnyDim if the rank is unknown. It is not inlined, as it has many callers.
//
//go:noinline
func (s PartialShape) At(i int) Dimension {
	if s.unknownRank {
		return AnyDim
	}
	return s.dims[i]
}

// With returns s with dimension i replaced by d.
func (s PartialShape) With(i int, d Dimension) PartialShape {
	dims := slices.Clone(s.dims)
	dims[i] = d
	return PartialShape{dims: dims}
}

// IsStatic reports whether every dimension is a single length. It is not inlined, as a loop is
// larger than a call.
//
//go:noinline
func (s PartialShape) IsStatic() bool {
	if s.unknownRank {
		return false
	}
	for _, d := range s.dims {
		if d.IsDynamic() {
			return false
		}
	}
	return true
}

// Static returns the lengths of a static shape. It returns an error if a dimension is dynamic
// or does not fit an int.
func (s PartialShape) Static() (Shape, error) {
	if !s.IsStatic() {
		return nil, &dynamicShapeError{s}
	}
	lengths := make(Shape, len(s.dims))
	for i, d := range s.dims {
		lengths[i] = int(d.Min)
		if int64(lengths[i]) != d.Min {
			return nil, faults.Errorf("shape %v: dimension %d does not fit this platform's int", s, i)
		}
	}
	return lengths, nil
}

// dynamicShapeError is the error for a shape that is not static. It makes its text only when that
// is asked for: many callers of Static just do something else then.
type dynamicShapeError struct{ shape PartialShape }

func (e *dynamicShapeError) Error() string {
	return fmt.Sprintf("shape %v is not static", e.shape)
}

// Equal reports whether s and t are the same.
func (s PartialShape) Equal(t PartialShape) bool {
	if s.unknownRank != t.unknownRank || len(s.dims) != len(t.dims) {
		return false
	}
	for i, d := range s.dims {
		if d != t.dims[i] {
			return false
		}
	}
	return true
}

// Compatible reports whether a static shape matches both s and t.
func (s PartialShape) Compatible(t PartialShape) bool {
	_, ok := s.Merge(t)
	return ok
}

// Contains reports whether all static shapes that match t match s.
func (s PartialShape) Contains(t PartialShape) bool {
	both, ok := s.Merge(t)
	return ok && both.Equal(t)
}

// Merge returns the intersection of s and t: the static shapes that match both. It returns
// false if there are none.
func (s PartialShape) Merge(t PartialShape) (PartialShape, bool) {
	switch {
	case s.unknownRank:
		return t, true
	case t.unknownRank || s.Equal(t):
		return s, true
	case len(s.dims) != len(t.dims):
		return PartialShape{}, false
	}
	dims := make([]Dimension, len(s.dims))
	for i := range dims {
		var ok bool
		if dims[i], ok = s.dims[i].Merge(t.dims[i]); !ok {
			return PartialShape{}, false
		}
	}
	return PartialShape{dims: dims}, true
}

// Relax returns the narrowest shape that contains both s and t.
func (s PartialShape) Relax(t PartialShape) PartialShape {
	if s.unknownRank || t.unknownRank || len(s.dims) != len(t.dims) {
		return UnknownRank
	}
	dims := make([]Dimension, len(s.dims))
	for i := range dims {
		dims[i] = s.dims[i].Relax(t.dims[i])
	}
	return PartialShape{dims: dims}
}

// Broadcast returns the shape that s and t broadcast to by NumPy's rule, with the last axes
// aligned; false if they cannot be broadcast.
func (s PartialShape) Broadcast(t PartialShape) (PartialShape, bool) {
	if s.unknownRank || t.unknownRank {
		return UnknownRank, true
	}
	if len(s.dims) < len(t.dims) {
		s, t = t, s
	}
	dims := append([]Dimension(nil), s.dims...)
	lead := len(s.dims) - len(t.dims)
	for i, d := range t.dims {
		var ok bool
		if dims[lead+i], ok = s.dims[lead+i].Broadcast(d); !ok {
			return PartialShape{}, false
		}
	}
	return PartialShape{dims: dims}, true
}

// Elements returns the interval of the number of elements of a tensor with shape s.
func (s PartialShape) Elements() Dimension {
	if s.unknownRank {
		return AnyDim
	}
	n := Dim(1)
	for _, d := range s.dims {
		n = n.Mul(d)
	}
	return n
}

// String returns s in OpenVINO's notation: "[1,?,3..5]", or "[...]" for an unknown rank. Axes
// beyond MaxRank, which no valid shape has, are left out: "[1,1,...]".
func (s PartialShape) String() string {
	if s.unknownRank {
		return "[...]"
	}
	b := append(make([]byte, 0, 32), '[')
	for i, d := range s.dims {
		if i > 0 {
			b = append(b, ',')
		}
		if i == MaxRank {
			b = append(b, "..."...)
			break
		}
		b = d.append(b)
	}
	return string(append(b, ']'))
}

// ParsePartialShape parses a shape in OpenVINO's notation, with or without brackets:
// "[1,?,3..5]", "..." for an unknown rank, "" or "[]" for a scalar. Texts that OpenVINO accepts
// but misreads, such as "-2" or "5..2", are errors. So is a rank above MaxRank.
func ParsePartialShape(text string) (PartialShape, error) {
	s := strings.TrimSpace(text)
	if strings.HasPrefix(s, "[") != strings.HasSuffix(s, "]") {
		return PartialShape{}, faults.Errorf("shape %.200q: brackets do not match", text)
	}
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	switch s {
	case "":
		return PartialShape{}, nil
	case "...":
		return UnknownRank, nil
	}
	n := strings.Count(s, ",") + 1
	if err := CheckRank(n); err != nil {
		return PartialShape{}, faults.Errorf("shape %.200q: %w", text, err)
	}
	dims := make([]Dimension, 0, n)
	for item := range strings.SplitSeq(s, ",") {
		d, err := ParseDimension(item)
		if err != nil {
			return PartialShape{}, faults.Errorf("shape %.200q: %w", text, err)
		}
		dims = append(dims, d)
	}
	return PartialShape{dims: dims}, nil
}
