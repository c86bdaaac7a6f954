package unary

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func inferNumber(in *ops.Inference) error {
	t := in.Inputs[0].Type
	if t == ir.Boolean || t == ir.String {
		return faults.Errorf("data is %v, which has no arithmetic", t)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, in.Inputs[0].Shape
	return nil
}

func inferFloat(in *ops.Inference) error {
	if err := check.Real("data", in.Inputs[0].Type); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

func inferTest(in *ops.Inference) error {
	err := inferFloat(in)
	in.Outputs[0].Type = ir.Boolean
	return err
}

// inferAny accepts every type, as OpenVINO does. The kernels support fewer types.
func inferAny(in *ops.Inference) error {
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

func inferBitwise(in *ops.Inference) error {
	if t := in.Inputs[0].Type; t != ir.Dynamic && !t.IsIntegral() {
		return faults.Errorf("data is %v, expected integers or booleans", t)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
	return nil
}

// bounds returns the function that propagates values through f; nil if OpenVINO propagates only
// constants.
func bounds(f function) func(*ops.Inference) {
	switch f {
	case abs:
		return absBounds
	case clamp:
		return clampBounds
	}
	return nil
}

func follow(in *ops.Inference, f func(ir.Interval) ir.Interval) {
	data := in.Inputs[0].Bounds()
	if data == nil {
		return
	}
	values := make([]ir.Interval, len(data))
	for i, v := range data {
		values[i] = f(v)
	}
	in.Outputs[0].Values = values
}

// absBounds returns unknown bounds for integers that may be the lowest of their type, because that
// has no absolute value in the type.
func absBounds(in *ops.Inference) {
	least, negative := int64(math.MinInt8), func(v int64) int64 { return -v }
	if in.Inputs[0].Type.IsFloat() {
		least, negative = math.MinInt64, func(code int64) int64 { return ^code }
	}
	follow(in, func(v ir.Interval) ir.Interval {
		switch {
		case v.Min >= 0:
			return v
		case v.Min <= least || v.Max == math.MaxInt64:
			return ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}
		case v.Max <= 0:
			return ir.Interval{Min: negative(v.Max), Max: negative(v.Min)}
		}
		return ir.Interval{Min: 0, Max: max(negative(v.Min), v.Max)}
	})
}

// clampBounds clamps both ends of the bounds. It keeps unknown values unknown, and an unbounded
// maximum unbounded if the upper limit is the greatest value of the type.
func clampBounds(in *ops.Inference) {
	lo, hi, ok := in.Attributes.(attributes).limits(in.Inputs[0].Type)
	if !ok || lo > hi {
		return
	}
	follow(in, func(v ir.Interval) ir.Interval {
		if v.Min == math.MinInt64 && v.Max == math.MaxInt64 {
			return v
		}
		return ir.Interval{Min: min(max(v.Min, lo), hi), Max: min(max(v.Max, lo), hi)}
	})
}

// limits returns the limits of Clamp as bounds for type t; false if such values are not propagated.
func (at attributes) limits(t ir.ElementType) (lo, hi int64, ok bool) {
	if lo, real := t.Round(at.min); real {
		hi, _ := t.Round(at.max)
		return ir.CodeOf(lo), ir.CodeOf(hi), lo <= hi // not NaN
	}
	least, greatest, ok := t.Limits()
	lo, hi = saturate(math.Ceil(at.min), least, greatest), saturate(math.Floor(at.max), least, greatest)
	if hi == greatest {
		hi = math.MaxInt64
	}
	return lo, hi, ok && t != ir.Boolean
}

// saturate returns x, clamped to lo and hi.
func saturate(x float64, lo, hi int64) int64 {
	switch {
	case x <= float64(lo):
		return lo
	case x >= float64(hi):
		return hi
	}
	return int64(x)
}
