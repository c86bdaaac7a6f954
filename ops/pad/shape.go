package pad

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/slicing"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// names are the names of the inputs.
var names = [...]string{"data", "pads_begin", "pads_end", "pad_value"}

func infer(in *ops.Inference) error {
	m, data, out := in.Attributes.(mode), in.Inputs[0].Shape, &in.Outputs[0]
	out.Type = in.Inputs[0].Type
	if m == constant && len(in.Inputs) > 3 {
		t, ok := ir.MergeElementTypes(out.Type, in.Inputs[3].Type)
		if !ok {
			return faults.Errorf("data is %v, pad_value is %v", out.Type, in.Inputs[3].Type)
		}
		out.Type = t
		if err := check.Rank("pad_value", in.Inputs[3].Shape, 0); err != nil {
			return err
		}
	}
	for i := 1; i < 3; i++ {
		if err := check.Integer(names[i], in.Inputs[i].Type); err != nil {
			return err
		}
		if err := check.Rank(names[i], in.Inputs[i].Shape, 1); err != nil {
			return err
		}
	}
	if !data.RankKnown() {
		out.Shape = ir.UnknownRank
		return nil
	}
	begins, ends := slicing.Ends(&in.Inputs[1]), slicing.Ends(&in.Inputs[2])
	known := begins != nil && ends != nil
	for i := 1; i < 3; i++ {
		if s := in.Inputs[i].Shape; s.IsStatic() && (s.At(0).Min > int64(data.Rank()) || known && s.At(0) != ir.Dim(int64(data.Rank()))) {
			return faults.Errorf("%s has %v elements, data of shape %v has %d axes", names[i], s.At(0), data, data.Rank())
		}
	}
	if !known {
		out.Shape = ir.ShapeOfRank(data.Rank())
		return nil
	}
	dims := make([]ir.Dimension, data.Rank())
	for i, d := range data.Dims() {
		if d.IsStatic() {
			if err := checkPads(m, i, d.Min, begins[i].Min, ends[i].Min); err != nil {
				return err
			}
			// OpenVINO infers a dynamic length here, but its CPU plugin rejects the layer.
			if begins[i].Known() && ends[i].Known() && cutsMore(d.Min, begins[i].Min, ends[i].Min) {
				return faults.Errorf("pads_begin[%d] is %d, pads_end[%d] is %d: they take more than the %d elements of the axis", i, begins[i].Min, i, ends[i].Min, d.Min)
			}
		}
		dims[i] = padded(d, begins[i], ends[i])
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}

// checkPads returns an error if mode m does not allow the pads for an axis of n elements.
func checkPads(m mode, axis int, n, begin, end int64) error {
	longest := int64(math.MaxInt64)
	switch m {
	case edge:
		if n == 0 {
			longest = 0
		}
	case reflect:
		longest = n - 1
	case symmetric:
		longest = n
	}
	for i, v := range [...]int64{begin, end} {
		if v > longest {
			return faults.Errorf("%s[%d] is %d, mode %v allows %d at most for an axis of %d elements", names[i+1], axis, v, m, longest, n)
		}
	}
	return nil
}

// cutsMore reports whether n+begin+end is negative. It does not overflow. n must not be negative.
func cutsMore(n, begin, end int64) bool {
	less, more := min(begin, end), max(begin, end)
	if less >= 0 {
		return false
	}
	left := n + less
	if left < 0 && more > 0 {
		return left < -more
	}
	return left < 0 || more < 0 && left+more < 0
}

// String returns the name of the mode.
func (m mode) String() string {
	return [...]string{"constant", "edge", "reflect", "symmetric"}[m]
}

// padded returns the length of an axis of length d after padding. As in OpenVINO, its sums wrap,
// and a negative maximum means unbounded.
func padded(d ir.Dimension, begin, end ir.Interval) ir.Dimension {
	least, most := begin.Min+end.Min, begin.Max+end.Max
	if least == 0 && most == 0 {
		return d
	}
	p := ir.Dimension{Min: max(d.Min+least, 0), Max: d.Max + most}
	if d.Max == ir.Unbounded || p.Max < 0 || isUnbounded(begin) || isUnbounded(end) {
		p.Max = ir.Unbounded
	}
	return p
}

// isUnbounded reports whether v is an unbounded length.
func isUnbounded(v ir.Interval) bool { return v.Min == 0 && v.Max == math.MaxInt64 }

// source returns the position in data that position i of the output has the value of, along an axis
// of n elements; -1 for pad_value. The pads must satisfy checkPads.
func (m mode) source(i, begin, n int) int {
	at := i - begin
	switch {
	case 0 <= at && at < n:
		return at
	case m == constant:
		return -1
	case m == edge:
		return min(max(at, 0), n-1)
	case m == reflect && at < 0:
		return -at
	case m == reflect:
		return 2*(n-1) - at
	case at < 0:
		return -1 - at
	}
	return 2*n - 1 - at
}

// bounds pads the known values.
func bounds(in *ops.Inference) {
	m, values, padding := in.Attributes.(mode), in.Inputs[0].Bounds(), ir.Interval{}
	data, errData := in.Inputs[0].Shape.Static()
	shape, err := in.Outputs[0].Shape.Static()
	begins, beginsKnown := in.Inputs[1].Ints()
	_, endsKnown := in.Inputs[2].Ints()
	if values == nil || errData != nil || err != nil || !beginsKnown || !endsKnown || in.Outputs[0].Shape.Elements().Max > ir.MaxValues {
		return
	}
	if len(in.Inputs) > 3 {
		value := in.Inputs[3].Bounds()
		if value == nil {
			return
		}
		padding = value[0]
	}
	padded := make([]ir.Interval, shape.Elements())
	strides := strided.Strides(data)
	for i := range padded {
		from := 0
		for k, c := range index.Position(i, shape) {
			at := m.source(c, int(begins[k]), data[k])
			if at < 0 {
				from = -1
				break
			}
			from += at * strides[k]
		}
		padded[i] = padding
		if from >= 0 {
			padded[i] = values[from]
		}
	}
	in.Outputs[0].Values = padded
}
