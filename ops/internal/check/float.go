package check

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// Float returns the value of a known input that holds one floating-point number. It returns
// false for other inputs.
func Float(f *ir.Fact) (float64, bool) {
	t := f.Tensor
	if t == nil || t.Len() != 1 {
		return 0, false
	}
	switch t.ElementType() {
	case ir.F64:
		return ir.Data[float64](t)[0], true
	case ir.F32:
		return float64(ir.Data[float32](t)[0]), true
	case ir.F16:
		return float64(half.F16ToF32(ir.Data[uint16](t)[0])), true
	case ir.BF16:
		return float64(ir.Data[half.BFloat16](t)[0].Float32()), true
	}
	return 0, false
}
