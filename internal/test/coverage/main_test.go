package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// profile has two runs of the same blocks.
const profile = `mode: set
m/a/x.go:1.1,2.2 8 0
m/a/x.go:3.1,4.2 2 1
m/b/y.go:1.1,2.2 3 1
m/examples/b/y.go:1.1,2.2 3 0
m/empty/z.go:1.1,2.2 0 0
m/a/x.go:1.1,2.2 8 0
m/a/x.go:3.1,4.2 2 0
m/b/y.go:1.1,2.2 3 0
`

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cover.out")
	require.NoError(t, os.WriteFile(file, []byte(profile), 0o600))
	var out strings.Builder
	below, err := run([]string{file}, &out)
	require.NoError(t, err)
	assert.Equal(t, 1, below)
	assert.Equal(t, "  0.0 %      3  m/examples/b (exempt)\n 20.0 %     10  m/a (below)\n100.0 %      3  m/b\n", out.String())

	_, err = run([]string{file + ".missing"}, &out)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestRead_errors(t *testing.T) {
	for text, message := range map[string]string{
		"m/a/x.go:1.1,2.2 8":   "line 1: 2 fields, not 3",
		"m/a/x.go:1.1,2.2 a 1": "line 1: strconv.Atoi",
	} {
		_, err := read(strings.NewReader(text))
		assert.ErrorContains(t, err, message)
	}
}
