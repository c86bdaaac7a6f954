package unary

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/ir"
)

func inferNumber(in *ir.Inference, _ function) error {
	t := in.Inputs[0].Type
	if t == ir.Boolean || t == ir.String {
		return fmt.Errorf("data is %v, which has no arithmetic", t)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, in.Inputs[0].Shape
	return nil
}

func inferFloat(in *ir.Inference, _ function) error {
	if t := in.Inputs[0].Type; t != ir.Dynamic && (!t.IsFloat() || t == ir.NF4) {
		return fmt.Errorf("data is %v, expected a floating-point type", t)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

func inferTest(in *ir.Inference, f function) error {
	err := inferFloat(in, f)
	in.Outputs[0].Type = ir.Boolean
	return err
}

// inferLogical takes every type, as OpenVINO does; only booleans are computed.
func inferLogical(in *ir.Inference, _ function) error {
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

func inferBitwise(in *ir.Inference, _ function) error {
	if t := in.Inputs[0].Type; t != ir.Dynamic && !t.IsIntegral() {
		return fmt.Errorf("data is %v, expected integers or booleans", t)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

// bounds returns how values pass through f; nil where OpenVINO does not follow
// them beyond constants.
func bounds(f function) func(*ir.Inference) {
	switch f {
	case abs:
		return func(in *ir.Inference) { follow(in, absBounds) }
	case logicalNot:
		return func(in *ir.Inference) {
			if in.Inputs[0].Type == ir.Boolean {
				follow(in, notBounds)
			}
		}
	}
	return nil
}

func follow(in *ir.Inference, f func(ir.Interval) ir.Interval) {
	data := in.Inputs[0].Intervals()
	if data == nil {
		return
	}
	values := make([]ir.Interval, len(data))
	for i, v := range data {
		values[i] = f(v)
	}
	in.Outputs[0].Values = values
}

// absBounds leaves values that may be the least of their type alone: the least
// has no absolute value in the type.
func absBounds(v ir.Interval) ir.Interval {
	switch {
	case v.Min >= 0:
		return v
	case v.Min <= math.MinInt8 || v.Max == math.MaxInt64:
		return ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}
	case v.Max <= 0:
		return ir.Interval{Min: -v.Max, Max: -v.Min}
	}
	return ir.Interval{Min: 0, Max: max(-v.Min, v.Max)}
}

func notBounds(v ir.Interval) ir.Interval {
	return ir.Interval{Min: 1 - min(v.Max, 1), Max: 1 - min(v.Min, 1)}
}
