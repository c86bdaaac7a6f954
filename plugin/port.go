package plugin

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Port is an input or output of a model.
type Port struct {
	// Name is the friendly name: the name of the Parameter layer, or of the layer that computes
	// the output.
	Name string
	// Names lists the tensor names; there can be none.
	Names []string
	Type  ir.ElementType
	Shape ir.PartialShape

	layer string // name of the Result layer
}

// AllNames returns the names that find the port, without repeats: its tensor names, its friendly
// name and, for an output, the name of its Result layer.
func (p *Port) AllNames() []string {
	names := slices.Clone(p.Names)
	for _, name := range []string{p.Name, p.layer} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Ports returns the inputs and outputs of m in document order. shapes must be the Shapes of m.
func Ports(m *ir.Model, shapes *infer.Shapes) (inputs, outputs []Port) {
	inputs, outputs = make([]Port, len(m.Parameters)), make([]Port, len(m.Results))
	sets := make(nameSets)
	for i, layer := range m.Results {
		port := Port{Name: layer.Name, Names: layer.OutputNames, layer: layer.Name}
		for _, in := range layer.Inputs {
			port.Name = in.Source.Name
			if in.SourceIndex < len(in.Source.Outputs) {
				port.Names = sets.union(port.Names, &in.Source.Outputs[in.SourceIndex])
			}
		}
		fact := shapes.Outputs(layer)[0]
		port.Type, port.Shape = fact.Type, fact.Shape
		outputs[i] = port
	}
	for i, layer := range m.Parameters {
		fact := shapes.Outputs(layer)[0]
		inputs[i] = Port{Name: layer.Name, Type: fact.Type, Shape: fact.Shape}
		if len(layer.Outputs) > 0 {
			inputs[i].Names = layer.Outputs[0].Names
		}
	}
	return inputs, outputs
}

// maxOwnNames is the largest number of names of a tensor of which each output has a list of its
// own.
const maxOwnNames = 64

// nameSets has the names of tensors with more than maxOwnNames names.
type nameSets map[*ir.Output]map[string]bool

// union returns names and the other names of out. If out has more than maxOwnNames names, and names
// are among them, union returns the list of out: any number of Results can read one tensor.
func (s nameSets) union(names []string, out *ir.Output) []string {
	if len(names) == 0 || len(names) == len(out.Names) && &names[0] == &out.Names[0] {
		return out.Names
	}
	if len(out.Names) <= maxOwnNames {
		for _, name := range out.Names {
			if !slices.Contains(names, name) {
				names = append(slices.Clip(names), name)
			}
		}
		return names
	}
	set := s[out]
	if set == nil {
		set = make(map[string]bool, len(out.Names))
		for _, name := range out.Names {
			set[name] = true
		}
		s[out] = set
	}
	var own []string
	for _, name := range names {
		if !set[name] {
			own = append(own, name)
		}
	}
	if own == nil {
		return out.Names
	}
	return append(own, out.Names...)
}

// nameList identifies a list of names that outputs share.
type nameList struct {
	first *string
	n     int
}

// portIndices maps the names of ports to their indices. Of ports of one name, a tensor name takes
// precedence over a friendly name, that over the name of a Result layer, and then the first port.
func portIndices(ports []Port) map[string]int {
	indices := make(map[string]int, 2*len(ports))
	add := func(name string, i int) {
		if _, ok := indices[name]; !ok {
			indices[name] = i
		}
	}
	known := make(map[nameList]bool)
	for i := range ports {
		names := ports[i].Names
		if len(names) == 0 || known[nameList{&names[0], len(names)}] {
			continue
		}
		known[nameList{&names[0], len(names)}] = true
		for _, name := range names {
			add(name, i)
		}
	}
	for i := range ports {
		add(ports[i].Name, i)
	}
	for i := range ports {
		if ports[i].layer != "" {
			add(ports[i].layer, i)
		}
	}
	return indices
}

// unknownPort returns an *ir.NameError for a name that no port has. kind is "input" or "output". It
// lists at most maxOwnNames tensor names of each port.
func unknownPort(kind string, ports []Port, name string) error {
	e := &ir.NameError{Kind: kind, Name: name}
	for _, p := range ports {
		e.Names = append(e.Names, append([]string{p.Name}, p.Names[:min(len(p.Names), maxOwnNames)]...))
	}
	return e
}
