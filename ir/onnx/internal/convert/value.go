package convert

import (
	"github.com/vinoir/vinoir/ir"
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

// DataType is an element type of ONNX: Element or, if OpenVINO does not have it, Narrow, whose
// values are held by elements of type Element.
type DataType struct {
	Element ir.ElementType
	Narrow  *narrow.Type
}

// Name returns ONNX's name of a type that OpenVINO does not have, and otherwise OpenVINO's.
func (t DataType) Name() string {
	if t.Narrow != nil {
		return t.Narrow.Name
	}
	return t.Element.String()
}

// DataType returns the type of a value: Dynamic if it is not known.
func (n *Node) DataType(v Value) DataType {
	t := DataType{Element: n.Type(v)}
	if v.narrow != nil && v.narrow.Holder == t.Element {
		t.Narrow = v.narrow
	}
	return t
}

// As returns v as a value of a type that has the same Element.
func (v Value) As(t DataType) Value {
	v.narrow = t.Narrow
	return v
}
