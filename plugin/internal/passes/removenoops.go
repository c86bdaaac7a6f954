package passes

import (
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
)

// RemoveNoOps removes layers whose output is their input: a Convert to the type of its input, and a
// Concat of one tensor. It does not handle layers such as Reshape, because a layer with Memory.View
// set costs nothing.
func RemoveNoOps(g *ops.Graph) bool {
	e := rewrite.NewEditor(g)
	for _, layer := range g.Model.Order {
		for i := range layer.Inputs {
			in := &layer.Inputs[i]
			for isNoOp(g.Shapes, in.Source) {
				e.Connect(in, edit.SourceOf(in.Source.Inputs[0]))
			}
		}
	}
	return e.Done()
}

// isNoOp reports whether the output of layer is its only input.
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
