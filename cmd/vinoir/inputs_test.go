package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
)

// inputModel is a model with n inputs, which it ignores but for their shapes.
func inputModel(n int, elementType, shape string) string {
	layers, edges := "", ""
	for i := range n {
		layers += fmt.Sprintf(`<layer id="%d" name="p%d" type="Parameter" version="opset1"><data shape="%s" element_type="%s"/><output><port id="0" precision="FP32"/></output></layer>`, 3*i, i, shape, elementType)
		layers += fmt.Sprintf(`<layer id="%d" name="s%d" type="ShapeOf" version="opset3"><input><port id="0"/></input><output><port id="1" precision="I64"/></output></layer>`, 3*i+1, i)
		layers += fmt.Sprintf(`<layer id="%d" name="r%d" type="Result" version="opset1"><input><port id="0"/></input></layer>`, 3*i+2, i)
		edges += fmt.Sprintf(`<edge from-layer="%d" from-port="0" to-layer="%d" to-port="0"/><edge from-layer="%d" from-port="1" to-layer="%d" to-port="0"/>`, 3*i, 3*i+1, 3*i+1, 3*i+2)
	}
	return `<net name="m" version="11"><layers>` + layers + `</layers><edges>` + edges + `</edges></net>`
}

// TestInputs_limit has inputs that are larger than the memory, or together larger than --max-input.
func TestInputs_limit(t *testing.T) {
	for _, tt := range []struct {
		n                  int
		elementType, shape string
		want               string
	}{
		{1, "u8", "2305843009213693888", `input "p0": u8[2305843009213693888] takes 2305843009213693888 bytes, --max-input allows 67108864 for all inputs that are filled, of which 67108864 are left`},
		{1, "f32", "50000000000", `input "p0": f32[50000000000] takes 200000000000 bytes`},
		{1, "u1", "80000000", `input "p0": u1[80000000] takes 80000000 bytes`},
		{1, "string", "10000000", `input "p0": string[10000000] takes `},
		{1, "f64", "4611686018427387904", `input "p0": `},
		{3, "u8", "30000000", `input "p2": u8[30000000] takes 30000000 bytes, --max-input allows 67108864 for all inputs that are filled, of which 7108864 are left`},
	} {
		for _, args := range [][]string{{"run", "-"}, {"benchmark", "-"}, {"profile", "-"}, {"run", "-", "--fill", "zeros"}} {
			if tt.n > 1 && args[0] != "run" {
				continue
			}
			if _, err := strconv.Atoi(tt.shape); err != nil { // addresses have 32 bits
				tt.want = "does not fit this platform's int"
			}
			got := vinoir(inputModel(tt.n, tt.elementType, tt.shape), args...)
			assert.Equal(t, exitFault, got.code, "%v: %v", args, got)
			assert.Contains(t, got.stderr, tt.want)
		}
	}
	assert.Equal(t, exitGood, vinoir(inputModel(2, "u8", "1000"), "run", "-", "--max-input", "2000").code)
	assert.Equal(t, exitFault, vinoir(inputModel(2, "u8", "1000"), "run", "-", "--max-input", "1999").code)

	path := filepath.Join(t.TempDir(), "x.npy")
	tensor, err := ir.NewTensor(ir.U8, 10_000)
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(path, tensor))
	model := inputModel(1, "u8", "?")
	assert.Equal(t, exitGood, vinoir(model, "run", "-", "--in", "p0="+path, "--max-input", "5K").code, "a file is not filled")
	if os.Truncate(path, 1<<42) == nil {
		got := vinoir(model, "run", "-", "--in", "p0="+path)
		assert.Contains(t, got.stderr, "longer than the limit")
	}
}

func TestMaxMemory(t *testing.T) {
	got := vinoir("", "run", messages, "--shape", "nodes=[5,2]", "--max-memory", "1")
	assert.Equal(t, exitFault, got.code, got)
	assert.Equal(t, exitGood, vinoir("", "run", messages, "--shape", "nodes=[5,2]", "--max-memory", "1M").code)
	assert.Equal(t, exitUsage, vinoir("", "run", messages, "--max-memory", "0").code)
	assert.Positive(t, defaultMemory())
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]byteSize{"0": 0, "1000": 1000, "64K": 64 << 10, "64m": 64 << 20, "2G": 2 << 30, "3T": 3 << 40} {
		var got byteSize
		require.NoError(t, got.Set(text))
		assert.Equal(t, want, got)
		var again byteSize
		require.NoError(t, again.Set(got.String()))
		assert.Equal(t, want, again)
	}
	for _, text := range []string{"", "-1", "K", "1KK", "1P", "1.5G", "9223372036854775807K", "99999999999999999999"} {
		assert.Error(t, new(byteSize).Set(text), text)
	}
}

// TestRun_outDirLinks has links and folders where outputs are written.
func TestRun_outDirLinks(t *testing.T) {
	dir := t.TempDir()
	other, out := filepath.Join(dir, "other"), filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(other, []byte("other"), 0o600))
	require.NoError(t, os.Mkdir(out, 0o700))
	if err := os.Symlink("../other", filepath.Join(out, "0.npy")); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	got := vinoir(inputModel(1, "u8", "2"), "run", "-", "--out-dir", out)
	assert.Equal(t, exitGood, got.code, got)
	assert.Equal(t, "other", readText(t, other))
	_, err := npy.ReadFile(filepath.Join(out, "0.npy"))
	assert.NoError(t, err)
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no temporary file is left")
}

// TestInputs_sources prints where each input comes from, and reads a folder by names and numbers.
func TestInputs_sources(t *testing.T) {
	dir := t.TempDir()
	model := inputModel(3, "u8", "2")
	write := func(name string) string {
		path := filepath.Join(dir, name)
		tensor, err := ir.NewTensor(ir.U8, 2)
		require.NoError(t, err)
		require.NoError(t, npy.WriteFile(path, tensor))
		return path
	}
	first, third := write("0.npy"), write("p2.npy")
	for fill, want := range map[string]string{"random": "filled with random numbers, seed 0", "zeros": "filled with zeros", "ramp": "filled with 0, 1, 2..."} {
		got := vinoir(model, "run", "-", "--fill", fill, "--in", "p2="+third)
		assert.Contains(t, got.stdout, fmt.Sprintf("input 0 \"p0\": u8[2], %s\ninput 1 \"p1\": u8[2], %[1]s\ninput 2 \"p2\": u8[2], read from %s\n", want, third))
	}
	for _, command := range []string{"run", "benchmark", "profile"} {
		got := vinoir(model, command, "-", "--in-dir", dir)
		assert.Equal(t, exitFault, got.code)
		assert.Contains(t, got.stderr, `has no file for input 1 "p1": looked for "p1.npy, 1.npy"; --in gives it another one`)
	}
	result := decode[inference](t, vinoir(model, "run", "-", "--in-dir", dir, "--in", "1="+first, "--json"))
	assert.Equal(t, []inputSummary{{"p0", "u8", "[2]", "read from " + first}, {"p1", "u8", "[2]", "read from " + first}, {"p2", "u8", "[2]", "read from " + third}}, result.Inputs)
	write("p0.npy")
	result = decode[inference](t, vinoir(model, "run", "-", "--in-dir", dir, "--in", "1="+first, "--json"))
	assert.Equal(t, "read from "+filepath.Join(dir, "p0.npy"), result.Inputs[0].Source, "a name comes before a number")
}
