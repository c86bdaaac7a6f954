package passes

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// MergeEqual keeps one of the layers that compute the same from the same: exporters
// write the arithmetic of shapes, and the casts and reshapes around it, once for each
// place that needs it. Layers that other layers take into their own kernels are left
// alone.
var MergeEqual = Pass{"MergeEqual", mergeEqual}

// merged lists the layer types that MergeEqual looks at.
var merged = []string{
	"Broadcast", "Concat", "Constant", "Convert", "Gather", "Range", "ReduceMean", "Reshape", "ShapeOf", "Slice", "Squeeze",
	"StridedSlice", "Tile", "Transpose", "Unsqueeze",
}

// maxMergedBytes is the size up to which constants are compared.
const maxMergedBytes = 256

func mergeEqual(g *Graph) bool {
	e := newEditor(g)
	first, constants := map[string]*ir.Layer{}, map[*ir.Layer]*ir.Layer{}
	var key []byte
	for _, layer := range g.Model.Order {
		if len(layer.Outputs) > 1 || !slices.Contains(merged, layer.Type) {
			continue
		}
		if key = appendIdentity(key[:0], layer, constants); key == nil {
			continue
		}
		switch same := first[string(key)]; {
		case same == nil:
			first[string(key)] = layer
		case layer.Constant != nil:
			constants[layer] = same // that two are equal is no gain by itself
		default:
			e.replace(layer, edit.First(same))
		}
	}
	return e.done()
}

// appendIdentity appends what layers that compute the same have in common; nil for a
// large constant. constants holds, for a constant, an earlier one that is equal.
func appendIdentity(key []byte, layer *ir.Layer, constants map[*ir.Layer]*ir.Layer) []byte {
	add := func(text string) {
		key = append(binary.AppendUvarint(key, uint64(len(text))), text...)
	}
	add(strings.ToLower(layer.Type))
	add(layer.Opset)
	if t := layer.Constant; t != nil {
		if t.ElementType() == ir.String || t.Len() > maxMergedBytes || t.Deferred() != nil {
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
