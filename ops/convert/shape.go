package convert

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	in.Outputs[0].Type = in.Attributes.(attributes).destination
	in.Outputs[0].Shape = in.Inputs[0].Shape
	return nil
}

func inferLike(in *ops.Inference) error {
	in.Outputs[0].Type = in.Inputs[1].Type
	in.Outputs[0].Shape = in.Inputs[0].Shape
	return nil
}

// inferOutputV10 infers the output of a model of IR version 10. As in OpenVINO's reader, an unknown
// type stays unknown.
func inferOutputV10(in *ops.Inference) error {
	t := ir.F32
	switch in.Inputs[0].Type {
	case ir.I32, ir.I64, ir.U32, ir.U64:
		t = ir.I32
	case ir.Dynamic:
		t = ir.Dynamic
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, in.Inputs[0].Shape
	return nil
}

// bounds converts both ends of the intervals.
func bounds(in *ops.Inference) {
	convert := boundsOf(in.Inputs[0].Type, in.Outputs[0].Type)
	values := in.Inputs[0].Bounds()
	if convert == nil || values == nil {
		return
	}
	converted := make([]ir.Interval, len(values))
	for i, v := range values {
		converted[i] = convert(v)
	}
	in.Outputs[0].Values = converted
}

var unknown = ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}

// boundsOf returns the conversion of intervals; nil if the types do not support it.
func boundsOf(from, to ir.ElementType) func(ir.Interval) ir.Interval {
	_, fromReal := from.Round(0)
	_, toReal := to.Round(0)
	lo, hi, toInteger := to.Limits()
	switch {
	case !fromReal && !from.IsIntegral():
		return nil
	case to == ir.Boolean:
		return func(v ir.Interval) ir.Interval { return nonZeroBounds(v, fromReal) }
	case toInteger:
		return func(v ir.Interval) ir.Interval {
			if fromReal {
				v = truncated(v)
			}
			return asInteger(v, lo, hi)
		}
	case toReal:
		return func(v ir.Interval) ir.Interval { return realBounds(v, fromReal, to) }
	}
	return nil
}

// asInteger returns the bounds of v after its conversion to an integer type with the limits lo and
// hi. If v has no upper bound, its values are assumed to fit types of 32 and 64 bits. Other values
// that do not fit wrap around.
func asInteger(v ir.Interval, lo, hi int64) ir.Interval {
	switch {
	case v.Min >= lo && v.Max <= hi:
		return v
	case v.Min >= lo && v.Min <= hi && v.Max == math.MaxInt64 && hi > math.MaxUint16:
		return v
	case lo == 0 && hi <= math.MaxUint16:
		return ir.Interval{Min: lo, Max: hi}
	}
	return unknown
}

// truncated returns the bounds of floats after truncation; unknown if they may not fit an int64.
func truncated(v ir.Interval) ir.Interval {
	for _, end := range [...]*int64{&v.Min, &v.Max} {
		if *end == math.MinInt64 || *end == math.MaxInt64 {
			continue
		}
		x := math.Trunc(ir.RealOf(*end))
		if x < -1<<63 || x >= 1<<63 {
			return unknown
		}
		*end = int64(x)
	}
	return v
}

// realBounds returns the bounds of v as floats of type t. isReal means that v holds floats already.
func realBounds(v ir.Interval, isReal bool, t ir.ElementType) ir.Interval {
	end := func(bound int64) int64 {
		x := ir.RealOf(bound)
		if !isReal {
			x = float64(bound)
			if math.Abs(x) >= 1<<53 { // the float64 may be rounded
				x = math.Inf(int(bound>>63 | 1))
			}
		}
		x, _ = t.Round(x)
		return ir.CodeOf(x)
	}
	v = ir.Interval{Min: end(v.Min), Max: end(v.Max)}
	if v.Min == math.MaxInt64 || v.Max == math.MinInt64 {
		return unknown
	}
	return v
}

// nonZeroBounds returns the bounds of v != 0. isReal means that v holds floats.
func nonZeroBounds(v ir.Interval, isReal bool) ir.Interval {
	lo, hi := float64(v.Min), float64(v.Max)
	if isReal {
		lo, hi = ir.RealOf(v.Min), ir.RealOf(v.Max)
	}
	switch {
	case lo == 0 && hi == 0:
		return ir.Interval{}
	case lo > 0 || hi < 0:
		return ir.Interval{Min: 1, Max: 1}
	}
	return ir.Interval{Min: 0, Max: 1}
}
