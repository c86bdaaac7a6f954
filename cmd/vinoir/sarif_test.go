package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sarifReport is a report with one run.
type sarifReport struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool      sarifTool       `json:"tool"`
	Results   []sarifResult   `json:"results"`
	Artifacts []sarifArtifact `json:"artifacts"`
}

// sarifOf returns the only run of a report, and keeps the report for docs/test/reports.
func sarifOf(t *testing.T, got outcome) sarifRun {
	t.Helper()
	keep(t, "sarif", got.stdout)
	report := decode[sarifReport](t, got)
	assert.Equal(t, []string{sarifSchema, sarifVersion}, []string{report.Schema, report.Version})
	require.Len(t, report.Runs, 1)
	require.NotNil(t, report.Runs[0].Results, "results that are null mean a failure of the tool")
	require.NotNil(t, report.Runs[0].Artifacts)
	return report.Runs[0]
}

func TestValidate_sarif(t *testing.T) {
	got := vinoir("", "validate", "--format", "sarif",
		testCase("bad", "ge_axis_2", "model.xml"), testCase("bad", "op_port_shape_lies", "model.xml"), testCase("bad", "xml_empty", "model.xml"))
	assert.Equal(t, exitFault, got.code)
	run := sarifOf(t, got)
	require.Len(t, run.Results, 3)
	fingerprints := make(map[string]bool)
	for i, want := range []struct {
		rule, level, uri string
		line             int
	}{
		{"inference", "error", "../../testdata/ir/bad/ge_axis_2/model.xml", 12},
		{"stale-shape", "warning", "../../testdata/ir/bad/op_port_shape_lies/model.xml", 20},
		{"read", "error", "../../testdata/ir/bad/xml_empty/model.xml", 1}, // code hosts need a line
	} {
		result := run.Results[i]
		assert.Equal(t, want.rule, result.RuleID)
		assert.Equal(t, want.level, result.Level)
		rule := run.Tool.Driver.Rules[result.RuleIndex]
		assert.Equal(t, want.rule, rule.ID)
		assert.Equal(t, want.level, rule.DefaultConfiguration.Level)
		assert.NotEmpty(t, rule.Help.Text)
		place := result.Locations[0].PhysicalLocation
		assert.Equal(t, want.line, place.Region.StartLine)
		assert.Equal(t, want.uri, place.ArtifactLocation.URI)
		fingerprints[result.PartialFingerprints["vinoirFinding/v1"]] = true
	}
	assert.Len(t, fingerprints, 3)
	stale := run.Results[1]
	assert.Equal(t, `layer 4 "scatterupdate4" (ScatterUpdate, opset3): output 0 is [5,4] in the file, inferred [3,4]`, stale.Message.Text)
	assert.Equal(t, "[3,4]", stale.Properties["inferred"])
	assert.Equal(t, "scatterupdate4", stale.Locations[0].LogicalLocations[0].Name)
}

// TestValidate_sarifFingerprints checks that two findings about one layer have different
// fingerprints.
func TestValidate_sarifFingerprints(t *testing.T) {
	xml := strings.Replace(readText(t, messages), `<data `, `<data odd="1" odder="2" `, 1)
	fingerprints := func(xml string) []string {
		var list []string
		for _, result := range sarifOf(t, vinoir(xml, "validate", "-", "--format", "sarif")).Results {
			list = append(list, result.PartialFingerprints["vinoirFinding/v1"])
		}
		return list
	}
	first := fingerprints(xml)
	require.Len(t, first, 2)
	assert.NotEqual(t, first[0], first[1])
	assert.Equal(t, first, fingerprints("\n\n"+xml), "lines do not count")
}

// TestValidate_sarifPaths has absolute paths inside and outside the working directory.
func TestValidate_sarifPaths(t *testing.T) {
	dir := t.TempDir()
	here := filepath.Join(dir, "a b")
	require.NoError(t, os.Mkdir(here, 0o700))
	inside, outside := copyModel(t, here, "m.xml"), copyModel(t, dir, "m.xml")
	t.Chdir(here)
	run := sarifOf(t, vinoir("", "validate", "--format", "sarif", inside, outside))
	assert.Empty(t, run.Results)
	require.Len(t, run.Artifacts, 2)
	assert.Equal(t, "m.xml", run.Artifacts[0].Location.URI)
	assert.Regexp(t, `^file:///.*/m\.xml$`, run.Artifacts[1].Location.URI)
	assert.Empty(t, sarifOf(t, vinoir(readText(t, inside), "validate", "-", "--format", "sarif")).Results)
}
