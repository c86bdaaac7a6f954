package deflated

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	for _, table := range []string{"", "a\x00\xff", strings.Repeat("41-5A 61-7A ", 9999)} {
		data, err := Encode(table)
		require.NoError(t, err)
		assert.Less(t, len(data), len(table)/99+20)
		assert.Equal(t, table, Decode(string(data)))
	}
	assert.PanicsWithValue(t, "BUG: a table of the program is damaged: unexpected EOF", func() { Decode("") })
}
