package main

import (
	"os"
	"strconv"

	"github.com/vinoir/vinoir/ir/validate"
)

// validationPrinter prints the validations of all models in one format.
type validationPrinter struct {
	*app
	format string
	colors bool
	all    []*validation // for sarif, which is one report about all models
}

func (a *app) validationPrinter(flags *validateFlags) *validationPrinter {
	colors := flags.color == "always"
	if flags.color == "auto" && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		colors = isTerminal(a.unbuffered)
	}
	return &validationPrinter{app: a, format: flags.format, colors: colors}
}

func (p *validationPrinter) print(v *validation) error {
	switch p.format {
	case "json":
		return p.printJSON(v)
	case "sarif":
		p.all = append(p.all, v)
		return nil
	}
	for i := range v.Explanations {
		p.printf("%s", v.Explanations[i].text)
	}
	if len(v.Explanations) > 0 {
		return nil
	}
	for i := range v.Findings {
		p.finding(v, &v.Findings[i])
	}
	p.printf("%s: %s\n", p.paint(bold, v.Model), p.summary(v))
	return nil
}

// finish prints what comes after the last model.
func (p *validationPrinter) finish(models int, total *validation) error {
	switch {
	case p.format == "sarif":
		return p.printSARIF(p.all)
	case p.format == "text" && models > 1:
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
	p.printf("%s %s %s %s\n", p.paint(bold, place), p.paint(color, f.Severity+":"), f.text(), p.paint(dim, "["+f.Rule+"]"))
}

// summary returns the counts of v as text.
func (p *validationPrinter) summary(v *validation) string {
	text := count(v.inferred, "layer") + " inferred"
	if unknown := len(v.Unknown); unknown > 0 {
		text += ", " + strconv.Itoa(unknown) + " of them unknown without the .bin"
	}
	text += ", " + p.tally(red, v.Errors, "error") + ", " + p.tally(yellow, v.Warnings, "warning")
	if v.Notes > 0 {
		text += ", " + p.tally(cyan, v.Notes, "note")
	}
	if v.Fixed > 0 {
		text += ", " + strconv.Itoa(v.Fixed) + " fixed"
	}
	return text
}

// tally returns count(n, what), in color unless n is 0.
func (p *validationPrinter) tally(color string, n int, what string) string {
	if n == 0 {
		return count(n, what)
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

// paint returns text in color, or text itself if colours are off.
func (p *validationPrinter) paint(color, text string) string {
	if !p.colors {
		return text
	}
	return color + text + plain
}
