package detection

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestOneRealType(t *testing.T) {
	for _, c := range []struct {
		types []ir.ElementType
		want  ir.ElementType
		error string
	}{
		{types: []ir.ElementType{ir.Dynamic, ir.F16, ir.F16}, want: ir.F16},
		{types: []ir.ElementType{ir.Dynamic, ir.Dynamic}, want: ir.Dynamic},
		{types: []ir.ElementType{ir.F32, ir.Dynamic, ir.F64}, error: "input 2 is f64, the inputs before it are f32"},
		{types: []ir.ElementType{ir.Dynamic, ir.I32}, error: "input 1 is i32, expected a floating-point type"},
		{types: []ir.ElementType{ir.NF4}, error: "input 0 is nf4, expected a floating-point type"},
	} {
		inputs := make([]ir.Fact, len(c.types))
		for i := range inputs {
			inputs[i].Type = c.types[i]
		}
		got, err := OneRealType(inputs)
		if c.error != "" {
			assert.EqualError(t, err, c.error)
			continue
		}
		assert.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

func TestInt32(t *testing.T) {
	for text, want := range map[string]int64{
		"3": 3, "-1": -1, "2147483648": math.MinInt32, "4294967301": 5, "4294967295": -1, "9223372036854775807": -1,
	} {
		a := ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{{Name: "k", Value: text}}})
		assert.Equal(t, want, Int32(a, "k", 7), text)
		require.NoError(t, a.Err())
	}
	assert.Equal(t, int64(7), Int32(ir.AttributesOf(&ir.Layer{}), "k", 7))
}

func TestLengths(t *testing.T) {
	assert.Equal(t, ir.Dim(5), Longest(ir.DimRange(2, 5)))
	assert.Equal(t, ir.AnyDim, Longest(ir.DimRange(2, ir.Unbounded)))
	assert.Equal(t, ir.DimRange(0, 5), AtMost(ir.DimRange(2, 5)))
	assert.Equal(t, ir.Dim(4), Capped(ir.DimRange(2, 5), 4))
	assert.Equal(t, ir.Dim(5), Capped(ir.DimRange(2, 5), 6))
	assert.Equal(t, ir.AnyDim, Capped(ir.DimRange(2, ir.Unbounded), 4))
}
