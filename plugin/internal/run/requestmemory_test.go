package run

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/memory"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// TestRequestBudget has memory of all kinds at the limit. It is not allocated, nor counted, if it
// is over.
func TestRequestBudget(t *testing.T) {
	const limit = 1000
	limits := &memory.Limits{MaxTotalBytes: limit}
	b := memory.NewRequest(limits, nil)
	require.NoError(t, b.Charge(limit))
	require.EqualError(t, b.Charge(1), "the tensors need 1 bytes more than the 1000 in use, together more than MaxTotalBytes, 1000")
	require.Error(t, b.Charge(math.MaxInt64))
	assert.EqualValues(t, limit, b.Used())

	m := &requestMemory{budget: memory.NewRequest(limits, nil)}
	require.NoError(t, m.hold(&plan.Plan{Arena: 200, Strings: 10, Slots: 2}))
	assert.EqualValues(t, 360, m.budget.Used())
	assert.Len(t, m.Slots, 2)
	assert.True(t, m.fits(&plan.Plan{Arena: 200, Strings: 10}))
	assert.False(t, m.fits(&plan.Plan{Arena: 201, Strings: 10}))
	assert.False(t, m.fits(&plan.Plan{Arena: 200, Strings: 11}))
	require.NoError(t, m.hold(&plan.Plan{Arena: 300, Strings: 9, Slots: 1}))
	assert.EqualValues(t, 460, m.budget.Used(), "the difference")
	assert.Equal(t, []int{300, 10, 2}, []int{len(m.Arena), len(m.strings), len(m.Slots)})
	require.Error(t, m.hold(&plan.Plan{Arena: 841}))
	require.Error(t, m.hold(&plan.Plan{Strings: 10 + 34}))
	assert.EqualValues(t, 460, m.budget.Used())

	scratch, err := m.scratchFor(100)
	require.NoError(t, err)
	assert.Equal(t, []int{100, 100}, []int{len(scratch), cap(scratch)})
	scratch, err = m.scratchFor(60)
	require.NoError(t, err)
	assert.Equal(t, []int{60, 60}, []int{len(scratch), cap(scratch)})
	_, err = m.scratchFor(641)
	require.Error(t, err)
	assert.EqualValues(t, 560, m.budget.Used())

	s := &m.Slots[0]
	require.NoError(t, s.grow(ir.U8, 80, m.budget))
	assert.False(t, s.short(ir.U8, 80))
	assert.True(t, s.short(ir.U8, 81))
	assert.EqualValues(t, 640, m.budget.Used())
	require.NoError(t, s.grow(ir.U8, 88, m.budget))
	assert.Len(t, s.Bytes, 99, "with room for more")
	assert.EqualValues(t, 659, m.budget.Used())
	require.Error(t, s.grow(ir.U8, 400, m.budget), "and 50 more")
	require.NoError(t, s.grow(ir.String, 8, m.budget))
	assert.False(t, s.short(ir.String, 8))
	assert.True(t, s.short(ir.String, 9))
	assert.EqualValues(t, 659+8*plan.StringBytes, m.budget.Used())
	require.NoError(t, s.grow(ir.String, 7, m.budget))
	require.Error(t, s.grow(ir.String, 21, m.budget), "and 2 more")
	assert.EqualValues(t, 659+8*plan.StringBytes, m.budget.Used())
}
