package ir

import "math"

// Fact is what is known of one tensor before anything runs.
type Fact struct {
	Type  ElementType
	Shape PartialShape
	// Tensor is the value of a constant, or of a layer that could be evaluated
	// from constants. It may be large: it is shared, never copied.
	Tensor *Tensor
	// Values bounds each element of a small tensor of integers or floats, in
	// row-major order: what can be known of chains such as ShapeOf, Gather, Concat.
	// It is nil where nothing is known; where Tensor is known, use Bounds or
	// Intervals. Floats that are all known have a Tensor.
	Values []Interval
}

// Interval is a range of values, Min <= value <= Max. math.MinInt64 and
// math.MaxInt64 stand for no bound. Floats are written as CodeOf says, so that what
// moves or orders values need not tell them from integers.
type Interval struct {
	Min, Max int64
}

// Known reports whether i is a single value.
func (i Interval) Known() bool { return i.Min == i.Max }

// MaxValues is the number of elements above which the values of an integer
// tensor are not followed through shape arithmetic.
const MaxValues = 1024

// Intervals is Bounds of a tensor of integers or booleans, nil of another.
func (f *Fact) Intervals() []Interval {
	if f.Type.IsFloat() {
		return nil
	}
	return f.Bounds()
}

// Bounds returns the bounds of the elements of a tensor of at most MaxValues
// elements, nil where nothing is known of them. A Tensor tells more than Values,
// which a layer's bounds may have left vague.
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

// Ints returns the elements of a tensor of integers where all of them are known.
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

// Constant returns the tensor of a fact whose elements are all known: Tensor, or a new
// one that holds Values. It is nil if an element is not known, if an element is an end of
// the range of Interval, which stands for no bound, or if the type does not hold one.
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
