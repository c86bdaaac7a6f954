package convert

import (
	"errors"
	"maps"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// call converts the body of a function in place of a node that calls it.
func (g *graph) call(node *proto.Node, f *proto.Function, inputs []Value) error {
	inner, err := g.enter(node)
	if err == nil {
		for at := g; at != nil && err == nil; at = at.outer {
			if at.function == f {
				err = errors.New("the function calls itself")
			}
		}
	}
	inputs = trimmed(inputs)
	if n := len(f.Inputs); len(inputs) > n && err == nil {
		err = faults.Errorf("%d inputs are given, the function has %d", len(inputs), n)
	}
	if n := len(f.Outputs); len(node.Outputs) > n && err == nil {
		err = faults.Errorf("%d outputs are wanted, the function has %d", len(node.Outputs), n)
	}
	if err != nil {
		return g.keep(node, err)
	}
	inner.nodes, inner.function, inner.arguments = f.Nodes, f, argumentsOf(g, node, f)
	if inner.importsOf, err = g.imports(f.Imports, g.importsOf); err != nil {
		return g.keep(node, err)
	}
	for i, name := range f.Inputs {
		inner.values[name] = Value{}
		if i < len(inputs) {
			inner.values[name] = inputs[i]
		}
	}
	var wanted []string
	for i, name := range node.Outputs {
		if name != "" {
			wanted = append(wanted, f.Outputs[i])
			inner.renamed[f.Outputs[i]] = g.full(name)
		}
	}
	return g.finish(node, inner, f.Outputs, wanted)
}

// enter returns a graph that is converted in place of a node.
func (g *graph) enter(node *proto.Node) (*graph, error) {
	if g.depth+1 > g.Depth {
		return nil, faults.Errorf("functions and graphs are nested deeper than the limit of %d", g.Depth)
	}
	return &graph{
		conversion: g.conversion, builder: g.builder, outer: g, depth: g.depth + 1, importsOf: g.importsOf,
		values: make(map[string]Value), naming: g.inside(g.full(firstOf(node.Outputs))),
	}, nil
}

// finish converts inner, and gives its outputs the names of those of the node.
func (g *graph) finish(node *proto.Node, inner *graph, outputs, wanted []string) error {
	before := g.err
	if err := inner.run(wanted); err != nil {
		return err
	}
	if before == nil && g.err != nil {
		g.err = nodeError(node, 0, g.err)
	}
	for i, name := range node.Outputs {
		if name == "" {
			continue
		}
		v, err := inner.lookup(outputs[i])
		if err == nil && v.Absent() {
			err = faults.Errorf("output %d is an input that is absent", i)
		}
		if err != nil {
			return g.keep(node, err)
		}
		g.define(name, v)
	}
	return g.builder.Err()
}

// keep keeps an error about a node, whose outputs could not be converted.
func (g *graph) keep(node *proto.Node, err error) error {
	if g.err == nil {
		g.err = nodeError(node, 0, err)
	}
	g.spoil(node)
	return nil
}

// argumentsOf returns the attributes of a call by name: those of the node, which may refer to those
// of a function around it, and the defaults of the others.
func argumentsOf(g *graph, node *proto.Node, f *proto.Function) map[string]*proto.Attribute {
	arguments := make(map[string]*proto.Attribute, len(f.Attributes)+len(f.Defaults))
	for _, name := range f.Attributes {
		arguments[name] = nil
	}
	for _, a := range f.Defaults {
		arguments[a.Name] = a
	}
	given := make(map[string]*proto.Attribute, len(node.Attributes))
	for _, a := range node.Attributes {
		if resolved, err := g.resolve(a); err == nil && resolved != nil {
			given[a.Name] = resolved
		}
	}
	maps.Copy(arguments, given)
	return arguments
}

// resolve returns the attribute that gives the value of a: a itself, or the one of the function
// around it that a refers to. It returns nil if the call of the function leaves that out.
func (g *graph) resolve(a *proto.Attribute) (*proto.Attribute, error) {
	if a.Reference == "" {
		return a, nil
	}
	for at := g; at != nil; at = at.parent {
		if at.function == nil {
			continue
		}
		given, ok := at.arguments[a.Reference]
		if !ok {
			return nil, faults.Errorf("attribute %s refers to the attribute %q, which the function does not have", a.Name, a.Reference)
		}
		return given, nil
	}
	return nil, nil // outside of functions, it has no value
}
