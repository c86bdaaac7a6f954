package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestRun_expect(t *testing.T) {
	dir := t.TempDir()
	input, expected := filepath.Join(dir, "in.npy"), filepath.Join(dir, "expected")
	require.NoError(t, os.Mkdir(expected, 0o700))
	writeTensor(t, input, []float32{1, 2, 1000})
	run := func(args ...string) outcome {
		return vinoir(identityModel(ir.F32, "3"), append([]string{"run", "-", "--in", "x=" + input, "--expect", expected}, args...)...)
	}
	file := filepath.Join(expected, "0.npy")
	for _, tt := range []struct {
		want []float32
		args []string
		code int
		text string
	}{
		{[]float32{1, 2, 1000}, nil, exitGood, "  as expected; read from " + file + "\n"},
		{[]float32{1, 2, 1000.0625}, nil, exitGood, "  as expected; the largest difference is 0.0625, at 2; read from " + file + "\n"},
		{[]float32{1, 2.5, 1000}, nil, exitFault, "  not as expected: 1 of 3 elements of f32[3] differ, the first at 1: 2, want 2.5; the largest difference is 0.5, at 1; read from "},
		{[]float32{1, 2.5, 1000}, []string{"--atol", "0.5"}, exitGood, "as expected; the largest"},
		{[]float32{1, 2.5, 1000}, []string{"--rtol", "0.25", "--atol", "0"}, exitGood, "as expected; the largest"},
		{[]float32{1, 2, float32(math.NaN())}, []string{"--atol", "5"}, exitFault, "the first at 2: 1000, want NaN; read from "},
		{[]float32{1, 2}, nil, exitFault, "  not as expected: shape is [3], want [2]; read from "},
	} {
		writeTensor(t, file, tt.want)
		got := run(tt.args...)
		assert.Equal(t, tt.code, got.code, "%v %v", tt, got)
		assert.Contains(t, got.stdout, tt.text)
		assert.Empty(t, got.stderr)
	}
	got := run("--json")
	assert.Equal(t, exitFault, got.code)
	assert.Equal(t, &comparison{Expected: "read from " + file, Fault: "shape is [3], want [2]"}, decode[inference](t, got).Outputs[0].Comparison)

	writeTensor(t, file, []float64{1, 2, 1000})
	assert.Contains(t, run().stderr, `0.npy: output "x": an array of <f8 does not hold f32: --cast converts the numbers`)
	assert.Equal(t, exitGood, run("--cast").code)
	writeTensor(t, filepath.Join(expected, "image.npy"), []float32{1, 2, 3})
	assert.Contains(t, run().stdout, "the largest difference is 997, at 2", "a name comes before a number")

	require.NoError(t, os.RemoveAll(expected))
	got = run()
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stderr, "--expect "+expected+" is not a folder")
	require.NoError(t, os.Mkdir(expected, 0o700))
	assert.Contains(t, run().stderr, `has no file for output 0 "x": looked for "image.npy, x.npy, 0.npy"`)
	for flag, want := range map[string]string{"--atol=-1": "--atol -1 is not a number of at least 0", "--rtol=NaN": "--rtol NaN is not", "--rtol=Inf": "--rtol +Inf is not"} {
		got := run(flag)
		assert.Equal(t, exitUsage, got.code, got)
		assert.Contains(t, got.stderr, want)
	}
	got = vinoir(identityModel(ir.F32, "3"), "run", "-", "--atol", "1")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "--atol and --rtol go with --expect")
}

// TestRun_expectCase compares with the outputs of OpenVINO.
func TestRun_expectCase(t *testing.T) {
	folder := testCase("GRN-1", "f32")
	got := vinoir("", "run", filepath.Join(folder, "model.xml"), "--in-dir", filepath.Join(folder, "in"), "--expect", filepath.Join(folder, "out"))
	assert.Equal(t, exitGood, got.code, got)
	assert.Contains(t, got.stdout, "  as expected")
}
