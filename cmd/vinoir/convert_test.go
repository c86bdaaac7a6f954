package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConvert(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.xml")
	got := vinoir("", "convert", messages, out, "--shape", "nodes=[5,2]")
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Regexp(t, `out\.xml: \d+ bytes\n.*out\.bin: \d+ bytes\n$`, got.stdout)

	want := vinoir("", "run", messages, "--shape", "nodes=[5,2]", "--fill", "ramp")
	require.Equal(t, exitGood, want.code, want.stderr)
	assert.Equal(t, want.stdout, vinoir("", "run", out, "--fill", "ramp").stdout)
	strict := vinoir("", "validate", out, "--strict", "--run")
	assert.Equal(t, exitGood, strict.code, strict.stdout)
	assert.Contains(t, strict.stdout, "0 errors, 0 warnings", "the ports declare what is inferred")

	// The second time, from standard input and over the files that it reads.
	before := readText(t, out)
	got = vinoir(before, "convert", "-", out, "--bin", filepath.Join(dir, "out.bin"), "--json")
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Equal(t, before, readText(t, out))
	var result conversion
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &result))
	assert.Equal(t, conversion{"<stdin>", 11, []fileBytes{{out, int64(len(before))}, {filepath.Join(dir, "out.bin"), result.Files[1].Bytes}}}, result)
	require.Equal(t, exitGood, vinoir("", "convert", out, out).code)
	assert.Equal(t, before, readText(t, out))
}

func TestConvert_batch(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.xml")
	got := vinoir("", "convert", messages, out, "--batch", "7", "--align")
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Contains(t, vinoir("", "info", out).stdout, `0 "sum" ["sum"] f32[7,2]`)
}

func TestConvert_fp16(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.xml")
	model := testCase("DeformableConvolution-8", "f32", "model.xml")
	got := vinoir("", "convert", model, out, "--fp16")
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Contains(t, readText(t, out), `name="decompression"`)
	strict := vinoir("", "validate", out, "--strict")
	assert.Equal(t, exitGood, strict.code, strict.stdout)
}

func TestConvert_v10(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.xml")
	model := testCase("DeformableConvolution-8", "f32", "model.xml")
	got := vinoir("", "convert", model, out, "--v10")
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stderr, `(DeformableConvolution, opset8): the layer cannot be written in version 10, which has opset1 to opset7`)
	got = vinoir("", "convert", messages, out, "--v10")
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stderr, `layer 0 "nodes" (Parameter, opset1): output 0 has shape [?,2], and version 10 has no dynamic shapes: set the shapes of the inputs`)

	model = testCase("Softmax-8", "f32", "model.xml")
	const shape = "[2,3,1,4]"
	got = vinoir("", "convert", model, out, "--v10", "--shape", shape, "--json")
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Equal(t, 10, decode[conversion](t, got).Version)
	assert.Contains(t, vinoir("", "info", out).stdout, "IR version 10")
	want := vinoir("", "run", model, "--shape", shape, "--fill", "ramp")
	require.Equal(t, exitGood, want.code, want.stderr)
	assert.Equal(t, want.stdout, vinoir("", "run", out, "--fill", "ramp").stdout)
}

func TestConvert_fails(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.xml")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{messages, filepath.Join(dir, "none", "out.xml")}, "none"},
		{[]string{messages, filepath.Join(dir, "out.bin")}, "the weights would have the name of the document"},
		{[]string{messages, out, "--bin", filepath.Join(dir, "none.bin")}, "none.bin"},
		{[]string{messages, out, "--shape", "nodes=[5,3,1]"}, "layer "},
	} {
		got := vinoir("", append([]string{"convert"}, c.args...)...)
		assert.Equal(t, exitFault, got.code, c.args)
		assert.Contains(t, got.stderr, c.want)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
