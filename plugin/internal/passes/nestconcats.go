package passes

import (
	"encoding/binary"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// NestConcats makes a Concat whose first inputs another one joins start with that one's
// output. Networks such as DenseNet join all their layers again and again; nested, the
// joints lie in each other's memory, and nothing is copied.
//
//	Concat(a, b, c) = Concat(Concat(a, b), c)
var NestConcats = Pass{"NestConcats", nestConcats}

// maxNested bounds the inputs of a Concat that others are looked for in.
const maxNested = 256

func nestConcats(g *Graph) bool {
	joints := map[string]*ir.Layer{} // by the axis and all inputs
	e := newEditor(g)
	for _, layer := range g.Model.Order {
		if layer.Type != "Concat" || len(layer.Inputs) > maxNested {
			continue
		}
		key := []byte(ir.AttributesOf(layer).String("axis", ""))
		var first *ir.Layer
		count := 0
		for i, in := range layer.Inputs {
			key = binary.AppendUvarint(append(key, ' '), uint64(in.Source.Index))
			key = binary.AppendUvarint(key, uint64(in.SourceIndex))
			if joint := joints[string(key)]; joint != nil && i > 0 && i+1 < len(layer.Inputs) {
				first, count = joint, i+1
			}
		}
		if joints[string(key)] == nil {
			joints[string(key)] = layer
		}
		if first != nil {
			sources := []edit.Source{edit.First(first)}
			for _, in := range layer.Inputs[count:] {
				sources = append(sources, edit.SourceOf(in))
			}
			e.SetInputs(layer, sources...)
		}
	}
	return e.done()
}
