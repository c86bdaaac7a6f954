package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// TestPlanner_preparationOrder has constants in memory and deferred ones, of which the largest come
// first, and a layer that is prepared when it runs.
func TestPlanner_preparationOrder(t *testing.T) {
	unread, err := ir.DeferredTensor(ir.U8, ir.Shape{100}, memory.NewDeferred(100, nil, nil, nil))
	require.NoError(t, err)
	p := &planner{Plan: &Plan{
		Values: []value{{}, {Tensor: floats(t, 20)}, {Tensor: unread}, {Tensor: floats(t, 30)}},
		Steps:  []Step{{Inputs: []int{0}}, {Inputs: []int{0, 1}}, {Dynamic: &DynamicLayer{}, Inputs: []int{3}}, {Inputs: []int{1, 2}}, {Inputs: []int{3}}},
	}}
	assert.Equal(t, []int{4, 3, 1, 0}, p.preparationOrder())
}

// floats returns a tensor of n zeros of f32.
func floats(t *testing.T, n int) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.F32, n)
	require.NoError(t, err)
	return tensor
}
