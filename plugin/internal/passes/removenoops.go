package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// RemoveNoOps leads the readers of a layer that passes its input on to the input
// itself: a Convert to the type that the tensor has, a Concat of one tensor.
// Layers such as Reshape, which only give a tensor another shape, are no steps of
// a plan in any case.
var RemoveNoOps = Pass{"RemoveNoOps", removeNoOps}

func removeNoOps(g *Graph) bool {
	e := newEditor(g)
	for _, layer := range g.Model.Order {
		for i := range layer.Inputs {
			in := &layer.Inputs[i]
			for isNoOp(g.Shapes, in.Source) {
				e.Connect(in, edit.SourceOf(in.Source.Inputs[0]))
			}
		}
	}
	return e.done()
}

func isNoOp(shapes *infer.Shapes, layer *ir.Layer) bool {
	if len(layer.Inputs) != 1 {
		return false
	}
	switch layer.Type {
	case "Convert":
		in, out := shapes.Inputs(layer)[0].Type, shapes.Outputs(layer)[0].Type
		return in == out && in != ir.Dynamic
	case "Concat":
		return true
	}
	return false
}
