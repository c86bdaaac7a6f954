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

// ruleRead is the rule of a finding that the model cannot be read. The other
// rules are ir's.
const ruleRead = "read"

// findingRules returns the rules of all findings.
func findingRules() []validate.FindingRule {
	read := validate.FindingRule{
		ID: ruleRead, Severity: validate.SeverityError, Summary: "The model cannot be read.",
		Help: "The XML is malformed, the graph that it describes cannot be, or the .bin is missing or does not hold what a Constant needs: OpenVINO " +
			"refuses the model too. Without the .bin, --no-bin infers what does not depend on it.",
	}
	return append([]validate.FindingRule{read}, validate.FindingRules()...)
}

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
	Notes    int                 `json:"notes"`
	// Unknown are the keys in Layers of those whose shapes are not certain, since
	// they depend on the .bin, which was not read.
	Unknown []string `json:"unknown,omitempty"`
	// Fixed is the number of findings that --fix has put right in the file.
	Fixed        int           `json:"fixed,omitempty"`
	Explanations []explanation `json:"explanations,omitempty"`

	fixedWarnings int // of Fixed
	inferred      int // layers
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
	// Owner is the identity of the layer in whose body the layer is.
	Owner    string `json:"owner,omitempty"`
	Port     int    `json:"port"` // -1 where the finding concerns no port
	Declared string `json:"declared,omitempty"`
	Inferred string `json:"inferred,omitempty"`
	Message  string `json:"message"`

	identity string // of the layer
}

// validateOne validates one model. Its error is one of usage, or of writing the
// file; that a model cannot be read is a finding.
func (a *app) validateOne(path string, flags *validateFlags) (*validation, error) {
	v := &validation{Model: nameOf(path), Layers: map[string][]string{}, Findings: []finding{}}
	var xml []byte
	if flags.fix {
		// Should the file change from here on, it is not written.
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

// fill takes over what the report says of m.
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
	}.of(f.Layer)
}

// of returns f with layer's identity; layer may be nil.
func (f finding) of(layer *ir.Layer) finding {
	if layer != nil {
		f.LayerID, f.Layer, f.Type, f.Opset = layer.ID, layer.Name, layer.Type, layer.Opset
		f.identity = layer.String()
		if layer.Owner != nil {
			f.Owner = layer.Owner.String()
		}
	}
	return f
}

// readFinding is the finding that a model cannot be read.
func readFinding(err error) finding {
	f := finding{Rule: ruleRead, Severity: validate.SeverityError.String(), Port: -1, Message: err.Error()}
	var format *ir.FormatError
	if errors.As(err, &format) {
		f.Line, f.Message = format.Line, format.Err.Error()
		f = f.of(format.Layer)
	}
	return f
}

// text returns the message with the identity of the layer that it is about.
func (f *finding) text() string {
	if f.identity == "" {
		return f.Message
	}
	return f.identity + ": " + f.Message
}

// fix writes the ports of the model at path, which was read from xml, as they were
// inferred, and counts the findings that are thereby put right.
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

// replaceFile gives the file at path new content at once: whoever opens it finds the
// old or the new, whole. It is an error if the file no longer holds old.
func replaceFile(path string, old, content []byte) (err error) {
	// A symbolic link stays one.
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
