package main

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir/validate"
)

// validationPrinter prints the validations of all models in one format.
type validationPrinter struct {
	*app
	*validateFlags
	colors bool
	sarif  *sarifPrinter // the report about all models that has begun; nil before the first
	// started means that the JUnit report about all models has begun.
	started bool
}

func (a *app) validationPrinter(flags *validateFlags) *validationPrinter {
	colors := flags.format == "text" && flags.color == "always"
	if flags.format == "text" && flags.color == "auto" && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		colors = isTerminal(a.unbuffered)
	}
	return &validationPrinter{app: a, validateFlags: flags, colors: colors}
}

func (p *validationPrinter) print(v *validation) error {
	switch p.format {
	case "json":
		return p.printValidation(v)
	case "sarif":
		if p.sarif == nil {
			p.sarif = newSARIFPrinter(p.app)
		}
		return p.sarif.print(v)
	case "github":
		p.printGitHub(v)
		return nil
	case "junit":
		p.printJUnit(v)
		return nil
	}
	for i := range v.Explanations {
		for line := range strings.Lines(v.Explanations[i].text) {
			p.printf("%s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	if v.Unexplained > 0 {
		p.printf("%d more outputs are not explained: that is too much work at once. --explain LAYER:N explains output N\n", v.Unexplained)
	}
	if len(v.Explanations) > 0 {
		return nil
	}
	shown, hidden := p.shown(v)
	for _, f := range shown {
		p.finding(v, f)
	}
	if hidden > 0 {
		p.printf("%s %s\n", p.paint(bold, v.Model+":"), hiddenText(hidden))
	}
	if !p.quiet {
		p.printf("%s: %s\n", p.paint(bold, v.Model), p.summary(v))
	}
	return nil
}

// printValidation prints v as JSON on one line. It prints the layers and findings one by one, so
// that the text of all of them is never in memory.
func (p *validationPrinter) printValidation(v *validation) error {
	rest := *v
	rest.Layers, rest.Findings = nil, nil
	text, err := marshal(&rest)
	if err != nil {
		return err
	}
	before, after, _ := bytes.Cut(text, []byte(`"layers":null,"findings":null`))
	list := jsonList{app: p.app}
	list.raw(string(before) + `"layers":{`)
	for _, key := range slices.Sorted(maps.Keys(v.Layers)) {
		list.member(key, v.Layers[key])
	}
	list.raw(`},"findings":[`)
	for i := range v.Findings {
		list.value(&v.Findings[i])
	}
	list.raw("]" + string(after) + "\n")
	return list.err
}

// finish prints what comes after the last model. err is the error that ended the command, if any.
func (p *validationPrinter) finish(models int, total *validation, err error) error {
	switch {
	case p.format == "sarif":
		if p.sarif == nil {
			if err != nil {
				return nil // nothing has been printed
			}
			p.sarif = newSARIFPrinter(p.app)
		}
		return p.sarif.finish()
	case p.format == "junit":
		if p.started || err == nil {
			p.startJUnit()
			p.printf("</testsuites>\n")
		}
	case err != nil:
	case p.format == "text" && models > 1 && !p.quiet:
		p.printf("%s: %s\n", p.paint(bold, strconv.Itoa(models)+" models"), p.summary(total))
	}
	return nil
}

// finding prints "model.xml:12: warning: layer 4 "sum" (Add, opset1): ... [stale-shape]".
func (p *validationPrinter) finding(v *validation, f *finding) {
	place := v.Model + ":"
	if f.Line > 0 {
		place += strconv.Itoa(f.Line) + ":"
	}
	color := map[string]string{validate.SeverityError.String(): red, validate.SeverityWarning.String(): yellow, validate.SeverityNote.String(): cyan}[f.Severity]
	p.printf("%s %s %s %s%s\n", p.paint(bold, place), p.paint(color, f.Severity+":"), f.text(), p.paint(dim, "["+f.Rule+"]"), p.following(f))
}

// summary returns the counts of v as text.
func (p *validationPrinter) summary(v *validation) painted {
	text := painted(count(v.inferred, "layer") + " inferred")
	if unknown := len(v.Unknown); unknown > 0 {
		text += ", " + painted(strconv.Itoa(unknown)) + " of them unknown without the .bin"
	}
	if assumed := len(v.Assumed); assumed > 0 {
		text += ", " + painted(strconv.Itoa(assumed)) + " of them from the dims in the file"
	}
	text += ", " + p.tally(red, v.Errors, "error") + ", " + p.tally(yellow, v.Warnings, "warning")
	if v.Notes > 0 {
		text += ", " + p.tally(cyan, v.Notes, "note")
	}
	if v.Fixed > 0 {
		text += ", " + painted(strconv.Itoa(v.Fixed)) + " fixed"
	}
	return text
}

// tally returns count(n, what), in color unless n is 0.
func (p *validationPrinter) tally(color string, n int, what string) painted {
	if n == 0 {
		return painted(count(n, what))
	}
	return p.paint(color, count(n, what))
}

// count returns "1 error" or "2 errors".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// The escape sequences for colours on terminals.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	plain  = "\x1b[0m"
)

// paint returns text, escaped, in color unless colours are off.
func (p *validationPrinter) paint(color, text string) painted {
	text = printable.Escape(text)
	if p.colors {
		text = color + text + plain
	}
	return painted(text)
}
