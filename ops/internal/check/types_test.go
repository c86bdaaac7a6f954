package check

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
)

func TestOneType(t *testing.T) {
	facts := func(types ...ir.ElementType) []ir.Fact {
		inputs := make([]ir.Fact, len(types))
		for i := range inputs {
			inputs[i].Type = types[i]
		}
		return inputs
	}
	got, err := OneType(facts(ir.Dynamic, ir.String, ir.Dynamic, ir.String))
	assert.NoError(t, err)
	assert.Equal(t, ir.String, got)
	got, err = OneType(facts(ir.Dynamic, ir.Dynamic))
	assert.NoError(t, err)
	assert.Equal(t, ir.Dynamic, got)
	_, err = OneType(facts(ir.F32, ir.Dynamic, ir.F64), "x", "y", "z")
	assert.EqualError(t, err, "z is f64, the inputs before it are f32")
	_, err = OneType(facts(ir.F32, ir.F64), "x")
	assert.EqualError(t, err, "input 1 is f64, the inputs before it are f32")
}

func TestTypes(t *testing.T) {
	assert.NoError(t, Integer("x", ir.U4))
	assert.NoError(t, Integer("x", ir.Dynamic))
	assert.EqualError(t, Integer("x", ir.Boolean), "x is boolean, not a type of integers")
	assert.NoError(t, Number("x", ir.BF16))
	assert.NoError(t, Number("x", ir.Dynamic))
	assert.EqualError(t, Number("x", ir.String), "x is string, not a type of numbers")
	assert.NoError(t, Real("x", ir.F8E8M0))
	assert.NoError(t, Real("x", ir.Dynamic))
	assert.EqualError(t, Real("x", ir.NF4), "x is nf4, expected a floating-point type")
	assert.NoError(t, KnownReal("x", ir.F64))
	assert.EqualError(t, KnownReal("x", ir.Dynamic), "x is dynamic, expected a floating-point type")
	assert.NoError(t, KnownIndex("x", ir.I32))
	assert.EqualError(t, KnownIndex("x", ir.Dynamic), "x is dynamic, expected i32 or i64")
	assert.NoError(t, Index("x", ir.Dynamic))
	assert.NoError(t, Index("x", ir.I64))
	assert.EqualError(t, Index("x", ir.U8), "x is u8, expected i32 or i64")
}
