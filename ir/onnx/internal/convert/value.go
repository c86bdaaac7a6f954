package convert

import (
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/onnx/internal/narrow"
)

// Value is a tensor of the model that is made. The zero Value is absent: an optional input that a
// node leaves out.
type Value struct {
	source edit.Source
	// spoiled means that the value could not be converted, and that nothing that reads it can be.
	spoiled bool
	// narrow is the type in the file if OpenVINO does not have it: see DataType. It stays with the
	// elements in layers that do not change their type.
	narrow *narrow.Type
}

// Absent reports whether there is no such value.
func (v Value) Absent() bool { return v.source.Layer == nil && !v.spoiled }

// Spoiled reports whether the value could not be converted, so that nothing that reads it can be.
func (v Value) Spoiled() bool { return v.spoiled }

// Output returns output i of the layer that v is an output of.
func (v Value) Output(i int) Value {
	return Value{source: v.source.Out(i), spoiled: v.spoiled, narrow: v.narrow}
}

// Outputs returns the first count outputs of the layer that v is an output of.
func (v Value) Outputs(count int) []Value {
	list := make([]Value, count)
	for i := range list {
		list[i] = v.Output(i)
	}
	return list
}
