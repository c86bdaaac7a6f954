package reshape

import (
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
)

// maxSharedBytes is the size up to which Constants are compared by their bytes:
// larger ones are equal where they are the same part of the .bin.
const maxSharedBytes = 4096

// sharer finds the layers that OpenVINO makes one before it counts who reads them.
type sharer struct {
	*relaxer
	values map[string]int // a number for each value of Constants
	text   []byte
	key    strings.Builder
}

// share finds the layers of a type with the same attributes that read the same
// outputs, or equal Constants beside at least one of the same. They stay as they
// are, since each has a name of its own.
func (r *relaxer) share() {
	m := r.model
	r.classes = make([]*ir.Layer, len(m.Layers))
	for _, layer := range m.Order {
		r.classes[layer.Index] = layer
	}
	s := sharer{relaxer: r, values: make(map[string]int)}
	shared := make(map[*ir.Layer]map[string]*ir.Layer)
	for _, layer := range m.Order {
		from := r.sharedSource(layer)
		if from == nil {
			continue
		}
		key := s.keyOf(layer)
		of := shared[from]
		if of == nil {
			of = make(map[string]*ir.Layer)
			shared[from] = of
		}
		if first := of[key]; first != nil {
			r.classes[layer.Index] = first
		} else {
			of[key] = layer
		}
	}
}

// class returns the layer that stands for all that layer is one with.
func (r *relaxer) class(layer *ir.Layer) *ir.Layer {
	if layer.Index < len(r.classes) && r.classes[layer.Index] != nil {
		return r.classes[layer.Index]
	}
	return layer
}

// sharedSource returns the layer that those which may be one with layer read, nil
// where layer is one for itself: it has a state, a body or several outputs, or
// reads Constants only.
func (r *relaxer) sharedSource(layer *ir.Layer) *ir.Layer {
	switch layer.Type {
	case "Result", "Assign", "ReadValue":
		return nil
	}
	if len(layer.Outputs) > 1 || len(layer.Bodies) > 0 {
		return nil
	}
	for i := range layer.Inputs {
		if !isConstant(layer, i) {
			return r.class(layer.Inputs[i].Source)
		}
	}
	return nil
}

// keyOf returns a text that is the same for equal layers.
func (s *sharer) keyOf(layer *ir.Layer) string {
	s.key.Reset()
	write := func(texts ...string) {
		for _, text := range texts {
			s.key.WriteString(strconv.Itoa(len(text)))
			s.key.WriteByte(':')
			s.key.WriteString(text)
		}
	}
	write(layer.Type, layer.Opset)
	for _, a := range layer.Data {
		write(a.Name, a.Value)
	}
	for i, in := range layer.Inputs {
		if value, ok := s.valueOf(in.Source); ok {
			write("value", strconv.Itoa(value))
			continue
		}
		from := in.Source
		if in.SourceIndex == 0 {
			from = s.class(from)
		}
		write("layer", strconv.Itoa(from.Index), strconv.Itoa(in.SourceIndex), strconv.Itoa(i))
	}
	return s.key.String()
}

// valueOf returns a number that is the same for equal Constants; false for other
// layers and for Constants that equal no other.
func (s *sharer) valueOf(c *ir.Layer) (int, bool) {
	t, at := c.Constant, c.Const
	small := t != nil && len(t.Bytes()) <= maxSharedBytes
	if c.Type != "Constant" || t != nil && t.ElementType() == ir.String || !small && at.Size == 0 {
		return 0, false
	}
	if t != nil {
		s.text = append(append(s.text[:0], t.ElementType().String()...), t.Shape().String()...)
	} else {
		a := ir.AttributesOf(c)
		s.text = append(append(s.text[:0], a.String("element_type", "")...), a.String("shape", "")...)
	}
	if small {
		s.text = append(s.text, t.Bytes()...)
	} else {
		s.text = strconv.AppendUint(append(s.text, " at "...), at.Offset, 10)
		s.text = strconv.AppendUint(append(s.text, ' '), at.Size, 10)
	}
	value, ok := s.values[string(s.text)]
	if !ok {
		value = len(s.values)
		s.values[string(s.text)] = value
	}
	return value, true
}
