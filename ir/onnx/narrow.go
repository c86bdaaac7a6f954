package onnx

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/narrow"
)

// NarrowType returns ONNX's name of the element type that the file has for an input or output, a
// Parameter or a Result, if OpenVINO does not have it, such as "FLOAT8E4M3FNUZ"; "" for all others.
func NarrowType(layer *ir.Layer) string {
	if a := ir.RTInfoAttribute(layer.RTInfo, convert.TypeAttribute); a != nil {
		return a.SelectAttrValue("value", "")
	}
	return ""
}

// Expand returns the values of elements of a type that OpenVINO does not have, as an input of that
// type takes them: see NarrowType. Elements of less than a byte follow each other from the lowest
// bit on, as in raw_data. It is an error if data does not have the elements of shape, and if
// narrowType is another type.
func Expand(narrowType string, shape ir.Shape, data []byte) (*ir.Tensor, error) {
	e := narrow.Named(narrowType)
	if e == nil {
		return nil, faults.Errorf("%s is not a type of ONNX that OpenVINO lacks and another one holds", printable.Quote(narrowType, 100))
	}
	return e.Expand(shape, data)
}
