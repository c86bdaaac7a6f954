package main

import (
	"archive/zip"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
)

// TestStumbles has commands that newcomers tried, and what must tell them how to go on. In
// arguments, DIR is the folder of the test.
func TestStumbles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(data), 0o600))
	}
	xml, bin := readText(t, messages), readText(t, strings.TrimSuffix(messages, "xml")+"bin")
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 152\n"
	for folder, data := range map[string]string{
		"good": bin, "pointer": pointer, "archive": "PK\x03\x04\x14\x00", "empty": "", "short": bin[:100], "long": bin + strings.Repeat("x", 5000),
	} {
		write(folder+"/model.xml", xml)
		write(folder+"/model.bin", data)
	}
	write("pointer.xml", pointer)
	write("net.onnx", "\x08\x08\x12\x07pytorch")
	write("net.blob", "RR_UPCVO\x01\x00")
	write("stale/model.xml", strings.ReplaceAll(xml, "<dim>2</dim>", "<dim>3</dim>"))
	write("stale/model.bin", bin)
	write("two/a/model.xml", identityModel(ir.F32, "1,3,1,2"))
	write("two/b/model.xml", xml)
	write("two/b/model.bin", bin)
	write("picture.xml", identityModel(ir.F32, "1,3,1,2"))
	write("other.xml", noKernel)
	write("labels.txt", strings.Repeat("cat\n", 3))
	writePicture(t, filepath.Join(dir, "cat.png"))
	values, err := ir.TensorFrom([]float64{1, 2, 3, math.Pi, 5, 6}, 1, 3, 1, 2)
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(filepath.Join(dir, "doubles.npy"), values))
	archive, err := os.Create(filepath.Join(dir, "doubles.npz"))
	require.NoError(t, err)
	zipped := zip.NewWriter(archive)
	member, err := zipped.Create("image.npy")
	require.NoError(t, err)
	_, err = member.Write([]byte(readText(t, filepath.Join(dir, "doubles.npy"))))
	require.NoError(t, err)
	require.NoError(t, zipped.Close())
	require.NoError(t, archive.Close())

	const shape = " --shape nodes=[5,2]"
	for _, c := range []struct {
		part int // of what stood in the way
		args string
		code int
		want string // a regular expression
	}{
		{1, "run DIR/good/model.xml" + shape, exitGood, `input 0 "nodes": f32\[5,2\], filled with random numbers, seed 0`},
		{1, "benchmark DIR/good/model.xml --runs 1" + shape, exitGood, `input 0 "nodes": f32\[5,2\], filled with random numbers, seed 0`},
		{1, "run DIR/good/model.xml --in-dir DIR" + shape, exitFault, `has no file for input 0 "nodes": looked for "nodes.npy, 0.npy"`},
		{2, "validate DIR/other.xml", exitGood, `note: .* has no kernel for input 0 of type f8e4m3, .*; this holds for 2 layers \[no-kernel\]`},
		{2, "validate DIR/other.xml --run", exitFault, `error: .* has no kernel for input 0 of type f8e4m3, .*; this holds for 2 layers \[no-kernel\]`},
		{3, "info DIR/pointer/model.xml", exitFault, `this is a pointer of Git LFS, not the file itself, which has 152 bytes: fetch it: git lfs pull`},
		{3, "info DIR/pointer.xml", exitFault, `this is a pointer of Git LFS`},
		{3, "info DIR/net.onnx", exitFault, `net.onnx: not an ONNX model: the model has no graph`},
		{3, "info DIR/net.blob", exitFault, `this is a compiled model \(.blob\)`},
		{3, "info DIR/archive/model.xml", exitFault, `outside of the .bin, which has 6 bytes; this is an archive: unpack it`},
		{3, "info DIR/empty/model.xml", exitFault, `outside of the .bin, which has 0 bytes; this is an empty file: copy or download it again`},
		{3, "validate DIR/short/model.xml", exitFault, `outside of the .bin, which has 100 bytes; it was cut off or belongs to another model \[bin-short\]`},
		{3, "validate DIR/long/model.xml", exitGood, `\[bin-unused\]`},
		{3, "run DIR/long/model.xml" + shape, exitGood, `warning: the constants end at byte \d+, the .bin has \d+: it may belong to another model`},
		{3, "info DIR/good", exitGood, `good: "messages", IR version 11`},
		{4, "validate DIR/pointer/model.xml --no-bin", exitGood, `11 layers inferred, 1 of them from the dims in the file, 0 errors, 0 warnings`},
		{5, "validate DIR/stale/model.xml --format github", exitGood, `^::warning file=.*,title=stale-`},
		{5, "validate DIR/stale/model.xml --format junit", exitGood, `<testsuite name=".*model.xml" tests="1" failures="0" errors="0">`},
		{5, "validate DIR/stale/model.xml", exitGood, `and \d+ that follow`},
		{5, "validate DIR/stale/model.xml --max 1 --quiet --ignore stale-input-shape", exitGood, `\[stale-shape\]`},
		{5, "validate DIR/two --shape nodes=[5,2]", exitFault, `the model has no input of that name, it has "x" \("image"\) \[input-shape\](?s:.*)2 models: `},
		{5, "validate DIR/good/model.xml --batch 4", exitGood, `0 errors`},
		{5, "validate DIR/good/model.xml --shape [4,2]", exitGood, `0 errors`},
		{6, "run DIR/picture.xml --in image=DIR/cat.png --mean 127.5 --scale 127.5", exitGood, `read from .*cat.png, 2x1 pixels`},
		{6, "run DIR/picture.xml --in image=DIR/doubles.npy", exitFault, `an array of <f8 does not hold f32: --cast converts the numbers`},
		{6, "run DIR/picture.xml --in image=DIR/doubles.npy --cast", exitGood, `read from .*doubles.npy`},
		{6, "run DIR/picture.xml --in image=DIR/doubles.npz --cast", exitGood, `read from .*doubles.npz`},
		{6, "run DIR/picture.xml --in image=DIR/cat.png --out-dir DIR/want", exitGood, `-> .*0.npy`},
		{6, "run DIR/picture.xml --in image=DIR/cat.png --expect DIR/want", exitGood, `as expected`},
		{7, "benchmark DIR/good/model.xml --hint throughput --runs 4" + shape, exitGood, `hint THROUGHPUT, \d+ requests?, (?s:.*) FPS\nlatency: .* p50 .* p90 .* p99 `},
		{7, "benchmark -m DIR/good/model.xml -d CPU -hint latency -niter 4 -data_shape nodes[5,2]", exitGood, `hint LATENCY, 1 request, 1 stream, (?s:.*)4 inferences in `},
		{8, "version", exitGood, `^vinoir .*\ngo1(?s:.*)kernels: `},
		{8, "bechmark DIR/good", exitUsage, `unknown command "bechmark": did you mean benchmark\?`},
		{8, "profile DIR/good/model.xml --nonsense", exitUsage, `See vinoir profile --help.`},
		{8, "profile DIR/good/model.xml --runs 1 --top 1 --sort time" + shape, exitGood, `\.\.\. 2 layers more`},
		{8, "info DIR/good/model.xml --go", exitGood, `"github.com/vinoir/vinoir/ops/scatterelements"`},
		{9, "validate DIR/net.onnx --json", exitFault, `"severity":"error","port":-1,`},
		{12, "run DIR/picture.xml --in DIR/cat.png", exitGood, `read from .*cat.png, 2x1 pixels`},
		{12, "--version", exitGood, `^vinoir .*\ngo1`},
		{12, "--help", exitGood, `\n  completion +Generate`},
		{12, "ops softmax ScatterUpdate-3", exitGood, `^ScatterUpdate-3 .*\nSoftmax-1 .*\nSoftmax-8 .*\n$`},
		{12, "diff DIR/good/model.xml DIR/none.xml", exitUsage, `none.xml: `},
		{12, "graph DIR/good/model.xml -o DIR/x.png", exitUsage, `x.png: graph writes html, svg or dot;`},
		{12, "graph DIR/good/model.xml -o DIR/none/x.svg", exitFault, `none`},
		{12, "convert DIR/good/model.xml DIR/x.onnx", exitUsage, `convert writes an IR: name the file .xml, not .*x.onnx`},
		{12, "convert DIR/good/model.xml DIR/new/folder/x.xml", exitGood, `x.bin: 152 bytes`},
		{11, "embed DIR/good -o DIR/embedded", exitGood, `package embedded links \d+ packages of layer types`},
	} {
		got := vinoir("", strings.Fields(strings.ReplaceAll(c.args, "DIR", dir))...)
		assert.Equal(t, c.code, got.code, "part %d: %s: %v", c.part, c.args, got)
		assert.Regexp(t, regexp.MustCompile(c.want), got.stdout+got.stderr, "part %d: %s", c.part, c.args)
	}
}
