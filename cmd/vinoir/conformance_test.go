package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
)

func TestConformance(t *testing.T) {
	got := vinoir("", "conformance", testCase("Concat-1"), "--execution-mode", "ACCURACY")
	assert.Equal(t, exitGood, got.code, got)
	assert.Regexp(t, `(?m)^Concat-1: \d+ passed$`, got.stdout)

	got = vinoir("", "conformance", testCase(), "--filter", "^(Concat-1|bad)/", "--json", "--workers", "2")
	assert.Equal(t, exitGood, got.code, got)
	report := decode[conformanceReport](t, got)
	assert.Equal(t, len(report.Cases), report.Passed)
	assert.Greater(t, report.Passed, 50)
	assert.Zero(t, report.Failed+report.Unsupported+report.Crashed+report.Excepted)
	for _, field := range []string{"passed", "failed", "unsupported", "crashed", "cases", "case", "outcome"} {
		assert.Contains(t, got.stdout, `"`+field+`":`)
	}
}

// TestConformance_fault runs a case that fails and a case with an unknown layer type.
func TestConformance_fault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cases")
	wrong, missing := filepath.Join(dir, "wrong"), filepath.Join(dir, "missing")
	require.NoError(t, os.CopyFS(missing, os.DirFS(testCase("bad", "layer_unknown"))))
	require.NoError(t, os.WriteFile(filepath.Join(missing, "case.json"), []byte(`{}`), 0o644))
	require.NoError(t, os.CopyFS(wrong, os.DirFS(testCase("bad", "ge_index_3"))))
	require.NoError(t, os.WriteFile(filepath.Join(wrong, "case.json"), []byte(`{}`), 0o644))

	got := vinoir("", "conformance", dir)
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stdout, "failed cases/wrong: ")
	assert.Contains(t, got.stdout, "1 AddUp of opset1\n")
	assert.Contains(t, got.stdout, "cases: 0 passed, 1 failed, 1 unsupported\n")
	assert.Empty(t, got.stderr, "no progress without a terminal")

	report := decode[conformanceReport](t, vinoir("", "conformance", dir, "--json"))
	assert.Equal(t, 1, report.Failed)
	assert.Equal(t, 1, report.Unsupported)
	assert.Equal(t, "AddUp of opset1", report.Cases[0].Missing)

	exceptions := filepath.Join(dir, "exceptions.txt")
	require.NoError(t, os.WriteFile(exceptions, []byte("cases/wrong\tthe reason\n"), 0o644))
	got = vinoir("", "conformance", filepath.Join(dir, "wrong"), "--json", "--exceptions", exceptions)
	assert.Equal(t, exitGood, got.code)
	report = decode[conformanceReport](t, got)
	assert.Equal(t, conformance.Excepted, report.Cases[0].Outcome)
	assert.Equal(t, 1, report.Excepted)

	assert.Equal(t, exitFault, vinoir("", "conformance", filepath.Join(dir, "none")).code)
	assert.Equal(t, exitFault, vinoir("", "conformance", t.TempDir()).code, "no case")
}
