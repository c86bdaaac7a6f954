//go:build unix

package attacks

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFix has finding 13: validate --fix must not change files outside of the folder that it is
// given, and must not wait for or read without end what is not a regular file.
func TestFix(t *testing.T) {
	l := prepare(t)
	if raceDetector {
		t.Skip("SKIPPED: the command is not built with the race detector")
	}
	dir := t.TempDir()
	var m model
	escapes(&m, "n", "Relu", "opset1")
	original := filepath.Join(dir, "original.xml")
	require.NoError(t, m.write(original))
	before, err := os.ReadFile(original)
	require.NoError(t, err)

	t.Run("a link out of the folder", func(t *testing.T) {
		for _, name := range []string{"m.xml", "sub/m.xml", "tree.xml"} {
			outside := filepath.Join(t.TempDir(), "outside.xml")
			tree := filepath.Join(t.TempDir(), "tree")
			copyFile(t, original, outside)
			link := filepath.Join(tree, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o700))
			require.NoError(t, os.Symlink(outside, link))
			l.check(t, &run{args: "validate --fix " + tree}, "")
			after, err := os.ReadFile(outside)
			require.NoError(t, err)
			assert.Equal(t, string(before), string(after), "the file outside of the folder")
		}
	})
	t.Run("a folder that is a link", func(t *testing.T) {
		outside, tree := t.TempDir(), t.TempDir()
		copyFile(t, original, filepath.Join(outside, "m.xml"))
		require.NoError(t, os.Symlink(outside, filepath.Join(tree, "sub")))
		require.NoError(t, os.Symlink(tree, filepath.Join(tree, "loop")))
		l.check(t, &run{args: "validate --fix " + tree}, "")
		after, err := os.ReadFile(filepath.Join(outside, "m.xml"))
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after), "the file outside of the folder")
	})
	t.Run("a file with several names", func(t *testing.T) {
		outside, tree := filepath.Join(t.TempDir(), "outside.xml"), t.TempDir()
		copyFile(t, original, outside)
		require.NoError(t, os.Link(outside, filepath.Join(tree, "m.xml")))
		l.check(t, &run{args: "validate --fix " + tree}, "")
		after, err := os.ReadFile(outside)
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after), "the file outside of the folder")
	})
	t.Run("not a regular file", func(t *testing.T) {
		fifo := filepath.Join(t.TempDir(), "fifo.xml")
		require.NoError(t, syscall.Mkfifo(fifo, 0o600))
		link := filepath.Join(filepath.Dir(fifo), "link.xml")
		require.NoError(t, os.Symlink("/dev/zero", link))
		for _, path := range []string{fifo, "/dev/zero", link, filepath.Dir(fifo), "/dev/tty", "/dev/stdin"} {
			for _, args := range []string{"validate --fix @", "validate @", "validate @ --no-bin --json", "info @", "run @", "validate --bin @ " + original} {
				l.check(t, &run{args: args}, path)
			}
		}
	})
	t.Run("names of files with control characters", func(t *testing.T) {
		tree := t.TempDir()
		copyFile(t, original, filepath.Join(tree, "a\x1b[31m\n"+forged+"\u009b\u202e.xml"))
		for _, args := range []string{"validate @", "validate @ --fix", "validate @ --json", "validate @ --format sarif"} {
			l.check(t, &run{args: args}, tree)
		}
	})
}
