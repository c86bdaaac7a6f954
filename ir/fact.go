package ir

// Fact is what is known of one tensor before anything runs.
type Fact struct {
	Type  ElementType
	Shape PartialShape
	// Tensor is the value of a constant, or of a layer that could be evaluated
	// from constants. It may be large: it is shared, never copied.
	Tensor *Tensor
	// Values bounds each element of a small integer tensor, in row-major order:
	// what can be known of chains such as ShapeOf, Gather, Concat. It is nil
	// where nothing is known; where Tensor is known, use Intervals.
	Values []Interval
}

// Interval is a range of values, Min <= value <= Max. math.MinInt64 and
// math.MaxInt64 stand for no bound.
type Interval struct {
	Min, Max int64
}

// Known reports whether i is a single value.
func (i Interval) Known() bool { return i.Min == i.Max }

// MaxValues is the number of elements above which the values of an integer
// tensor are not followed through shape arithmetic.
const MaxValues = 1024

// Intervals returns the bounds of the elements of a tensor of integers or
// booleans of at most MaxValues elements, nil where nothing is known of them. A
// Tensor tells more than Values, which a layer's bounds may have left vague.
func (f *Fact) Intervals() []Interval {
	if f.Tensor == nil || !f.Tensor.ElementType().IsIntegral() || f.Tensor.Len() > MaxValues {
		return f.Values
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
	case !f.known():
		return nil, false
	case f.Tensor != nil:
		if !f.Tensor.ElementType().IsIntegral() {
			return nil, false
		}
		ints, err := f.Tensor.Ints()
		return ints, err == nil
	}
	ints := make([]int64, len(f.Values))
	for i, v := range f.Values {
		ints[i] = v.Min
	}
	return ints, true
}

// known reports whether every element is known.
func (f *Fact) known() bool {
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

// allKnown reports whether every element of every fact is known.
func allKnown(facts []Fact) bool {
	for i := range facts {
		if !facts[i].known() {
			return false
		}
	}
	return true
}

// materialise gives every input, whose elements are all known, a Tensor; false
// where one cannot have it.
func materialise(inputs []Fact) bool {
	for i := range inputs {
		in := &inputs[i]
		if in.Tensor != nil {
			continue
		}
		ints, ok := in.Ints()
		if !ok {
			return false
		}
		shape, err := in.Shape.Static()
		if err != nil {
			return false
		}
		if in.Tensor, err = TensorOfInts(in.Type, shape, ints); err != nil {
			return false
		}
	}
	return true
}
