package reshape

import (
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
)

// maxSharedBytes is the largest size of Constants that are compared byte by byte. Larger ones
// are equal if they are at the same position of the .bin.
const maxSharedBytes = 4096

// sharer finds equal layers. OpenVINO merges them before it counts readers.
type sharer struct {
	*relaxer
	values map[string]int // a number for each distinct value of a Constant
	text   []byte
	key    strings.Builder
}

// share finds equal layers: layers with the same type and attributes that read the same outputs
// or equal Constants, and at least one output that is not constant. The layers are not merged,
// because each keeps its name; r.classes has the first one of each class of equal layers.
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

// class returns the first of the layers that are equal to layer.
func (r *relaxer) class(layer *ir.Layer) *ir.Layer {
	if layer.Index < len(r.classes) && r.classes[layer.Index] != nil {
		return r.classes[layer.Index]
	}
	return layer
}

// sharedSource returns the source of the first input of layer that is not constant. Equal
// layers have the same one. It returns nil if layer is equal to no other layer: it has state,
// bodies or several outputs, or reads only Constants.
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

// valueOf returns a number that is the same for equal Constants. It returns false for other
// layers and for Constants that are not compared.
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
