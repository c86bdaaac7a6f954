package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidate_follow(t *testing.T) {
	chain := strings.ReplaceAll(noKernel, "f8e4m3", "f32")
	chain = strings.ReplaceAll(chain, "F8E4M3", "FP32")
	chain = replaceOnce(t, chain, `shape="2"`, `shape="5"`)
	got := vinoir(chain, "validate", "-")
	assert.Equal(t, "<stdin>:2: warning: layer 0 \"x\" (Parameter, opset1): output 0 is [2] in the file, inferred [5] [stale-shape], and 5 that follow\n"+
		"<stdin>: 4 layers inferred, 0 errors, 6 warnings\n", got.stdout)
	assert.Equal(t, 6, strings.Count(vinoir(chain, "validate", "-", "--all").stdout, " warning: "))
	assert.Len(t, decode[validation](t, vinoir(chain, "validate", "-", "--json", "--max", "1")).Findings, 6, "JSON is whole")
	assert.Equal(t, 6, strings.Count(vinoir(chain, "validate", "-", "--format", "sarif", "--max", "1").stdout, `"ruleId"`))

	got = vinoir(chain, "validate", "-", "--all", "--max", "2", "--quiet")
	assert.Equal(t, 2, strings.Count(got.stdout, " warning: "))
	assert.Contains(t, got.stdout, "<stdin>: 4 more findings, which --max hides\n")
	assert.NotContains(t, got.stdout, "inferred,")

	v := decode[validation](t, vinoir(chain, "validate", "-", "--json", "--ignore", "stale-shape"))
	assert.Equal(t, 3, v.Warnings)
	assert.Equal(t, exitGood, vinoir(chain, "validate", "-", "--strict", "--ignore", "stale-shape", "--ignore", "stale-input-shape").code)
	assert.Equal(t, exitUsage, vinoir(chain, "validate", "-", "--ignore", "stale").code)
	assert.Equal(t, exitUsage, vinoir(chain, "validate", "-", "--max", "-1").code)
}

func TestValidate_github(t *testing.T) {
	path := testCase("bad", "op_port_shape_lies", "model.xml")
	got := vinoir("", "validate", path, messages, "--format", "github")
	assert.Equal(t, outcome{exitGood, "::warning file=" + path + `,line=20,title=stale-shape::layer 4 "scatterupdate4" (ScatterUpdate, opset3): output 0 is [5,4] in the file, inferred [3,4]` + "\n", ""}, got)
	assert.Contains(t, vinoir(noKernel, "validate", "-", "--format", "github").stdout, "::notice file=<stdin>,line=3,title=no-kernel::")
	assert.Contains(t, vinoir("", "validate", "none.xml", "--format", "github").stdout, "::error file=none.xml,title=read::")
}

// junitReport is what a reader of JUnit reports needs.
type junitReport struct {
	Suites []struct {
		Name     string `xml:"name,attr"`
		Failures int    `xml:"failures,attr"`
		Cases    []struct {
			Failure *struct {
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
			Out string `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func TestValidate_junit(t *testing.T) {
	path := testCase("bad", "op_port_shape_lies", "model.xml")
	for _, strict := range []bool{false, true} {
		args := []string{"validate", path, messages, "none.xml", "--format", "junit", "--color", "always"}
		if strict {
			args = append(args, "--strict")
		}
		var report junitReport
		require.NoError(t, xml.Unmarshal([]byte(vinoir("", args...).stdout), &report))
		require.Len(t, report.Suites, 3)
		assert.Equal(t, path, report.Suites[0].Name)
		assert.Zero(t, report.Suites[1].Failures)
		assert.Equal(t, 1, report.Suites[2].Failures)
		stale := report.Suites[0].Cases[0]
		assert.Equal(t, strict, stale.Failure != nil)
		if strict {
			assert.Equal(t, `layer 4 "scatterupdate4" (ScatterUpdate, opset3): output 0 is [5,4] in the file, inferred [3,4] [stale-shape] (1 warning)`, stale.Failure.Message)
			stale.Out = stale.Failure.Text
		}
		assert.Contains(t, stale.Out, `20: warning: layer 4 "scatterupdate4"`)
	}
}

// TestValidate_ciHostile checks that no name in a file or of a file breaks a report, or is a
// command.
func TestValidate_ciHostile(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a\n::error::forged]]>&<\"%0A,:\u202e.xml")}
	evil := "&#10;::error file=x::forged&#13;##[error]forged]]&gt;&lt;/failure&gt;%0A::error::forged"
	require.NoError(t, os.WriteFile(paths[0], []byte(strings.ReplaceAll(hostileModel("Foo"+evil), hostileText, hostileText+evil)), 0o600))
	if root := os.Getenv("VINOIR_CORPUS"); root != "" {
		more, err := filepath.Glob(filepath.Join(root, "attacks", "12_terminal_escape", "*.xml"))
		require.NoError(t, err)
		paths = append(paths, more...)
	}
	for _, path := range paths {
		got := vinoir("", "validate", path, "--no-bin", "--format", "github", "--all")
		assertPrintable(t, got.stdout, path)
		for line := range strings.Lines(got.stdout) {
			assert.Regexp(t, `^::(error|warning|notice) file=[^:,\n]*(,line=\d+)?,title=[a-z-]+::[^\r]*\n$`, line)
		}
		got = vinoir("", "validate", path, "--no-bin", "--format", "junit")
		assertPrintable(t, got.stdout, path)
		var report junitReport
		require.NoError(t, xml.Unmarshal([]byte(got.stdout), &report), path)
		require.Len(t, report.Suites, 1)
		assert.Len(t, report.Suites[0].Cases, 1)
	}
}
