package main

import (
	"io/fs"
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

// TestValidate_emptyFile has what is left of a model after a disk was full.
func TestValidate_emptyFile(t *testing.T) {
	dir := t.TempDir()
	path := copyModel(t, dir, "m.xml")
	require.NoError(t, os.Truncate(path, 0))
	got := vinoir("", "validate", dir)
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stdout, path+": error: ")
}

// TestValidate_closedFolder has a folder that may not be listed beside one that may. The system
// lets root list every folder, so that the walk is told what it would find.
func TestValidate_closedFolder(t *testing.T) {
	dir := t.TempDir()
	closed, good := filepath.Join(dir, "a"), copyModel(t, dir, "b/m.xml")
	walk := modelWalk{ctx: t.Context(), arg: dir, top: dir}
	require.NoError(t, walk.visit(closed, nil, &fs.PathError{Op: "open", Path: closed, Err: fs.ErrPermission}))
	require.NoError(t, filepath.WalkDir(dir, walk.visit))
	require.Len(t, walk.files, 2)
	assert.Equal(t, modelFile{path: good, tree: dir}, walk.files[1])
	v, err := new(app).validateOne(t.Context(), walk.files[0], &validateFlags{})
	require.NoError(t, err)
	require.Len(t, v.Findings, 1)
	assert.Equal(t, "open "+closed+": permission denied", v.Findings[0].Message)
	assert.Equal(t, 1, v.Errors)
}

// TestValidate_link has the folder of a model behind a link, as Bazel and nix make it.
func TestValidate_link(t *testing.T) {
	dir := t.TempDir()
	copyModel(t, dir, "store/m.xml")
	models := filepath.Join(dir, "models")
	require.NoError(t, os.Mkdir(models, 0o700))
	link := filepath.Join(models, "net")
	if err := os.Symlink(filepath.Join(dir, "store"), link); err != nil {
		t.Skip("the system has no links: ", err)
	}
	got := vinoir("", "validate", link)
	assert.Equal(t, exitGood, got.code)
	assert.Equal(t, filepath.Join(link, "m.xml")+": 11 layers inferred, 0 errors, 0 warnings\n", got.stdout)
	got = vinoir("", "validate", models)
	assert.Equal(t, exitGood, got.code)
	assert.Contains(t, got.stdout, link+": note: a link to a folder is not followed: give it as an argument [link]\n")
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
