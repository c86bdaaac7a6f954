package convert

import (
	"math"

	"github.com/vinoir/vinoir/ir"
)

func infer(in *ir.Inference) error {
	in.Outputs[0].Type = in.Attributes.(attributes).destination
	in.Outputs[0].Shape = in.Inputs[0].Shape
	return nil
}

func inferLike(in *ir.Inference) error {
	in.Outputs[0].Type = in.Inputs[1].Type
	in.Outputs[0].Shape = in.Inputs[0].Shape
	return nil
}

// bounds passes intervals on between integer types. What the destination cannot
// hold is no bound.
func bounds(in *ir.Inference) {
	from, to := in.Inputs[0].Type, in.Outputs[0].Type
	lo, hi, ok := to.Limits()
	if !ok || !from.IsIntegral() {
		return
	}
	values := in.Inputs[0].Intervals()
	if values == nil {
		return
	}
	converted := make([]ir.Interval, len(values))
	for i, v := range values {
		switch {
		case to == ir.Boolean:
			converted[i] = truth(v)
		case v.Min < lo || v.Min > hi:
			converted[i] = ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}
		case v.Max > hi:
			converted[i] = ir.Interval{Min: v.Min, Max: math.MaxInt64}
		default:
			converted[i] = v
		}
	}
	in.Outputs[0].Values = converted
}

// truth returns what is known of v != 0.
func truth(v ir.Interval) ir.Interval {
	switch {
	case v.Min == 0 && v.Max == 0:
		return ir.Interval{}
	case v.Min > 0 || v.Max < 0:
		return ir.Interval{Min: 1, Max: 1}
	}
	return ir.Interval{Min: 0, Max: 1}
}
