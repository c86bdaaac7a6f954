package check

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
)

func TestRank(t *testing.T) {
	assert.NoError(t, Rank("x", ir.UnknownRank, 3))
	assert.NoError(t, Rank("x", ir.ShapeOfRank(3), 3))
	assert.EqualError(t, Rank("x", ir.ShapeOfRank(2), 3), "x has shape [?,?], expected rank 3")
}

func TestOneElementIfStatic(t *testing.T) {
	for _, s := range []ir.PartialShape{ir.UnknownRank, ir.ShapeOfRank(2), ir.StaticShape[int](), ir.StaticShape(1)} {
		assert.NoError(t, OneElementIfStatic("x", s), "%v", s)
	}
	for _, s := range []ir.PartialShape{ir.StaticShape(2), ir.StaticShape(0), ir.StaticShape(1, 1)} {
		assert.EqualError(t, OneElementIfStatic("x", s), "x has shape "+s.String()+", not that of a scalar or of one element")
	}
}

func TestOneElement(t *testing.T) {
	for _, s := range []ir.PartialShape{ir.UnknownRank, ir.ShapeOfRank(1), ir.StaticShape[int](), ir.StaticShape(1)} {
		assert.NoError(t, OneElement("x", s), "%v", s)
	}
	for _, s := range []ir.PartialShape{ir.StaticShape(2), ir.ShapeOfRank(2), ir.ShapeOf(ir.DimRange(2, 3))} {
		assert.EqualError(t, OneElement("x", s), "x has shape "+s.String()+", not that of a scalar or of one element")
	}
}

func TestScalarIfStatic(t *testing.T) {
	for _, s := range []ir.PartialShape{ir.UnknownRank, ir.ShapeOfRank(2), ir.StaticShape[int]()} {
		assert.NoError(t, ScalarIfStatic("x", s), "%v", s)
	}
	assert.EqualError(t, ScalarIfStatic("x", ir.StaticShape(1)), "x has shape [1], not that of a scalar")
}

func TestAxesIfStatic(t *testing.T) {
	data := ir.ShapeOfRank(2)
	for _, axes := range []ir.PartialShape{ir.UnknownRank, ir.ShapeOfRank(2), ir.StaticShape(0), ir.StaticShape(2)} {
		assert.NoError(t, AxesIfStatic(axes, data), "%v", axes)
	}
	assert.NoError(t, AxesIfStatic(ir.StaticShape(3), ir.UnknownRank))
	assert.EqualError(t, AxesIfStatic(ir.StaticShape[int](), ir.UnknownRank), "axes has shape [], not that of a vector")
	assert.EqualError(t, AxesIfStatic(ir.StaticShape(3), data), "axes has shape [3], more than the axes of data, [?,?]")
}

func TestSorted(t *testing.T) {
	for _, values := range [][]int64{nil, {3}, {-1, 2, 2, 5}} {
		assert.NoError(t, Sorted("x", values), "%v", values)
	}
	assert.EqualError(t, Sorted("x", []int64{0, 3, 2}), "x is not sorted: element 2 is 2, behind 3")
}

func TestConstant(t *testing.T) {
	layer := &ir.Layer{Inputs: []ir.Input{{Source: &ir.Layer{Type: "Constant"}}, {Source: &ir.Layer{Type: "Add"}}, {}}}
	assert.True(t, Constant(layer, 0))
	assert.False(t, Constant(layer, 1))
	assert.False(t, Constant(layer, 2))
	assert.False(t, Constant(layer, 3))
	assert.False(t, Constant(nil, 0))
}
