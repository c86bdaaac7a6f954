package subgraph

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		fact             string
		known, condition bool
		count            int64
	}{
		{"i64[]=3", true, true, 3},
		{"i32[1]=-1", true, true, -1},
		{"boolean[]=0", true, false, 0},
		{"i64[?]", false, false, 0},
		{"i64[...]", false, false, 0},
		{"i64[1]=2..3", false, false, 0},
	} {
		f := layertest.Fact(t, c.fact)
		checkScalar(t, &f, c.known, c.condition, c.count)
	}
	for _, c := range []struct {
		value     float32
		condition bool
		count     int64
	}{
		{0, false, 0},
		{0.5, true, 0},
		{-2.5, true, -2},
		{math.MaxFloat32, true, 1 << 62},
		{float32(math.Inf(-1)), true, -1 << 62},
		{float32(math.NaN()), true, -1 << 62},
	} {
		tensor := layertest.Numbers(t, ir.F32, ir.Shape{1}, float64(c.value))
		checkScalar(t, &ir.Fact{Type: ir.F32, Shape: ir.StaticShape(1), Tensor: tensor}, true, c.condition, c.count)
	}
	for _, kind := range []ir.ElementType{ir.F16, ir.BF16, ir.F64} {
		for x, condition := range map[float64]bool{0: false, -2.5: true, 0.5: true} {
			tensor := layertest.Numbers(t, kind, ir.Shape{}, x)
			checkScalar(t, &ir.Fact{Type: kind, Tensor: tensor}, true, condition, int64(x))
		}
	}
	for fact, want := range map[string]string{
		"i64[1,1]":   "x has shape [1,1], expected rank 0 or 1",
		"i64[2]=1,2": "x has 2 values, expected 1",
	} {
		f := layertest.Fact(t, fact)
		_, _, err := Count("x", &f)
		assert.EqualError(t, err, want)
		_, _, err = Condition("x", &f)
		assert.EqualError(t, err, want)
	}
	_, _, err := Count("x", &ir.Fact{Type: ir.I64, Shape: ir.StaticShape(0), Values: []ir.Interval{}})
	assert.EqualError(t, err, "x has 0 values, expected 1")
}

func checkScalar(t *testing.T, f *ir.Fact, known, condition bool, count int64) {
	t.Helper()
	gotCount, countKnown, err := Count("x", f)
	require.NoError(t, err)
	gotCondition, conditionKnown, err := Condition("x", f)
	require.NoError(t, err)
	assert.Equal(t, []bool{known, known, condition}, []bool{countKnown, conditionKnown, gotCondition})
	assert.Equal(t, count, gotCount)
}
