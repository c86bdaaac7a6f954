package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/ir"
)

// ruleRead is the rule of a finding that the model cannot be read. The other
// rules are ir's.
const ruleRead = "read"

// validation is what validate prints of one model.
type validation struct {
	Model string `json:"model"`
	// Layers has the types and shapes of the outputs of every layer that was
	// inferred. A name that several layers have is followed by # and the layer's
	// id from the second on.
	Layers   map[string][]string `json:"layers"`
	Findings []finding           `json:"findings"`
	Errors   int                 `json:"errors"`
	Warnings int                 `json:"warnings"`

	inferred int // layers
}

// finding is ir.Finding as JSON.
type finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Line     int    `json:"line,omitempty"`
	LayerID  uint64 `json:"layer_id"`
	Layer    string `json:"layer,omitempty"`
	Type     string `json:"type,omitempty"`
	Opset    string `json:"opset,omitempty"`
	Port     int    `json:"port"` // -1 where the finding concerns no port
	Declared string `json:"declared,omitempty"`
	Inferred string `json:"inferred,omitempty"`
	Message  string `json:"message"`

	text string
}

func (a *app) validateCommand() *cobra.Command {
	var flags modelFlags
	var format string
	var strict bool
	cmd := &cobra.Command{
		Use:   "validate MODEL.xml...",
		Short: "Infer the shapes of every layer and report what is wrong",
		Long: "validate infers every layer and compares the result with the dims and types that\n" +
			"stand in the file. It reports every finding. Where a layer cannot be inferred, that\n" +
			"is an error; dims that are out of date are warnings. - reads the XML from standard input.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a MODEL.xml is needed, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.json && !cmd.Flags().Changed("format") {
				format = "json"
			}
			return a.validate(args, &flags, format, strict)
		},
	}
	flags.add(cmd)
	flags.addNoBin(cmd)
	flags.addShape(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "print `text`, json or sarif")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 1 on warnings too")
	return cmd
}

func (a *app) validate(paths []string, flags *modelFlags, format string, strict bool) error {
	if format != "text" && format != "json" && format != "sarif" {
		return usagef("--format %s is none of text, json, sarif", format)
	}
	if flags.bin != "" && len(paths) > 1 {
		return usagef("--bin goes with one model, %d are given", len(paths))
	}
	errorCount, warnings := 0, 0
	var all []*validation
	for _, path := range paths {
		v, err := a.validateOne(path, flags)
		if err != nil {
			return err
		}
		errorCount += v.Errors
		warnings += v.Warnings
		switch format {
		case "text":
			v.print(a)
		case "json":
			if err := a.printJSON(v); err != nil {
				return err
			}
		default:
			all = append(all, v)
		}
	}
	if format == "sarif" {
		if err := a.printSARIF(all); err != nil {
			return err
		}
	}
	if errorCount > 0 || strict && warnings > 0 {
		return errFault
	}
	return nil
}

// validateOne validates one model. Its error is one of usage; that a model cannot
// be read is a finding.
func (a *app) validateOne(path string, flags *modelFlags) (*validation, error) {
	v := &validation{Model: nameOf(path), Layers: map[string][]string{}, Findings: []finding{}}
	m, err := a.read(flags, path)
	var usage usageError
	if errors.As(err, &usage) {
		return nil, err
	}
	if err != nil {
		v.add(readFinding(err))
		return v, nil
	}
	defer m.Close()
	parameters, err := flags.parameters(m)
	if err != nil {
		return nil, err
	}
	report := ir.Validate(m, a.registry, parameters)
	faulty := make(map[*ir.Layer]bool)
	for i := range report.Findings {
		f := &report.Findings[i]
		faulty[f.Layer] = faulty[f.Layer] || f.Severity == ir.SeverityError
		v.add(findingOf(f))
	}
	for _, layer := range m.Order {
		if faulty[layer] {
			continue
		}
		v.inferred++
		if len(layer.Outputs) > 0 {
			v.Layers[v.layerKey(layer)] = outputTexts(layer, report.Shapes.Outputs(layer))
		}
	}
	return v, nil
}

// layerKey returns a key for layer that is not yet taken.
func (v *validation) layerKey(layer *ir.Layer) string {
	key := layer.Name
	for v.Layers[key] != nil {
		key += "#" + strconv.FormatUint(layer.ID, 10)
	}
	return key
}

func outputTexts(layer *ir.Layer, facts []ir.Fact) []string {
	texts := make([]string, min(len(layer.Outputs), len(facts)))
	for i := range texts {
		texts[i] = facts[i].Type.String() + facts[i].Shape.String()
	}
	return texts
}

func (v *validation) add(f finding) {
	v.Findings = append(v.Findings, f)
	if f.Severity == ir.SeverityError.String() {
		v.Errors++
	} else {
		v.Warnings++
	}
}

func (v *validation) print(a *app) {
	for i := range v.Findings {
		a.printf("%s:%s\n", v.Model, v.Findings[i].text)
	}
	a.printf("%s: %d layers inferred, %d errors, %d warnings\n", v.Model, v.inferred, v.Errors, v.Warnings)
}

func findingOf(f *ir.Finding) finding {
	text := f.String()
	if f.Line == 0 {
		text = strings.TrimPrefix(text, "0:")
	}
	return finding{
		Rule: f.Rule, Severity: f.Severity.String(), Line: f.Line, Port: f.Port,
		Declared: f.Declared, Inferred: f.Inferred, Message: f.Message, text: text,
	}.of(f.Layer)
}

// of returns f with layer's identity; layer may be nil.
func (f finding) of(layer *ir.Layer) finding {
	if layer != nil {
		f.LayerID, f.Layer, f.Type, f.Opset = layer.ID, layer.Name, layer.Type, layer.Opset
	}
	return f
}

// readFinding is the finding that a model cannot be read.
func readFinding(err error) finding {
	f := finding{Rule: ruleRead, Severity: ir.SeverityError.String(), Port: -1, Message: err.Error()}
	where, layer := "", ""
	var format *ir.FormatError
	if errors.As(err, &format) {
		f.Line, f.Message = format.Line, format.Err.Error()
		if f.Line > 0 {
			where = strconv.Itoa(f.Line) + ":"
		}
		if format.Layer != nil {
			f = f.of(format.Layer)
			layer = fmt.Sprintf("%v: ", format.Layer)
		}
	}
	f.text = fmt.Sprintf("%s %s: %s%s [%s]", where, f.Severity, layer, f.Message, f.Rule)
	return f
}
