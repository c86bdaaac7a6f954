package interpolate

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// scalesOf returns the elements of scales, and whether they are known.
func scalesOf(t *ir.Tensor) ([]float32, bool) {
	if t == nil || t.Len() > ir.MaxValues {
		return nil, false
	}
	switch t.ElementType() {
	case ir.F32, ir.F16, ir.BF16:
	default:
		return nil, false
	}
	scales := make([]float32, t.Len())
	for i := range scales {
		scales[i] = float32(floats.At(t, i))
	}
	return scales, true
}

// epsilon is added to a scale. If the scale is a quotient of lengths that float32 has rounded
// down, the product still reaches the length.
const epsilon = 1e-6

// scaled returns the lengths of d multiplied by scale, in the float32 arithmetic of OpenVINO.
// Bounds that are not valid lengths are treated as OpenVINO does.
func scaled(d ir.Dimension, scale float32) ir.Dimension {
	if scale == 1 {
		return d
	}
	scale += epsilon
	if d.IsStatic() {
		return ir.DimOfInt(multiply(d.Min, scale))
	}
	lo, hi := multiply(d.Min, scale), int64(ir.Unbounded)
	if d.Max != ir.Unbounded {
		hi = multiply(d.Max, scale)
	}
	if lo == -1 {
		lo = 0
	}
	if hi == -1 {
		hi = ir.Unbounded
	}
	if hi < lo {
		return ir.AnyDim
	}
	return ir.DimRange(max(lo, 0), max(hi, 0))
}

// multiply returns n*scale rounded towards 0, or the lowest int64 if the product overflows, as
// x86 processors do.
func multiply(n int64, scale float32) int64 {
	product := float32(float32(n) * scale)
	if product >= -0x1p63 && product < 0x1p63 {
		return int64(product)
	}
	return math.MinInt64
}
