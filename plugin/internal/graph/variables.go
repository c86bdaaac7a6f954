package graph

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// Variable is a variable of a model.
type Variable struct {
	ID string
	// Fact is the type and shape that all values must have.
	Fact ir.Fact
}

// SetModel prepares e for model, which has the given shapes: its memory, and its variables and
// those of its bodies, in the order of the layers that read or assign them.
func (e *Environment) SetModel(model *ir.Model, shapes *infer.Shapes, limits memory.Limits) error {
	e.Memory, e.LayerTypes = memory.NewCompiled(model.Discard, limits), make(map[string]bool)
	list, index := []Variable(nil), make(map[string]int)
	for layer, shapes := range shapes.AllLayers(model) {
		if layer.Constant != nil {
			e.Memory.InPlace.SetOfModel(layer.Constant)
		}
		if shapes == nil {
			continue
		}
		op, err := e.Registry.Op(layer)
		if err != nil {
			return control.AtLayer(layer, err)
		}
		idOf := op.Traits.Reads
		if idOf == nil {
			idOf = op.Traits.Assigns
		}
		if idOf == nil {
			continue
		}
		id := idOf(shapes.Attributes(layer))
		i, ok := index[id]
		if !ok {
			i = len(list)
			index[id] = i
			list = append(list, Variable{id, ir.Fact{Shape: ir.UnknownRank}})
		}
		if op.Traits.Reads == nil {
			continue
		}
		// The output of a layer that reads the variable holds any of its values.
		fact, known := shapes.Outputs(layer)[0], &list[i].Fact
		t, typeFits := ir.MergeElementTypes(known.Type, fact.Type)
		shape, shapeFits := known.Shape.Merge(fact.Shape)
		if !typeFits || !shapeFits {
			return control.AtLayer(layer, faults.Errorf("variable %q is %v%v here, and %v%v in a layer before",
				id, fact.Type, fact.Shape, known.Type, known.Shape))
		}
		*known = ir.Fact{Type: t, Shape: shape}
	}
	e.Variables, e.variableIndex = list, index
	return nil
}
