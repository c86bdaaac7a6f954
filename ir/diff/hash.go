package diff

import (
	"encoding/binary"
	"hash/maphash"
	"strings"

	"github.com/vinoir/vinoir/ir"
)

// hasher computes hashes of layers. The seed is random, so that nobody can make a file whose layers
// have equal hashes.
type hasher struct{ seed maphash.Seed }

func newHasher() hasher { return hasher{maphash.MakeSeed()} }

// hashes are the hashes of a layer and of all that it depends on. exact is equal for layers that
// compute the same from the same inputs of the model. loose leaves out attributes, opsets and the
// values of Constants.
type hashes struct{ exact, loose uint64 }

// graph sets the hashes of the layers of m, by Layer.Index. inputs has the hashes of the
// Parameters.
func (h hasher) graph(m *ir.Model, inputs map[*ir.Layer]uint64) []hashes {
	list := make([]hashes, len(m.Layers))
	for _, layer := range m.Order {
		if id, ok := inputs[layer]; ok {
			list[layer.Index] = hashes{id, id}
		} else {
			list[layer.Index] = h.layer(layer, list)
		}
	}
	return list
}

// layer returns the hashes of a layer, given those of the layers that it reads.
func (h hasher) layer(layer *ir.Layer, known []hashes) hashes {
	var exact, loose maphash.Hash
	exact.SetSeed(h.seed)
	loose.SetSeed(h.seed)
	_, _ = exact.WriteString(layer.Type)
	_, _ = loose.WriteString(layer.Type)
	_ = exact.WriteByte(0)
	_, _ = exact.WriteString(layer.Opset)
	writeInt(&loose, uint64(len(layer.Inputs)))
	if layer.Type == "Constant" {
		writeInt(&exact, h.constant(layer))
	} else {
		writeInt(&exact, h.attributes(layer.Data))
	}
	for i := range layer.Inputs {
		in := &layer.Inputs[i]
		source := known[in.Source.Index]
		writeInt(&exact, source.exact)
		writeInt(&exact, uint64(in.SourceIndex))
		writeInt(&loose, source.loose)
		writeInt(&loose, uint64(in.SourceIndex))
	}
	for i := range layer.Bodies {
		body := h.body(&layer.Bodies[i])
		writeInt(&exact, body.exact)
		writeInt(&loose, body.loose)
	}
	return hashes{exact.Sum64(), loose.Sum64()}
}

func writeInt(h *maphash.Hash, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	_, _ = h.Write(b[:])
}

// attributes returns a hash of attributes in any order.
func (h hasher) attributes(data []ir.Attribute) uint64 {
	sum := uint64(len(data))
	for i := range data {
		var a maphash.Hash
		a.SetSeed(h.seed)
		_, _ = a.WriteString(data[i].Name)
		_ = a.WriteByte(0)
		_, _ = a.WriteString(compact(data[i].Value))
		sum += a.Sum64()
	}
	return sum
}

// compact returns the value of an attribute without the spaces in lists.
func compact(value string) string { return strings.ReplaceAll(value, ", ", ",") }

// constant returns a hash of the type, the shape and the value of a Constant.
func (h hasher) constant(layer *ir.Layer) uint64 {
	var c maphash.Hash
	c.SetSeed(h.seed)
	t := layer.Constant
	if t == nil {
		writeInt(&c, h.attributes(withoutPlace(layer.Data)))
		return c.Sum64()
	}
	_, _ = c.WriteString(t.ElementType().String())
	_, _ = c.WriteString(t.Shape().String())
	if t.ElementType() == ir.String {
		for _, s := range t.Strings() {
			writeInt(&c, uint64(len(s)))
			_, _ = c.WriteString(s)
		}
		return c.Sum64()
	}
	_, _ = c.Write(bytesOf(t))
	return c.Sum64()
}

// bytesOf returns the elements of t, wherever they are in memory.
func bytesOf(t *ir.Tensor) []byte {
	if raw := t.Unaligned(); raw != nil {
		return raw
	}
	return t.Bytes()
}

// withoutPlace returns the attributes of a Constant without its place in the .bin.
func withoutPlace(data []ir.Attribute) []ir.Attribute {
	var kept []ir.Attribute
	for _, a := range data {
		if a.Name != "offset" && a.Name != "size" {
			kept = append(kept, a)
		}
	}
	return kept
}

// body returns the hashes of a body: of its Results and sinks, with its inputs numbered by
// position.
func (h hasher) body(b *ir.Body) hashes {
	inputs := make(map[*ir.Layer]uint64, len(b.Model.Parameters))
	for i, p := range b.Model.Parameters {
		inputs[p] = uint64(i)
	}
	list := h.graph(b.Model, inputs)
	var exact, loose maphash.Hash
	exact.SetSeed(h.seed)
	loose.SetSeed(h.seed)
	for _, ends := range [][]*ir.Layer{b.Model.Results, b.Model.Sinks} {
		for _, layer := range ends {
			writeInt(&exact, list[layer.Index].exact)
			writeInt(&loose, list[layer.Index].loose)
		}
	}
	return hashes{exact.Sum64(), loose.Sum64()}
}
