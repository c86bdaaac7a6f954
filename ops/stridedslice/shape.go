package stridedslice

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/slicing"
)

func infer(in *ops.Inference) error {
	data, out := in.Inputs[0].Shape, &in.Outputs[0]
	out.Type = in.Inputs[0].Type
	for i, input := range in.Inputs[1:] {
		if i < 2 { // OpenVINO does not check the type of strides
			if err := check.Integer(names[i+1], input.Type); err != nil {
				return err
			}
		}
		if err := check.Rank(names[i+1], input.Shape, 1); err != nil {
			return err
		}
	}
	if !data.RankKnown() {
		out.Shape = ir.UnknownRank
		return nil
	}
	n, err := entryCount(in.Inputs)
	if err != nil {
		return err
	}
	if n < 0 {
		out.Shape = ir.UnknownRank
		return nil
	}
	p, err := planOf(in.Attributes.(attributes), data.Rank(), n)
	if err != nil {
		return err
	}
	r := rangesOf(in)
	dims, last := make([]ir.Dimension, 0, len(p)), -1
	for _, to := range p {
		switch {
		case to.shrink:
		case to.axis < 0:
			dims = append(dims, ir.Dim(1))
		case to.entry < 0:
			dims = append(dims, data.At(to.axis))
		default:
			d, err := r.cut(data.At(to.axis), to.entry)
			if err != nil {
				return err
			}
			last = len(dims)
			dims = append(dims, d)
		}
	}
	out.Shape = ir.ShapeOf(dims...)
	if last >= 0 && out.Shape.IsStatic() && (r.begins == nil || r.ends == nil) {
		// The masks can make unknown values irrelevant. OpenVINO keeps the shape dynamic even then.
		for _, to := range p {
			if to.entry >= 0 && !to.shrink {
				dims[last] = r.any(data.At(to.axis), to.entry)
			}
		}
	}
	return nil
}

// entryCount returns the number of elements of begin, end and strides; -1 if it is unknown.
func entryCount(inputs []ir.Fact) (int64, error) {
	n, from := int64(-1), ""
	for i := 1; i < len(inputs); i++ {
		s := inputs[i].Shape
		if !s.IsStatic() {
			continue
		}
		if _, known := inputs[i].Ints(); i == 3 && !known {
			continue // as in OpenVINO, the length of strides is ignored if its values are unknown
		}
		if n >= 0 && s.At(0) != ir.Dim(n) {
			return 0, faults.Errorf("%s has %v elements, %s has %d", names[i], s.At(0), from, n)
		}
		n, from = s.At(0).Min, names[i]
	}
	return n, nil
}

// ranges holds the known values of begin, end and strides. A list is nil if its values are unknown.
type ranges struct {
	attributes
	begins, ends []ir.Interval
	steps        []int64
	stepsKnown   bool
}

func rangesOf(in *ops.Inference) *ranges {
	r := &ranges{attributes: in.Attributes.(attributes), begins: slicing.Ends(&in.Inputs[1]), ends: slicing.Ends(&in.Inputs[2]), stepsKnown: true}
	if len(in.Inputs) > 3 {
		r.steps, r.stepsKnown = in.Inputs[3].Ints()
	}
	return r
}

// step returns strides[k], which must be known.
func (r *ranges) step(k int) int64 {
	if r.steps == nil {
		return 1
	}
	return r.steps[k]
}

// cut returns the length that element k leaves of an axis of length d.
func (r *ranges) cut(d ir.Dimension, k int) (ir.Dimension, error) {
	if r.stepsKnown && r.step(k) == 0 {
		return d, faults.Errorf("strides[%d] is 0", k)
	}
	beginKnown := r.begins != nil || r.begin.has(k)
	endKnown := r.ends != nil || r.end.has(k)
	if !r.stepsKnown || !beginKnown || !endKnown {
		return r.any(d, k), nil
	}
	step := r.step(k)
	begin, end := ir.Interval{}, ir.Interval{Min: d.Max, Max: d.Max}
	if step < 0 {
		begin, end = end, ir.Interval{Min: math.MinInt64, Max: math.MinInt64}
		if d.Max != ir.Unbounded {
			end = ir.Interval{Min: -1 - d.Max, Max: -1 - d.Max}
		}
	}
	if !r.begin.has(k) {
		begin = r.begins[k]
	}
	if !r.end.has(k) {
		end = r.ends[k]
	}
	return slicing.Cut(d, begin, end, step), nil
}

// any returns the length of any piece of an axis of length d.
func (r *ranges) any(d ir.Dimension, k int) ir.Dimension {
	if r.stepsKnown && d.Max != ir.Unbounded && d.Max > 0 {
		step := uint64(r.step(k))
		if r.step(k) < 0 {
			step = -step
		}
		return ir.DimRange(0, int64((uint64(d.Max)-1)/step)+1)
	}
	return ir.DimRange(0, d.Max)
}

// bounds copies the known values of the piece.
func bounds(in *ops.Inference) {
	values := in.Inputs[0].Bounds()
	data, errData := in.Inputs[0].Shape.Static()
	shape, err := in.Outputs[0].Shape.Static()
	if values == nil || errData != nil || err != nil || in.Outputs[0].Shape.Elements().Max > ir.MaxValues {
		return
	}
	view, err := viewOf(in.Attributes.(attributes), in.Inputs, data, shape)
	if err != nil {
		return
	}
	kept := make([]ir.Interval, shape.Elements())
	for i := range kept {
		kept[i] = values[view.At(i)]
	}
	in.Outputs[0].Values = kept
}
