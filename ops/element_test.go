package ops

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
)

func TestTensorOf(t *testing.T) {
	checkTensorOf[bool](t, ir.Boolean)
	checkTensorOf[int8](t, ir.I8)
	checkTensorOf[int16](t, ir.I16)
	checkTensorOf[int32](t, ir.I32)
	checkTensorOf[int64](t, ir.I64)
	checkTensorOf[uint8](t, ir.U8)
	checkTensorOf[uint16](t, ir.U16)
	checkTensorOf[uint32](t, ir.U32)
	checkTensorOf[uint64](t, ir.U64)
	checkTensorOf[float16.Float16](t, ir.F16)
	checkTensorOf[ir.BFloat16](t, ir.BF16)
	checkTensorOf[float32](t, ir.F32)
	checkTensorOf[float64](t, ir.F64)
	checkTensorOf[complex64](t, ir.Complex64)
	checkTensorOf[complex128](t, ir.Complex128)
	checkTensorOf[string](t, ir.String)

	_, err := TensorOf("updates", []int8{1}, []int{2})
	assert.EqualError(t, err, "updates: shape [2] needs 2 elements, the data has 1")
}

func checkTensorOf[T ir.Scalar](t *testing.T, want ir.ElementType) {
	t.Helper()
	data := make([]T, 6)
	tensor, err := TensorOf("data", data, []int{2, 3})
	require.NoError(t, err)
	assert.Equal(t, want, tensor.ElementType())
	assert.Equal(t, ir.Shape{2, 3}, tensor.Shape())
	if want == ir.String {
		tensor.Strings()[5] = "x"
	} else {
		tensor.Bytes()[len(tensor.Bytes())-want.Size()] = 1
	}
	assert.NotEqual(t, data[0], data[5], "%v: the memory is shared", want)
}
