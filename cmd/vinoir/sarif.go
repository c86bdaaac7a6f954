package main

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/vinoir/vinoir/ir/validate"
)

// sarifPrinter prints one SARIF 2.1.0 report about all models. It prints the findings of a model as
// soon as it gets them, and the list of files at the end.
type sarifPrinter struct {
	list      jsonList
	rules     []validate.FindingRule
	artifacts []sarifArtifact
	listed    map[sarifArtifact]bool
}

// newSARIFPrinter prints the start of a report.
func newSARIFPrinter(a *app) *sarifPrinter {
	driver := sarifDriver{Name: "vinoir", InformationURI: "https://github.com/vinoir/vinoir"}
	if info, ok := debug.ReadBuildInfo(); ok {
		driver.Version = info.Main.Version
	}
	p := &sarifPrinter{list: jsonList{app: a, prefix: "        "}, rules: findingRules(), artifacts: []sarifArtifact{}, listed: make(map[sarifArtifact]bool)}
	for _, rule := range p.rules {
		driver.Rules = append(driver.Rules, sarifRule{
			ID: rule.ID, ShortDescription: sarifMessage{rule.Summary}, FullDescription: sarifMessage{rule.Summary}, Help: sarifMessage{rule.Help},
			DefaultConfiguration: sarifConfiguration{rule.Severity.String()},
		})
	}
	p.list.raw(fmt.Sprintf("{\n  \"$schema\": %q,\n  \"version\": %q,\n  \"runs\": [\n    {\n      \"tool\": ", sarifSchema, sarifVersion))
	p.list.marshal(sarifTool{driver})
	p.list.raw(",\n      \"results\": [")
	return p
}

// print prints the findings of a model.
func (p *sarifPrinter) print(v *validation) error {
	file := artifactLocation(v.Model)
	if artifact := (sarifArtifact{sarifArtifactLocation{URI: file.URI}}); !p.listed[artifact] {
		p.listed[artifact] = true
		p.artifacts = append(p.artifacts, artifact)
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		result := sarifResultOf(f, file)
		result.RuleIndex = slices.IndexFunc(p.rules, func(rule validate.FindingRule) bool { return rule.ID == f.Rule })
		p.list.value(result)
	}
	return p.list.err
}

// finish prints the end of the report.
func (p *sarifPrinter) finish() error {
	p.list.raw("],\n      \"artifacts\": [")
	for _, artifact := range p.artifacts {
		p.list.value(artifact)
	}
	p.list.raw("]\n    }\n  ]\n}\n")
	return p.list.err
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
		properties["layer_id"], properties["type"], properties["opset"] = *f.LayerID, f.Type, f.Opset
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
	id := fnv.New128a()
	_, _ = id.Write(what)
	return hex.EncodeToString(id.Sum(nil))
}
