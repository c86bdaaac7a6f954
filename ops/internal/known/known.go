// Package known follows values through layers that OpenVINO evaluates where it knows
// every element of every input, and not otherwise.
package known

import "github.com/vinoir/vinoir/ir"

// Output returns the number of elements of output 0 and true, where all inputs of
// in are known integers and the output is static and small enough to follow.
func Output(in *ir.Inference) (int, bool) {
	n := in.Outputs[0].Shape.Elements()
	if !in.Outputs[0].Shape.IsStatic() || !in.Outputs[0].Type.IsIntegral() || n.Max > ir.MaxValues {
		return 0, false
	}
	for i := range in.Inputs {
		input := &in.Inputs[i]
		if e := input.Shape.Elements(); !input.Shape.IsStatic() || e.Max > ir.MaxValues {
			return 0, false
		}
		if values, ok := input.Ints(); !ok || int64(len(values)) != input.Shape.Elements().Min {
			return 0, false
		}
	}
	return int(n.Min), true
}

// Move makes output 0 of elements of input 0: output[i] = data[from(i)], and 0 where
// from(i) is negative. It calls from only where Output says true.
func Move(in *ir.Inference, from func(i int) int) {
	n, ok := Output(in)
	if !ok {
		return
	}
	data, _ := in.Inputs[0].Ints()
	values := make([]ir.Interval, n)
	for i := range values {
		if k := from(i); k >= 0 {
			values[i] = ir.Interval{Min: data[k], Max: data[k]}
		}
	}
	in.Outputs[0].Values = values
}

// Set makes ints the values of an output.
func Set(out *ir.Fact, ints []int64) {
	out.Values = make([]ir.Interval, len(ints))
	for i, v := range ints {
		out.Values[i] = ir.Interval{Min: v, Max: v}
	}
}
