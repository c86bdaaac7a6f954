package oip

import "github.com/vinoir/vinoir/ir"

// Datatype is the protocol's name of an element type.
type Datatype string

// datatypes lists what can be sent: the table of the protocol and Triton's BF16.
var datatypes = [...]struct {
	name        Datatype
	elementType ir.ElementType
}{
	{"BOOL", ir.Boolean},
	{"INT8", ir.I8}, {"INT16", ir.I16}, {"INT32", ir.I32}, {"INT64", ir.I64},
	{"UINT8", ir.U8}, {"UINT16", ir.U16}, {"UINT32", ir.U32}, {"UINT64", ir.U64},
	{"FP16", ir.F16}, {"BF16", ir.BF16}, {"FP32", ir.F32}, {"FP64", ir.F64},
	{"BYTES", ir.String},
}

// DatatypeOf returns the name of t; false if the protocol has none, as for i4 and f8e4m3.
func DatatypeOf(t ir.ElementType) (Datatype, bool) {
	for _, d := range datatypes {
		if d.elementType == t {
			return d.name, true
		}
	}
	return "", false
}

// ElementType returns the element type that d names; false if the protocol has no such name.
func (d Datatype) ElementType() (ir.ElementType, bool) {
	for _, known := range datatypes {
		if known.name == d {
			return known.elementType, true
		}
	}
	return ir.Dynamic, false
}
