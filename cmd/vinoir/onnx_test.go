package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
)

// onnxCase returns the path of a folder or file in testdata/onnx.
func onnxCase(elements ...string) string {
	return filepath.Join("..", "..", "testdata", "onnx", filepath.Join(elements...))
}

// TestONNX runs the commands that read a model with ONNX models. In arguments, NETS is the folder
// with those that are good, BAD that of the others, and DIR an empty folder.
func TestONNX(t *testing.T) {
	dir := t.TempDir()
	replace := strings.NewReplacer("NETS", onnxCase("nets"), "BAD", onnxCase("bad"), "DIR", dir)
	const linear = "NETS/linear/model.onnx"
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"info " + linear, `model.onnx: "net", an ONNX model`, exitGood},
		{"info " + linear, "  names: {0: 'cat', 1: 'dog', 2: 'bird'}\n", exitGood},
		{"info " + linear, "  f32: 2 constants, 60 bytes\nparameters: 15 in 60 bytes\n", exitGood},
		{"info NETS/external --json", `"parameters":15,"bin_used":60,"bin_bytes":-1,`, exitGood},
		{"info NETS/labels --go", "\tonnxextension.Ops(),\n", exitGood},
		{"info BAD/unsupported/model.onnx", `2 operators are not supported: Foo of version 17 (1 node, first node "foo"`, exitFault},
		{"info BAD/cycle/model.onnx", "the graph has a cycle", exitFault},
		{"info " + linear + " --bin x", "--bin goes with an IR: an ONNX model says itself where its weights are", exitUsage},
		{"run NETS/linear --in-dir NETS/linear/in --expect NETS/linear/out", "as expected", exitGood},
		{"run NETS/external --in-dir NETS/external/in --expect NETS/external/out", "as expected", exitGood},
		{"run NETS/labels --in-dir NETS/labels/in --expect NETS/labels/out", "as expected", exitGood},
		{"run NETS/linear --in-dir NETS/linear/in --expect NETS/stale/out", "not as expected", exitFault},
		{"run NETS/linear --shape [5,4]", `output 0 "y": f32[5,3]`, exitGood},
		{"benchmark NETS/linear --runs 2 --batch 3", "2 inferences", exitGood},
		{"profile NETS/linear --runs 1 --batch 3", "MatMul", exitGood},
		{"graph NETS/linear -o DIR/a.html", "7 layers", exitGood},
		{"validate NETS/linear", "7 layers inferred, 0 errors, 0 warnings", exitGood},
		{"validate NETS/linear --explain y", `dim 0 = ? from dim 0 = ? of input "x"`, exitGood},
		{"validate BAD", "2 models: 0 layers inferred, 3 errors", exitFault},
		{"diff NETS/linear NETS/external", "no differences", exitGood},
		{"convert NETS/external DIR/ir.xml", "ir.bin: 60 bytes", exitGood},
		{"diff NETS/linear DIR/ir.xml", "no differences", exitGood},
		{"info DIR/ir.xml --length x=2", "--length, --constant and --stateful go with an ONNX model", exitUsage},
		{"info DIR/ir.xml --stateful", "--length, --constant and --stateful go with an ONNX model", exitUsage},
		{"info NETS/linear --stateful", "no input and output are a state of the past", exitFault},
		{"run DIR/ir.xml --in-dir NETS/linear/in --expect NETS/linear/out", "as expected", exitGood},
		{"convert NETS/linear DIR/half.xml --fp16 --shape [2,4]", "half.bin: 30 bytes", exitGood},
		{"run DIR/half.xml --in-dir NETS/linear/in --expect NETS/linear/out", "as expected", exitGood},
		{"run NETS/linear --constant x=NETS/linear/in/0.npy --expect NETS/linear/out", "as expected", exitGood},
		{"info NETS/linear --constant x=5", `input "x": it is f32[?,4], and the options have i64[] for it`, exitFault},
		{"info NETS/linear --constant x=nothere.npy", "open nothere.npy: ", exitFault},
		{"info NETS/linear --constant 5", "--constant 5 is not NAME=F.npy or NAME=N", exitUsage},
		{"info NETS/sequence", `input "parts": type sequence is not supported`, exitFault},
		{"info NETS/sequence --length parts=2", `1 "parts.1" ["parts.1"] f32[?]`, exitGood},
		{"validate NETS/sequence --length parts=2", "0 errors", exitGood},
		{"info NETS/sequence --length parts=-2", "--length parts=-2 is not NAME=N", exitUsage},
		{"info NETS/sequence --length parts=two", "--length parts=two is not NAME=N", exitUsage},
		{"info NETS/linear --length x=none", `input "x": it is no sequence`, exitFault},
		{"convert NETS/labels DIR/labels.xml", "labels.xml: ", exitGood},
		{"run DIR/labels.xml --in-dir NETS/labels/in --expect NETS/labels/out", "as expected", exitGood},
		{"embed NETS/external -o DIR/linear", "package linear links", exitGood},
		{"embed NETS/external -o DIR/linear", "package linear links", exitGood}, // again
		{"conformance NETS/..", "onnxfiles.bad: 2 passed\nonnxfiles.nets: 5 passed\n", exitGood},
	} {
		got := vinoir("", strings.Fields(replace.Replace(c.args))...)
		assert.Equal(t, c.code, got.code, "%s: %v", c.args, got)
		assert.Contains(t, got.stdout+got.stderr, c.want, c.args)
	}
	pictures := filepath.Join(dir, "u8.xml")
	got := vinoir("", "convert", onnxCase("nets", "linear"), pictures, "--preprocess", "x: type=u8 convert=f32")
	assert.Equal(t, exitGood, got.code, got)
	assert.Contains(t, vinoir("", "info", pictures).stdout, `0 "x" ["x"] u8[?,4]`)
	for _, name := range []string{"model.xml", "model.bin", "model.go"} {
		assert.FileExists(t, filepath.Join(dir, "linear", name))
	}
	assert.NotContains(t, readText(t, filepath.Join(dir, "linear", "model.go")), "ir/onnx", "the program does not link the reader")
}

// TestONNX_standardInput reads models from standard input.
func TestONNX_standardInput(t *testing.T) {
	linear := readText(t, onnxCase("nets", "linear", "model.onnx"))
	got := vinoir(linear, "run", "-", "--shape", "[2,4]")
	assert.Equal(t, exitGood, got.code, got)
	got = vinoir(linear, "info", "-", "--bin", "x")
	assert.Equal(t, exitUsage, got.code, got)
	got = vinoir(readText(t, onnxCase("nets", "external", "model.onnx")), "info", "-")
	assert.Equal(t, exitFault, got.code, got)
	assert.Contains(t, got.stderr, `the file "model.onnx.data" is needed, and the model was read without a folder`)
	_, err := readAll(strings.NewReader("1234"), 3)
	assert.EqualError(t, err, "standard input has more than 3 bytes: name the file instead")
}

// TestONNX_names tests that the content of a file decides what it is, not its name.
func TestONNX_names(t *testing.T) {
	dir := t.TempDir()
	for name, source := range map[string]string{"onnx.xml": onnxCase("nets", "linear", "model.onnx"), "xml.onnx": testCase("Add-1", "f64", "model.xml")} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(readText(t, source)), 0o600))
		got := vinoir("", "info", filepath.Join(dir, name), "--no-bin")
		assert.Equal(t, exitGood, got.code, got)
	}
	got := vinoir("", "info", onnxCase("nets", "linear", "model.onnx"), "--json")
	assert.Equal(t, "onnx", decode[modelInfo](t, got).Framework["format"])
	got = vinoir("", "info", optest.Root(t)+"/go.mod")
	assert.Contains(t, got.stderr, "go.mod: not an ONNX model: byte ")
}

// TestValidate_onnx tests that what is found in an ONNX model has the forms of other findings.
func TestValidate_onnx(t *testing.T) {
	stale, unsupported := onnxCase("nets", "stale", "model.onnx"), onnxCase("bad", "unsupported", "model.onnx")
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{stale, `model.onnx: warning: layer 6 "h" (Add, opset1): value "h" is [2,5] in the file, inferred [2,3] [stale-shape]`, exitGood},
		{stale, `model.onnx: note: 1 node that no output needs: not in the model; the first is "sqrt" [onnx-unneeded]`, exitGood},
		{stale, `model.onnx: note: 1 node of Gemm-13 became several layers; "gemm" became 3: MatMul, Multiply, Add [onnx-several]`, exitGood},
		{stale, "model.onnx: 9 layers inferred, 0 errors, 2 warnings, 3 notes", exitGood},
		{stale + " --strict", "2 warnings", exitFault},
		{stale + " --strict --ignore stale-shape", "0 warnings", exitGood},
		{stale + " --run", "2 warnings", exitGood},
		{stale + " --fix", "2 warnings", exitGood}, // which writes an IR only
		{stale + " --shape x=[5,4]", "9 layers inferred", exitGood},
		{stale + " --shape z=[5,4]", "the model has no input of that name", exitUsage},
		{stale + " --format github", "::warning file=" + stale + ",title=stale-shape::", exitGood},
		{stale + " --format junit", `<testsuite name="` + stale + `"`, exitGood},
		{stale + " --format sarif", `"ruleId":"onnx-unneeded"`, exitGood},
		{unsupported, `error: an operator is not supported: org.example:Bar of version 1 (1 node, first the node of "y": no such operator is known) [onnx-operator]`, exitFault},
		{unsupported, "0 layers inferred, 2 errors, 1 warning", exitFault},
		{onnxCase("nets", "labels"), "OpenVINO has no layer type KeyIndex", exitGood},
		{onnxCase("bad", "cycle"), "the graph has a cycle [onnx-conversion]", exitFault},
		{"--help", "vinoir validate model.onnx", exitGood},
		{"--rules", "onnx-own-layer     note     ", exitGood},
	} {
		got := vinoir("", append([]string{"validate"}, strings.Fields(c.args)...)...)
		assert.Equal(t, c.code, got.code, "%s: %v", c.args, got)
		assert.Contains(t, got.stdout+got.stderr, c.want, c.args)
	}
	got := vinoir(readText(t, stale), "validate", "-", "--json")
	v := decode[validation](t, got)
	assert.Equal(t, []string{"f32[2,3]"}, v.Layers["y"])
	assert.Equal(t, "[2,5]", v.Findings[0].Declared)
	assert.Equal(t, "[2,3]", v.Findings[0].Inferred)
	assert.Equal(t, "h", v.Findings[0].Layer)
	got = vinoir("not a model", "validate", "-")
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stdout, "<stdin>: error: not an ONNX model: byte 0")
}

// TestHostileText_onnx has control characters in the names and the metadata of an ONNX model. The
// lengths of the names stay as they are.
func TestHostileText_onnx(t *testing.T) {
	linear := readText(t, onnxCase("nets", "linear", "model.onnx"))
	hostile := strings.NewReplacer("product", "\x1b[2J\nf\x7f", "/layer/MatMul", "\nforged: 0 e\x1b", "0: 'cat'", "\nforged\x07", "names", "n\nam\x1b").Replace(linear)
	unknown := strings.ReplaceAll(hostile, "Relu", "F\n\x1bu")
	path := filepath.Join(t.TempDir(), "model.onnx")
	for _, model := range []string{hostile, unknown} {
		require.NoError(t, os.WriteFile(path, []byte(model), 0o600))
		for _, args := range []string{
			"info", "info --json", "validate", "validate --json", "validate --format sarif", "validate --format github", "run --shape [1,4]", "profile --runs 1 --shape [1,4]",
			"validate --explain y", "graph -o " + filepath.Join(t.TempDir(), "page.html"),
		} {
			got := vinoir("", append(strings.Fields(args), path)...)
			assertPrintable(t, got.stdout+got.stderr, args)
		}
	}
}
