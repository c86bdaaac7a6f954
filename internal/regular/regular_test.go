//go:build unix

package regular_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/vinoir/vinoir/internal/regular"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	pipe, hole, text := filepath.Join(dir, "pipe"), filepath.Join(dir, "hole"), filepath.Join(dir, "text")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(hole, nil, 0o600))
	require.NoError(t, os.Truncate(hole, 1<<40))
	require.NoError(t, os.WriteFile(text, []byte("text"), 0o600))
	require.NoError(t, os.Symlink(pipe, filepath.Join(dir, "link")))

	for _, path := range []string{pipe, dir, "/dev/zero", filepath.Join(dir, "link")} {
		_, err := regular.ReadFile(path, 1<<50)
		assert.ErrorContains(t, err, "not a regular file", path)
		_, err = regular.Open(path)
		assert.ErrorContains(t, err, "not a regular file", path)
	}
	_, err := regular.ReadFile(hole, 1<<30)
	var long *regular.TooLongError
	require.ErrorAs(t, err, &long)
	assert.Equal(t, int64(1<<40), long.Size)
	data, err := regular.ReadFile(text, 4)
	require.NoError(t, err)
	assert.Equal(t, "text", string(data))
	_, err = regular.ReadFile(text, 3)
	assert.ErrorAs(t, err, &long)
}
