package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// printSARIF prints the findings of all models as one SARIF 2.1.0 report.
func (a *app) printSARIF(all []*validation) error {
	run := sarif.NewRunWithInformationURI("vinoir", "https://github.com/vinoir/vinoir")
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		run.Tool.Driver.WithVersion(info.Main.Version)
	}
	for _, rule := range findingRules() {
		run.AddRule(rule.ID).
			WithDescription(rule.Summary).
			WithFullDescription(sarif.NewMultiformatMessageString().WithText(rule.Summary)).
			WithHelp(sarif.NewMultiformatMessageString().WithText(rule.Help)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(rule.Severity.String()))
	}
	for _, v := range all {
		place := artifactOf(v.Model)
		run.AddDistinctArtifact(*place.URI)
		for i := range v.Findings {
			addResult(run, place, &v.Findings[i])
		}
	}
	report := sarif.NewReport().AddRun(run)
	if err := report.PrettyWrite(a.stdout); err != nil {
		return err
	}
	a.printf("\n")
	return nil
}

// artifactOf returns where a model is: relative to the root of the sources, which is
// the working directory, if it is below that. So code hosts find it.
func artifactOf(path string) *sarif.ArtifactLocation {
	location := sarif.NewArtifactLocation()
	if filepath.IsAbs(path) {
		dir, err := os.Getwd()
		relative, relErr := filepath.Rel(dir, path)
		if err != nil || relErr != nil || !filepath.IsLocal(relative) {
			return location.WithURI((&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String())
		}
		path = relative
	}
	uri := &url.URL{Path: filepath.ToSlash(filepath.Clean(path))}
	return location.WithURI(uri.String()).WithURIBaseID("%SRCROOT%")
}

// addResult adds a finding. Code hosts show one without a line at the first.
func addResult(run *sarif.Run, place *sarif.ArtifactLocation, f *finding) {
	location := sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(place).
		WithRegion(sarif.NewRegion().WithStartLine(max(f.Line, 1))))
	properties := sarif.NewPropertyBag()
	if f.identity != "" {
		location.AddLogicalLocation(sarif.NewLogicalLocation().WithName(f.Layer).WithKind("member"))
		properties.Add("layer_id", f.LayerID).Add("type", f.Type).Add("opset", f.Opset)
	}
	if f.Owner != "" {
		properties.Add("owner", f.Owner)
	}
	if f.Port >= 0 {
		properties.Add("port", f.Port)
	}
	if f.Declared != "" || f.Inferred != "" {
		properties.Add("declared", f.Declared).Add("inferred", f.Inferred)
	}
	// The same finding is known again when lines are added before it, or other dims
	// are stale. Several of a layer as a whole differ by their messages.
	what := fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", *place.URI, f.Rule, f.identity, f.Port)
	if f.Port < 0 {
		what = append(what, f.Message...)
	}
	id := sha256.Sum256(what)
	run.CreateResultForRule(f.Rule).
		WithLevel(f.Severity).
		WithMessage(sarif.NewTextMessage(f.text())).
		AddLocation(location).
		WithPartialFingerprints(map[string]string{"vinoirFinding/v1": hex.EncodeToString(id[:16])}).
		WithProperties(properties)
}
