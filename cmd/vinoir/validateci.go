package main

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/validate"
)

// printGitHub prints the findings of v as workflow commands of GitHub, which become annotations:
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions. It prints nothing
// else: the name of a file at the start of a line could be a command.
func (p *validationPrinter) printGitHub(v *validation) {
	shown, hidden := p.shown(v)
	for _, f := range shown {
		command := f.Severity
		if command == validate.SeverityNote.String() {
			command = "notice"
		}
		p.command(command, v.Model, f.Line, f.Rule, f.text()+p.following(f))
	}
	if hidden > 0 {
		p.command("notice", v.Model, 0, "vinoir", hiddenText(hidden))
	}
}

// command prints a workflow command.
func (p *validationPrinter) command(command, file string, line int, title, message string) {
	place := ""
	if line > 0 {
		place = ",line=" + strconv.Itoa(line)
	}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	p.printf("::%s file=%s%s,title=%s::%s\n", command, property.Replace(printable.Escape(file)), place, property.Replace(title), data.Replace(printable.Escape(message)))
}

// printJUnit prints v as a test suite with one test, which fails if v has errors or, with --strict,
// warnings. The report begins with the first model.
func (p *validationPrinter) printJUnit(v *validation) {
	p.startJUnit()
	failures := 0
	if v.Errors > 0 || p.strict && v.Warnings > v.fixedWarnings {
		failures = 1
	}
	model := escapeXML(v.Model)
	p.printf("<testsuite name=\"%s\" tests=\"1\" failures=\"%d\" errors=\"0\">\n<testcase name=\"validate\" classname=\"%s\">\n", model, failures, model)
	element := "system-out"
	if failures > 0 {
		element = "failure"
		p.printf("<failure message=\"%s\">", escapeXML(p.failure(v)))
	} else if len(v.Findings) > 0 {
		p.printf("<system-out>")
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		p.printf("%s: %s: %s [%s]\n", strconv.Itoa(f.Line), f.Severity, escapeXML(f.text()), f.Rule)
	}
	if len(v.Findings) > 0 {
		p.printf("</%s>\n", element)
	}
	p.printf("</testcase>\n</testsuite>\n")
}

// failure returns the first finding that makes v fail, which services show beside the name of the
// test, and how many there are.
func (p *validationPrinter) failure(v *validation) string {
	severity, n := validate.SeverityError.String(), v.Errors
	if n == 0 {
		severity, n = validate.SeverityWarning.String(), v.Warnings
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Severity == severity {
			return fmt.Sprintf("%s [%s] (%s)", f.text(), f.Rule, count(n, severity))
		}
	}
	return string(p.summary(v))
}

// startJUnit prints the start of a report, once.
func (p *validationPrinter) startJUnit() {
	if !p.started {
		p.started = true
		p.printf("%s<testsuites name=\"vinoir\">\n", xml.Header[:len(xml.Header)-1])
	}
}

// escapeXML returns text for an attribute or an element: what is not printable is escaped as in
// text.
func escapeXML(text string) painted {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(printable.Escape(text)))
	return painted(b.String())
}

// shown returns the findings of v that text and workflow commands show, and the number of those
// that --max hides. Findings that follow from another are only shown with --all.
func (p *validationPrinter) shown(v *validation) (shown []*finding, hidden int) {
	for i := range v.Findings {
		f := &v.Findings[i]
		switch {
		case f.follows && !p.all:
		case p.max > 0 && len(shown) == p.max:
			hidden++
		default:
			shown = append(shown, f)
		}
	}
	return shown, hidden
}

// hiddenText is printed after the last finding that --max allows.
func hiddenText(hidden int) string {
	return count(hidden, "more finding") + ", which --max hides"
}

// following returns the text behind a finding that others follow from, which are not shown.
func (p *validationPrinter) following(f *finding) string {
	if f.followers == 0 || p.all {
		return ""
	}
	return ", and " + strconv.Itoa(f.followers) + " that follow"
}

// causes has the findings that others follow from: the dims of an output are also those of the
// inputs that read it, and decide those of the next layers. Each kind of difference has its own.
type causes map[causeKey]int // the index of the finding in validation.Findings

type causeKey struct {
	layer *ir.Layer
	kind  string
}

// kindOf returns the kind of difference that a rule reports; "" if nothing follows from it.
func kindOf(rule string) string {
	switch rule {
	case validate.RuleShape, validate.RuleInputShape, validate.RuleContradiction:
		return validate.RuleShape
	case validate.RuleType, validate.RuleInputType:
		return validate.RuleType
	case validate.RuleVagueShape, validate.RuleVagueInputShape:
		return validate.RuleVagueShape
	}
	return ""
}

// link looks for the cause of finding i of v, which is about layer.
func (c causes) link(v *validation, i int, layer *ir.Layer) {
	f := &v.Findings[i]
	kind := kindOf(f.Rule)
	if kind == "" {
		return
	}
	cause, ok := c[causeKey{layer, kind}]
	for k := 0; k < len(layer.Inputs) && !ok; k++ {
		cause, ok = c[causeKey{layer.Inputs[k].Source, kind}]
	}
	if !ok && layer.Owner != nil && layer.Type == "Parameter" {
		cause, ok = c[causeKey{layer.Owner, kind}]
	}
	if !ok {
		cause = i
	} else {
		f.follows = true
		v.Findings[cause].followers++
	}
	c[causeKey{layer, kind}] = cause
}
