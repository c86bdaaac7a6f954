package layertest

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// Numbers returns a tensor with the given values, rounded to the element type, whose size must
// be whole bytes. Without values the elements are 0.
func Numbers(t testing.TB, elementType ir.ElementType, shape ir.Shape, values ...float64) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(elementType, shape...)
	require.NoError(t, err)
	if values == nil {
		return tensor
	}
	require.Len(t, values, tensor.Len())
	if elementType.IsIntegral() {
		ints := make([]int64, len(values))
		for i, v := range values {
			ints[i] = int64(v)
		}
		return Ints(t, elementType, shape, ints...)
	}
	for i, v := range values {
		switch elementType {
		case ir.F64:
			ir.Data[float64](tensor)[i] = v
		case ir.F32:
			ir.Data[float32](tensor)[i] = float32(v)
		case ir.F16:
			ir.Data[uint16](tensor)[i] = half.F32ToF16(float32(v))
		case ir.BF16:
			ir.Data[half.BFloat16](tensor)[i] = half.BFloat16Of(float32(v))
		default:
			require.Fail(t, "no numbers of this type", "%v", elementType)
		}
	}
	return tensor
}

// Floats returns the elements of a tensor as float64. It is the inverse of Numbers.
func Floats(t testing.TB, tensor *ir.Tensor) []float64 {
	t.Helper()
	values := make([]float64, tensor.Len())
	if tensor.ElementType().IsIntegral() {
		ints, err := tensor.Ints()
		require.NoError(t, err)
		for i, v := range ints {
			values[i] = float64(v)
		}
		return values
	}
	for i := range values {
		switch tensor.ElementType() {
		case ir.F64:
			values[i] = ir.Data[float64](tensor)[i]
		case ir.F32:
			values[i] = float64(ir.Data[float32](tensor)[i])
		case ir.F16:
			values[i] = float64(half.F16ToF32(ir.Data[uint16](tensor)[i]))
		case ir.BF16:
			values[i] = float64(ir.Data[half.BFloat16](tensor)[i].Float32())
		default:
			require.Fail(t, "no numbers of this type", "%v", tensor.ElementType())
		}
	}
	return values
}

// Near ends the test unless the elements of got are those of want within a tolerance. NaN is
// near NaN, and an infinity only near itself. format and args describe the tensor.
func Near(t testing.TB, want []float64, got *ir.Tensor, tolerance float64, format string, args ...any) {
	t.Helper()
	values := Floats(t, got)
	require.Len(t, values, len(want))
	for i, v := range values {
		if want[i] != v && !(math.Abs(want[i]-v) <= tolerance) && !(math.IsNaN(want[i]) && math.IsNaN(v)) {
			t.Fatalf("%s element %d: %v, want %v", fmt.Sprintf(format, args...), i, v, want[i])
		}
	}
}
