// Package bounds implements the Bounds functions of layers that OpenVINO evaluates only if it
// knows every element of every input.
package bounds

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// ShapesIfKnown returns the static shapes of input 0 and output 0. It returns false unless all
// elements of all inputs are known integers, and output 0 has an integer type and is static and
// small enough to follow.
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

// Move copies elements of input 0 to output 0: output[i] = data[from(i)], or 0 if from(i) is
// negative. It does nothing if ShapesIfKnown returns false.
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

// SetValues sets the known values of an output.
func SetValues(out *ir.Fact, ints []int64) {
	out.Values = make([]ir.Interval, len(ints))
	for i, v := range ints {
		out.Values[i] = ir.Interval{Min: v, Max: v}
	}
}
