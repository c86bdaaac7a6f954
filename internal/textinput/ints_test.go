package textinput

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestInts(t *testing.T) {
	var i Ints[int64]
	require.NoError(t, i.Resize(2, 3))
	require.Len(t, i.Values, 6)
	i.Values[5] = 7
	assert.Equal(t, ir.I64, i.Tensor.ElementType())
	assert.Equal(t, ir.Shape{2, 3}, i.Tensor.Shape())
	assert.Equal(t, i.Values, ir.Data[int64](&i.Tensor))
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		for n := range 3 {
			if err := i.Resize(n+1, 2); err != nil || len(i.Values) != 2*n+2 {
				t.Error(n, err)
			}
		}
	}))
	require.NoError(t, i.Resize(1, 0))
	assert.Empty(t, i.Values)
	var beams Ints[int32]
	require.NoError(t, beams.Resize(4))
	assert.Equal(t, ir.I32, beams.Tensor.ElementType())
}
