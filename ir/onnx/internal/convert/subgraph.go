package convert

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// Inline converts the graph that is the value of an attribute in place of the node, and returns its
// outputs, which are those of the node. Its nodes can read names of the graph around it. inputs are
// the values of its inputs.
func (n *Node) Inline(name string, inputs ...Value) []Value {
	n.CheckGraph(name, len(inputs), len(n.node.Outputs))
	if n.Failed() {
		return nil
	}
	outputs, err := n.graph.inline(n.node, n.attribute(name, proto.AttributeGraph).Graph, inputs, n.node.Outputs)
	if err != nil {
		n.fail(err)
	}
	return outputs
}

// Graph converts the graph that is the value of an attribute, whose outputs are not those of the
// node. inputs are the values of its inputs, and outputs is the number of outputs that it must
// have. It returns those that wanted, if it is not nil, is true for.
func (n *Node) Graph(name string, outputs int, wanted func(i int) bool, inputs ...Value) []Value {
	n.CheckGraph(name, len(inputs), outputs)
	if n.Failed() {
		return nil
	}
	p := n.attribute(name, proto.AttributeGraph).Graph
	names := make([]string, outputs)
	for i := range names {
		if wanted == nil || wanted(i) {
			names[i] = n.graph.unique(p.Outputs[i].Name)
		}
	}
	values, err := n.graph.inline(n.node, p, inputs, names)
	if err != nil {
		n.fail(err)
	}
	return values
}

// CheckGraph makes it an error if an attribute is not a graph with the given numbers of inputs and
// outputs.
func (n *Node) CheckGraph(name string, inputs, outputs int) {
	if a := n.attribute(name, proto.AttributeGraph); n.Failed() {
		return
	} else if a == nil || a.Graph == nil {
		n.Fail("attribute %s has no graph", name)
	} else if len(a.Graph.Inputs) != inputs || len(a.Graph.Outputs) != outputs {
		n.Fail("attribute %s: the graph has %d inputs and %d outputs, expected %d and %d", name,
			len(a.Graph.Inputs), len(a.Graph.Outputs), inputs, outputs)
	}
}

// ReadsLists reports whether the graph that is the value of an attribute reads a value of a graph
// around it that is no tensor.
func (n *Node) ReadsLists(name string) bool {
	a := n.attribute(name, proto.AttributeGraph)
	if a == nil || a.Graph == nil {
		return false
	}
	for _, name := range n.graph.capturedBy(a.Graph) {
		for g := n.graph; g != nil; g = g.parent {
			if v, ok := g.values[name]; ok {
				if !v.IsTensor() {
					return true
				}
				break
			}
		}
	}
	return false
}

// GraphSize returns the number of nodes in the graph that is the value of an attribute, without
// those in graphs in it.
func (n *Node) GraphSize(name string) int {
	if a := n.attribute(name, proto.AttributeGraph); a != nil && a.Graph != nil {
		return len(a.Graph.Nodes)
	}
	return 0
}

// inline converts p in place of a node. Its outputs get the given names; those that get the name ""
// are not wanted.
func (g *graph) inline(node *proto.Node, p *proto.Graph, inputs []Value, names []string) ([]Value, error) {
	inner, err := g.enter(node)
	if err != nil {
		return nil, err
	}
	inner.parent = g
	inner.open(p)
	for i, v := range p.Inputs {
		inner.values[v.Name] = inputs[i]
	}
	var wanted []string
	for i, name := range names {
		if name != "" {
			wanted = append(wanted, p.Outputs[i].Name)
			inner.renamed[p.Outputs[i].Name] = g.full(name)
		}
	}
	if err := inner.run(wanted); err != nil {
		return nil, err
	}
	if g.err != nil {
		g.err = nodeError(node, 0, g.err)
		return nil, g.err
	}
	outputs := make([]Value, len(names))
	for i, name := range names {
		if name == "" {
			continue
		}
		if outputs[i], err = inner.lookup(p.Outputs[i].Name); err != nil {
			return nil, faults.Errorf("output %d: %w", i, err)
		}
	}
	return outputs, nil
}

// Unsupported is Fail for a form of the operator that no rule has yet: the error counts the
// operator among those that are not supported.
func (n *Node) Unsupported(reason string) {
	key := operator{domainOf(n.node.Domain), n.node.Operator}
	missing := make(unsupported)
	missing.add(key, n.Version, nodeText(n.node.Name, firstOf(n.node.Outputs)), reason)
	n.fail(missing.err())
}
