package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/vinoir/vinoir/ir/validate"
)

// printSARIF prints the findings of all models as one SARIF 2.1.0 report.
func (a *app) printSARIF(all []*validation) error {
	driver := sarifDriver{Name: "vinoir", InformationURI: "https://github.com/vinoir/vinoir"}
	if info, ok := debug.ReadBuildInfo(); ok {
		driver.Version = info.Main.Version
	}
	rules := findingRules()
	for _, rule := range rules {
		driver.Rules = append(driver.Rules, sarifRule{
			ID: rule.ID, ShortDescription: sarifMessage{rule.Summary}, FullDescription: sarifMessage{rule.Summary}, Help: sarifMessage{rule.Help},
			DefaultConfiguration: sarifConfiguration{rule.Severity.String()},
		})
	}
	run := sarifRun{Tool: sarifTool{driver}, Artifacts: []sarifArtifact{}, Results: []sarifResult{}}
	for _, v := range all {
		file := artifactLocation(v.Model)
		if artifact := (sarifArtifact{sarifArtifactLocation{URI: file.URI}}); !slices.Contains(run.Artifacts, artifact) {
			run.Artifacts = append(run.Artifacts, artifact)
		}
		for i := range v.Findings {
			f := &v.Findings[i]
			result := sarifResultOf(f, file)
			result.RuleIndex = slices.IndexFunc(rules, func(rule validate.FindingRule) bool { return rule.ID == f.Rule })
			run.Results = append(run.Results, result)
		}
	}
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifReport{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{run}})
}

// artifactLocation returns the location of a model. It is relative to the working directory,
// which is taken as the root of the sources, if the model is below it: code hosts need that.
func artifactLocation(path string) sarifArtifactLocation {
	if filepath.IsAbs(path) {
		dir, err := os.Getwd()
		relative, relErr := filepath.Rel(dir, path)
		if err != nil || relErr != nil || !filepath.IsLocal(relative) {
			return sarifArtifactLocation{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()}
		}
		path = relative
	}
	uri := &url.URL{Path: filepath.ToSlash(filepath.Clean(path))}
	return sarifArtifactLocation{URI: uri.String(), URIBaseID: "%SRCROOT%"}
}

// sarifResultOf returns f as a result without RuleIndex. A finding without a line is at the first
// line, since code hosts show no others.
func sarifResultOf(f *finding, file sarifArtifactLocation) sarifResult {
	location := sarifLocation{PhysicalLocation: sarifPhysicalLocation{file, sarifRegion{max(f.Line, 1)}}}
	properties := make(map[string]any)
	if f.identity != "" {
		location.LogicalLocations = []sarifLogicalLocation{{Name: f.Layer, Kind: "member"}}
		properties["layer_id"], properties["type"], properties["opset"] = f.LayerID, f.Type, f.Opset
	}
	if f.Owner != "" {
		properties["owner"] = f.Owner
	}
	if f.Port >= 0 {
		properties["port"] = f.Port
	}
	if f.Declared != "" || f.Inferred != "" {
		properties["declared"], properties["inferred"] = f.Declared, f.Inferred
	}
	return sarifResult{
		RuleID: f.Rule, Level: f.Severity, Message: sarifMessage{f.text()}, Locations: []sarifLocation{location},
		PartialFingerprints: map[string]string{"vinoirFinding/v1": fingerprint(f, file.URI)}, Properties: properties,
	}
}

// fingerprint identifies a finding among the reports of different versions of a model. It does
// not depend on lines and dims, which change. Only findings that concern no port depend on the
// message: a layer can have several of one rule.
func fingerprint(f *finding, uri string) string {
	what := fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", uri, f.Rule, f.identity, f.Port)
	if f.Port < 0 {
		what = append(what, f.Message...)
	}
	id := sha256.Sum256(what)
	return hex.EncodeToString(id[:16])
}
