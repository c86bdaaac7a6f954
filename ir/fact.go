package ir

import "math"

// Fact is what is known about a tensor before the model runs.
type Fact struct {
	Type  ElementType
	Shape PartialShape
	// Tensor is the value of a constant, or of the output of a layer that was computed from
	// constants. It may be large; it is shared, never copied.
	Tensor *Tensor
	// Values bounds each element of a small tensor of integers or floats, in row-major order. It
	// carries values through shape arithmetic such as ShapeOf, Gather, Concat. It is nil if nothing
	// is known. If Tensor is set, Values may be less precise: use Bounds or Intervals. If all
	// elements of a float tensor are known, Tensor is set.
	Values []Interval
}

// Interval is a range of values, Min <= value <= Max. math.MinInt64 and math.MaxInt64 mean that
// there is no bound. Floats are encoded by CodeOf, which keeps their order, so that layers that
// move or compare values can treat floats and integers alike.
type Interval struct {
	Min, Max int64
}

// Known reports whether i is a single value.
func (i Interval) Known() bool { return i.Min == i.Max }

// MaxValues is the largest number of elements of a tensor whose values are followed through
// shape arithmetic.
const MaxValues = 1024

// Intervals returns Bounds for a tensor of integers or booleans, and nil for other types.
func (f *Fact) Intervals() []Interval {
	if f.Type.IsFloat() {
		return nil
	}
	return f.Bounds()
}

// Bounds returns the bounds of each element of a tensor of at most MaxValues elements, or nil
// if nothing is known. The bounds come from Tensor if it is set, else from Values.
func (f *Fact) Bounds() []Interval {
	switch {
	case f.Tensor == nil || f.Tensor.Len() > MaxValues:
		return f.Values
	case f.Tensor.ElementType().IsFloat():
		return realIntervals(f.Tensor)
	case !f.Tensor.ElementType().IsIntegral():
		return nil
	}
	ints, err := f.Tensor.Ints()
	if err != nil {
		return nil
	}
	values := make([]Interval, len(ints))
	for i, v := range ints {
		values[i] = Interval{v, v}
	}
	return values
}

// Ints returns the elements of a tensor of integers or booleans; false if they are not all
// known.
func (f *Fact) Ints() ([]int64, bool) {
	switch {
	case !f.Known() || f.Type.IsFloat():
		return nil, false
	case f.Tensor != nil:
		ints, err := f.Tensor.Ints()
		return ints, err == nil
	}
	ints := make([]int64, len(f.Values))
	for i, v := range f.Values {
		ints[i] = v.Min
	}
	return ints, true
}

// Known reports whether every element is known.
func (f *Fact) Known() bool {
	if f.Tensor != nil {
		return true
	}
	for _, v := range f.Values {
		if !v.Known() {
			return false
		}
	}
	return f.Values != nil
}

// Constant returns Tensor or, if it is nil and all elements are known, a new tensor of Values.
// The result is nil if an element is unknown, if an element is math.MinInt64 or math.MaxInt64,
// which stand for no bound, or if an element does not fit the type.
func (f *Fact) Constant() *Tensor {
	if f.Tensor != nil || f.Values == nil {
		return f.Tensor
	}
	for _, v := range f.Values {
		if !v.Known() || v.Min == math.MinInt64 || v.Max == math.MaxInt64 {
			return nil
		}
	}
	shape, err := f.Shape.Static()
	if err != nil {
		return nil
	}
	if f.Type.IsFloat() {
		return tensorOfReals(f.Type, shape, f.Values)
	}
	ints, _ := f.Ints()
	t, err := TensorOfInts(f.Type, shape, ints)
	if err != nil {
		return nil
	}
	return t
}
