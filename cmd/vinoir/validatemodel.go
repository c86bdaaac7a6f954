package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/plugin"
)

// The rules for models that cannot be read, for files that --fix cannot write, and for dims that
// --strict tells from inferred ones, and for layers that cannot run. Package validate has the other
// rules.
const (
	ruleKernel  = "no-kernel"
	ruleInput   = "input-shape"
	ruleRead    = "read"
	ruleLink    = "link"
	ruleShort   = "bin-short"
	ruleFix     = "fix"
	ruleAssumed = "assumed-shape"
)

// findingRules returns the rules of all findings.
func findingRules() []validate.FindingRule {
	read := validate.FindingRule{
		ID: ruleRead, Severity: validate.SeverityError, Summary: "The model cannot be read.",
		Help: "The XML is malformed, the graph in it is inconsistent, or the .bin is missing or does not contain what a Constant needs. OpenVINO " +
			"rejects the model too. If there is no .bin, use --no-bin to infer what does not depend on it.",
	}
	link := validate.FindingRule{
		ID: ruleLink, Severity: validate.SeverityNote, Summary: "A link to a folder is not followed.",
		Help: "Models may lie behind it, as with Bazel and nix, and are not validated: a link below a folder can lead anywhere, also to the folder itself. " +
			"Give the link as an argument: vinoir validate follows it there.",
	}
	short := validate.FindingRule{
		ID: ruleShort, Severity: validate.SeverityError, Summary: "The .bin ends before a Constant.",
		Help: "The .bin was cut off, or belongs to another model. Copy or download it again; --no-bin infers what does not depend on it.",
	}
	fix := validate.FindingRule{
		ID: ruleFix, Severity: validate.SeverityError, Summary: "The file cannot be written.",
		Help: "There is something that --fix could correct, but the file is a symbolic link, has changed since it was read, or cannot be written " +
			"for a reason of the system. It is as it was.",
	}
	assumed := validate.FindingRule{
		ID: ruleAssumed, Severity: validate.SeverityNote, Summary: "Dims are taken from the file, not inferred.",
		Help: "The .bin was not read, and the dims depend on it. What follows from them is compared with the file, but whether they are right is not known. " +
			"This note is only printed with --strict. With the .bin, vinoir validate infers the dims.",
	}
	kernel := validate.FindingRule{
		ID: ruleKernel, Severity: validate.SeverityNote, Summary: "There is no kernel for the layer's type or element type, or for what it is given.",
		Help: "The model can be validated but not run by vinoir. One finding stands for all layers of a type. It is an error with --run and a note without. " +
			"With --run and the .bin, the model is compiled too, which also finds attributes, values and sizes that no kernel takes. " +
			"vinoir ops lists the layer types that have kernels.",
	}
	input := validate.FindingRule{
		ID: ruleInput, Severity: validate.SeverityError, Summary: "--shape or --batch does not fit the model.",
		Help: "The model has no input of that name or index, or cannot take the shape. The model is not validated. If there is only one model, this is wrong usage.",
	}
	return slices.Concat([]validate.FindingRule{read, link, short, fix, input}, validate.FindingRules(), []validate.FindingRule{assumed, kernel}, onnx.FindingRules())
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
	// Assumed has the names of layers whose dims depend on the .bin, which was not read, and were
	// taken from the file. The other layers, except for those in Unknown, are inferred, from these
	// dims too.
	Assumed []string `json:"assumed,omitempty"`
	// Fixed is the number of findings that --fix has corrected in the file.
	Fixed        int           `json:"fixed,omitempty"`
	Explanations []explanation `json:"explanations,omitempty"`
	// Unexplained is the number of outputs that --explain asked for and that are not explained,
	// because it would be too much work.
	Unexplained int `json:"unexplained,omitempty"`

	fixedWarnings int // number of warnings in Fixed
	inferred      int // number of inferred layers

	ignored   []string  // rules whose findings are left out
	last      *ir.Layer // the layer of the last finding
	lastLayer findingLayer
}

// finding is validate.Finding as JSON. Long names and messages are cut, as in text.
type finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Line     int    `json:"line,omitempty"`
	findingLayer
	Port     int    `json:"port"` // -1 if the finding is not about a port
	Declared string `json:"declared,omitempty"`
	Inferred string `json:"inferred,omitempty"`
	// Count is the number of layers that the finding stands for, if they are more than one.
	Count   int    `json:"count,omitempty"`
	Message string `json:"message"`

	follows   bool // from a finding before it
	followers int  // number of findings that follow from this one
}

// findingLayer is the layer of a finding. Findings about one layer share its strings.
type findingLayer struct {
	LayerID *uint64 `json:"layer_id,omitempty"` // nil if there is no layer
	Layer   string  `json:"layer,omitempty"`
	Type    string  `json:"type,omitempty"`
	Opset   string  `json:"opset,omitempty"`
	// Owner identifies the layer that contains the layer in a body.
	Owner string `json:"owner,omitempty"`

	identity string // of the layer; "" if there is none
}

func newFindingLayer(layer *ir.Layer) findingLayer {
	id := layer.ID // a pointer to the field would keep the layer in memory
	info := findingLayer{
		LayerID: &id, Layer: printable.Cut(layer.Name, maxName), Type: printable.Cut(layer.Type, maxType),
		Opset: printable.Cut(layer.Opset, maxType), identity: layer.String(),
	}
	if layer.Owner != nil {
		info.Owner = layer.Owner.String()
	}
	return info
}

// validateOne validates a model. A model that cannot be read, and a file that --fix cannot write,
// are findings. Errors are wrong usage.
func (a *app) validateOne(ctx context.Context, file modelFile, flags *validateFlags) (*validation, error) {
	v := &validation{Model: nameOf(file.path), Layers: map[string][]string{}, Findings: []finding{}, ignored: flags.ignored}
	switch {
	case errors.Is(file.fault, errLink):
		v.add(finding{Rule: ruleLink, Severity: validate.SeverityNote.String(), Port: -1, Message: file.fault.Error()}, nil)
		return v, nil
	case file.fault != nil:
		v.addReadError(file.fault)
		return v, nil
	}
	var fix fixer
	if flags.fix {
		// Read first: the file is not written if it has changed since.
		fix.open(file)
		defer fix.close()
	}
	m, found, err := a.readChecked(ctx, &flags.model, file.path)
	complete := err == nil && !flags.model.noBin
	var usage usageError
	if errors.As(err, &usage) {
		return nil, err
	}
	if err != nil {
		v.addReadError(err)
		if !lacksBin(err) {
			return v, nil
		}
		// The shapes can be validated without weights.
		without := flags.model
		without.bin, without.noBin = "", true
		if m, err = a.read(ctx, &without, file.path); err != nil {
			return v, nil
		}
	}
	if m == nil { // an ONNX model that cannot be converted
		v.addFindings(found)
		return v, nil
	}
	defer m.Close()
	switch reshaped, err := flags.model.reshaped(ctx, a, m); {
	case err != nil && flags.many && errors.As(err, &usage) && ctx.Err() == nil:
		// The other models may have the input.
		v.add(finding{Rule: ruleInput, Severity: validate.SeverityError.String(), Port: -1, Message: err.Error()}, nil)
		return v, nil
	case err != nil:
		return nil, err
	default:
		m = reshaped
	}
	// --explain applies the rules again, to shapes that are inferred.
	report, err := validate.ModelWith(ctx, m, a.registry, validate.Options{AssumeDeclared: flags.explain == ""})
	if err != nil {
		return nil, err
	}
	v.addFindings(found)
	v.fill(m, report, flags.strict)
	if flags.explain != "" {
		if v.Explanations, v.Unexplained, err = explainOutputs(ctx, m, a.registry, report.Shapes, flags.explain); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if flags.fix && v.Errors == 0 {
		if err := fix.fix(m, report); err != nil {
			v.add(finding{Rule: ruleFix, Severity: validate.SeverityError.String(), Port: -1, Message: err.Error()}, nil)
		} else {
			v.countFixed(report)
		}
	}
	unsupported := a.core.QueryShapes(m, report.Shapes)
	v.addKernels(unsupported, report, flags.run)
	if flags.run && complete && unsupported == nil && v.Errors == 0 {
		return v, a.addCompileError(ctx, v, m)
	}
	return v, nil
}

// addCompileError compiles the model, and adds a finding if that is not possible, such as for a
// layer whose attributes no kernel computes. The error is that of ctx.
func (a *app) addCompileError(ctx context.Context, v *validation, m *ir.Model) error {
	compiled, err := a.core.CompileModel(ctx, m, plugin.CompileOptions{})
	if err == nil {
		compiled.Close()
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f := finding{Rule: ruleKernel, Severity: validate.SeverityError.String(), Port: -1, Message: err.Error()}
	var at *ir.LayerError
	var layer *ir.Layer
	if errors.As(err, &at) {
		f.Line, f.Message, layer = at.Layer.Line, at.Err.Error(), at.Layer
	}
	v.add(f, layer)
	return nil
}

// lacksBin reports whether a model cannot be read because its .bin is missing, or a pointer of Git
// LFS or the like.
func lacksBin(err error) bool {
	var format *ir.FormatError
	var foreign *irxml.ForeignFileError
	var short *irxml.ShortBinError
	return errors.As(err, &format) && format.Layer != nil && !errors.As(err, &short) && (errors.Is(err, fs.ErrNotExist) || errors.As(err, &foreign))
}

// fill adds the contents of the report about m. If strict is set, layers with dims from the file
// have a finding.
func (v *validation) fill(m *ir.Model, report *validate.Report, strict bool) {
	faulty := make(map[*ir.Layer]bool)
	linked := make(causes)
	for i := range report.Findings {
		f := &report.Findings[i]
		faulty[f.Layer] = faulty[f.Layer] || f.Severity == validate.SeverityError
		v.addFinding(f)
		if f.Layer != nil && !v.ignores(f.Rule) {
			linked.link(v, len(v.Findings)-1, f.Layer)
		}
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
		if report.Shapes.Unknown(layer) {
			v.Unknown = append(v.Unknown, key)
		}
		if report.Shapes.Assumed(layer) {
			v.Assumed = append(v.Assumed, key)
			if strict {
				v.add(finding{
					Rule: ruleAssumed, Severity: validate.SeverityNote.String(), Line: layer.Line, Port: -1, Message: "the dims of the outputs are those in the file, they depend on the .bin",
				}, layer)
			}
		}
	}
}

// addFindings adds what the reader of ONNX models has found.
func (v *validation) addFindings(list []validate.Finding) {
	for i := range list {
		v.addFinding(&list[i])
	}
}

// addFinding adds a finding of validate or of the reader of ONNX models.
func (v *validation) addFinding(f *validate.Finding) {
	v.add(finding{
		Rule: f.Rule, Severity: f.Severity.String(), Line: f.Line, Port: f.Port,
		Declared: printable.Cut(f.Declared, maxMessage), Inferred: printable.Cut(f.Inferred, maxMessage), Message: f.Message,
	}, f.Layer)
}

// addKernels adds a finding for each type of layer that cannot run, with the first of its layers.
// Layers without a rule have a finding already.
func (v *validation) addKernels(unsupported *plugin.UnsupportedError, report *validate.Report, run bool) {
	if unsupported == nil {
		return
	}
	severity := validate.SeverityNote
	if run {
		severity = validate.SeverityError
	}
	noRule := make(map[*ir.Layer]bool)
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Rule == validate.RuleUnsupported {
			noRule[f.Layer] = true
		}
	}
	type group struct {
		first *ir.Layer
		text  string
		count int
	}
	var groups []*group
	byText := make(map[string]*group)
	for _, at := range unsupported.Layers {
		if noRule[at.Layer] {
			continue
		}
		text := at.Err.Error()
		if byText[text] == nil {
			byText[text] = &group{first: at.Layer, text: text}
			groups = append(groups, byText[text])
		}
		byText[text].count++
	}
	for _, g := range groups {
		f := finding{Rule: ruleKernel, Severity: severity.String(), Line: g.first.Line, Port: -1, Message: g.text}
		if g.count > 1 {
			f.Count = g.count
			f.Message += fmt.Sprintf("; this holds for %d layers", g.count)
		}
		v.add(f, g.first)
	}
}

// layerKey returns a key for layer that is not yet in v.Layers.
func (v *validation) layerKey(layer *ir.Layer) string {
	key := printable.Cut(layer.Name, maxName)
	for v.Layers[key] != nil {
		key += "#" + strconv.FormatUint(layer.ID, 10)
	}
	return key
}

func outputTexts(layer *ir.Layer, facts []ir.Fact) []string {
	texts := make([]string, min(len(layer.Outputs), len(facts)))
	for i := range texts {
		texts[i] = printable.Cut(facts[i].Type.String()+facts[i].Shape.String(), maxMessage)
	}
	return texts
}

// ignores reports whether --ignore leaves out the findings of rule.
func (v *validation) ignores(rule string) bool { return slices.Contains(v.ignored, rule) }

// add adds a finding about layer, which can be nil, unless its rule is ignored.
func (v *validation) add(f finding, layer *ir.Layer) {
	if v.ignores(f.Rule) {
		return
	}
	if layer != nil && layer != v.last {
		v.last, v.lastLayer = layer, newFindingLayer(layer)
	}
	if layer != nil {
		f.findingLayer = v.lastLayer
	}
	f.Message = printable.Cut(f.Message, maxMessage)
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

// addReadError adds the finding for a model that cannot be read because of err.
func (v *validation) addReadError(err error) {
	f := finding{Rule: ruleRead, Severity: validate.SeverityError.String(), Port: -1, Message: err.Error()}
	var format *ir.FormatError
	var layer *ir.Layer
	if errors.As(err, &format) {
		f.Line, f.Message, layer = format.Line, format.Err.Error(), format.Layer
	}
	if short := (*irxml.ShortBinError)(nil); errors.As(err, &short) {
		f.Rule = ruleShort
	}
	v.add(f, layer)
}

// text returns the message, with the identity of the layer if there is one.
func (f *finding) text() string {
	if f.identity == "" {
		return f.Message
	}
	return f.identity + ": " + f.Message
}

// countFixed counts the findings that --fix has corrected.
func (v *validation) countFixed(report *validate.Report) {
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Fixable() && !v.ignores(f.Rule) {
			v.Fixed++
			if f.Severity == validate.SeverityWarning {
				v.fixedWarnings++
			}
		}
	}
}
