package convert

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// Observer sees what becomes of a model, for a report of how the two differ.
type Observer struct {
	// Needed is called for each node of the graph of the model that an output needs.
	Needed func(node *proto.Node)
	// Converted is called for each node, but those in bodies of layers, with the version of its
	// operator and the layers that were made for it, without Constants.
	Converted func(node *proto.Node, version int, layers []*ir.Layer)
	// Declared is called for each value of the graph of the model whose type and shape the file
	// declares.
	Declared func(*DeclaredValue)
}

// DeclaredValue is a value with what the file says about it, and with what was inferred.
type DeclaredValue struct {
	Name  string
	Type  ir.ElementType
	Shape ir.PartialShape
	// The value is output number Output of Layer.
	Layer    *ir.Layer
	Output   int
	Inferred ir.Fact
}

// Differs reports whether the type or the shape in the file is not the inferred one.
func (d *DeclaredValue) Differs() (inType, inShape bool) {
	return d.Inferred.Type != ir.Dynamic && d.Inferred.Type != d.Type, !d.Inferred.Shape.Compatible(d.Shape)
}

// observe tells the Observer, if there is one, about a node that was converted.
func (g *graph) observe(n *Node) {
	if g.Observer == nil || n.err != nil {
		return
	}
	for at := g; at != nil; at = at.outer {
		if at.captures != nil {
			return // a body, which may be converted several times
		}
	}
	g.Observer.Converted(n.node, n.Version, n.layers)
}
