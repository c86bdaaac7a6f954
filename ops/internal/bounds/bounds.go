// Package bounds follows values through layers that OpenVINO evaluates where it knows
// every element of every input, and not otherwise: it serves their Bounds.
package bounds

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// ShapesIfKnown returns the shapes of input 0 and of output 0, and true, where all inputs of
// in are known integers and the output is static and small enough to follow.
func ShapesIfKnown(in *ops.Inference) (data, out ir.Shape, ok bool) {
	n := in.Outputs[0].Shape.Elements()
	if !in.Outputs[0].Shape.IsStatic() || !in.Outputs[0].Type.IsIntegral() || n.Max > ir.MaxValues {
		return nil, nil, false
	}
	for i := range in.Inputs {
		input := &in.Inputs[i]
		if e := input.Shape.Elements(); !input.Shape.IsStatic() || e.Max > ir.MaxValues {
			return nil, nil, false
		}
		if values, ok := input.Ints(); !ok || int64(len(values)) != input.Shape.Elements().Min {
			return nil, nil, false
		}
	}
	data, dataErr := in.Inputs[0].Shape.Static()
	out, outErr := in.Outputs[0].Shape.Static()
	return data, out, dataErr == nil && outErr == nil
}

// Move makes output 0 of elements of input 0: output[i] = data[from(i)], and 0 where
// from(i) is negative. It calls from only where Shapes says true.
func Move(in *ops.Inference, from func(i int) int) {
	_, out, ok := ShapesIfKnown(in)
	if !ok {
		return
	}
	data, _ := in.Inputs[0].Ints()
	values := make([]ir.Interval, out.Elements())
	for i := range values {
		if k := from(i); k >= 0 {
			values[i] = ir.Interval{Min: data[k], Max: data[k]}
		}
	}
	in.Outputs[0].Values = values
}

// SetValues makes ints the values of an output.
func SetValues(out *ir.Fact, ints []int64) {
	out.Values = make([]ir.Interval, len(ints))
	for i, v := range ints {
		out.Values[i] = ir.Interval{Min: v, Max: v}
	}
}
