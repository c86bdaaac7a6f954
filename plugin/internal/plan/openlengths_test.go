package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// lengths returns inputs, vectors of the given lengths.
func lengths(t *testing.T, list ...int) []*ir.Tensor {
	var inputs []*ir.Tensor
	for _, n := range list {
		x, err := ir.NewTensor(ir.F32, n)
		require.NoError(t, err)
		inputs = append(inputs, x)
	}
	return inputs
}

// TestOpenLengths_key has a length that is open and one of 0, which have different plans.
func TestOpenLengths_key(t *testing.T) {
	var o OpenLengths
	exact := o.appendKey(nil, lengths(t, 0))
	o.Open.Store(&LengthSet{true})
	assert.Equal(t, o.appendKey(nil, lengths(t, 3)), o.appendKey(nil, lengths(t, 0)))
	assert.NotEqual(t, exact, o.appendKey(nil, lengths(t, 0)))
}

// TestOpenLengths_wider leaves open what differs from the last plan, and tries each set once.
func TestOpenLengths_wider(t *testing.T) {
	var o OpenLengths
	declared := []ir.Fact{{Type: ir.F32, Shape: ir.ShapeOf(ir.AnyDim)}, {Type: ir.F32, Shape: ir.ShapeOf(ir.AnyDim)}}
	assert.Nil(t, o.wider(declared, lengths(t, 1, 2)), "the first plan")
	o.inputs = []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(1)}, {Type: ir.F32, Shape: ir.StaticShape(2)}}
	assert.Nil(t, o.wider(declared, lengths(t, 1, 2)), "the same lengths")
	assert.Equal(t, LengthSet{false, true}, o.wider(declared, lengths(t, 1, 3)))
	o.refused = append(o.refused, LengthSet{false, true})
	assert.Nil(t, o.wider(declared, lengths(t, 1, 3)), "a set that was refused")
	assert.Equal(t, LengthSet{true, false}, o.wider(declared, lengths(t, 2, 2)))
	o.Open.Store(&LengthSet{false, true})
	assert.Equal(t, LengthSet{true, true}, o.wider(declared, lengths(t, 2, 2)))
	o.refused = make([]LengthSet, maxRefused)
	assert.Nil(t, o.wider(declared, lengths(t, 2, 2)), "as many as there may be")
	o.refused = nil
	o.closed.Store(true)
	assert.Nil(t, o.wider(declared, lengths(t, 2, 2)), "after Close")
}
