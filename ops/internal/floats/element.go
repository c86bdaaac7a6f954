package floats

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// At returns element i of a tensor of one of Types.
func At(t *ir.Tensor, i int) float64 {
	switch t.ElementType() {
	case ir.F32:
		return float64(ir.Data[float32](t)[i])
	case ir.F64:
		return ir.Data[float64](t)[i]
	case ir.F16:
		return float64(half.F16ToF32(ir.Data[uint16](t)[i]))
	}
	return float64(ir.Data[half.BFloat16](t)[i].Float32())
}

// Set sets element i of a tensor of one of Types to v, rounded to the type. The 16-bit types round
// v as a float32.
func Set(t *ir.Tensor, i int, v float64) {
	switch t.ElementType() {
	case ir.F32:
		ir.Data[float32](t)[i] = float32(v)
	case ir.F64:
		ir.Data[float64](t)[i] = v
	case ir.F16:
		ir.Data[uint16](t)[i] = half.F32ToF16(float32(v))
	default:
		ir.Data[half.BFloat16](t)[i] = half.BFloat16Of(float32(v))
	}
}
