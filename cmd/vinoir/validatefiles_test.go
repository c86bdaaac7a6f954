package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// copyModel copies the model messages and its .bin to dir. It returns the path of the copy.
func copyModel(t *testing.T, dir, name string) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	xml := strings.ReplaceAll(readText(t, copied), "\r\n", "\n")
	require.NoError(t, os.WriteFile(path, []byte(xml), 0o600))
	bin := strings.TrimSuffix(path, filepath.Ext(path)) + ".bin"
	require.NoError(t, os.WriteFile(bin, []byte(readText(t, strings.TrimSuffix(copied, ".xml")+".bin")), 0o600))
	return path
}

// copied is the absolute path of messages, for tests that change the working directory.
var copied, _ = filepath.Abs(messages)

func TestValidate_directory(t *testing.T) {
	dir := t.TempDir()
	z, a := copyModel(t, dir, "z.xml"), copyModel(t, dir, filepath.Join("a", "deep", "A.XML"))
	copyModel(t, dir, ".hidden/m.xml")
	copyModel(t, dir, ".m.xml")
	for name, text := range map[string]string{"pom.xml": "<project/>", "net.txt": "<net/>", "empty.xml": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	utf16 := "\xff\xfe<\x00n\x00e\x00t\x00"
	pointer := filepath.Join(dir, "pointer.xml")
	require.NoError(t, os.WriteFile(pointer, []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 100\n"), 0o600))
	broken := filepath.Join(dir, "broken.xml")
	require.NoError(t, os.WriteFile(broken, []byte(utf16), 0o600))

	got := vinoir("", "validate", dir)
	assert.Equal(t, exitFault, got.code)
	assert.Empty(t, got.stderr)
	lines := strings.Split(got.stdout, "\n")
	require.Len(t, lines, 8)
	assert.Equal(t, a+": 11 layers inferred, 0 errors, 0 warnings", lines[0])
	assert.True(t, strings.HasPrefix(lines[1], broken+":1: error: "), lines[1])
	assert.Equal(t, broken+": 0 layers inferred, 1 error, 0 warnings", lines[2])
	assert.Equal(t, pointer+": error: this is a pointer of Git LFS, not the file itself, which has 100 bytes: fetch it: git lfs pull [read]", lines[3])
	assert.Equal(t, z+": 11 layers inferred, 0 errors, 0 warnings", lines[5])
	assert.Equal(t, "4 models: 22 layers inferred, 2 errors, 0 warnings", lines[6])

	got = vinoir("", "validate", filepath.Join(dir, "a"), z)
	assert.Equal(t, exitGood, got.code)
	assert.Equal(t, 3, strings.Count(got.stdout, "\n"))
	got = vinoir("", "validate", t.TempDir())
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "no model is below")
}

// TestValidate_order checks that models which are validated in parallel are printed in order.
func TestValidate_order(t *testing.T) {
	got := vinoir("", "validate", testCase("bad"), "--json")
	assert.Equal(t, exitFault, got.code)
	paths, err := findModels(t.Context(), []string{testCase("bad")})
	require.NoError(t, err)
	require.Greater(t, len(paths), 10)
	var want strings.Builder
	for _, file := range paths {
		want.WriteString(vinoir("", "validate", file.path, "--json").stdout)
	}
	assert.Equal(t, want.String(), got.stdout)
}
