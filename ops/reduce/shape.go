package reduce

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	data, axes := &in.Inputs[0], &in.Inputs[1]
	if isBool := data.Type == ir.Boolean; data.Type != ir.Dynamic && isBool != at.kind.logical() {
		return faults.Errorf("data is %v, which %v does not reduce", data.Type, in.Layer.Type)
	}
	if axes.Type != ir.Dynamic && !axes.Type.IsInteger() {
		return faults.Errorf("axes is %v, not of an integer type", axes.Type)
	}
	if axes.Shape.Rank() > 1 {
		return faults.Errorf("axes has shape %v, not that of a scalar or vector", axes.Shape)
	}
	out := &in.Outputs[0]
	out.Type, out.Shape = data.Type, ir.UnknownRank
	if !data.Shape.RankKnown() {
		return nil
	}
	values, known := axes.Ints()
	if !known {
		switch {
		case at.keepDims:
			out.Shape = ir.ShapeOfRank(data.Shape.Rank())
		case axes.Shape.Elements() == ir.Dim(1) && data.Shape.Rank() > 0:
			// A single axis occurs only once.
			out.Shape = ir.ShapeOfRank(data.Shape.Rank() - 1)
		}
		return nil
	}
	reduced, err := axisSet(values, data.Shape.Rank(), at.keepDims)
	if err != nil {
		return err
	}
	var dims []ir.Dimension
	for i, d := range data.Shape.Dims() {
		switch {
		case !reduced[i]:
			dims = append(dims, d)
		case at.keepDims:
			dims = append(dims, ir.Dim(1))
		}
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}

// axisSet returns, for each axis of a tensor, whether axes contains it. A scalar has the axes 0
// and -1 unless keepDims is true.
func axisSet(axes []int64, rank int, keepDims bool) ([]bool, error) {
	set := make([]bool, rank)
	for _, a := range axes {
		if rank == 0 && !keepDims && (a == 0 || a == -1) {
			continue
		}
		axis, err := index.Axis(a, rank)
		if err != nil {
			return nil, err
		}
		set[axis] = true
	}
	return set, nil
}

// bounds follows known values through the maximum, the minimum, and the product of integers
// that are not negative, such as lengths. The product of floats depends on the order of
// rounding.
func bounds(in *ops.Inference) {
	at, values, out := in.Attributes.(attributes), in.Inputs[0].Bounds(), &in.Outputs[0]
	axes, known := in.Inputs[1].Ints()
	data, err := in.Inputs[0].Shape.Static()
	if int(at.kind) >= len(combineLengths) || combineLengths[at.kind] == nil || len(values) == 0 || !known || err != nil {
		return
	}
	isReal := out.Type.IsFloat()
	if isReal && at.kind == prod {
		return
	}
	for _, v := range values {
		if v.Min < 0 && at.kind == prod {
			return
		}
	}
	reduced, err := axisSet(axes, len(data), at.keepDims)
	if err != nil {
		return
	}
	// A reduced axis has stride 0 in the output.
	kept := slices.Clone(data)
	for i := range kept {
		if reduced[i] {
			kept[i] = 1
		}
	}
	view := strided.View{Lengths: data, Strides: strided.Strides(kept)}
	for i := range view.Strides {
		if reduced[i] {
			view.Strides[i] = 0
		}
	}
	out.Values = make([]ir.Interval, kept.Elements())
	begun := make([]bool, len(out.Values))
	for i, v := range values {
		to := view.At(i)
		if begun[to] {
			v = ir.Interval(combineLengths[at.kind](ir.Dimension(out.Values[to]), ir.Dimension(v)))
		}
		out.Values[to], begun[to] = v, true
	}
	_, hi, ok := out.Type.Limits()
	for i, v := range out.Values {
		if !isReal && (!ok || v.Max > hi && v.Max != math.MaxInt64) {
			// the result may wrap
			out.Values[i] = ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}
		}
	}
}

// combineLengths holds, for each kind of reduction that OpenVINO follows, the function of two
// intervals.
var combineLengths = [minimum + 1]func(a, b ir.Dimension) ir.Dimension{
	prod: ir.Dimension.Mul,
	maximum: func(a, b ir.Dimension) ir.Dimension {
		return ir.DimRange(max(a.Min, b.Min), max(a.Max, b.Max))
	},
	minimum: func(a, b ir.Dimension) ir.Dimension {
		return ir.DimRange(min(a.Min, b.Min), min(a.Max, b.Max))
	},
}
