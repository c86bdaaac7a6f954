package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
)

// writeNodes writes 0, 1, 2... with the given number of rows, as an input of the model messages.
func writeNodes(t *testing.T, path string, rows int) {
	t.Helper()
	nodes, err := filled(ir.F32, ir.Shape{rows, 2}, "ramp")
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(path, nodes))
}

// summed is the output "sum" for 5 rows of writeNodes.
var summed = []float32{18, 22, 2, 4, 6, 8, 6, 7, 14, 16}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "nodes.npy")
	writeNodes(t, file, 5)
	writeNodes(t, filepath.Join(dir, "0.npy"), 5)
	signs := filepath.Join(dir, "a=b.npy")
	writeNodes(t, signs, 5)
	out := filepath.Join(dir, "out", "deeper")
	for _, args := range [][]string{
		{"--in", "nodes=" + file}, {"--in", "0=" + file}, {"--in", "nodes=" + signs}, {"--in-dir", dir},
		{"--shape", "nodes=[5,2]", "--fill", "ramp"}, {"--in-dir", dir, "--shape", "nodes=[..9,2]", "--threads", "2", "--execution-mode", "accuracy"},
	} {
		got := vinoir("", append([]string{"run", messages, "--json", "--out-dir", out}, args...)...)
		require.Equal(t, exitGood, got.code, "%v: %v", args, got)
		result := decode[inference](t, got)
		require.Len(t, result.Outputs, 2)
		sum := result.Outputs[0]
		assert.Equal(t, "sum", sum.Name)
		assert.Equal(t, []string{"sum"}, sum.Names)
		assert.Equal(t, "f32", sum.Type)
		assert.Equal(t, []int{5, 2}, sum.Shape)
		assert.Equal(t, []float64{2, 22, 10.3}, []float64{*sum.Min, *sum.Max, *sum.Mean})
		assert.Equal(t, []string{"18", "22", "2", "4", "6", "8"}, sum.First)

		array, err := npy.ReadFile(sum.File)
		require.NoError(t, err)
		tensor, err := array.Tensor(ir.F32, nil)
		require.NoError(t, err)
		assert.Equal(t, summed, ir.Data[float32](tensor))
		require.NoError(t, os.RemoveAll(out))
	}
	got := vinoir("", "run", messages, "--in", "nodes="+file)
	assert.Equal(t, outcome{exitGood, `precision f32
input 0 "nodes": f32[5,2], read from ` + file + `
output 0 "sum": f32[5,2] min 2 max 22 mean 10.3 [18 22 2 4 6 8 ...]
output 1 "max": f32[5,2] min 0 max 9 mean 4.9 [8 9 0 1 2 3 ...]
`, ""}, got)
}

func TestRun_fault(t *testing.T) {
	dir := t.TempDir()
	few, ints, text := filepath.Join(dir, "few.npy"), filepath.Join(dir, "ints.npy"), filepath.Join(dir, "text.npy")
	writeNodes(t, few, 3)
	tensor, err := filled(ir.I32, ir.Shape{5, 2}, "zeros")
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(ints, tensor))
	require.NoError(t, os.WriteFile(text, []byte("text"), 0o644))
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"none.xml"}, "none.xml"},
		{[]string{messages, "--in", "nodes=" + few}, "ScatterElementsUpdate"},
		{[]string{messages, "--in", "nodes=" + ints}, `input "nodes": an array of <i4 does not hold f32`},
		{[]string{messages, "--in", "nodes=" + text}, "none of .npy, .npz, PNG and JPEG"},
		{[]string{messages, "--in", "nodes=" + filepath.Join(dir, "none.npy")}, "none.npy"},
		{[]string{messages, "--in-dir", filepath.Join(dir, "none")}, "is not a folder"},
		{[]string{messages, "--shape", "nodes=[5,3]"}, "ScatterElementsUpdate"},
		{[]string{testCase("bad", "layer_unknown", "model.xml")}, "1 layer is not supported"},
		{[]string{testCase("bad", "const_offset_beyond", "model.xml")}, "Constant"},
	} {
		got := vinoir("", append([]string{"run"}, tt.args...)...)
		assert.Equal(t, exitFault, got.code, "%v: %v", tt.args, got)
		assert.Contains(t, got.stderr, tt.want, "%v", tt.args)
	}
}

func TestRun_stdin(t *testing.T) {
	xml := readText(t, messages)
	bin := strings.TrimSuffix(messages, ".xml") + ".bin"
	got := vinoir(xml, "run", "-", "--bin", bin, "--shape", "nodes=[5,2]", "--fill", "ramp")
	assert.Equal(t, exitGood, got.code, got)
	assert.Contains(t, got.stdout, "[18 22 2")
	got = vinoir(xml, "run", "-", "--shape", "nodes=[5,2]")
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stderr, "without its .bin")
}

func TestFilled(t *testing.T) {
	types := []ir.ElementType{
		ir.Boolean, ir.U1, ir.U2, ir.U3, ir.U4, ir.U6, ir.U8, ir.U16, ir.U32, ir.U64, ir.I4, ir.I8, ir.I16, ir.I32, ir.I64,
		ir.F16, ir.BF16, ir.F32, ir.F64, ir.NF4, ir.F8E4M3, ir.String,
	}
	for _, et := range types {
		ramp, err := filled(et, ir.Shape{3}, "ramp")
		require.NoError(t, err)
		want := []string{"0", "1", "2"}
		switch et {
		case ir.Boolean, ir.U1:
			want[2] = "0"
		case ir.String:
			want = []string{`"0"`, `"1"`, `"2"`}
		}
		assert.Equal(t, want, summarise(ramp).First, et)
		zeros, err := filled(et, ir.Shape{2, 0}, "zeros")
		require.NoError(t, err)
		assert.Equal(t, []int{2, 0}, summarise(zeros).Shape)
	}
	random, err := filled(ir.F32, ir.Shape{100}, "random")
	require.NoError(t, err)
	again, err := filled(ir.F32, ir.Shape{100}, "random")
	require.NoError(t, err)
	assert.Equal(t, random.Bytes(), again.Bytes())
	assert.Less(t, *summarise(random).Max, 1.0)
	_, err = filled(ir.Dynamic, ir.Shape{1}, "zeros")
	assert.Error(t, err)
}

func TestSummarise(t *testing.T) {
	nan, err := ir.TensorOf(ir.F32, ir.Shape{3}, []uint32{0x7fc00000, 0x3f800000, 0xff800000})
	require.NoError(t, err)
	text := summarise(nan)
	assert.Equal(t, "f32[3] min 1 max 1 mean 1 2 not finite [NaN 1 -Inf]", text.String())
	scalar, err := ir.TensorOf(ir.I64, ir.Shape{}, []int64{-7})
	require.NoError(t, err)
	assert.Equal(t, "i64[] min -7 max -7 mean -7 [-7]", summarise(scalar).String())
	empty, err := ir.NewTensor(ir.F16, 0, 3)
	require.NoError(t, err)
	assert.Equal(t, "f16[0,3] []", summarise(empty).String())
}
