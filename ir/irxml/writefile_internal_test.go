package irxml

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReplaceFails breaks off where the new .bin, or the new document, is renamed: the old files
// come back.
func TestReplaceFails(t *testing.T) {
	for broken := range 2 {
		for _, olds := range [][]string{{"m.bin", "m.xml"}, {"m.bin"}, nil} {
			dir := t.TempDir()
			files := fileSet{{path: filepath.Join(dir, "m.bin")}, {path: filepath.Join(dir, "m.xml")}}
			for _, old := range olds {
				require.NoError(t, os.WriteFile(filepath.Join(dir, old), []byte("old"), 0o600))
			}
			for i := range files {
				require.NoError(t, files[i].create())
				require.NoError(t, files[i].finish())
			}
			require.NoError(t, os.Remove(files[broken].temp))
			require.Error(t, files.replace())
			files.remove()
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			var names []string
			for _, entry := range entries {
				content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
				require.NoError(t, err)
				assert.Equal(t, "old", string(content))
				names = append(names, entry.Name())
			}
			assert.Equal(t, olds, names)
		}
	}
}
