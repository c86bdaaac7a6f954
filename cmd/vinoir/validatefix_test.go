package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidate_fix(t *testing.T) {
	dir := t.TempDir()
	path := copyModel(t, dir, "m.xml")
	right := readText(t, path)
	// The last dims in the file belong to the input of a Result.
	at := strings.LastIndex(right, "<dim>6</dim>")
	require.Positive(t, at)
	wrong := right[:at] + "<dim>7</dim>" + right[at+len("<dim>6</dim>"):]
	require.NoError(t, os.WriteFile(path, []byte(wrong), 0o600))
	require.NoError(t, os.Chmod(path, 0o640))
	link := filepath.Join(dir, "link.xml")
	require.NoError(t, os.Symlink("m.xml", link))
	bin := strings.TrimSuffix(path, ".xml") + ".bin"

	assert.Equal(t, exitFault, vinoir("", "validate", "--strict", path).code)
	got := vinoir("", "validate", "--fix", link, "--bin", bin)
	assert.Equal(t, exitFault, got.code, got)
	assert.Contains(t, got.stdout, link+": error: link.xml: a symbolic link: only regular files are written [fix]\n")
	assert.Equal(t, wrong, readText(t, path))
	got = vinoir("", "validate", "--strict", "--fix", path)
	assert.Equal(t, exitGood, got.code, got)
	assert.Contains(t, got.stdout, path+": 11 layers inferred, 0 errors, 1 warning, 1 fixed\n")
	assert.Equal(t, right, readText(t, path))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode())
	info, err = os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)

	// There is nothing left to fix: the file is not written again.
	before, err := os.Stat(path)
	require.NoError(t, err)
	v := decode[validation](t, vinoir("", "validate", "--fix", path, "--json"))
	assert.Zero(t, v.Warnings+v.Fixed)
	after, err := os.Stat(path)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "no temporary file is left")
}

// TestValidate_vague has dims that are less specific than the inferred shape: this is a note.
func TestValidate_vague(t *testing.T) {
	path := copyModel(t, t.TempDir(), "m.xml")
	right := readText(t, path)
	at := strings.LastIndex(right, "<dim>6</dim>")
	require.Positive(t, at)
	vague := right[:at] + "<dim>-1</dim>" + right[at+len("<dim>6</dim>"):]
	require.NoError(t, os.WriteFile(path, []byte(vague), 0o600))

	got := vinoir("", "validate", "--strict", path)
	assert.Equal(t, exitGood, got.code)
	assert.Contains(t, got.stdout, "input 2 is [?,2] in the file, inferred [6,2] [vague-input-shape]\n")
	assert.Contains(t, got.stdout, ": 11 layers inferred, 0 errors, 0 warnings, 1 note\n")
	v := decode[validation](t, vinoir("", "validate", path, "--json", "--fix"))
	assert.Equal(t, []int{0, 1, 1}, []int{v.Warnings, v.Notes, v.Fixed})
	assert.Equal(t, "note", v.Findings[0].Severity)
	assert.Equal(t, right, readText(t, path))
}

func TestValidate_fixRefused(t *testing.T) {
	path := copyModel(t, t.TempDir(), "m.xml")
	wrong := strings.ReplaceAll(readText(t, path), `type="ScatterElementsUpdate"`, `type="Odd"`)
	wrong = strings.ReplaceAll(wrong, "<dim>6</dim>", "<dim>7</dim>")
	require.NoError(t, os.WriteFile(path, []byte(wrong), 0o600))
	got := vinoir("", "validate", "--fix", path)
	assert.Equal(t, exitFault, got.code)
	assert.NotContains(t, got.stdout, "fixed")
	assert.Equal(t, wrong, readText(t, path))
	assert.Equal(t, exitFault, vinoir("", "validate", "--fix", "none.xml").code)

	file, err := openTarget(filepath.Dir(path), filepath.Base(path), maxXMLBytes)
	require.NoError(t, err)
	defer file.dir.Close()
	file.old = []byte("other")
	assert.ErrorContains(t, file.replace([]byte("new")), "changed while it was validated")
	assert.Equal(t, wrong, readText(t, path))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 2, "no temporary file is left")
}
