package passes

import (
	"encoding/binary"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// maxNested is the largest number of inputs of a Concat that the pass handles.
const maxNested = 256

// NestConcats replaces the first inputs of a Concat by the output of an earlier Concat that has
// exactly these inputs. Networks such as DenseNet concatenate the outputs of all earlier layers
// again and again. Nested Concats can share memory, and then nothing is copied.
//
//	Concat(a, b, c) = Concat(Concat(a, b), c)
func NestConcats(g *ops.Graph) bool {
	joints := map[string]*ir.Layer{} // by the axis and all inputs
	e := rewrite.NewEditor(g)
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
	return e.Done()
}
