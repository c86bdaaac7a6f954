package main

import (
	"net/url"
	"path/filepath"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/vinoir/vinoir/ir"
)

// sarifRules describes the rules of findings.
var sarifRules = []struct{ id, description string }{
	{ruleRead, "The model cannot be read."},
	{ir.RuleInference, "The layer's inputs or attributes are not allowed."},
	{ir.RuleUnsupported, "The layer's type is not supported."},
	{ir.RuleShape, "The dims of an output port differ from the inferred shape."},
	{ir.RuleType, "The precision of an output port differs from the inferred element type."},
	{ir.RuleTolerated, "The file holds something that is passed over in silence."},
	{ir.RuleInputShape, "The dims of an input port differ from the shape that reaches it."},
}

// printSARIF prints the findings of all models as one SARIF 2.1.0 report.
func (a *app) printSARIF(all []*validation) error {
	run := sarif.NewRunWithInformationURI("vinoir", "https://github.com/vinoir/vinoir")
	for _, rule := range sarifRules {
		run.AddRule(rule.id).WithDescription(rule.description)
	}
	for _, v := range all {
		uri := (&url.URL{Path: filepath.ToSlash(v.Model)}).String()
		run.AddDistinctArtifact(uri)
		for _, f := range v.Findings {
			place := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewArtifactLocation().WithURI(uri))
			if f.Line > 0 {
				place.WithRegion(sarif.NewRegion().WithStartLine(f.Line))
			}
			location := sarif.NewLocation().WithPhysicalLocation(place)
			if f.Layer != "" {
				location.AddLogicalLocation(sarif.NewLogicalLocation().WithName(f.Layer).WithKind("member"))
			}
			run.CreateResultForRule(f.Rule).
				WithLevel(f.Severity).
				WithMessage(sarif.NewTextMessage(f.Message)).
				AddLocation(location)
		}
	}
	report := sarif.NewReport().AddRun(run)
	if err := report.PrettyWrite(a.stdout); err != nil {
		return err
	}
	a.printf("\n")
	return nil
}
