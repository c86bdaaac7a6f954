package window

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestPlaces(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.I32, ir.I64} {
		x, err := ir.NewTensor(elementType, 3)
		require.NoError(t, err)
		places := PlacesOf(x)
		assert.True(t, places.Wanted())
		places.Set(1, 7)
		want, err := ir.TensorOfInts(elementType, ir.Shape{3}, []int64{0, 7, 0})
		require.NoError(t, err)
		assert.Equal(t, want.Bytes(), x.Bytes())
	}
	assert.False(t, (&Places{}).Wanted())
}
