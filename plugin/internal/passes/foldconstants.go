package passes

import (
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// FoldConstants replaces layers that depend on constants only by Constants of their outputs.
// Examples are the conversion of weights that are stored as f16 or in 8 or 4 bits, shape
// arithmetic, and weights that are broadcast from few numbers.
func FoldConstants(g *ops.Graph) bool {
	f := folder{Editor: rewrite.NewEditor(g), constants: make(map[edit.Source]*ir.Layer)}
	for _, layer := range g.Model.Order {
		f.fold(layer)
	}
	return f.Done()
}

// folder is the state of FoldConstants. constants holds the Constants that replace outputs.
type folder struct {
	*rewrite.Editor
	constants map[edit.Source]*ir.Layer
}

// fold connects the inputs of layer to Constants that replace their sources. If all inputs are then
// Constants, it replaces all outputs of layer. Else it replaces the outputs whose values inference
// has found.
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
				f.addConstants(layer, tensors)
				return
			}
			inputs[i] = ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: t}
		}
		var err error
		if tensors, err = f.Evaluate(layer, inputs); err != nil {
			return
		}
	}
	f.addConstants(layer, tensors)
}

// addConstants adds a Constant for each output of layer whose tensor is not nil.
func (f *folder) addConstants(layer *ir.Layer, tensors []*ir.Tensor) {
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
