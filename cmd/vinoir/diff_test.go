package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/diff"
)

// changedMessages writes a copy of the model messages with replaced texts and .bin. It returns the
// path.
func changedMessages(t *testing.T, changeBin func([]byte), replacements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "changed.xml")
	xml := readText(t, messages)
	for i := 0; i < len(replacements); i += 2 {
		require.Contains(t, xml, replacements[i])
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.NewReplacer(replacements...).Replace(xml)), 0o600))
	bin, err := os.ReadFile(strings.TrimSuffix(messages, ".xml") + ".bin")
	require.NoError(t, err)
	if changeBin != nil {
		changeBin(bin)
	}
	require.NoError(t, os.WriteFile(strings.TrimSuffix(path, ".xml")+".bin", bin, 0o600))
	return path
}

func TestDiff_equal(t *testing.T) {
	got := vinoir("", "diff", messages, filepath.Dir(messages))
	assert.Equal(t, outcome{exitGood, messages + " and ../../examples/scatter: no differences, 11 layers\n", ""}, got)
	got = vinoir(readText(t, messages), "diff", messages, "-", "--no-bin")
	assert.Equal(t, outcome{exitGood, "5 constants not compared: a .bin was not read\n" + messages + " and <stdin>: no differences, 11 layers\n", ""}, got)
	report := decode[diffReport](t, vinoir("", "diff", messages, messages, "--json"))
	assert.Equal(t, diffReport{A: messages, B: messages, Equal: true, LayersA: 11, LayersB: 11, Matched: 11, Differences: []diffDifference{}}, report)
}

func TestDiff(t *testing.T) {
	changed := changedMessages(t, func(bin []byte) { bin[0]++ }, `shape="?,2"`, `shape="5,2"`, `reduction="sum"`, `reduction="mean"`)
	got := vinoir("", "diff", messages, changed)
	assert.Equal(t, exitFault, got.code)
	assert.Empty(t, got.stderr)
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	assert.Equal(t, []string{
		`layer 0 "nodes" (Parameter, opset1): attribute shape: "?,2" -> "5,2"`,
		`layer 1 "targets" (Constant, opset1): weights: i64[6,2] -> i64[6,2]: 1 of 12 elements differ, the largest difference is 1, at 0, the largest relative one 0.5, at 0`,
		`layer 8 "sum" (ScatterElementsUpdate, opset12): attribute reduction: "sum" -> "mean"`,
		"3 types and shapes follow from these: --all prints them",
		messages + " and " + changed + ": 6 differences; 11 layers correspond, 0 only in the first, 0 only in the second",
	}, lines)

	report := decode[diffReport](t, vinoir("", "diff", messages, changed, "--json"))
	assert.False(t, report.Equal)
	kinds := make(map[diff.Kind]int)
	for _, d := range report.Differences {
		kinds[d.Kind]++
		if d.Kind == diff.Weights {
			assert.Equal(t, 1.0, *d.Weights.Largest)
			assert.Equal(t, 0, *d.Weights.LargestAt)
			assert.Equal(t, d.LayerA, d.LayerB)
		}
	}
	assert.Equal(t, 2, kinds[diff.Attribute])
	assert.Equal(t, 1, kinds[diff.Weights])
	assert.Len(t, report.Differences, 6)

	all := vinoir("", "diff", messages, changed, "--all")
	assert.Equal(t, len(report.Differences)+1, strings.Count(all.stdout, "\n"))
	assert.Contains(t, vinoir("", "diff", messages, changed, "--max", "1").stdout, "more differences\n")
	got = vinoir("", "diff", messages, changed, "--ignore", "attribute", "--ignore", "weights", "--ignore", "output")
	assert.Equal(t, exitGood, got.code, got)
}

func TestDiff_usage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "two models are needed"},
		{[]string{messages}, exitUsage, "two models are needed"},
		{[]string{"-", "-"}, exitUsage, "only one of the models can be standard input"},
		{[]string{messages, messages, "--ignore", "names"}, exitUsage, "--ignore names is none of only-in-a,"},
		{[]string{messages, messages, "--max", "-1"}, exitUsage, "--max -1 is negative"},
		{[]string{messages, messages, "--atol", "NaN"}, exitUsage, "--atol NaN is not a number of at least 0"},
		{[]string{messages, messages, "--rtol", "-1"}, exitUsage, "--rtol -1 is not a number of at least 0"},
		{[]string{messages, "none.xml"}, exitUsage, "none.xml: "},
	} {
		got := vinoir("", append([]string{"diff"}, tt.args...)...)
		assert.Equal(t, tt.code, got.code, got)
		assert.Contains(t, got.stderr, tt.want)
	}
}
