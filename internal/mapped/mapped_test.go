package mapped_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/mapped"
)

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	open := func(size int) (*mapped.File, error) {
		content := make([]byte, size)
		for i := range content {
			content[i] = byte(i)
		}
		require.NoError(t, os.WriteFile(path, content, 0o600))
		file, err := os.Open(path)
		require.NoError(t, err)
		defer file.Close()
		m, err := mapped.Open(file, 1<<20)
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip("SKIPPED: the system cannot map files")
		}
		return m, err
	}
	m, err := open(1 << 18)
	require.NoError(t, err)
	assert.Len(t, m.Data, 1<<18)
	m.Discard(m.Data[5:])
	m.Discard(m.Data[:10])
	m.Discard(make([]byte, 1<<17)) // of other memory
	assert.Equal(t, byte(200), m.Data[200])
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())

	m, err = open(0)
	require.NoError(t, err)
	assert.Nil(t, m.Data)
	require.NoError(t, m.Close())

	_, err = open(1<<20 + 1)
	assert.ErrorContains(t, err, "longer than the limit")
}
