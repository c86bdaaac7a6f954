package validate

import (
	"context"
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Severity is the effect of a Finding on the model.
type Severity uint8

const (
	// SeverityNote means that nothing is wrong, for example that dims in the file are less precise
	// than the inferred ones.
	SeverityNote Severity = iota
	// SeverityWarning means that something is wrong but has no effect at run time, for example that
	// dims in the file are out of date.
	SeverityWarning
	// SeverityError means that the model cannot be inferred.
	SeverityError
)

// String returns "note", "warning" or "error".
func (s Severity) String() string { return [...]string{"note", "warning", "error"}[s] }

// The rules that a Finding can name. They are stable.
const (
	// the rule of a layer returns an error for its inputs or attributes
	RuleInference   = "inference"
	RuleUnsupported = "unsupported-layer" // there is no rule for the layer's type
	// an output port's dims differ from the inferred shape
	RuleShape = "stale-shape"
	// an output port's precision differs from the inferred type
	RuleType       = "stale-type"
	RuleInputShape = "stale-input-shape" // an input port's dims differ from the inferred shape
	// an input port's precision differs from the inferred type
	RuleInputType = "stale-input-type"
	// OpenVINO ignores or corrects something without an error
	RuleTolerated = "tolerated"
	// an output port's dims have -1, but a length is inferred
	RuleVagueShape = "vague-shape"
	// an input port's dims have -1, but a length is inferred
	RuleVagueInputShape = "vague-input-shape"
	RuleUnusedBin       = "bin-unused" // the constants end long before the .bin
	// dims in the file contradict one another: see Options.AssumeDeclared
	RuleContradiction = "contradiction"
)

// Finding is a result of Model.
type Finding struct {
	Rule     string
	Severity Severity
	Line     int       // line in the XML; 0 if the finding has no line
	Layer    *ir.Layer // nil if the finding is not about a layer
	// Port is the position of the output or, for RuleInputShape, RuleInputType and
	// RuleVagueInputShape, of the input. For RuleContradiction, Message says which of the two it
	// is. It is -1 if the finding is about the whole layer.
	Port int
	// Declared and Inferred are the two types or shapes that differ; empty for other findings.
	Declared, Inferred string
	Message            string

	fix *ir.PortFix // nil if the finding is not about what a port declares
}

// String returns the finding as one line of text.
func (f *Finding) String() string {
	where := ""
	if f.Layer != nil {
		where = fmt.Sprintf("%v: ", f.Layer)
	}
	return fmt.Sprintf("%d: %v: %s%s [%s]", f.Line, f.Severity, where, f.Message, f.Rule)
}

// Fixable reports whether Report.PortFixes has a fix for the finding.
func (f *Finding) Fixable() bool { return f.fix != nil }

// Report is the result of Model. The findings from notes of the reader and of inference come
// first, then those about layers, in the order of Model.Order. Findings about the bodies of a
// layer follow those about the layer. There are at most 10,000 errors and 100,000 other findings;
// the last finding tells how many are missing.
type Report struct {
	Findings []Finding
	Shapes   *infer.Shapes
	// Unknown lists the layers whose shapes may be less precise than with the .bin: see
	// infer.Shapes.Unknown.
	Unknown []*ir.Layer
	// Assumed lists the layers whose dims are taken from the file: see Options.AssumeDeclared.
	Assumed []*ir.Layer

	dropped int // number of findings that are not reported
}

const (
	// maxFindings is the largest number of findings that are no errors: infer.Propagate limits the
	// number of errors.
	maxFindings = 100_000
	// maxShapeText is the largest length of Declared and Inferred in bytes.
	maxShapeText = 400
)

// Errors returns the number of findings of SeverityError.
func (r *Report) Errors() int { return r.Count(SeverityError) }

// Count returns the number of findings of severity.
func (r *Report) Count(severity Severity) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == severity {
			n++
		}
	}
	return n
}

// PortFixes returns what the ports with stale dims or precisions should declare. It returns an
// error if r has errors, because the inferred shapes are then uncertain, and if there are too many
// findings to report all.
func (r *Report) PortFixes() ([]ir.PortFix, error) {
	if n := r.Errors(); n > 0 {
		return nil, fmt.Errorf("the model has %d errors: its ports are not changed", n)
	}
	if r.dropped > 0 {
		return nil, fmt.Errorf("%d findings are not reported, because the model has more than %d: its ports are not changed", r.dropped, maxFindings)
	}
	var fixes []ir.PortFix
	for i := range r.Findings {
		if fix := r.Findings[i].fix; fix != nil {
			fixes = append(fixes, *fix)
		}
	}
	return fixes, nil
}

// Unsupported is implemented by errors of infer.Rules. If Unsupported returns true, the layer
// type is unknown; otherwise there is something wrong with the layer.
type Unsupported interface {
	error
	Unsupported() bool
}

// Model infers every layer of m, and compares the result with the types and dims in the file.
// It reports all differences and all layers that cannot be inferred. parameters is as for
// infer.Propagate. If it is not empty, the dims and types in the file are not compared, because
// they are for other inputs. The error is that of ctx if it is done.
func Model(ctx context.Context, m *ir.Model, rules infer.Rules, parameters map[*ir.Layer]ir.Fact) (*Report, error) {
	return ModelWith(ctx, m, rules, Options{Parameters: parameters})
}

// Options configure ModelWith.
type Options struct {
	// Parameters is as for Model.
	Parameters map[*ir.Layer]ir.Fact
	// AssumeDeclared finds more in a model that was read without its .bin: dims that depend on the
	// value of a Constant are taken from the file, and all that follows from them is compared with
	// the rest of the file. What does not agree is a RuleContradiction. It has no effect if all
	// Constants have values, or if there are Parameters.
	AssumeDeclared bool
}

// ModelWith is Model with options.
func ModelWith(ctx context.Context, m *ir.Model, rules infer.Rules, options Options) (*Report, error) {
	compare := len(options.Parameters) == 0
	shapes, err := infer.PropagateWith(ctx, m, rules, infer.Options{
		Parameters: options.Parameters, AssumeDeclared: options.AssumeDeclared && compare,
	})
	if shapes == nil {
		return nil, err
	}
	r := &Report{Shapes: shapes}
	faulty := make(map[*ir.Layer]error, len(shapes.Errors()))
	for _, e := range shapes.Errors() {
		faulty[e.Layer] = e.Err
	}
	// If a layer cannot be inferred or the .bin is missing, shapes may be less precise than the
	// dims in the file. That is not a finding.
	precise := len(faulty) == 0
	for models := []*ir.Model{m}; len(models) > 0; models = models[1:] {
		r.addNotes(models[0].Notes)
		for _, layer := range models[0].Layers {
			for i := range layer.Bodies {
				models = append(models, layer.Bodies[i].Model)
			}
		}
	}
	r.addNotes(shapes.Notes())
	if f := UnusedBin(m); f != nil {
		r.add(*f)
	}
	r.check(m, shapes, faulty, precise, compare)
	for _, layer := range m.Order {
		if shapes.Unknown(layer) {
			r.Unknown = append(r.Unknown, layer)
		}
		if shapes.Assumed(layer) {
			r.Assumed = append(r.Assumed, layer)
		}
	}
	for _, e := range shapes.Errors() {
		if _, ok := faulty[e.Layer]; ok { // in a body, and not reached in its last iteration
			r.Findings = append(r.Findings, faultFinding(e.Layer, e.Err))
		}
	}
	if r.dropped > 0 {
		r.Findings = append(r.Findings, Finding{
			Rule: RuleTolerated, Severity: SeverityWarning, Port: -1, Message: fmt.Sprintf("there are %d more findings, which are not reported", r.dropped),
		})
	}
	return r, ctx.Err()
}

// binPadding is how many bytes a tool may add to the .bin after the last Constant.
const binPadding = 4096

// UnusedBin returns a finding if the Constants in the file of m end long before its .bin does, as
// when the .bin is that of another model; nil otherwise. It is one of the findings of Model.
func UnusedBin(m *ir.Model) *Finding {
	if m.BinSize <= binPadding || uint64(m.BinSize)-binPadding <= m.BinEnd {
		return nil
	}
	return &Finding{
		Rule: RuleUnusedBin, Severity: SeverityWarning, Port: -1,
		Message: fmt.Sprintf("the constants end at byte %d, the .bin has %d: it may belong to another model", m.BinEnd, m.BinSize),
	}
}

// add adds a finding that is no error, unless there are too many.
func (r *Report) add(f Finding) {
	if len(r.Findings) >= maxFindings {
		r.dropped++
		return
	}
	r.Findings = append(r.Findings, f)
}

// check reports the layers of m that could not be inferred, and compares the others with the
// file. Layers of bodies follow the layer that has the bodies.
func (r *Report) check(m *ir.Model, shapes *infer.Shapes, faulty map[*ir.Layer]error, precise, compare bool) {
	for _, layer := range m.Order {
		if err, ok := faulty[layer]; ok {
			r.Findings = append(r.Findings, faultFinding(layer, err))
			delete(faulty, layer)
		} else if compare {
			if err := shapes.Contradiction(layer); err != nil {
				r.add(Finding{Rule: RuleContradiction, Severity: SeverityWarning, Line: layer.Line, Layer: layer, Port: -1, Message: err.Error()})
			}
			r.compare(layer, shapes, precise)
		}
		for i := range layer.Bodies {
			if inner := shapes.Body(layer, i); inner != nil {
				// The inputs of the body may depend on missing values outside of it.
				r.check(layer.Bodies[i].Model, inner, faulty, precise && shapes.Complete(), compare)
			}
		}
	}
}

// faultFinding returns the finding for a layer that could not be inferred.
func faultFinding(layer *ir.Layer, err error) Finding {
	rule := RuleInference
	if u, ok := err.(Unsupported); ok && u.Unsupported() {
		rule = RuleUnsupported
	}
	return Finding{Rule: rule, Severity: SeverityError, Line: layer.Line, Layer: layer, Port: -1, Message: err.Error()}
}

// addNotes adds a finding for each note.
func (r *Report) addNotes(notes []ir.Note) {
	for _, n := range notes {
		r.add(Finding{
			Rule: RuleTolerated, Severity: SeverityWarning, Line: n.Line, Layer: n.Layer, Port: -1, Message: n.Text,
		})
	}
}

// compare compares the declared types and dims of layer's ports with the inferred ones. Layers
// that were added have none in the file.
func (r *Report) compare(layer *ir.Layer, shapes *infer.Shapes, precise bool) {
	if layer.Origin != nil {
		return
	}
	for i, fact := range shapes.Inputs(layer) {
		in := &layer.Inputs[i]
		r.comparePort(layer, &inputRules, i, in.DeclaredType, in.Declared, &fact, certaintyOf(in.Source, shapes, precise))
	}
	if t := layer.Constant; t != nil && t.ElementType() != ir.String {
		// OpenVINO writes a byte for a Constant without elements.
		if n := len(t.Bytes()); layer.Const.Size > uint64(max(n, 1)) {
			r.addNotes([]ir.Note{{Line: layer.Line, Layer: layer, Text: fmt.Sprintf("%v%v needs %d bytes, the Constant has %d",
				t.ElementType(), t.Shape(), n, layer.Const.Size)}})
		}
	}
	facts := shapes.Outputs(layer)
	for i, out := range layer.Outputs[:min(len(layer.Outputs), len(facts))] {
		r.comparePort(layer, &outputRules, i, out.DeclaredType, out.Declared, &facts[i], certaintyOf(layer, shapes, precise))
	}
}

// portRules has the rules for findings about input ports or output ports.
type portRules struct{ side, stale, vague, elementType string }

var (
	inputRules  = portRules{"input", RuleInputShape, RuleVagueInputShape, RuleInputType}
	outputRules = portRules{"output", RuleShape, RuleVagueShape, RuleType}
)

// certainty says how far the inferred shapes of a layer can be trusted.
type certainty uint8

const (
	exact certainty = iota
	// they are right, but may be less precise than with the .bin or without errors
	imprecise
	tentative // they follow from dims in the file
)

// certaintyOf returns the certainty of the shapes of layer. precise is false if those of all layers
// are imprecise.
func certaintyOf(layer *ir.Layer, shapes *infer.Shapes, precise bool) certainty {
	switch {
	case shapes.Tentative(layer):
		return tentative
	case !precise || shapes.Unknown(layer):
		return imprecise
	}
	return exact
}

// comparePort compares the declared type and dims of a port with the inferred fact.
func (r *Report) comparePort(layer *ir.Layer, rules *portRules, port int, declaredType ir.ElementType, declared ir.PartialShape, fact *ir.Fact, c certainty) {
	report := func(severity Severity, rule string, declared, inferred fmt.Stringer, fix ir.PortFix) {
		if len(r.Findings) >= maxFindings {
			r.dropped++
			return
		}
		fix.Layer, fix.Input, fix.Port = layer, rules == &inputRules, port
		from, to := shortened(declared.String()), shortened(inferred.String())
		r.add(Finding{
			Rule: rule, Severity: severity, Line: layer.Line, Layer: layer, Port: port,
			Declared: from, Inferred: to, fix: &fix,
			Message: fmt.Sprintf("%s %d is %s in the file, inferred %s", rules.side, port, from, to),
		})
	}
	shape := fact.Shape
	switch stale, vague := compareDims(declared, shape, c == exact); {
	case stale && c == tentative:
		from, to := shortened(declared.String()), shortened(shape.String())
		r.add(Finding{
			Rule: RuleContradiction, Severity: SeverityWarning, Line: layer.Line, Layer: layer, Port: port, Declared: from, Inferred: to,
			Message: fmt.Sprintf("%s %d is %s in the file, %s follows from dims in the file before it", rules.side, port, from, to),
		})
	case stale:
		report(SeverityWarning, rules.stale, declared, shape, ir.PortFix{Shape: &shape, Exact: c == exact})
	case vague:
		report(SeverityNote, rules.vague, declared, shape, ir.PortFix{Shape: &shape, Exact: c == exact})
	}
	if _, same := ir.MergeElementTypes(declaredType, fact.Type); !same {
		report(SeverityWarning, rules.elementType, declaredType, fact.Type, ir.PortFix{Type: fact.Type})
	}
}

// shortened cuts the text of a shape. Only that of many axes with long intervals is cut.
func shortened(text string) string {
	if len(text) <= maxShapeText {
		return text
	}
	return text[:maxShapeText] + "..."
}

// compareDims reports whether the declared dims of a port contradict the inferred shape, and
// whether they are less precise. A dim in the file is a length or -1; -1 stands for an
// interval. If inference is exact, a length in the file contradicts an inferred interval. A -1
// for an inferred length is only less precise, because the tool that wrote the file may not
// have been able to infer it.
func compareDims(declared, inferred ir.PartialShape, exact bool) (stale, vague bool) {
	if !declared.RankKnown() || !inferred.RankKnown() {
		return false, false
	}
	if declared.Rank() != inferred.Rank() {
		return true, false
	}
	for i, d := range declared.Dims() {
		switch e := inferred.At(i); {
		case !d.Compatible(e), exact && d.IsStatic() && e.IsDynamic():
			return true, false
		case exact && d.IsDynamic() && e.IsStatic():
			vague = true
		}
	}
	return false, vague
}
