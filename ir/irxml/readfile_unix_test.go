//go:build unix

package irxml_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/vinoir/vinoir/ir/irxml"
)

func TestReadFileOfNamedPipe(t *testing.T) {
	path := writeSmall(t, "m.xml", "")
	require.NoError(t, unix.Mkfifo(filepath.Join(filepath.Dir(path), "m.bin"), 0o600))
	for _, mapped := range []bool{false, true} {
		done := make(chan error, 1)
		go func() {
			_, err := irxml.ReadFile(path, irxml.ReadOptions{MMap: mapped})
			done <- err
		}()
		select {
		case err := <-done:
			assert.ErrorContains(t, err, "not a regular file")
		case <-time.After(time.Minute):
			t.Fatal("the reader waits for somebody to write to the pipe")
		}
	}
}
