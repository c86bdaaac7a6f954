package onnx

import (
	"context"
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/check"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/validate"
)

// reporter collects the findings about one model.
type reporter struct {
	message  *proto.Model // nil until the file is known to be a model
	findings []validate.Finding
	dropped  int

	needed   map[*proto.Node]bool
	declared []convert.DeclaredValue
	nodes    []convertedNode
}

// convertedNode is a node with the layers that were made for it.
type convertedNode struct {
	node    *proto.Node
	version int
	layers  []*ir.Layer
}

const (
	// maxFindings is the largest number of findings, and maxName the number of characters of a name
	// that they have.
	maxFindings, maxName = 20_000, 200
	// maxShape is the number of characters of a shape in a finding.
	maxShape = 400
)

// add adds a finding about no port, unless there are too many.
func (r *reporter) add(f validate.Finding) {
	f.Port = -1
	r.addAt(f)
}

func (r *reporter) addAt(f validate.Finding) {
	if len(r.findings) == maxFindings {
		r.dropped++
		return
	}
	r.findings = append(r.findings, f)
}

// note adds a finding that says how the model differs from the file.
func (r *reporter) note(rule string, layer *ir.Layer, format string, args ...any) {
	r.add(validate.Finding{Rule: rule, Severity: validate.SeverityNote, Layer: layer, Message: faults.Errorf(format, args...).Error()})
}

// check adds what ONNX's checker refuses.
func (r *reporter) check(ctx context.Context, m *proto.Model) error {
	r.message = m
	problems, more, err := check.Model(ctx, m)
	for _, p := range problems {
		r.add(validate.Finding{Rule: checkRules[p.Kind], Severity: validate.SeverityWarning, Message: p.Message})
	}
	r.dropped += more
	return err
}

// observer returns what collects the facts for addModel.
func (r *reporter) observer() *convert.Observer {
	r.needed = make(map[*proto.Node]bool)
	return &convert.Observer{
		Needed:   func(node *proto.Node) { r.needed[node] = true },
		Declared: func(d *convert.DeclaredValue) { r.declared = append(r.declared, *d) },
		Converted: func(node *proto.Node, version int, layers []*ir.Layer) {
			r.nodes = append(r.nodes, convertedNode{node, version, layers})
		},
	}
}

// addModel adds how m differs from the file that it was read from.
func (r *reporter) addModel(m *ir.Model) {
	for i := range r.declared {
		r.addDeclared(&r.declared[i])
	}
	r.addUnneeded()
	used := make(map[*ir.Layer]bool)
	for layer := range m.AllLayers() {
		used[layer] = true
	}
	r.addSeveral(used)
	r.addOwn(m)
	r.addNames(used)
	if r.dropped > 0 {
		r.findings = append(r.findings, validate.Finding{
			Rule: validate.RuleTolerated, Severity: validate.SeverityWarning, Port: -1, Message: fmt.Sprintf("there are %d more findings, which are not reported", r.dropped),
		})
	}
}
