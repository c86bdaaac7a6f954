package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestOnce_stops checks that a result that was not finished is made again.
func TestOnce_stops(t *testing.T) {
	layer, op := &ir.Layer{}, &ops.Op{}
	constant, err := ir.NewTensor(ir.I32, 1)
	require.NoError(t, err)
	c := NewCompiled(func(*ir.Tensor) {}, Limits{MaxKeptBytes: 100})
	store := NewOnceStore(c.Kept)
	stop := make(chan struct{})
	_, err = c.Keep(store, layer, op, nil, stop)(constant, "k", 10, func() (any, error) {
		close(stop)
		return "half", nil
	})
	require.ErrorIs(t, err, parallel.ErrStopped)
	made, err := c.Keep(store, layer, op, nil, nil)(constant, "k", 10, func() (any, error) { return "whole", nil })
	require.NoError(t, err)
	assert.Equal(t, "whole", made)
}

// TestIdentity_strings checks that strings, which have no bytes, are not all one constant.
func TestIdentity_strings(t *testing.T) {
	a, err := ir.TensorFrom([]string{"a", "b"})
	require.NoError(t, err)
	b, err := ir.TensorFrom([]string{"c", "d"})
	require.NoError(t, err)
	assert.Equal(t, Identity(a), Identity(a))
	assert.NotEqual(t, Identity(a), Identity(b))
}
