package broadcast

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	at.mode = at.modeOf(len(in.Inputs))
	if err := checkInputs(in.Inputs, at); err != nil {
		return err
	}
	data, out := in.Inputs[0].Shape, &in.Outputs[0]
	out.Type = in.Inputs[0].Type
	target, known, err := targetOf(in)
	if err != nil {
		return err
	}
	if at.mode == explicit {
		if err := checkMapping(data, in.Inputs, target, known); err != nil {
			return err
		}
	}
	switch {
	case at.mode == bidirectional:
		if !known && !data.RankKnown() {
			out.Shape = ir.UnknownRank
			return nil
		}
		var ok bool
		if out.Shape, ok = data.Broadcast(target); !ok {
			return faults.Errorf("data of shape %v and target_shape %v do not broadcast", data, target)
		}
		return nil
	case known && at.mode == numpy:
		err = checkNumpy(data, target)
	case known && at.mode == pdpd:
		target, err = stretch(data, target, at.axis)
	}
	out.Shape = target
	return err
}

// checkInputs checks the number, the types and the ranks of the inputs that the mode requires.
func checkInputs(inputs []ir.Fact, at attributes) error {
	if at.inputs > 0 && len(inputs) != at.inputs {
		return faults.Errorf("%d inputs are connected, the mode asks for %d", len(inputs), at.inputs)
	}
	for i, name := range []string{"target_shape", "axes_mapping"} {
		if i == 1 && at.mode != explicit {
			break
		}
		input := &inputs[i+1]
		if !input.Type.IsInteger() && input.Type != ir.Dynamic {
			return faults.Errorf("%s is %v, not a type of integers", name, input.Type)
		}
		if input.Shape.RankKnown() && input.Shape.Rank() != 1 {
			return faults.Errorf("%s has shape %v, not that of a vector", name, input.Shape)
		}
		if err := check.AxisCount(name, input.Shape); err != nil {
			return err
		}
	}
	return nil
}

// targetOf returns the target shape. known reports whether more than its rank is known.
func targetOf(in *ops.Inference) (target ir.PartialShape, known bool, err error) {
	input := &in.Inputs[1]
	if values := input.Intervals(); values != nil {
		dims := make([]ir.Dimension, len(values))
		for i, v := range values {
			switch {
			case v == ir.Interval{Min: -1, Max: -1} && isConstant(in.Layer):
				dims[i] = ir.AnyDim
			case v.Min == math.MinInt64 && v.Max >= 0: // the lower bound is unknown
				dims[i] = ir.DimRange(0, v.Max)
			case v.Min < 0:
				return target, false, faults.Errorf("target_shape[%d] is negative: %d", i, v.Min)
			default:
				dims[i] = ir.DimRange(v.Min, v.Max)
			}
		}
		return ir.ShapeOf(dims...), true, nil
	}
	s := input.Shape
	if !s.IsStatic() {
		return ir.UnknownRank, false, nil
	}
	if dims := fromConcat(in.Layer, int(s.At(0).Min)); dims != nil {
		return ir.ShapeOf(dims...), true, nil
	}
	return ir.ShapeOfRank(int(s.At(0).Min)), false, nil
}

// isConstant reports whether the target shape is a Constant. OpenVINO takes -1 as an unknown length
// only there.
func isConstant(layer *ir.Layer) bool {
	return layer != nil && len(layer.Inputs) > 1 && layer.Inputs[1].Source != nil && layer.Inputs[1].Source.Type == "Constant"
}

// fromConcat returns the dimensions of a target shape that is the output of a Concat layer with n
// inputs. Dimensions are known if their input is a constant. fromConcat returns nil for other
// target shapes.
func fromConcat(layer *ir.Layer, n int) []ir.Dimension {
	if layer == nil || len(layer.Inputs) < 2 {
		return nil
	}
	source := layer.Inputs[1].Source
	if source == nil || source.Type != "Concat" || len(source.Inputs) != n {
		return nil
	}
	dims := make([]ir.Dimension, n)
	for i, input := range source.Inputs {
		dims[i] = ir.AnyDim
		if input.Source == nil || input.Source.Constant == nil || input.Source.Constant.Len() != 1 {
			continue
		}
		if v, err := input.Source.Constant.Ints(); err == nil && v[0] >= 0 {
			dims[i] = ir.Dim(v[0])
		}
	}
	return dims
}

// checkMapping checks axes_mapping in mode explicit.
func checkMapping(data ir.PartialShape, inputs []ir.Fact, target ir.PartialShape, known bool) error {
	mapping := &inputs[2]
	if !data.RankKnown() || !inputs[1].Shape.RankKnown() || !mapping.Shape.IsStatic() {
		return nil
	}
	n := mapping.Shape.At(0)
	if rank := int64(data.Rank()); n != ir.Dim(rank) && !(rank == 0 && n == ir.Dim(1)) {
		return faults.Errorf("axes_mapping has %v elements, data of shape %v has %d axes", n, data, rank)
	}
	axes, axesKnown := mapping.Ints()
	if !known || !axesKnown {
		return nil
	}
	if !slices.IsSorted(axes) {
		return faults.Errorf("axes_mapping %v is not in rising order", axes)
	}
	for i, axis := range axes {
		if axis < 0 || axis >= int64(target.Rank()) {
			return faults.Errorf("axes_mapping[%d] is %d, target_shape %v has %d axes", i, axis, target, target.Rank())
		}
		d := ir.Dim(1)
		if data.Rank() > 0 {
			d = data.At(i)
		}
		if t := target.At(int(axis)); !t.Compatible(d) && (data.Rank() == 0 || !d.Contains(1)) {
			return faults.Errorf("dimension %d of data is %v, that of target_shape it is mapped to %v", i, d, t)
		}
	}
	return nil
}

// checkNumpy returns an error if data cannot be repeated to the target shape in mode numpy.
func checkNumpy(data, target ir.PartialShape) error {
	if !data.RankKnown() {
		return nil
	}
	lead := target.Rank() - data.Rank()
	if lead < 0 {
		return faults.Errorf("target_shape %v has fewer axes than data of shape %v", target, data)
	}
	for i, d := range data.Dims() {
		if t := target.At(lead + i); d.IsStatic() && t.IsStatic() && d != ir.Dim(1) && d != t {
			return faults.Errorf("dimension %d of data is %v, that of target_shape %v", i, d, t)
		}
	}
	return nil
}

// stretch returns the output shape in mode pdpd.
func stretch(data, target ir.PartialShape, axis int64) (ir.PartialShape, error) {
	if !data.RankKnown() {
		return ir.ShapeOfRank(target.Rank()), nil
	}
	first, err := firstAxis(data.Rank(), target.Rank(), axis)
	if err != nil {
		return ir.PartialShape{}, err
	}
	dims := slices.Clone(target.Dims())
	for i, d := range data.Dims() {
		if d == ir.Dim(1) {
			continue // even if target_shape has no axis for it
		}
		if first+i >= len(dims) {
			return ir.PartialShape{}, faults.Errorf("dimension %d of data is %v, target_shape %v has no axis for it", i, d, target)
		}
		t := &dims[first+i]
		if *t == ir.Dim(1) {
			*t = d
			continue
		}
		merged, ok := t.Merge(d)
		if !ok {
			return ir.PartialShape{}, faults.Errorf("dimension %d of data is %v, that of target_shape %v", i, d, *t)
		}
		*t = merged
	}
	return ir.ShapeOf(dims...), nil
}

// firstAxis returns the axis of the target that axis 0 of data corresponds to in mode pdpd.
func firstAxis(rank, targetRank int, axis int64) (int, error) {
	if axis == -1 {
		axis = int64(targetRank - rank)
	}
	if axis < 0 || axis > int64(targetRank) {
		return 0, faults.Errorf("axis %d is outside of the %d axes of target_shape", axis, targetRank)
	}
	return int(axis), nil
}

// bounds repeats the known values.
func bounds(in *ops.Inference) {
	values := in.Inputs[0].Bounds()
	if _, known := in.Inputs[1].Ints(); !known || values == nil {
		return
	}
	shape, err := in.Outputs[0].Shape.Static()
	if err != nil || in.Outputs[0].Shape.Elements().Max > ir.MaxValues {
		return
	}
	view, err := viewOf(in.Inputs, shape, in.Attributes.(attributes))
	if err != nil {
		return
	}
	repeated := make([]ir.Interval, shape.Elements())
	for i := range repeated {
		repeated[i] = values[view.At(i)]
	}
	in.Outputs[0].Values = repeated
}
