package heldtext

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ops"
)

func TestReserve(t *testing.T) {
	reserved, limit := int64(0), int64(100)
	r := &ops.Run{Charge: func(bytes int64) error {
		if reserved+bytes > limit {
			return assert.AnError
		}
		reserved += bytes
		return nil
	}}
	require.NoError(t, Reserve(r, 60))
	require.NoError(t, Reserve(r, 90))
	assert.Equal(t, int64(90), reserved)
	assert.Equal(t, assert.AnError, Reserve(r, 101))
	require.NoError(t, Reserve(r, 10))
	assert.Equal(t, int64(10), reserved)
}
