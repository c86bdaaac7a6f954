package check

import "github.com/vinoir/vinoir/ir/onnx/internal/proto"

// function checks a function. outer has what the model imports.
func (c *checker) function(f *proto.Function, outer map[string]int64) {
	s := &scope{names: make(map[string]bool, len(f.Inputs)+len(f.Nodes)), imports: importsOf(f.Imports, nil)}
	switch {
	case f.Name == "":
		c.add(KindField, "a function has no name")
	case f.Domain == "":
		c.add(KindField, "function %s has no domain", quote(f.Name))
	}
	if _, ok := s.imports[domainOf(f.Domain)]; !ok {
		s.imports[domainOf(f.Domain)] = outer[domainOf(f.Domain)] // functions call each other
	}
	for _, name := range f.Inputs {
		if s.names[name] {
			c.add(KindGraph, "function %s has two inputs called %s", quote(f.Name), quote(name))
		}
		s.names[name] = true
	}
	attributes := make(map[string]bool, len(f.Attributes)+len(f.Defaults))
	for _, name := range f.Attributes {
		if attributes[name] {
			c.add(KindField, "function %s has two attributes called %s", quote(f.Name), quote(name))
		}
		attributes[name] = true
	}
	for _, a := range f.Defaults {
		if attributes[a.Name] {
			c.add(KindField, "function %s has two attributes called %s", quote(f.Name), quote(a.Name))
		}
		attributes[a.Name] = true
	}
	c.nodes(f.Nodes, s)
}

// recursion finds functions that call themselves, also by way of others.
func (c *checker) recursion(functions []*proto.Function) {
	const (
		open = iota + 1
		done
	)
	state := make(map[*proto.Function]int, len(functions))
	var visit func(f *proto.Function, depth int)
	visit = func(f *proto.Function, depth int) {
		state[f] = open
		calls(f.Nodes, func(node *proto.Node) {
			called := c.functions[function{domainOf(node.Domain), node.Operator, node.Overload}]
			switch {
			case called == nil || c.ctx.Err() != nil:
			case state[called] == open:
				c.add(KindGraph, "function %s calls itself, or a function that calls it", quote(called.Name))
			case state[called] == 0 && depth < maxDepth:
				visit(called, depth+1)
			}
		})
		state[f] = done
	}
	for _, f := range functions {
		if state[f] == 0 {
			visit(f, 0)
		}
	}
}

// maxDepth bounds the number of functions in each other that are followed.
const maxDepth = 10_000

// calls calls do for each node in nodes and in the graphs of their attributes.
func calls(nodes []*proto.Node, do func(*proto.Node)) {
	for _, node := range nodes {
		do(node)
		for _, a := range node.Attributes {
			if a.Graph != nil {
				calls(a.Graph.Nodes, do)
			}
			for _, g := range a.Graphs {
				calls(g.Nodes, do)
			}
		}
	}
}
