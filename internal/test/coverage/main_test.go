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
github.com/vinoir/vinoir/k/k.go:1.1,2.2 3 1
github.com/vinoir/vinoir/k/k.go:3.1,4.2 1 0
github.com/vinoir/vinoir/k/k_amd64.go:1.1,2.2 2 1
github.com/vinoir/vinoir/k/k_amd64.go:3.1,4.2 3 0
github.com/vinoir/vinoir/k/rows.go:1.1,2.2 5 0
`

// TestRun has a package k in a folder, with a file for other architectures.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cover.out")
	require.NoError(t, os.WriteFile(file, []byte(profile), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "k"), 0o700))
	for name, start := range map[string]string{"k.go": "", "k_amd64.go": "", "k_noasm.go": "", "rows.go": "//go:build amd64 || arm64\n\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "k", name), []byte(start+"package k\n"), 0o600))
	}
	t.Chdir(dir)
	var out strings.Builder
	below, err := run([]string{file}, &out)
	require.NoError(t, err)
	assert.Equal(t, 2, below)
	assert.Equal(t, `  0.0 %      3  m/examples/b (exempt)
 20.0 %     10  github.com/vinoir/vinoir/k architecture (below)
 20.0 %     10  m/a (below)
 75.0 %      4  github.com/vinoir/vinoir/k portable
100.0 %      3  m/b
`, out.String())

	_, err = run([]string{file + ".missing"}, &out)
	assert.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(file, []byte("mode: set\n"), 0o600))
	_, err = run([]string{file}, &out)
	assert.ErrorContains(t, err, "no statements")
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
