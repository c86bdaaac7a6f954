package convert

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/narrow"
)

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
	if v.narrow() != nil && v.narrow().Holder == t.Element {
		t.Narrow = v.narrow()
	}
	return t
}

// As returns v as a value of a type that has the same Element.
func (v Value) As(t DataType) Value {
	if !v.Absent() {
		v = v.holding(t.Narrow)
	}
	return v
}
