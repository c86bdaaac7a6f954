package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestElementType_RowBytes(t *testing.T) {
	for _, c := range []struct {
		t     ElementType
		n     int
		bytes int
		ok    bool
	}{
		{F32, 3, 12, true}, {U8, 0, 0, true}, {Complex128, 2, 32, true},
		{U1, 16, 2, true}, {U1, 12, 1, false}, {U2, 8, 2, true}, {U2, 3, 0, false},
		{U3, 16, 6, true}, {U3, 12, 3, false}, {U4, 6, 3, true}, {I4, 1, 0, false}, {NF4, 2, 1, true},
		{U6, 8, 6, true}, {U6, 6, 3, false}, {String, 2, 0, false}, {Dynamic, 2, 0, false},
	} {
		bytes, ok := c.t.RowBytes(c.n)
		assert.Equal(t, c.ok, ok, "%d of %v", c.n, c.t)
		if ok {
			assert.Equal(t, c.bytes, bytes, "%d of %v", c.n, c.t)
		}
	}
}
