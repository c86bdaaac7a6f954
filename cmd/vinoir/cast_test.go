package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestCast(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, tt := range []struct {
		data any
		to   ir.ElementType
		want []float64 // nil if the last element does not fit
	}{
		{[]float64{0.5, 1e-300, 16777217}, ir.F32, []float64{0.5, 0, 16777216}},
		{[]float64{nan, inf}, ir.F16, []float64{nan, inf}},
		{[]float64{1, 1e39}, ir.F32, nil},
		{[]float64{65504, 65520}, ir.F16, nil},
		{[]float64{1, 3.5e38}, ir.BF16, nil},
		{[]float32{0.1}, ir.F64, []float64{float64(float32(0.1))}},
		{[]float64{-128, 127}, ir.I8, []float64{-128, 127}},
		{[]float64{-128, 128}, ir.I8, nil},
		{[]float64{0, -1}, ir.U8, nil},
		{[]float64{1, nan}, ir.I64, nil},
		{[]float64{1, inf}, ir.I64, nil},
		{[]float64{1, 1 << 63}, ir.I64, nil},
		{[]float64{1, 1 << 62}, ir.U64, []float64{1, 1 << 62}},
		{[]float64{1, 0.5}, ir.I32, nil},
		{[]int64{7, -7}, ir.I32, []float64{7, -7}},
		{[]int64{1, 1 << 31}, ir.I32, nil},
		{[]int64{1, -1}, ir.U64, nil},
		{[]int64{1 << 24, 1<<24 + 2}, ir.F32, []float64{1 << 24, 1<<24 + 2}},
		{[]int64{1, 1<<24 + 1}, ir.F32, nil},
		{[]int64{1 << 53, 1<<53 + 1}, ir.F64, nil},
		{[]int64{math.MinInt64, math.MaxInt64}, ir.F64, nil},
		{[]int64{1, 65536}, ir.F16, nil},
		{[]uint64{1, 1 << 63}, ir.I64, nil},
		{[]bool{false, true}, ir.F32, []float64{0, 1}},
		{[]int64{0, 1}, ir.Boolean, []float64{0, 1}},
		{[]int64{0, 2}, ir.Boolean, nil},
		{[]int64{}, ir.F32, []float64{}},
	} {
		from, err := ir.TensorFrom(tt.data)
		require.NoError(t, err)
		got, err := cast(from, tt.to)
		if tt.want == nil {
			assert.ErrorContains(t, err, "1 is ", "%v to %v", tt.data, tt.to)
			continue
		}
		require.NoError(t, err, "%v to %v", tt.data, tt.to)
		assert.Equal(t, tt.to, got.ElementType())
		for i, want := range tt.want {
			if v := got.Values()(i); !math.IsNaN(want) || !math.IsNaN(v) {
				assert.Equal(t, want, v, "%v to %v", tt.data, tt.to)
			}
		}
	}
}
