package regex

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProperties(t *testing.T) {
	want, err := os.ReadFile("_unicode/unicode.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), properties(), "go generate writes unicode.deflate")
}
