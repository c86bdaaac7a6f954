package slicing

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// names are the names of the inputs in Ranges.
var names = [...]string{"start", "stop", "step", "axes"}

// Ranges holds the inputs start, stop, step and axes of Slice and SliceScatter. If axes is
// missing, the elements of the others belong to the first axes.
type Ranges []ir.Fact

// CheckTypes checks the element types.
func (r Ranges) CheckTypes() error {
	for i := range r {
		if err := check.Integer(names[i], r[i].Type); err != nil {
			return err
		}
	}
	return nil
}

// CheckShapes checks the shapes for data of the given rank, or of an unknown rank if it is -1.
func (r Ranges) CheckShapes(rank int) error {
	for i := range r {
		if err := check.Rank(names[i], r[i].Shape, 1); err != nil {
			return err
		}
		if n := r[i].Shape.At(0); rank >= 0 && n.Min > int64(rank) {
			return faults.Errorf("%s has %v elements, data has %d axes", names[i], n, rank)
		}
	}
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}, {0, 3}} {
		if pair[1] == len(r) {
			break
		}
		a, b := r[pair[0]].Shape, r[pair[1]].Shape
		if !a.Compatible(b) {
			return faults.Errorf("%s has shape %v, %s has %v", names[pair[0]], a, names[pair[1]], b)
		}
	}
	return nil
}

// CheckSteps checks that no step is 0.
func (r Ranges) CheckSteps() error {
	steps, _ := r[2].Ints()
	for k, step := range steps {
		if step == 0 {
			return faults.Errorf("step[%d] is 0", k)
		}
	}
	return nil
}

// Axes returns the axis that each element of start, stop and step belongs to, and whether the
// axes are known.
func (r Ranges) Axes(rank int) (axes []int, known bool, err error) {
	if len(r) < 4 {
		s := r[0].Shape
		if !s.IsStatic() {
			return nil, false, nil
		}
		for i := range s.At(0).Min {
			axes = append(axes, int(i))
		}
		return axes, true, nil
	}
	values, known := r[3].Ints()
	if !known {
		return nil, false, nil
	}
	seen := make([]bool, rank)
	for i, v := range values {
		axis, err := index.Axis(v, rank)
		if err != nil {
			return nil, false, err
		}
		if seen[axis] {
			return nil, false, faults.Errorf("axes[%d] names axis %d, which an axis before it names too", i, axis)
		}
		seen[axis] = true
		axes = append(axes, axis)
	}
	return axes, true, nil
}

// Dims returns the dimensions of the slice of data, whose rank must be known.
func (r Ranges) Dims(data ir.PartialShape) ([]ir.Dimension, error) {
	axes, known, err := r.Axes(data.Rank())
	if err != nil {
		return nil, err
	}
	starts, stops := Ends(&r[0]), Ends(&r[1])
	steps, stepsKnown := r[2].Ints()
	dims := make([]ir.Dimension, data.Rank())
	for i, d := range data.Dims() {
		dims[i] = d
		if !known {
			dims[i].Min = 0 // any axis may be shortened
		}
	}
	for k, axis := range axes {
		if starts == nil || stops == nil || !stepsKnown {
			dims[axis].Min = 0
			continue
		}
		if steps[k] == 0 {
			return nil, faults.Errorf("step[%d] is 0", k)
		}
		dims[axis] = Cut(dims[axis], starts[k], stops[k], steps[k])
	}
	return dims, nil
}

// Ends returns the values of start or stop. The limits of i32 count as those of i64: they mean
// the end of an axis of any length.
func Ends(input *ir.Fact) []ir.Interval {
	values := input.Intervals()
	if input.Type != ir.I32 || values == nil {
		return values
	}
	widen := func(v int64) int64 {
		switch v {
		case math.MaxInt32:
			return math.MaxInt64
		case math.MinInt32:
			return math.MinInt64
		}
		return v
	}
	wide := make([]ir.Interval, len(values))
	for i, v := range values {
		wide[i] = ir.Interval{Min: widen(v.Min), Max: widen(v.Max)}
	}
	return wide
}

// View returns the slice as a view of data. shape is the shape of the slice, which must not be
// empty.
func (r Ranges) View(data, shape ir.Shape) (strided.View, error) {
	v := strided.View{Lengths: shape, Strides: strided.Strides(data)}
	axes, known, err := r.Axes(len(data))
	if err != nil {
		return v, err
	}
	starts, startsKnown := r[0].Ints()
	steps, stepsKnown := r[2].Ints()
	if !known || !startsKnown || !stepsKnown {
		return v, errors.New("start, step or axes are not known")
	}
	for k, axis := range axes {
		v.Offset += int(First(starts[k], int64(data[axis]), steps[k])) * v.Strides[axis]
		// otherwise the step may be greater than the axis, and the product may overflow
		if shape[axis] > 1 {
			v.Strides[axis] *= int(steps[k])
		}
	}
	return v, nil
}
