package irxml_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// folderOf returns the files in a folder with their contents.
func folderOf(t *testing.T, dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := make(map[string]string)
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			content = []byte(err.Error())
		}
		files[entry.Name()] = string(content)
	}
	return files
}

func TestWriteFile(t *testing.T) {
	m, err := irxml.Read([]byte(smallXML), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	dir := t.TempDir()
	for range 2 { // the second time, the files are there
		require.NoError(t, irxml.WriteFile(context.Background(), filepath.Join(dir, "m.v1.xml"), m, irxml.WriteOptions{}))
		assert.Equal(t, map[string]string{"m.v1.xml": smallXML, "m.v1.bin": string(smallBin)}, folderOf(t, dir))
	}
	again, err := irxml.ReadFile(filepath.Join(dir, "m.v1.xml"), irxml.ReadOptions{})
	require.NoError(t, err)
	assertSmall(t, again)
}

// TestWriteFile_source writes a model over the files that it was read from.
func TestWriteFile_source(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.xml")
	long := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	xml := manyConstants([]string{`element_type="u8" shape="1048575" offset="1" size="1048575"`, `element_type="f32" shape="100000" offset="3" size="400000"`})
	require.NoError(t, os.WriteFile(path, xml, 0o640))
	require.NoError(t, os.WriteFile(path[:len(path)-3]+"bin", long, 0o600))
	m, err := irxml.ReadFile(path, irxml.ReadOptions{MMap: true})
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, irxml.WriteFile(context.Background(), path, m, irxml.WriteOptions{}))
	again, err := irxml.ReadFile(path, irxml.ReadOptions{})
	require.NoError(t, err)
	for _, got := range []*ir.Model{m, again} { // the old model still has its bytes
		assert.True(t, bytes.Equal(long[1:], got.Order[0].Constant.Bytes()))
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" && runtime.GOOS != "wasip1" { // these have no such modes
		assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm(), "the mode is kept")
	}
}

// TestWriteFile_fails leaves what was there, and nothing else.
func TestWriteFile_fails(t *testing.T) {
	m, err := irxml.Read([]byte(smallXML), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name    string
		ctx     context.Context
		prepare func(dir string) error
		want    string
	}{
		{"m.bin", nil, nil, "m.bin: the weights would have the name of the document: name it .xml"},
		{"m.xml", cancelled, nil, "context canceled"},
		{"none/m.xml", nil, nil, "m.bin: "},
		{"m.xml", nil, func(dir string) error { return os.Mkdir(filepath.Join(dir, "m.bin"), 0o700) }, "only regular files are replaced, this is drwx"},
		{"m.xml", nil, func(dir string) error { return os.Symlink("other", filepath.Join(dir, "m.xml")) }, "only regular files are replaced, this is L"},
	} {
		dir := t.TempDir()
		if c.prepare != nil {
			if err := c.prepare(dir); err != nil {
				t.Skip(err) // symbolic links need a privilege on some systems
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "kept.txt"), nil, 0o600))
		before := folderOf(t, dir)
		ctx := c.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		err := irxml.WriteFile(ctx, filepath.Join(dir, c.name), m, irxml.WriteOptions{})
		assert.ErrorContains(t, err, c.want)
		assert.Equal(t, strings.HasPrefix(c.name, "none"), errors.Is(err, fs.ErrNotExist))
		assert.Equal(t, before, folderOf(t, dir), c.name)
	}
	old := writeSmall(t, "m.xml", "m.bin")
	before := folderOf(t, filepath.Dir(old))
	m.Layers[1].Constant = nil
	var at *ir.LayerError
	require.ErrorAs(t, irxml.WriteFile(context.Background(), old, m, irxml.WriteOptions{}), &at)
	assert.Equal(t, "weights", at.Layer.Name)
	assert.Equal(t, before, folderOf(t, filepath.Dir(old)))
}
