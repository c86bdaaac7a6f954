package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
)

// ruleRead is the rule for models that cannot be read. Package validate has the other rules.
const ruleRead = "read"

// findingRules returns the rules of all findings.
func findingRules() []validate.FindingRule {
	read := validate.FindingRule{
		ID: ruleRead, Severity: validate.SeverityError, Summary: "The model cannot be read.",
		Help: "The XML is malformed, the graph in it is inconsistent, or the .bin is missing or does not contain what a Constant needs. OpenVINO " +
			"rejects the model too. If there is no .bin, use --no-bin to infer what does not depend on it.",
	}
	return append([]validate.FindingRule{read}, validate.FindingRules()...)
}

// validation is what validate prints about a model.
type validation struct {
	Model string `json:"model"`
	// Layers has the types and shapes of the outputs of each layer that was inferred, by the name
	// of the layer. If several layers have the same name, # and the id follow the name of all but
	// the first of them.
	Layers   map[string][]string `json:"layers"`
	Findings []finding           `json:"findings"`
	Errors   int                 `json:"errors"`
	Warnings int                 `json:"warnings"`
	Notes    int                 `json:"notes"`
	// Unknown has the names of layers whose shapes are uncertain, because they depend on the .bin
	// and it was not read.
	Unknown []string `json:"unknown,omitempty"`
	// Fixed is the number of findings that --fix has corrected in the file.
	Fixed        int           `json:"fixed,omitempty"`
	Explanations []explanation `json:"explanations,omitempty"`

	fixedWarnings int // number of warnings in Fixed
	inferred      int // number of inferred layers
}

// finding is validate.Finding as JSON.
type finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Line     int    `json:"line,omitempty"`
	LayerID  uint64 `json:"layer_id"`
	Layer    string `json:"layer,omitempty"`
	Type     string `json:"type,omitempty"`
	Opset    string `json:"opset,omitempty"`
	// Owner identifies the layer that contains the layer in a body.
	Owner    string `json:"owner,omitempty"`
	Port     int    `json:"port"` // -1 if the finding is not about a port
	Declared string `json:"declared,omitempty"`
	Inferred string `json:"inferred,omitempty"`
	Message  string `json:"message"`

	identity string // of the layer; "" if there is none
}

// validateOne validates the model at path. A model that cannot be read is a finding. Errors are
// wrong usage and failures to write the file.
func (a *app) validateOne(path string, flags *validateFlags) (*validation, error) {
	v := &validation{Model: nameOf(path), Layers: map[string][]string{}, Findings: []finding{}}
	var xml []byte
	if flags.fix {
		// Read first: fix refuses to write a file that has changed since.
		var err error
		if xml, err = os.ReadFile(path); err != nil {
			v.add(readFinding(err))
			return v, nil
		}
	}
	m, err := a.read(&flags.model, path)
	var usage usageError
	if errors.As(err, &usage) {
		return nil, err
	}
	if err != nil {
		v.add(readFinding(err))
		return v, nil
	}
	defer m.Close()
	if m, err = flags.model.reshaped(a, m); err != nil {
		return nil, err
	}
	report := validate.Model(m, a.registry, nil)
	v.fill(m, report)
	if flags.explain != "" {
		if v.Explanations, err = explainOutputs(m, a.registry, report.Shapes, flags.explain); err != nil {
			return nil, err
		}
	}
	if flags.fix && v.Errors == 0 {
		if err := v.fix(path, m, report, xml); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// fill adds the contents of the report about m.
func (v *validation) fill(m *ir.Model, report *validate.Report) {
	faulty := make(map[*ir.Layer]bool)
	for i := range report.Findings {
		f := &report.Findings[i]
		faulty[f.Layer] = faulty[f.Layer] || f.Severity == validate.SeverityError
		v.add(findingOf(f))
	}
	unknown := make(map[*ir.Layer]bool)
	for _, layer := range report.Unknown {
		unknown[layer] = true
	}
	for _, layer := range m.Order {
		if faulty[layer] {
			continue
		}
		v.inferred++
		key := v.layerKey(layer)
		if len(layer.Outputs) > 0 {
			v.Layers[key] = outputTexts(layer, report.Shapes.Outputs(layer))
		}
		if unknown[layer] {
			v.Unknown = append(v.Unknown, key)
		}
	}
}

// layerKey returns a key for layer that is not yet in v.Layers.
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
	switch f.Severity {
	case validate.SeverityError.String():
		v.Errors++
	case validate.SeverityWarning.String():
		v.Warnings++
	default:
		v.Notes++
	}
}

func findingOf(f *validate.Finding) finding {
	return finding{
		Rule: f.Rule, Severity: f.Severity.String(), Line: f.Line, Port: f.Port,
		Declared: f.Declared, Inferred: f.Inferred, Message: f.Message,
	}.withLayer(f.Layer)
}

// withLayer returns f with the identity of layer, which can be nil.
func (f finding) withLayer(layer *ir.Layer) finding {
	if layer != nil {
		f.LayerID, f.Layer, f.Type, f.Opset = layer.ID, layer.Name, layer.Type, layer.Opset
		f.identity = layer.String()
		if layer.Owner != nil {
			f.Owner = layer.Owner.String()
		}
	}
	return f
}

// readFinding returns the finding for a model that cannot be read because of err.
func readFinding(err error) finding {
	f := finding{Rule: ruleRead, Severity: validate.SeverityError.String(), Port: -1, Message: err.Error()}
	var format *ir.FormatError
	if errors.As(err, &format) {
		f.Line, f.Message = format.Line, format.Err.Error()
		f = f.withLayer(format.Layer)
	}
	return f
}

// text returns the message, with the identity of the layer if there is one.
func (f *finding) text() string {
	if f.identity == "" {
		return f.Message
	}
	return f.identity + ": " + f.Message
}

// fix writes the inferred dims and types of the ports into the file at path, which contained xml. It
// counts the findings that this corrects.
func (v *validation) fix(path string, m *ir.Model, report *validate.Report, xml []byte) error {
	fixes, err := report.PortFixes()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fixed, ports, err := irxml.FixPorts(m, xml, fixes)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if ports == 0 {
		return nil
	}
	if err := replaceFile(path, xml, fixed); err != nil {
		return err
	}
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Fixable() {
			v.Fixed++
			if f.Severity == validate.SeverityWarning {
				v.fixedWarnings++
			}
		}
	}
	return nil
}

// replaceFile replaces the content of the file at path atomically: a reader sees either the old or
// the new content. It returns an error if the file does not contain old any more.
func replaceFile(path string, old, content []byte) (err error) {
	// Replace the target of a symbolic link, not the link.
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+strings.TrimPrefix(filepath.Base(path), ".")+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = temp.Close()
			_ = os.Remove(temp.Name())
		}
	}()
	if _, err = temp.Write(content); err != nil {
		return err
	}
	if err = temp.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	if err = temp.Sync(); err != nil {
		return err
	}
	if err = temp.Close(); err != nil {
		return err
	}
	now, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, old) {
		return fmt.Errorf("%s: the file changed while it was validated: it is not written", path)
	}
	return os.Rename(temp.Name(), path)
}
