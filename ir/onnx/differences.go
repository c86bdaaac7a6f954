package onnx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/validate"
)

// addDeclared compares what the file declares of a value with what was inferred.
func (r *reporter) addDeclared(d *convert.DeclaredValue) {
	f := validate.Finding{Layer: d.Layer, Port: d.Output, Severity: validate.SeverityWarning}
	report := func(rule, declared, inferred string) {
		f.Rule, f.Declared, f.Inferred = rule, printable.Cut(declared, maxShape), printable.Cut(inferred, maxShape)
		f.Message = fmt.Sprintf("value %s is %s in the file, inferred %s", printable.Quote(d.Name, maxName), f.Declared, f.Inferred)
		r.addAt(f)
	}
	inType, inShape := d.Differs()
	if inType {
		report(validate.RuleType, d.Type.String(), d.Inferred.Type.String())
	}
	if inShape {
		report(validate.RuleShape, d.Shape.String(), d.Inferred.Shape.String())
	} else if isVaguer(d.Shape, d.Inferred.Shape) {
		f.Severity = validate.SeverityNote
		report(validate.RuleVagueShape, d.Shape.String(), d.Inferred.Shape.String())
	}
}

// isVaguer reports whether a declared shape leaves a length open that is inferred.
func isVaguer(declared, inferred ir.PartialShape) bool {
	if !declared.RankKnown() || !inferred.RankKnown() {
		return false
	}
	for i, d := range declared.Dims() {
		if d.IsDynamic() && inferred.At(i).IsStatic() {
			return true
		}
	}
	return false
}

// addUnneeded adds what is in the file and not in the model.
func (r *reporter) addUnneeded() {
	var unneeded []*proto.Node
	for _, node := range r.message.Graph.Nodes {
		if !r.needed[node] {
			unneeded = append(unneeded, node)
		}
	}
	if len(unneeded) > 0 {
		r.note(RuleUnneeded, nil, "%s that no output needs: not in the model; the first is %s", counted(len(unneeded), "node"), nodeText(unneeded[0]))
	}
	constants := make(map[string]bool, len(r.message.Graph.Initializers))
	for _, t := range r.message.Graph.Initializers {
		constants[t.Name] = true
	}
	var defaults []string
	for _, v := range r.message.Graph.Inputs {
		if constants[v.Name] {
			defaults = append(defaults, v.Name)
		}
	}
	// Before IR version 4, all initializers had to be inputs.
	if len(defaults) > 0 && r.message.IRVersion > 3 {
		r.note(RuleUnneeded, nil, "%s with a default: constant in the model; the first is %s", counted(len(defaults), "input"), printable.Quote(defaults[0], maxName))
	}
}

// addSeveral adds the operators that several layers stand for.
func (r *reporter) addSeveral(used map[*ir.Layer]bool) {
	type several struct {
		operator string
		count    int
		first    *proto.Node
		types    []string // of the layers of the first
	}
	var list []*several
	known := make(map[string]*several)
	for i := range r.nodes {
		n := &r.nodes[i]
		var types []string
		for _, layer := range n.layers {
			if used[layer] {
				types = append(types, layer.Type)
			}
		}
		if len(types) < 2 {
			continue
		}
		operator := operatorText(n.node, n.version)
		if known[operator] == nil {
			known[operator] = &several{operator: operator, first: n.node, types: types}
			list = append(list, known[operator])
		}
		known[operator].count++
	}
	for _, s := range list {
		const most = 12
		more := ""
		if len(s.types) > most {
			more = ", ..."
		}
		r.note(RuleSeveral, nil, "%s of %s became several layers; %s became %d: %s%s",
			counted(s.count, "node"), s.operator, nodeText(s.first), len(s.types), strings.Join(s.types[:min(len(s.types), most)], ", "), more)
	}
}

// addOwn adds the layer types that OpenVINO does not have.
func (r *reporter) addOwn(m *ir.Model) {
	counts := make(map[string]int)
	first := make(map[string]*ir.Layer)
	var types []string
	for layer := range m.AllLayers() {
		if layer.Opset != "vinoir" {
			continue
		}
		if counts[layer.Type]++; counts[layer.Type] == 1 {
			types = append(types, layer.Type)
			first[layer.Type] = layer
		}
	}
	slices.Sort(types)
	for _, t := range types {
		r.note(RuleOwnLayer, first[t], "OpenVINO has no layer type %s, and will not read the model as an IR; this holds for %s", t, counted(counts[t], "layer"))
	}
}

// addNames adds how many layers have another name than the node that they were made for.
func (r *reporter) addNames(used map[*ir.Layer]bool) {
	named, other := 0, 0
	example := ""
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.node.Name == "" || len(n.layers) == 0 {
			continue
		}
		named++
		if slices.ContainsFunc(n.layers, func(layer *ir.Layer) bool { return layer.Name == n.node.Name }) {
			continue
		}
		last := n.layers[len(n.layers)-1]
		if other++; example == "" && used[last] {
			example = fmt.Sprintf(", such as %s of node %s", printable.Quote(last.Name, maxName), printable.Quote(n.node.Name, maxName))
		}
	}
	if other > 0 {
		r.note(RuleNames, nil, "the layers of %d of %s have names of values%s; the name of the node is in their rt_info, as fused_names", other, counted(named, "named node"), example)
	}
}

// counted returns "1 node" or "2 nodes".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// nodeText and operatorText return how errors name a node and its operator.
func nodeText(node *proto.Node) string {
	for _, name := range node.Outputs {
		if node.Name == "" && name != "" {
			return "that of " + printable.Quote(name, maxName)
		}
	}
	return printable.Quote(node.Name, maxName)
}

func operatorText(node *proto.Node, version int) string {
	text := fmt.Sprintf("%s-%d", printable.Name(node.Operator, maxName), version)
	if node.Domain != "" && node.Domain != "ai.onnx" {
		return printable.Name(node.Domain, maxName) + ":" + text
	}
	return text
}
