package detection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestLoaderOf(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16} {
		from, err := ir.NewTensor(elementType, 5)
		require.NoError(t, err)
		if elementType.Size() == 2 {
			ir.Data[uint16](from)[3] = map[ir.ElementType]uint16{ir.F16: 0xc100, ir.BF16: 0xc020}[elementType]
		} else if elementType == ir.F32 {
			ir.Data[float32](from)[3] = -2.5
		} else {
			ir.Data[float64](from)[3] = -2.5
		}
		load32, err := LoaderOf[float32]("scores", elementType)
		require.NoError(t, err)
		assert.Equal(t, []float32{0, -2.5}, load32(make([]float32, 2), from, 2, 2), elementType)
		load64, err := LoaderOf[float64]("scores", elementType)
		require.NoError(t, err)
		assert.Equal(t, []float64{-2.5, 0}, load64(make([]float64, 2), from, 3, 2), elementType)
		dst32, dst64 := make([]float32, 2), make([]float64, 2)
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			load32(dst32, from, 1, 2)
			load64(dst64, from, 1, 2)
		}), elementType)
	}
	assert.True(t, HasType[float32](ir.F32) && HasType[float64](ir.F64))
	assert.False(t, HasType[float32](ir.F64) || HasType[float64](ir.F32) || HasType[float32](ir.I32))
	_, err := LoaderOf[float32]("scores", ir.I32)
	assert.EqualError(t, err, "scores is i32, expected f32, f64, f16 or bf16")
}
