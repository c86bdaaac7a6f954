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

// nodes checks the nodes of a graph or of a function.
func (c *checker) nodes(nodes []*proto.Node, s *scope) {
	for _, node := range nodes {
		if c.ctx.Err() != nil {
			return
		}
		for i, name := range node.Inputs {
			if name != "" && !s.has(name) {
				c.addAt(node, KindGraph, "input %d is %s, which nothing before the node defines", i, quote(name))
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
