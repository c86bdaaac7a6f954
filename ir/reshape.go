package ir

import "fmt"

// Reshape returns the facts that give the inputs of m other shapes, for Propagate
// and Validate, and leaves m as it is. A name is that of a Parameter layer or of its
// tensor. The shapes need not fit those of the file.
func (m *Model) Reshape(shapes map[string]PartialShape) (map[*Layer]Fact, error) {
	parameters := make(map[*Layer]Fact, len(shapes))
	for name, shape := range shapes {
		p := m.Parameter(name)
		if p == nil {
			return nil, fmt.Errorf("input %q: the model has no Parameter or input tensor of that name", name)
		}
		t := AttributesOf(p).ElementType("element_type", Dynamic)
		parameters[p] = Fact{Type: t, Shape: shape}
	}
	return parameters, nil
}

// Parameter returns the Parameter with the given layer name or tensor name, nil
// where there is none.
func (m *Model) Parameter(name string) *Layer {
	for _, p := range m.Parameters {
		if p.Name == name {
			return p
		}
	}
	for _, p := range m.Parameters {
		for _, out := range p.Outputs {
			for _, n := range out.Names {
				if n == name {
					return p
				}
			}
		}
	}
	return nil
}
