package edit

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Prune removes the layers from m that are not in its order: those that no output depends on.
func Prune(m *ir.Model) {
	used := make(map[*ir.Layer]bool, len(m.Order))
	for _, layer := range m.Order {
		used[layer] = true
	}
	drop(m, func(layer *ir.Layer) bool { return used[layer] })
}

// drop removes the layers from m that keep does not keep.
func drop(m *ir.Model, keep func(*ir.Layer) bool) {
	for _, list := range []*[]*ir.Layer{&m.Layers, &m.Parameters, &m.Results} {
		*list = slices.DeleteFunc(*list, func(layer *ir.Layer) bool { return !keep(layer) })
	}
	for i, layer := range m.Layers {
		layer.Index = i
		if layer.Origin != nil && !keep(layer.Origin) {
			layer.Origin = nil
		}
	}
}

// Declare sets the types and dims of all ports in m and in its bodies to those in shapes, the
// Shapes of m, except for those that depend on a value that was not read.
func Declare(m *ir.Model, shapes *infer.Shapes) {
	for layer, s := range shapes.AllLayers(m) {
		if s == nil {
			continue
		}
		for i := range layer.Inputs {
			in := &layer.Inputs[i]
			if facts := s.Outputs(in.Source); in.SourceIndex < len(facts) && !s.Unknown(in.Source) {
				in.DeclaredType, in.Declared = facts[in.SourceIndex].Type, facts[in.SourceIndex].Shape
			}
		}
		if facts := s.Outputs(layer); !s.Unknown(layer) {
			for i := range layer.Outputs {
				layer.Outputs[i].DeclaredType, layer.Outputs[i].Declared = facts[i].Type, facts[i].Shape
			}
		}
	}
}
