package check

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
)

func TestRank(t *testing.T) {
	assert.NoError(t, Rank("x", ir.UnknownRank, 3))
	assert.NoError(t, Rank("x", ir.ShapeOfRank(3), 3))
	assert.EqualError(t, Rank("x", ir.ShapeOfRank(2), 3), "x has shape [?,?], expected rank 3")
}

func TestOneElement(t *testing.T) {
	for _, s := range []ir.PartialShape{ir.UnknownRank, ir.ShapeOfRank(2), ir.StaticShape[int](), ir.StaticShape(1)} {
		assert.NoError(t, OneElement("x", s), "%v", s)
	}
	for _, s := range []ir.PartialShape{ir.StaticShape(2), ir.StaticShape(0), ir.StaticShape(1, 1)} {
		assert.EqualError(t, OneElement("x", s), "x has shape "+s.String()+", not that of a scalar or of one element")
	}
}

func TestMaybeOneElement(t *testing.T) {
	for _, s := range []ir.PartialShape{ir.UnknownRank, ir.ShapeOfRank(1), ir.StaticShape[int](), ir.StaticShape(1)} {
		assert.NoError(t, MaybeOneElement("x", s), "%v", s)
	}
	for _, s := range []ir.PartialShape{ir.StaticShape(2), ir.ShapeOfRank(2), ir.ShapeOf(ir.DimRange(2, 3))} {
		assert.EqualError(t, MaybeOneElement("x", s), "x has shape "+s.String()+", not that of a scalar or of one element")
	}
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
	assert.NoError(t, Index("x", ir.I32))
	assert.EqualError(t, Index("x", ir.Dynamic), "x is dynamic, expected i32 or i64")
	assert.NoError(t, IndexOrDynamic("x", ir.Dynamic))
	assert.NoError(t, IndexOrDynamic("x", ir.I64))
	assert.EqualError(t, IndexOrDynamic("x", ir.U8), "x is u8, expected i32 or i64")
}

func TestLength(t *testing.T) {
	d, err := Length("x", ir.Interval{Min: 2, Max: 3})
	assert.NoError(t, err)
	assert.Equal(t, ir.DimRange(2, 3), d)
	d, err = Length("x", ir.Interval{Min: math.MinInt64, Max: math.MaxInt64})
	assert.NoError(t, err)
	assert.Equal(t, ir.AnyDim, d)
	d, err = Length("x", ir.Interval{Min: math.MaxInt64, Max: math.MaxInt64})
	assert.NoError(t, err)
	assert.Equal(t, ir.AnyDim, d)
	_, err = Length("x", ir.Interval{Min: -1, Max: 3})
	assert.EqualError(t, err, "x is negative: -1")
}

func TestConstant(t *testing.T) {
	layer := &ir.Layer{Inputs: []ir.Input{{Source: &ir.Layer{Type: "Constant"}}, {Source: &ir.Layer{Type: "Add"}}, {}}}
	assert.True(t, Constant(layer, 0))
	assert.False(t, Constant(layer, 1))
	assert.False(t, Constant(layer, 2))
	assert.False(t, Constant(layer, 3))
	assert.False(t, Constant(nil, 0))
}
