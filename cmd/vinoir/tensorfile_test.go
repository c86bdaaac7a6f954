package main

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/plugin"
)

// writeArchive writes an .npz file of u8[2] with the given keys. Array i is [i,i].
func writeArchive(t *testing.T, path string, keys ...string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	w := zip.NewWriter(f)
	for i, key := range keys {
		member, err := w.Create(key + ".npy")
		require.NoError(t, err)
		tensor, err := ir.TensorFrom([]uint8{uint8(i), uint8(i)})
		require.NoError(t, err)
		require.NoError(t, npy.Write(member, tensor))
	}
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
}

// TestInputs_archive reads inputs from .npz files.
func TestInputs_archive(t *testing.T) {
	dir := t.TempDir()
	file, numbers, colon := filepath.Join(dir, "a.npz"), filepath.Join(dir, "numbers.npz"), filepath.Join(dir, "a.npz:p0")
	model := inputModel(2, "u8", "2")
	writeArchive(t, file, "p0", "other", "p1")
	writeArchive(t, numbers, "arr_0", "1")
	sources := func(args ...string) []string {
		got := vinoir(model, append([]string{"run", "-", "--json"}, args...)...)
		require.Equal(t, exitGood, got.code, got)
		var list []string
		for _, input := range decode[inference](t, got).Inputs {
			list = append(list, input.Source)
		}
		return list
	}
	read := func(path, key string) string { return "read from " + path + ":" + key }
	assert.Equal(t, []string{read(file, "p0"), read(file, "p1")}, sources("--in-dir", file))
	assert.Equal(t, []string{read(numbers, "arr_0"), read(numbers, "1")}, sources("--in-dir", numbers))
	assert.Equal(t, []string{read(file, "other"), read(file, "p1")}, sources("--in-dir", file, "--in", "p0="+file+":other"))
	assert.Equal(t, []string{read(file, "p0"), read(numbers, "1")}, sources("--in", "p0="+file, "--in", "p1="+numbers))
	writeArchive(t, colon, "p1")
	assert.Equal(t, []string{"filled with zeros", read(colon, "p1")}, sources("--in", "p1="+colon, "--fill", "zeros"))
	swapped := filepath.Join(dir, "swapped.npz") // the names are the numbers of the other inputs
	writeArchive(t, swapped, "0", "1")
	original := model
	model = strings.NewReplacer(`"p0"`, `"1"`, `"p1"`, `"0"`).Replace(model)
	assert.Equal(t, []string{read(swapped, "0"), read(swapped, "1")}, sources("--in-dir", swapped))
	model = original
	got := vinoir(model, "benchmark", "-", "--in-dir", file, "--runs", "1")
	assert.Contains(t, got.stdout, "read from "+file+":p0")

	text, array := filepath.Join(dir, "text.npz"), filepath.Join(dir, "array.npy")
	require.NoError(t, os.WriteFile(text, []byte("text"), 0o600))
	tensor, err := ir.TensorFrom([]uint8{1, 2})
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(array, tensor))
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--in-dir", text}, "--in-dir " + text + " is not a folder, and no .npz file"},
		{[]string{"--in", "p0=" + file + ":none"}, `a.npz: input "p0": the archive has no array "none", it has "p0, other, p1"`},
		{[]string{"--in", "p1=" + colon, "--in-dir", colon}, `a.npz:p0 has no array for input 0 "p0": looked for "p0, 0, arr_0", it has "p1"`},
		{[]string{"--in", "p0=" + text}, `text.npz: input "p0": none of .npy, .npz, PNG and JPEG`},
		{[]string{"--in", "p0=" + array + ".npz:x"}, "array.npy.npz"},
		{[]string{"--in", "p0=" + text + ":x"}, `the file is no .npz file, so it has no array "x"`},
	} {
		got := vinoir(model, append([]string{"run", "-"}, tt.args...)...)
		assert.Equal(t, exitFault, got.code, got)
		assert.Contains(t, got.stderr, tt.want)
	}

	bomb := filepath.Join(dir, "bomb.npz")
	f, err := os.Create(bomb)
	require.NoError(t, err)
	w := zip.NewWriter(f)
	member, err := w.Create("p0.npy")
	require.NoError(t, err)
	zeros, err := ir.NewTensor(ir.U8, 1<<20)
	require.NoError(t, err)
	require.NoError(t, npy.Write(member, zeros))
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	reader := tensorReader{kind: "input", left: 1 << 19}
	folder, err := reader.open(bomb)
	require.NoError(t, err)
	_, err = folder.archive.Read("p0", reader.limit())
	assert.ErrorContains(t, err, fmt.Sprintf("it has %d bytes: it is longer than the limit of ", 1<<20+128))
}

// TestInputs_cast converts NumPy's types.
func TestInputs_cast(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.npy")
	write := func(data any) {
		tensor, err := ir.TensorFrom(data)
		require.NoError(t, err)
		require.NoError(t, npy.WriteFile(file, tensor))
	}
	write([]float64{0.5, 2})
	got := vinoir(inputModel(1, "f32", "2"), "run", "-", "--in", "p0="+file)
	assert.Contains(t, got.stderr, `x.npy: input "p0": an array of <f8 does not hold f32: --cast converts the numbers`)
	got = vinoir(inputModel(1, "f32", "2"), "run", "-", "--in", "p0="+file, "--cast")
	assert.Contains(t, got.stdout, `input 0 "p0": f32[2], read from `)
	got = vinoir(inputModel(1, "u8", "2"), "run", "-", "--in", "p0="+file, "--cast")
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stderr, `input "p0": --cast: element 0 is 0.5, which does not fit u8`)
	got = vinoir(inputModel(1, "u4", "2"), "run", "-", "--in", "p0="+file, "--cast")
	assert.Contains(t, got.stderr, "--cast does not convert f64 to u4")
	reader := tensorReader{kind: "input", cast: true, left: 31}
	_, _, err := reader.file(0, &plugin.Port{Name: "p0", Type: ir.F32}, file)
	assert.ErrorContains(t, err, "to --cast 2 elements takes up to 32 bytes, of which 31 are left")
	write([]string{"a", "b"})
	got = vinoir(inputModel(1, "f32", "2"), "run", "-", "--in", "p0="+file)
	assert.Contains(t, got.stderr, "an array of <U1 does not hold f32\n")
}
