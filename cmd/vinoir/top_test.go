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

// writeTensor writes a .npy file.
func writeTensor(t *testing.T, path string, data any, shape ...int) {
	t.Helper()
	tensor, err := ir.TensorFrom(data, shape...)
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(path, tensor))
}

func TestRun_top(t *testing.T) {
	dir := t.TempDir()
	scores, labels, few := filepath.Join(dir, "x.npy"), filepath.Join(dir, "labels.txt"), filepath.Join(dir, "few.txt")
	writeTensor(t, scores, []float32{0.25, 3, 1, 2}, 1, 4)
	require.NoError(t, os.WriteFile(labels, []byte("\ufeffcat\r\ndog\r\n\x1b[31mhorse\nant"), 0o600))
	require.NoError(t, os.WriteFile(few, []byte("cat\ndog\n"), 0o600))
	model := identityModel(ir.F32, "?,4")
	run := func(args ...string) outcome { return vinoir(model, append([]string{"run", "-"}, args...)...) }

	got := run("--in", "x="+scores, "--top", "2")
	assert.Contains(t, got.stdout, "\n  class 1      3            \n  class 3      2            \n")
	got = run("--in", "x="+scores, "--top", "9", "--labels", labels)
	assert.Contains(t, got.stdout, "\n  class 1      3            dog\n  class 3      2            ant\n  class 2      1            \\x1b[31mhorse\n  class 0      0.25         cat\n")
	result := decode[inference](t, run("--in", "x="+scores, "--top", "1", "--labels", labels, "--json"))
	three := 3.0
	assert.Equal(t, []topClass{{Row: 0, Class: 1, Value: &three, Label: "dog"}}, result.Outputs[0].Top)

	writeTensor(t, scores, []float32{1, 2, 3, 4, 5, 4, 3, 2}, 2, 4)
	got = run("--in", "x="+scores, "--top", "1", "--labels", labels)
	assert.Contains(t, got.stdout, "\n  picture 0 of 2\n  class 3      4            ant\n  picture 1 of 2\n  class 0      5            cat\n")
	many := make([]float32, 4*(maxTopRows+5))
	writeTensor(t, scores, many, len(many)/4, 4)
	assert.Len(t, decode[inference](t, run("--in", "x="+scores, "--top", "1", "--json")).Outputs[0].Top, maxTopRows)

	for _, tt := range []struct {
		code int
		args []string
		want string
	}{
		{exitFault, []string{"--top", "1", "--labels", few}, "few.txt has 2 lines, which is not the number of classes of an output, output 0 is f32[105,4]"},
		{exitFault, []string{"--top", "1", "--labels", filepath.Join(dir, "none")}, "--labels: "},
		{exitUsage, []string{"--labels", labels}, "--labels goes with --top"},
		{exitUsage, []string{"--top", "-1"}, "--top -1 is not a number from 0 to 1000"},
	} {
		got := run(append([]string{"--in", "x=" + scores}, tt.args...)...)
		assert.Equal(t, tt.code, got.code, got)
		assert.Contains(t, got.stderr, tt.want)
	}
}

// TestRun_topTypes has outputs without an order, without elements, and with numbers that are not
// finite.
func TestRun_topTypes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.npy")
	writeTensor(t, file, []float64{0, 0}, 2)
	nan, err := ir.TensorOf(ir.F32, ir.Shape{2}, []uint32{0x7fc00000, 0x7f800000})
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(file, nan))
	got := vinoir(identityModel(ir.F32, "2"), "run", "-", "--in", "x="+file, "--top", "5", "--json")
	assert.Equal(t, []topClass{{Class: 1}, {Class: 0}}, decode[inference](t, got).Outputs[0].Top)
	for _, et := range []ir.ElementType{ir.String, ir.U4, ir.F8E4M3} {
		got := vinoir(identityModel(et, "2"), "run", "-", "--top", "5")
		assert.Equal(t, exitGood, got.code, got)
		assert.NotContains(t, got.stdout, "class")
	}
	assert.Equal(t, exitGood, vinoir(identityModel(ir.F32, "3,0"), "run", "-", "--top", "5").code)
}

// FuzzParseLabels checks that there is a label for each line, without its end.
func FuzzParseLabels(f *testing.F) {
	for _, text := range []string{"", "\n", "a\nb", "a\r\n\r\nb\n", "\ufeffa"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		labels := parseLabels([]byte(text))
		lines := strings.Count(text, "\n")
		require.GreaterOrEqual(t, len(labels), lines)
		require.LessOrEqual(t, len(labels), lines+1)
		for _, label := range labels {
			require.NotContains(t, label, "\n")
		}
	})
}
