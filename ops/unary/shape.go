package unary

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func inferNumber(in *ir.Inference) error {
	t := in.Inputs[0].Type
	if t == ir.Boolean || t == ir.String {
		return fmt.Errorf("data is %v, which has no arithmetic", t)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, in.Inputs[0].Shape
	return nil
}

func inferFloat(in *ir.Inference) error {
	if err := check.Real("data", in.Inputs[0].Type); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

func inferTest(in *ir.Inference) error {
	err := inferFloat(in)
	in.Outputs[0].Type = ir.Boolean
	return err
}

// inferAny takes every type, as OpenVINO does; not all are computed.
func inferAny(in *ir.Inference) error {
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

func inferBitwise(in *ir.Inference) error {
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
	case clamp:
		return clampBounds
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

// clampBounds follows integers; what is not known at all stays so, and so does a
// greatest value that no limit is below.
func clampBounds(in *ir.Inference) {
	least, greatest, ok := in.Inputs[0].Type.Limits()
	if !ok || in.Inputs[0].Type == ir.Boolean {
		return
	}
	at := in.Attributes.(attributes)
	lo, hi := saturate(math.Ceil(at.min), least, greatest), saturate(math.Floor(at.max), least, greatest)
	if lo > hi {
		return
	}
	if hi == greatest {
		hi = math.MaxInt64
	}
	follow(in, func(v ir.Interval) ir.Interval {
		if v.Min == math.MinInt64 && v.Max == math.MaxInt64 {
			return v
		}
		return ir.Interval{Min: min(max(v.Min, lo), hi), Max: min(max(v.Max, lo), hi)}
	})
}

// saturate returns x, or the nearest number from lo to hi.
func saturate(x float64, lo, hi int64) int64 {
	switch {
	case x <= float64(lo):
		return lo
	case x >= float64(hi):
		return hi
	}
	return int64(x)
}
