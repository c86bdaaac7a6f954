package validate

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Severity says what a Finding means for the model.
type Severity uint8

const (
	// SeverityNote is a finding of nothing wrong, such as dims that say less than
	// is known.
	SeverityNote Severity = iota
	// SeverityWarning is a finding that no runtime cares for, such as dims in
	// the file that are out of date.
	SeverityWarning
	// SeverityError is a finding that keeps the model from being inferred.
	SeverityError
)

// String returns "note", "warning" or "error".
func (s Severity) String() string { return [...]string{"note", "warning", "error"}[s] }

// The rules that a Finding can name. They are stable.
const (
	RuleInference       = "inference"         // a layer's own rule refuses its inputs or attributes
	RuleUnsupported     = "unsupported-layer" // there is no rule for the layer's type
	RuleShape           = "stale-shape"       // an output port's dims differ from the inferred shape
	RuleType            = "stale-type"        // an output port's precision differs from the inferred type
	RuleInputShape      = "stale-input-shape" // an input port's dims differ from what its edge brings
	RuleInputType       = "stale-input-type"  // an input port's precision differs from what its edge brings
	RuleTolerated       = "tolerated"         // what OpenVINO's reader passes over in silence
	RuleVagueShape      = "vague-shape"       // an output port has -1 where a length is inferred
	RuleVagueInputShape = "vague-input-shape" // an input port has -1 where its edge brings a length
)

// Finding is one thing that Validate found.
type Finding struct {
	Rule     string
	Severity Severity
	Line     int       // of the XML; 0 where the finding concerns no line
	Layer    *ir.Layer // nil where the finding concerns no layer
	// Port is the position of the output or, for RuleInputShape, RuleInputType and
	// RuleVagueInputShape, of the input; -1 where the finding concerns the layer as
	// a whole.
	Port int
	// Declared and Inferred are the two texts that differ, empty where the
	// finding is no difference.
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

// Fixable reports whether Report.PortFixes has the remedy of the finding.
func (f *Finding) Fixable() bool { return f.fix != nil }

// Report is what Validate returns: everything that it found, first of the file as a
// whole, then of the layers in the order of Model.Order, those of a layer's bodies
// behind it, and the shapes that it inferred.
type Report struct {
	Findings []Finding
	Shapes   *infer.Shapes
	// Unknown are the layers whose shapes are not known for certain for lack of the
	// .bin: see Shapes.Unknown.
	Unknown []*ir.Layer
}

// Errors returns the number of findings of severity error.
func (r *Report) Errors() int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == SeverityError {
			n++
		}
	}
	return n
}

// PortFixes returns what the ports with stale dims or precisions should declare. It is an
// error if r has errors: then nothing was inferred for certain.
func (r *Report) PortFixes() ([]ir.PortFix, error) {
	if n := r.Errors(); n > 0 {
		return nil, fmt.Errorf("the model has %d errors: its ports are not changed", n)
	}
	var fixes []ir.PortFix
	for i := range r.Findings {
		if fix := r.Findings[i].fix; fix != nil {
			fixes = append(fixes, *fix)
		}
	}
	return fixes, nil
}

// Unsupported is implemented by the errors of Rules that mean that the layer's
// type is not known, rather than that the layer is at fault.
type Unsupported interface {
	error
	Unsupported() bool
}

// Model infers every layer of m and compares what it finds with the types and
// dims that stand in the file, which OpenVINO never looks at. It reports every
// difference and every layer that cannot be inferred. parameters is as in
// Propagate: with the inputs reshaped, the dims of the file are not compared.
func Model(m *ir.Model, rules infer.Rules, parameters map[*ir.Layer]ir.Fact) *Report {
	shapes, _ := infer.Propagate(m, rules, parameters)
	r := &Report{Shapes: shapes}
	faulty := make(map[*ir.Layer]error, len(shapes.Errors()))
	for _, e := range shapes.Errors() {
		faulty[e.Layer] = e.Err
	}
	// What could not be inferred exactly, because a layer or the .bin is missing,
	// says nothing against exact dims in the file.
	exact := len(faulty) == 0
	for models := []*ir.Model{m}; len(models) > 0; models = models[1:] {
		r.tolerate(models[0].Notes)
		for _, layer := range models[0].Layers {
			for i := range layer.Bodies {
				models = append(models, layer.Bodies[i].Model)
			}
		}
	}
	r.tolerate(shapes.Notes())
	r.check(m, shapes, faulty, exact, len(parameters) == 0)
	for _, layer := range m.Order {
		if shapes.Unknown(layer) {
			r.Unknown = append(r.Unknown, layer)
		}
	}
	for _, e := range shapes.Errors() {
		if _, ok := faulty[e.Layer]; ok { // of a body that a later iteration did not come to
			r.Findings = append(r.Findings, faultFinding(e.Layer, e.Err))
		}
	}
	return r
}

// check reports the layers of m that could not be inferred, and compares the others
// with the file; those of bodies follow the layer that the bodies belong to.
func (r *Report) check(m *ir.Model, shapes *infer.Shapes, faulty map[*ir.Layer]error, exact, compare bool) {
	for _, layer := range m.Order {
		if err, ok := faulty[layer]; ok {
			r.Findings = append(r.Findings, faultFinding(layer, err))
			delete(faulty, layer)
		} else if compare {
			r.compare(layer, shapes, exact)
		}
		for i := range layer.Bodies {
			if inner := shapes.Body(layer, i); inner != nil {
				// A body may be inferred from what is not known outside of it.
				r.check(layer.Bodies[i].Model, inner, faulty, exact && shapes.Complete(), compare)
			}
		}
	}
}

func faultFinding(layer *ir.Layer, err error) Finding {
	rule := RuleInference
	if u, ok := err.(Unsupported); ok && u.Unsupported() {
		rule = RuleUnsupported
	}
	return Finding{Rule: rule, Severity: SeverityError, Line: layer.Line, Layer: layer, Port: -1, Message: err.Error()}
}

// tolerate reports notes.
func (r *Report) tolerate(notes []ir.Note) {
	for _, n := range notes {
		r.Findings = append(r.Findings, Finding{
			Rule: RuleTolerated, Severity: SeverityWarning, Line: n.Line, Layer: n.Layer, Port: -1, Message: n.Text,
		})
	}
}

// compare holds the dims and precisions of layer's ports against the facts. Layers
// that were added have none in the file.
func (r *Report) compare(layer *ir.Layer, shapes *infer.Shapes, exact bool) {
	if layer.Origin != nil {
		return
	}
	for i, fact := range shapes.Inputs(layer) {
		in := &layer.Inputs[i]
		r.comparePort(layer, &inputRules, i, in.DeclaredType, in.Declared, &fact, exact && !shapes.Unknown(in.Source))
	}
	if layer.Constant != nil && layer.Const.Size > uint64(len(layer.Constant.Bytes())) && layer.Constant.ElementType() != ir.String {
		r.tolerate([]ir.Note{{Line: layer.Line, Layer: layer, Text: fmt.Sprintf("%v%v needs %d bytes, the Constant has %d",
			layer.Constant.ElementType(), layer.Constant.Shape(), len(layer.Constant.Bytes()), layer.Const.Size)}})
	}
	facts := shapes.Outputs(layer)
	for i, out := range layer.Outputs[:min(len(layer.Outputs), len(facts))] {
		r.comparePort(layer, &outputRules, i, out.DeclaredType, out.Declared, &facts[i], exact && !shapes.Unknown(layer))
	}
}

// portRules are the rules of findings about the ports of one side.
type portRules struct{ side, stale, vague, elementType string }

var (
	inputRules  = portRules{"input", RuleInputShape, RuleVagueInputShape, RuleInputType}
	outputRules = portRules{"output", RuleShape, RuleVagueShape, RuleType}
)

// comparePort holds what stands in the file of a port against what was inferred.
func (r *Report) comparePort(layer *ir.Layer, rules *portRules, port int, declaredType ir.ElementType, declared ir.PartialShape, fact *ir.Fact, exact bool) {
	report := func(severity Severity, rule string, declared, inferred fmt.Stringer, fix ir.PortFix) {
		fix.Layer, fix.Input, fix.Port = layer, rules == &inputRules, port
		r.Findings = append(r.Findings, Finding{
			Rule: rule, Severity: severity, Line: layer.Line, Layer: layer, Port: port,
			Declared: declared.String(), Inferred: inferred.String(), fix: &fix,
			Message: fmt.Sprintf("%s %d is %v in the file, inferred %v", rules.side, port, declared, inferred),
		})
	}
	shape := fact.Shape
	switch stale, vague := compareDims(declared, shape, exact); {
	case stale:
		report(SeverityWarning, rules.stale, declared, shape, ir.PortFix{Shape: &shape, Exact: exact})
	case vague:
		report(SeverityNote, rules.vague, declared, shape, ir.PortFix{Shape: &shape, Exact: exact})
	}
	if _, same := ir.MergeElementTypes(declaredType, fact.Type); !same {
		report(SeverityWarning, rules.elementType, declaredType, fact.Type, ir.PortFix{Type: fact.Type})
	}
}

// compareDims reports whether the dims of a port contradict the inferred shape, and
// whether they say less. A dim of the file is a length or -1, so that an interval
// reads -1 there. Where inference is exact, a length in the file is wrong if
// inference found an interval. That -1 stands for a length is no fault: the writer
// may have been one that could not infer it.
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
