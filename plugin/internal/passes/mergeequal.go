package passes

import (
	"encoding/binary"
	"strings"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// maxMergedElements is the largest number of elements of a constant that is compared.
const maxMergedElements = 256

// MergeEqual keeps one of several layers that have equal types, attributes and inputs. Exporters
// write shape arithmetic, and the casts and reshapes around it, once for each place that needs it.
// The pass leaves out elementwise layers of f32: one that two layers read is fused with neither.
func MergeEqual(g *ops.Graph) bool {
	e := rewrite.NewEditor(g)
	first, constants := map[string]*ir.Layer{}, map[*ir.Layer]*ir.Layer{}
	var key []byte
	for _, layer := range g.Model.Order {
		if len(layer.Outputs) > 1 || layer.Constant == nil && !isMerged(e, layer) {
			continue
		}
		if key = appendIdentity(key[:0], layer, constants); key == nil {
			continue
		}
		switch same := first[string(key)]; {
		case same == nil:
			first[string(key)] = layer
		case layer.Constant != nil:
			constants[layer] = same // both stay, but their readers can be equal
		default:
			e.ReplaceLayer(layer, edit.First(same))
		}
	}
	return e.Done()
}

// isMerged reports whether the output of layer depends on its inputs alone and layer is not better
// computed again in the kernels of its readers.
func isMerged(e *rewrite.Editor, layer *ir.Layer) bool {
	op, err := e.Op(layer)
	if err != nil || len(layer.Inputs) == 0 || layer.Type == "Result" || op.Traits.Stateful {
		return false
	}
	return op.Fusion.Stage == nil || !op.Fusion.Applies || !e.IsFloat32(ir.Input{Source: layer})
}

// appendIdentity appends a key that is equal for layers that compute the same. It returns nil for a
// constant that is not compared. constants maps constants to equal ones before them.
func appendIdentity(key []byte, layer *ir.Layer, constants map[*ir.Layer]*ir.Layer) []byte {
	add := func(text string) {
		key = append(binary.AppendUvarint(key, uint64(len(text))), text...)
	}
	add(strings.ToLower(layer.Type))
	add(layer.Opset)
	if t := layer.Constant; t != nil {
		if t.ElementType() == ir.String || t.Len() > maxMergedElements || t.Deferred() != nil {
			return nil
		}
		add(t.ElementType().String())
		add(t.Shape().String())
		return append(key, t.Bytes()...)
	}
	key = binary.AppendUvarint(key, uint64(len(layer.Data)))
	for _, attribute := range layer.Data {
		add(attribute.Name)
		add(attribute.Value)
	}
	for _, in := range layer.Inputs {
		from := in.Source
		if same := constants[from]; same != nil {
			from = same
		}
		key = binary.AppendUvarint(key, uint64(from.Index))
		key = binary.AppendUvarint(key, uint64(in.SourceIndex))
	}
	return key
}
