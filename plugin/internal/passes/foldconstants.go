package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// FoldConstants computes what depends on constants only: the conversion of
// weights that are stored as f16 or in 8 and 4 bits, shape arithmetic, weights
// that are stored as a few numbers and the layers that spread them.
var FoldConstants = Pass{"FoldConstants", foldConstants}

func foldConstants(g *Graph) bool {
	f := folder{editor: newEditor(g), constants: make(map[edit.Source]*ir.Layer)}
	for _, layer := range g.Model.Order {
		f.fold(layer)
	}
	return f.done()
}

type folder struct {
	*editor
	constants map[edit.Source]*ir.Layer
}

// fold leads layer's inputs to the Constants made so far, and makes Constants of
// its outputs where all of its inputs are constant.
func (f *folder) fold(layer *ir.Layer) {
	for i := range layer.Inputs {
		in := &layer.Inputs[i]
		if c := f.constants[edit.SourceOf(*in)]; c != nil {
			f.Connect(in, edit.First(c))
		}
	}
	if layer.Constant != nil || len(layer.Inputs) == 0 || layer.Type == "Result" {
		return
	}
	facts := f.Shapes.Outputs(layer)
	tensors := make([]*ir.Tensor, len(facts))
	folded := true
	for i := range facts {
		tensors[i] = facts[i].Constant()
		folded = folded && tensors[i] != nil
	}
	if !folded {
		inputs := make([]ir.Fact, len(layer.Inputs))
		for i, in := range layer.Inputs {
			t := in.Source.Constant
			if t == nil {
				f.replace(layer, tensors)
				return
			}
			inputs[i] = ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: t}
		}
		var err error
		if tensors, err = f.Evaluate(layer, inputs); err != nil {
			return
		}
	}
	f.replace(layer, tensors)
}

func (f *folder) replace(layer *ir.Layer, tensors []*ir.Tensor) {
	for i, t := range tensors {
		if t != nil {
			c := f.Constant(layer, "", t)
			if i < len(layer.Outputs) {
				c.Outputs[0].Names = layer.Outputs[i].Names
			}
			f.constants[edit.Source{Layer: layer, Output: i}] = c
		}
	}
}
