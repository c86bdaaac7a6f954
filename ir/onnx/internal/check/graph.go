package check

import "github.com/vinoir/vinoir/ir/onnx/internal/proto"

// scope has the names of a graph or of a function, and those that can be seen in it.
type scope struct {
	names   map[string]bool
	outer   *scope // nil for the graph of a model and for a function
	imports map[string]int64
}

// has reports whether a name stands for a value in s or around it.
func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		if s.names[name] {
			return true
		}
	}
	return false
}

// inside returns the scope of a graph in an attribute of a node in s.
func (s *scope) inside() *scope { return &scope{outer: s, imports: s.imports} }

// graph checks a graph, whose names go into s.
func (c *checker) graph(g *proto.Graph, s *scope) {
	s.names = make(map[string]bool, len(g.Inputs)+len(g.Nodes))
	if g.Name == "" {
		c.add(KindField, "the graph has no name")
	}
	main := s.outer == nil
	for _, v := range g.Inputs {
		c.valueInfo(v, "input", main)
		if s.names[v.Name] {
			c.add(KindGraph, "there are two inputs called %s", quote(v.Name))
		}
		s.names[v.Name] = true
	}
	c.initializers(g, s)
	c.nodes(g.Nodes, s)
	for _, v := range g.Outputs {
		c.valueInfo(v, "output", main)
		if main && !s.names[v.Name] {
			c.add(KindGraph, "nothing defines the output %s", quote(v.Name))
		}
	}
}

// initializers checks the constants of a graph.
func (c *checker) initializers(g *proto.Graph, s *scope) {
	names := make(map[string]bool, len(g.Initializers))
	check := func(t *proto.Tensor, what string) {
		switch {
		case t.Name == "":
			c.add(KindField, "%s has no name", what)
		case names[t.Name]:
			c.add(KindGraph, "there are two initializers called %s", quote(t.Name))
		case c.irVersion > 0 && c.irVersion <= 3 && !s.names[t.Name]:
			c.add(KindGraph, "initializer %s is not an input, which IR version %d demands", quote(t.Name), c.irVersion)
		}
		names[t.Name] = true
		c.tensor(t)
	}
	for _, t := range g.Initializers {
		check(t, "an initializer")
	}
	for _, t := range g.SparseInitializers {
		if t.Values == nil {
			c.add(KindField, "a sparse initializer has no values")
			continue
		}
		check(t.Values, "a sparse initializer")
		c.sparse(t)
	}
	for name := range names {
		s.names[name] = true
	}
}

// nodes checks the nodes of a graph or of a function. That they are not sorted is one problem.
func (c *checker) nodes(nodes []*proto.Node, s *scope) {
	defined := make(map[string]bool, len(nodes)) // by any of the nodes
	for _, node := range nodes {
		for _, name := range node.Outputs {
			defined[name] = true
		}
	}
	var first *proto.Node
	early, name := 0, "" // nodes that read the value of a later one, and the value of the first
	for _, node := range nodes {
		if c.ctx.Err() != nil {
			return
		}
		if later := c.inputs(node, s, defined); later != "" {
			if early++; early == 1 {
				first, name = node, later
			}
		}
		c.node(node, s)
		for i, name := range node.Outputs {
			if name == "" {
				continue
			}
			if s.has(name) {
				c.addAt(node, KindGraph, "output %d is %s, a name that stands for another value already", i, quote(name))
			}
			s.names[name] = true
		}
	}
	if early > 0 {
		c.addAt(first, KindGraph, "%d of %d nodes stand before one that they need, the first of them before that of %s", early, len(nodes), quote(name))
	}
}

// inputs checks that what a node reads is defined. It returns the first input that only a later
// node defines, "" if there is none.
func (c *checker) inputs(node *proto.Node, s *scope, defined map[string]bool) (later string) {
	for i, name := range node.Inputs {
		switch {
		case name == "" || s.has(name):
		case !defined[name]:
			c.addAt(node, KindGraph, "input %d is %s, which nothing defines", i, quote(name))
		case later == "":
			later = name
		}
	}
	return later
}

// valueInfo checks what a graph says about an input or an output. Graphs in attributes need not
// give types.
func (c *checker) valueInfo(v *proto.ValueInfo, what string, main bool) {
	switch {
	case v.Name == "":
		c.add(KindField, "an %s has no name", what)
	case !main:
	case v.Type == nil || v.Type.Kind == proto.KindUnknown:
		c.add(KindField, "%s %s has no type", what, quote(v.Name))
	case (v.Type.Kind == proto.KindTensor || v.Type.Kind == proto.KindSparseTensor) && v.Type.ElementType == 0:
		c.add(KindField, "%s %s has no element type", what, quote(v.Name))
	case (v.Type.Kind == proto.KindTensor || v.Type.Kind == proto.KindSparseTensor) && v.Type.Shape == nil:
		c.add(KindField, "%s %s has no shape", what, quote(v.Name))
	}
}
