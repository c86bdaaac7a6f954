package convert

import (
	"errors"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// producers returns the position of the node that each name is an output of. It is an error if a
// name is defined twice.
func (g *graph) producers() (map[string]int, error) {
	producers := make(map[string]int, len(g.nodes))
	for i, node := range g.nodes {
		for _, name := range node.Outputs {
			if name == "" {
				continue
			}
			_, isNode := producers[name]
			_, isInput := g.values[name]
			if _, isInitializer := g.initializers[name]; isNode || isInput || isInitializer {
				what := "an input"
				if isNode {
					what = "another node"
				} else if isInitializer {
					what = "an initializer"
				}
				return nil, nodeError(node, 0, faults.Errorf("output %s is defined by %s too", printable.Quote(name, maxNameText), what))
			}
			producers[name] = i
		}
	}
	return producers, nil
}

// nodeState is how far a node has been ordered.
type nodeState uint8

const (
	nodeUnneeded nodeState = iota
	nodeNeeded
	nodeOpen
	nodeDone
)

// order returns the nodes that the wanted values need, each after those that it reads, else in the
// order of the file, which should be such an order already. It is an error if there is a cycle.
func (g *graph) order(wanted []string) ([]*proto.Node, error) {
	producers, err := g.producers()
	if err != nil {
		return nil, err
	}
	state := make([]nodeState, len(g.nodes))
	var stack []int
	need := func(names []string) {
		for _, name := range names {
			if i, ok := producers[name]; ok && state[i] == nodeUnneeded {
				state[i] = nodeNeeded
				stack = append(stack, i)
			}
		}
	}
	reads := make([][]string, len(g.nodes))
	for need(wanted); len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		reads[i] = g.reads(g.nodes[i])
		need(reads[i])
	}
	var order []*proto.Node
	next := make([]int, len(g.nodes)) // the position of the next entry of reads to look at
	for root := range g.nodes {
		if state[root] != nodeNeeded {
			continue
		}
		state[root] = nodeOpen
		for stack = append(stack, root); len(stack) > 0; {
			i := stack[len(stack)-1]
			if next[i] == len(reads[i]) {
				state[i] = nodeDone
				order = append(order, g.nodes[i])
				stack = stack[:len(stack)-1]
				continue
			}
			source, ok := producers[reads[i][next[i]]]
			next[i]++
			switch {
			case !ok:
			case state[source] == nodeOpen:
				return nil, nodeError(g.nodes[source], 0, errors.New("the node depends on its own output: the graph has a cycle"))
			case state[source] == nodeNeeded:
				state[source] = nodeOpen
				stack = append(stack, source)
			}
		}
	}
	return order, nil
}

// reads returns the names that a node reads: its inputs, and what graphs in its attributes capture.
func (c *conversion) reads(node *proto.Node) []string {
	names := node.Inputs
	for _, a := range node.Attributes {
		for _, p := range graphsOf(a) {
			names = append(slices.Clip(names), c.capturedBy(p)...)
		}
	}
	return names
}

// graphsOf returns the graphs that are the value of an attribute.
func graphsOf(a *proto.Attribute) []*proto.Graph {
	if a.Graph != nil {
		return append(slices.Clip(a.Graphs), a.Graph)
	}
	return a.Graphs
}

// capturedBy returns the names that p reads and does not define.
func (c *conversion) capturedBy(p *proto.Graph) []string {
	if names, ok := c.captured[p]; ok {
		return names
	}
	known := make(map[string]bool)
	for _, v := range p.Inputs {
		known[v.Name] = true
	}
	for _, t := range p.Initializers {
		known[t.Name] = true
	}
	for _, s := range p.SparseInitializers {
		if s.Values != nil {
			known[s.Values.Name] = true
		}
	}
	for _, node := range p.Nodes {
		for _, name := range node.Outputs {
			known[name] = true
		}
	}
	names := []string{}
	add := func(list []string) {
		for _, name := range list {
			if !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	for _, node := range p.Nodes {
		add(c.reads(node))
	}
	for _, v := range p.Outputs {
		add([]string{v.Name})
	}
	c.captured[p] = names
	return names
}

// Readers returns the nodes that read output i of the node, for their operators and attributes, or
// false if anything else may read it: an output of the graph, or a graph in an attribute.
func (n *Node) Readers(i int) ([]*Node, bool) {
	g, name := n.graph, n.node.Outputs[i]
	if slices.Contains(g.wanted, name) {
		return nil, false
	}
	if g.readers == nil {
		g.readers = make(map[string][]*proto.Node)
		for _, node := range g.nodes {
			for _, name := range g.reads(node) {
				g.readers[name] = append(g.readers[name], node)
			}
		}
	}
	var readers []*Node
	for _, node := range g.readers[name] {
		if !slices.Contains(node.Inputs, name) {
			return nil, false
		}
		readers = append(readers, &Node{graph: g, node: node})
	}
	return readers, true
}
