package memory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLedger charges up to the limit, and memory that is not needed is returned before it is an
// error.
func TestLedger(t *testing.T) {
	a := newKept(10)
	require.NoError(t, a.Charge(4))
	require.NoError(t, a.Charge(6))
	require.NoError(t, a.Charge(0))
	require.EqualError(t, a.Charge(1), "the model keeps 10 bytes in memory and needs 1 more, together more than the limit of 10 (MaxKeptBytes)")
	assert.EqualValues(t, 10, a.Used())
	assert.True(t, a.Fits(0))
	assert.False(t, a.Fits(1))
	spares := 2
	a.reclaim = func() bool {
		if spares == 0 {
			return false
		}
		spares--
		a.Add(-3)
		return true
	}
	require.NoError(t, a.Charge(3))
	require.Error(t, a.Charge(4))
	assert.EqualValues(t, 7, a.Used())
	assert.True(t, a.Fits(3))
	require.Error(t, a.Charge(math.MaxInt64))
}

// TestLedger_parents charges a ledger whose parent has less room than itself.
func TestLedger_parents(t *testing.T) {
	total := newKept(10)
	part := &Ledger{parent: total, limit: 20, exceeded: "%[1]d more than %[2]d, %[4]d together, the limit is %[3]d"}
	require.NoError(t, part.Charge(8))
	assert.EqualValues(t, 8, total.Used())
	require.ErrorContains(t, part.Charge(3), "MaxKeptBytes")
	assert.EqualValues(t, 8, part.Used(), "what the parent does not have is not charged")
	require.EqualError(t, part.Charge(13), "13 more than 8, 21 together, the limit is 20")
	require.NoError(t, part.Charge(-2))
	part.Add(1)
	assert.EqualValues(t, 7, total.Used())
	part.Close()
	part.Close()
	assert.Zero(t, part.Used())
	assert.Zero(t, total.Used())
}
