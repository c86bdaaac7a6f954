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
	assert.Equal(t, conversion{Model: "<stdin>", Version: 11, Files: []fileBytes{{out, int64(len(before))}, {filepath.Join(dir, "out.bin"), result.Files[1].Bytes}}}, result)
	require.Equal(t, exitGood, vinoir("", "convert", out, out).code)
	assert.Equal(t, before, readText(t, out))
}

func TestConvert_batch(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.xml")
	got := vinoir("", "convert", messages, out, "--batch", "7", "--align")
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Contains(t, vinoir("", "info", out).stdout, `0 "sum" ["sum"] f32[7,2]`)
}

// TestConvert_extract writes the part before a layer, and compares with what the whole model
// computes.
func TestConvert_extract(t *testing.T) {
	dir := t.TempDir()
	whole, out := filepath.Join(dir, "whole.xml"), filepath.Join(dir, "part.xml")
	require.NoError(t, os.WriteFile(whole, []byte(foldable), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "whole.bin"), append([]byte{1, 2, 3, 4}, make([]byte, 1<<15)...), 0o644))
	got := vinoir("", "convert", whole, out, "--extract", "..sum")
	require.Equal(t, exitGood, got.code, got.stderr)
	info := vinoir("", "info", out).stdout
	assert.Contains(t, info, "sum")
	assert.NotContains(t, info, "more")
	got = vinoir("", "convert", whole, out, "--extract", "square..sum")
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Contains(t, vinoir("", "info", out).stdout, "f32[2,2]")
	for spec, want := range map[string]string{"sum": "has no .. between inputs and outputs", "none..sum": "none", "more..sum": "more"} {
		got := vinoir("", "convert", whole, out, "--extract", spec)
		assert.NotEqual(t, exitGood, got.code, spec)
		assert.Contains(t, got.stderr, want)
	}
}

// picture is a model that takes one picture.
const picture = `<net name="p" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,3,2,2" element_type="f32"/><output><port id="0" precision="FP32" names="x"><dim>1</dim><dim>3</dim><dim>2</dim><dim>2</dim></port></output></layer>
<layer id="1" name="r" type="ReLU" version="opset1"><input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>`

// TestConvert_preprocess makes steps a part of a model, and runs it.
func TestConvert_preprocess(t *testing.T) {
	dir := t.TempDir()
	model, out := filepath.Join(dir, "m.xml"), filepath.Join(dir, "out.xml")
	require.NoError(t, os.WriteFile(model, []byte(picture), 0o644))
	got := vinoir("", "convert", model, out, "--preprocess", "x: type=u8 layout=NHWC:NCHW size=4x4 color=BGR:RGB convert=f32 resize=linear mean=1,2,3 scale=2")
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Contains(t, vinoir("", "info", out).stdout, "u8[1,4,4,3]")
	assert.Contains(t, vinoir("", "run", out, "--fill", "zeros").stdout, "f32[1,3,2,2]")
	for spec, want := range map[string]string{
		"x type=u8": "does not start with the name of an input", "x: kind=u8": "kind=u8 is none of type=", "x: type=u9": "u9", "x: size=4": "size 4 is not HxW",
		"x: mean=a": "a is not a number", "z: type=u8": "z", "x: resize=linear": "H and W", "x: layout=NCHW color=RGB:GRAY": "neither RGB nor BGR",
	} {
		got := vinoir("", "convert", model, out, "--preprocess", spec)
		assert.NotEqual(t, exitGood, got.code, spec)
		assert.Contains(t, got.stderr, want, spec)
	}
}

// foldable is a model whose output is x reshaped to the shape of w, plus a row of w. The Convert of
// w, the ShapeOf, the Split and what is between them are constant; the Convert of v makes much of
// little and stays.
const foldable = `<net name="f" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="4" element_type="f32"/><output><port id="0" precision="FP32"><dim>4</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="u8" shape="2,2" offset="0" size="4"/><output><port id="0" precision="U8"><dim>2</dim><dim>2</dim></port></output></layer>
<layer id="2" name="wide" type="Convert" version="opset1"><data destination_type="f32"/><input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>
<layer id="3" name="axis" type="Const" version="opset1"><data element_type="i64" shape="" offset="8" size="8"/><output><port id="0" precision="I64"/></output></layer>
<layer id="4" name="halves" type="Split" version="opset1"><data num_splits="2"/><input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32"/><port id="3" precision="FP32" names="row"/></output></layer>
<layer id="5" name="shape" type="ShapeOf" version="opset3"><data output_type="i64"/><input><port id="0"/></input><output><port id="1" precision="I64"/></output></layer>
<layer id="6" name="square" type="Reshape" version="opset1"><data special_zero="false"/><input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32"/></output></layer>
<layer id="7" name="sum" type="Add" version="opset1"><input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32"/></output></layer>
<layer id="8" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
<layer id="9" name="v" type="Const" version="opset1"><data element_type="u8" shape="4096,4" offset="0" size="16384"/><output><port id="0" precision="U8"/></output></layer>
<layer id="10" name="weights" type="Convert" version="opset1"><data destination_type="f32"/><input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>
<layer id="11" name="more" type="Add" version="opset1"><input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32"/></output></layer>
<layer id="12" name="z" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges>
<edge from-layer="1" from-port="0" to-layer="2" to-port="0"/><edge from-layer="2" from-port="1" to-layer="4" to-port="0"/><edge from-layer="3" from-port="0" to-layer="4" to-port="1"/>
<edge from-layer="1" from-port="0" to-layer="5" to-port="0"/><edge from-layer="0" from-port="0" to-layer="6" to-port="0"/><edge from-layer="5" from-port="1" to-layer="6" to-port="1"/>
<edge from-layer="6" from-port="2" to-layer="7" to-port="0"/><edge from-layer="4" from-port="3" to-layer="7" to-port="1"/><edge from-layer="7" from-port="2" to-layer="8" to-port="0"/>
<edge from-layer="9" from-port="0" to-layer="10" to-port="0"/><edge from-layer="10" from-port="1" to-layer="11" to-port="0"/><edge from-layer="0" from-port="0" to-layer="11" to-port="1"/>
<edge from-layer="11" from-port="2" to-layer="12" to-port="0"/>
</edges></net>`

func TestConvert_fold(t *testing.T) {
	dir := t.TempDir()
	model, out := filepath.Join(dir, "m.xml"), filepath.Join(dir, "out.xml")
	require.NoError(t, os.WriteFile(model, []byte(foldable), 0o600))
	bin := make([]byte, 16384)
	copy(bin, "\x01\x02\x03\x04")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.bin"), bin, 0o600))
	got := vinoir("", "convert", model, out, "--fold")
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Contains(t, got.stdout, "3 layers folded\n")
	xml := readText(t, out)
	assert.Contains(t, xml, `name="halves/1" type="Const"`)
	assert.Contains(t, xml, `names="row"`)
	assert.Contains(t, xml, `name="shape" type="Const"`)
	assert.Contains(t, xml, `name="weights" type="Convert"`)
	for _, gone := range []string{`name="wide"`, `name="w"`, `name="axis"`, `name="halves/0"`} {
		assert.NotContains(t, xml, gone)
	}
	assert.Equal(t, vinoir("", "run", model, "--fill", "ramp").stdout, vinoir("", "run", out, "--fill", "ramp").stdout)
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
		{[]string{messages, filepath.Join(messages, "out.xml")}, "mkdir " + messages},
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
