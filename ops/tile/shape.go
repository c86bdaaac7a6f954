package tile

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func infer(in *ops.Inference) error {
	data, input, out := in.Inputs[0].Shape, &in.Inputs[1], &in.Outputs[0]
	out.Type = in.Inputs[0].Type
	repeats, known, err := repeatsOf(input)
	if err != nil {
		return err
	}
	switch n := input.Shape.At(0); {
	case !data.RankKnown():
		out.Shape = ir.UnknownRank
	case known:
		out.Shape = repeat(data, repeats)
	case n.IsStatic():
		out.Shape = ir.ShapeOfRank(max(data.Rank(), int(n.Min)))
	default:
		out.Shape = ir.UnknownRank
	}
	return nil
}

// repeatsOf returns the bounds of the elements of repeats; false if they are unknown.
func repeatsOf(input *ir.Fact) (repeats []ir.Dimension, known bool, err error) {
	if !input.Type.IsIntegral() { // as in OpenVINO, booleans are allowed
		return nil, false, faults.Errorf("repeats is %v, not a type of integers", input.Type)
	}
	if err := check.Rank("repeats", input.Shape, 1); err != nil {
		return nil, false, err
	}
	if err := check.AxisCount("repeats", input.Shape); err != nil {
		return nil, false, err
	}
	if ints, known := input.Ints(); known && input.Tensor != nil {
		repeats = make([]ir.Dimension, len(ints))
		for i, n := range ints {
			// OpenVINO rejects negative repeats only if they are computed
			repeats[i] = ir.Dim(max(n, 0))
		}
		return repeats, true, nil
	}
	values := input.Intervals()
	if values == nil {
		return nil, false, nil
	}
	repeats = make([]ir.Dimension, len(values))
	for i, v := range values {
		if repeats[i], err = check.Length(fmt.Sprintf("repeats[%d]", i), v); err != nil {
			return nil, false, err
		}
	}
	return repeats, true, nil
}

// repeat returns the shape of the repeated data.
func repeat(data ir.PartialShape, repeats []ir.Dimension) ir.PartialShape {
	dims := make([]ir.Dimension, max(data.Rank(), len(repeats)))
	for i := range dims {
		dims[i] = ir.Dim(1)
	}
	copy(dims[len(dims)-len(repeats):], repeats)
	lead := len(dims) - data.Rank()
	for i, d := range data.Dims() {
		d = d.Mul(dims[lead+i])
		if d.Min == ir.Unbounded {
			d.Min = 0 // lengths beyond an int64 are unknown
		}
		dims[lead+i] = d
	}
	return ir.ShapeOf(dims...)
}

// bounds repeats the known values.
func bounds(in *ops.Inference) {
	values := in.Inputs[0].Bounds()
	_, known := in.Inputs[1].Ints()
	data, errData := in.Inputs[0].Shape.Static()
	shape, err := in.Outputs[0].Shape.Static()
	if values == nil || !known || errData != nil || err != nil || in.Outputs[0].Shape.Elements().Max > ir.MaxValues {
		return
	}
	view := viewOf(data, shape)
	repeated := make([]ir.Interval, shape.Elements())
	for i := range repeated {
		repeated[i] = values[view.At(i)]
	}
	in.Outputs[0].Values = repeated
}

// viewOf returns a view of data that has the elements of the output. Each axis of data becomes two
// axes: the repetitions, with stride 0, and the axis itself.
func viewOf(data, shape ir.Shape) strided.View {
	v := strided.View{Lengths: make([]int, 0, 2*len(shape)), Strides: make([]int, 0, 2*len(shape))}
	strides, lead := strided.Strides(data), len(shape)-len(data)
	for k, n := range shape {
		if k < lead {
			v.Lengths, v.Strides = append(v.Lengths, n), append(v.Strides, 0)
			continue
		}
		d := data[k-lead]
		v.Lengths = append(v.Lengths, n/max(d, 1), d)
		v.Strides = append(v.Strides, 0, strides[k-lead])
	}
	return v
}
