package convert

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// run converts the nodes that the wanted values need. Errors about nodes are kept in the
// conversion; the one that is returned is about the graph.
func (g *graph) run(wanted []string) error {
	g.wanted = wanted
	order, err := g.order(wanted)
	if err != nil {
		return err
	}
	for _, node := range order {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		if err := g.spend(1); err != nil {
			return err
		}
		if err := g.convert(node); err != nil {
			return err
		}
	}
	return nil
}

// convert converts a node. After an error, or if an input of the node could not be converted, it
// only judges whether the node is supported.
func (g *graph) convert(node *proto.Node) error {
	if g.Observer != nil && g.outer == nil {
		g.Observer.Needed(node)
	}
	found, function := g.judge(node)
	if found.rule == nil && function == nil {
		g.spoil(node)
		return nil
	}
	inputs, err := g.inputs(node)
	outputs := []Value(nil)
	switch {
	case g.err != nil:
	case err != nil:
	case inputs == nil:
		g.spoil(node)
		return nil
	case found.rule != nil:
		outputs, err = g.apply(node, found, inputs)
	default:
		return g.call(node, function, inputs)
	}
	if err == nil && g.err == nil {
		err = g.defineAll(node, outputs)
	}
	if err != nil && g.err == nil {
		g.err = nodeError(node, found.since, err)
	}
	if g.err != nil {
		g.spoil(node)
	}
	return nil
}

// judge returns the rule or the function for a node. If there is none, or none for a node in a
// graph of its attributes that does not depend on values, it counts the operator as unsupported.
func (g *graph) judge(node *proto.Node) (version, *proto.Function) {
	key := operator{domainOf(node.Domain), node.Operator}
	imported, ok := g.importsOf[key.domain]
	if !ok {
		imported = 1
	}
	found, reason := g.Table.find(key, imported)
	if found.rule != nil {
		return found, nil
	}
	function := g.functions[functionKey{key, node.Overload}]
	if function == nil {
		g.missing.add(key, imported, nodeText(node.Name, firstOf(node.Outputs)), reason)
	}
	return version{}, function
}

// spoil makes the outputs of a node values that could not be converted, and judges the graphs in
// its attributes.
func (g *graph) spoil(node *proto.Node) {
	for _, name := range node.Outputs {
		if name != "" {
			g.values[name] = Value{spoiled: true}
		}
	}
	for _, a := range node.Attributes {
		for _, p := range graphsOf(a) {
			for _, inner := range p.Nodes {
				if found, function := g.judge(inner); found.rule == nil && function == nil {
					continue
				}
				g.spoilInside(inner)
			}
		}
	}
}

// spoilInside judges the graphs in the attributes of a node in such a graph.
func (g *graph) spoilInside(node *proto.Node) {
	inner := &graph{conversion: g.conversion, importsOf: g.importsOf, values: make(map[string]Value)}
	inner.spoil(node)
}

// inputs returns what a node reads, nil if one of the inputs could not be converted.
func (g *graph) inputs(node *proto.Node) ([]Value, error) {
	inputs := make([]Value, len(node.Inputs))
	spoiled := false
	for i, name := range node.Inputs {
		if name == "" {
			continue
		}
		v, err := g.lookup(name)
		if err != nil {
			return nil, faults.Errorf("input %d: %w", i, err)
		}
		inputs[i] = v
		spoiled = spoiled || v.spoiled
	}
	if spoiled {
		return nil, nil
	}
	return inputs, nil
}

// trimmed returns inputs without absent ones at the end, which a node can also leave out.
func trimmed(inputs []Value) []Value {
	for len(inputs) > 0 && inputs[len(inputs)-1].Absent() {
		inputs = inputs[:len(inputs)-1]
	}
	return inputs
}

// apply converts a node by its rule.
func (g *graph) apply(node *proto.Node, found version, inputs []Value) (outputs []Value, err error) {
	if found.rule.Inputs.Max >= 0 {
		inputs = trimmed(inputs)
	}
	if err := found.rule.Inputs.Check(len(inputs)); err != nil {
		return nil, err
	}
	for i, v := range inputs {
		if err := v.checkTensor(); err != nil && !found.rule.AnyKind {
			return nil, faults.Errorf("input %d (%s) is %w", i, printable.Quote(node.Inputs[i], maxNameText), err)
		}
	}
	for i := range found.rule.Inputs.Min {
		if inputs[i].Absent() {
			return nil, faults.Errorf("input %d is absent, and %s requires it", i, node.Operator)
		}
	}
	if n, most := len(node.Outputs), found.rule.Outputs.Max; most >= 0 && n > most {
		return nil, faults.Errorf("the node has %d outputs, expected %v", n, found.rule.Outputs)
	}
	n := &Node{Version: found.since, graph: g, node: node, inputs: inputs}
	defer func() {
		if r := recover(); r != nil {
			outputs, err = nil, faults.OfPanic(" in the rule of an operator", r)
		}
	}()
	outputs = found.rule.Convert(n)
	if n.err != nil {
		return nil, n.err
	}
	g.observe(n)
	return outputs, g.builder.Err()
}

// defineAll gives the outputs of a node their names.
func (g *graph) defineAll(node *proto.Node, outputs []Value) error {
	for i, name := range node.Outputs {
		if name == "" {
			continue
		}
		if i >= len(outputs) || outputs[i].Absent() {
			return faults.Errorf("output %d is not supported", i)
		}
		g.define(name, outputs[i])
	}
	return g.builder.Err()
}

// nodeError returns err as one about a node.
func nodeError(node *proto.Node, since int, err error) error {
	return &NodeError{
		Name: node.Name, Output: firstOf(node.Outputs), Domain: domainOf(node.Domain), Operator: node.Operator, Version: since, Err: err,
	}
}

// firstOf returns the first name that is not empty.
func firstOf(names []string) string {
	for _, name := range names {
		if name != "" {
			return name
		}
	}
	return ""
}
