package limits

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGrow(t *testing.T) {
	asked, full := int64(0), errors.New("full")
	l := &Limits{Reserve: func(bytes int64) error {
		if asked += bytes; asked > 2000 {
			return full
		}
		return nil
	}}
	x, err := Grow(l.Limit(), []int32{7}, 2)
	require.NoError(t, err)
	assert.Equal(t, []int32{7}, x)
	assert.Equal(t, 64, cap(x))
	assert.Equal(t, int64(252), asked)
	x, err = Grow(l, x, 64)
	require.NoError(t, err)
	assert.Equal(t, 64, cap(x))
	x, err = Grow(l, x, 65)
	require.NoError(t, err)
	assert.Equal(t, 128, cap(x))
	x, err = Grow(l, x, 1000)
	assert.Equal(t, full, err)
	assert.Equal(t, 128, cap(x))
	x, err = Grow(new(Limits), x, 1000)
	require.NoError(t, err)
	assert.Equal(t, 1000, cap(x))
}
