package edit

import (
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Find returns an output of a layer of m by a name: that of the tensor, that of a layer with one
// output, or LAYER:N for output N of a layer. The name of a Result finds the output that it reads.
// It is an error if the name is that of several layers. Layers in bodies are not found.
func Find(m *ir.Model, name string) (Source, error) {
	for _, layer := range m.Layers {
		for i := range layer.Outputs {
			for _, tensor := range layer.Outputs[i].Names {
				if tensor == name {
					return Source{layer, i}, nil
				}
			}
		}
	}
	return find(m, name, Source{}, nil)
}

// find is Find after tensor, if it has a layer, was found by name. Layers in without are not found.
func find(m *ir.Model, name string, tensor Source, without map[*ir.Layer]bool) (Source, error) {
	if tensor.Layer != nil {
		return tensor, nil
	}
	layer, err := layerOf(m, name, without)
	if err != nil {
		return Source{}, err
	}
	if layer != nil {
		if len(layer.Outputs) > 1 {
			return Source{}, faults.Errorf("name %s: %v has %d outputs: write %s:0 for the first", quoted(name), layer, len(layer.Outputs), quoted(name))
		}
		return output(layer, 0)
	}
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		layer, err := layerOf(m, name[:i], without)
		if err != nil {
			return Source{}, err
		}
		if n, notNumber := strconv.Atoi(name[i+1:]); layer != nil && notNumber == nil {
			return output(layer, n)
		}
	}
	return Source{}, faults.Errorf("name %s: the model has no tensor and no layer of that name", quoted(name))
}

// layerOf returns the layer of a name; nil if there is none.
func layerOf(m *ir.Model, name string, without map[*ir.Layer]bool) (*ir.Layer, error) {
	var found *ir.Layer
	for _, layer := range m.Layers {
		if layer.Name != name || without[layer] {
			continue
		}
		if found != nil {
			return nil, faults.Errorf("name %s: it is that of %v and of %v", quoted(name), found, layer)
		}
		found = layer
	}
	return found, nil
}

// output returns output n of layer. That of a Result is what it reads.
func output(layer *ir.Layer, n int) (Source, error) {
	if layer.Type == "Result" && n == 0 && len(layer.Inputs) > 0 {
		return SourceOf(layer.Inputs[0]), nil
	}
	if n < 0 || n >= len(layer.Outputs) {
		return Source{}, faults.Errorf("%v has no output %d, it has %d", layer, n, len(layer.Outputs))
	}
	return Source{layer, n}, nil
}
