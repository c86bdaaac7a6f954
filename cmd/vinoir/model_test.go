package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModelPath gives a directory or the .bin instead of the .xml.
func TestModelPath(t *testing.T) {
	dir := t.TempDir()
	got := vinoir("", "info", dir)
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stderr, dir+" is a directory without a model: there is no .xml and no .onnx in it")

	path := copyModel(t, dir, "one.xml")
	byName := vinoir("", "info", path)
	require.Equal(t, exitGood, byName.code, byName.stderr)
	byDirectory := vinoir("", "info", dir)
	assert.Equal(t, exitGood, byDirectory.code, byDirectory.stderr)
	assert.Equal(t, strings.ReplaceAll(byName.stdout, path, ""), strings.ReplaceAll(byDirectory.stdout, dir, ""))

	got = vinoir("", "run", filepath.Join(dir, "one.bin"))
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stderr, "one.bin has the weights of a model, which is read by its .xml: "+path)

	copyModel(t, dir, "two.xml")
	got = vinoir("", "info", dir)
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, dir+" is a directory with several models, name one of them: one.xml, two.xml")
	for i := range 9 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".xml"), nil, 0o600))
	}
	got = vinoir("", "info", dir)
	assert.Contains(t, got.stderr, "a.xml, b.xml, c.xml, d.xml, e.xml, f.xml, g.xml, h.xml and 3 more")
}

// TestValidate_bin has a .bin that is too short, one that is too long, and one that was not
// fetched.
func TestValidate_bin(t *testing.T) {
	path := copyModel(t, t.TempDir(), "m.xml")
	bin := strings.TrimSuffix(path, ".xml") + ".bin"
	data := readText(t, bin)
	for _, c := range []struct{ data, want string }{
		{data[:len(data)-1], "bin-short"},
		{data + strings.Repeat("x", 5000), "bin-unused"},
		{"", "this is an empty file: copy or download it again"},
		{"PK\x03\x04", "this is an archive: unpack it"},
		{"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 100\n", "this is a pointer of Git LFS, not the file itself, which has 100 bytes: fetch it: git lfs pull"},
	} {
		require.NoError(t, os.WriteFile(bin, []byte(c.data), 0o600))
		assert.Contains(t, vinoir("", "validate", path, "--json").stdout, c.want)
	}
}
