package eltwise

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestPRelu_shapes(t *testing.T) {
	const prelu = "PRelu-1"
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: prelu, Inputs: []string{"f32[2,3]", "f32[3]"}, Want: "f32[2,3]"},
		{Type: prelu, Inputs: []string{"f16[2,3..5,?]", "f16[...]"}, Want: "f16[2,3..5,?]"},
		{Type: prelu, Inputs: []string{"bf16[...]", "bf16[1]"}, Want: "bf16[...]"},
		{Type: prelu, Inputs: []string{"dynamic[2]", "f32[7,7]"}, Want: "dynamic[2]"},
		{Type: prelu, Inputs: []string{"i64[2]=1,2", "i64[1]=1"}, Want: "i64[2]"},
	})
}

// TestPRelu_slopes checks which element of the slope is used for each element of data. All elements
// of data are -1.
func TestPRelu_slopes(t *testing.T) {
	counted := func(n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i + 1)
		}
		return values
	}
	for _, c := range []struct {
		data, slope ir.Shape
		at          func(i, j, k int) int // the element of slope for data[i,j,k]
	}{
		{ir.Shape{2, 3, 4}, ir.Shape{}, func(i, j, k int) int { return 0 }},
		{ir.Shape{2, 3, 4}, ir.Shape{1}, func(i, j, k int) int { return 0 }},
		{ir.Shape{2, 3, 4}, ir.Shape{3}, func(i, j, k int) int { return j }},
		{ir.Shape{2, 3, 4}, ir.Shape{4}, func(i, j, k int) int { return k }},
		{ir.Shape{2, 3, 3}, ir.Shape{3}, func(i, j, k int) int { return j }},
		{ir.Shape{2, 3, 4}, ir.Shape{3, 1}, func(i, j, k int) int { return j }},
		{ir.Shape{2, 3, 4}, ir.Shape{2, 1, 4}, func(i, j, k int) int { return i*4 + k }},
		{ir.Shape{2, 3, 4}, ir.Shape{2, 3, 4}, func(i, j, k int) int { return (i*3+j)*4 + k }},
		{ir.Shape{2, 3, 4}, ir.Shape{1, 1, 1, 4}, func(i, j, k int) int { return k }},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I64} {
			n := c.data.Elements()
			minus := make([]float64, n)
			for i := range minus {
				minus[i] = -1
			}
			data := layertest.Numbers(t, elementType, c.data, minus...)
			slope := layertest.Numbers(t, elementType, c.slope, counted(c.slope.Elements())...)
			out, err := layertest.Run(opOf(t, "PRelu"), nil, 2, data, slope)
			require.NoError(t, err)
			for at, got := range layertest.Floats(t, out) {
				i, j, k := at/(c.data[1]*c.data[2]), at/c.data[2]%c.data[1], at%c.data[2]
				assert.Equal(t, float64(-1-c.at(i, j, k)), got, "%v %v in %v at %d", c.data, c.slope, elementType, at)
			}
		}
	}
}

// TestPRelu_scalar has a slope of more axes than data.
func TestPRelu_scalar(t *testing.T) {
	for _, slope := range []ir.Shape{{}, {1}, {1, 1}} {
		out, err := layertest.Run(opOf(t, "PRelu"), nil, 1,
			layertest.Numbers(t, ir.F32, ir.Shape{}, -2), layertest.Numbers(t, ir.F32, slope, 3))
		require.NoError(t, err)
		assert.Equal(t, []float64{-6}, layertest.Floats(t, out), "slope of shape %v", slope)
	}
}

func TestPRelu_values(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	data := []float64{-4, 4, zero, 0, -inf, inf, nan}
	want := []float64{-2, 4, zero, 0, -inf, inf, nan}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16} {
		in := layertest.Numbers(t, elementType, ir.Shape{7}, data...)
		out, err := layertest.Run(opOf(t, "PRelu"), nil, 1, in, layertest.Numbers(t, elementType, ir.Shape{1}, 0.5))
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint(want), fmt.Sprint(layertest.Floats(t, out)), "%v", elementType)
	}
}

func TestPRelu_refuses(t *testing.T) {
	data := layertest.Numbers(t, ir.F32, ir.Shape{2, 3})
	_, err := layertest.Run(opOf(t, "PRelu"), nil, 1, data, layertest.Numbers(t, ir.F16, ir.Shape{3}))
	assert.EqualError(t, err, "input 0 is f32, input 1 is f16")
	_, err = layertest.Run(opOf(t, "PRelu"), nil, 1, data, layertest.Numbers(t, ir.F32, ir.Shape{7}))
	assert.EqualError(t, err, "input 1 is [7], which does not broadcast to [2,3]")
}
