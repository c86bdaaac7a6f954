package proto

import "github.com/vinoir/vinoir/ir/onnx/internal/wire"

// AttributeType is a number of AttributeProto.AttributeType.
type AttributeType int64

// The types of attributes.
const (
	AttributeUndefined AttributeType = iota
	AttributeFloat
	AttributeInt
	AttributeString
	AttributeTensor
	AttributeGraph
	AttributeFloats
	AttributeInts
	AttributeStrings
	AttributeTensors
	AttributeGraphs
	AttributeSparseTensor
	AttributeSparseTensors
	AttributeTypeProto
	AttributeTypeProtos
	numAttributeTypes
)

// String returns the word for a value of type t.
func (t AttributeType) String() string {
	if t < 0 || t >= numAttributeTypes {
		return "a value of unknown type"
	}
	return [...]string{
		"no value", "a float", "an integer", "a string", "a tensor", "a graph", "floats", "integers", "strings", "tensors", "graphs",
		"a sparse tensor", "sparse tensors", "a type", "types",
	}[t]
}

// Attribute is an AttributeProto.
type Attribute struct {
	Name string
	// Type says which field has the value. Files of IR versions before 2 have no types: it is then
	// the one of the field that is there.
	Type AttributeType
	// Reference is the name of an attribute of the function around the node that gives the value.
	Reference string

	Float         float32
	Int           int64
	String        []byte
	Tensor        *Tensor
	Graph         *Graph
	Floats        []float32
	Ints          []int64
	Strings       [][]byte
	Tensors       []*Tensor
	Graphs        []*Graph
	SparseTensor  *SparseTensor
	SparseTensors []*SparseTensor
	TypeValue     *Type
}

// attributeFields has the type for each field of an AttributeProto that is a value.
var attributeFields = [24]AttributeType{
	2: AttributeFloat, 3: AttributeInt, 4: AttributeString, 5: AttributeTensor, 6: AttributeGraph, 7: AttributeFloats, 8: AttributeInts,
	9: AttributeStrings, 10: AttributeTensors, 11: AttributeGraphs, 14: AttributeTypeProto, 15: AttributeTypeProtos, 22: AttributeSparseTensor,
	23: AttributeSparseTensors,
}

func (a *Attribute) read(r *wire.Reader) {
	found := AttributeUndefined
	for r.Next() {
		if r.Field < len(attributeFields) && attributeFields[r.Field] != AttributeUndefined {
			found = attributeFields[r.Field]
		}
		switch r.Field {
		case 1:
			r.Text(&a.Name)
		case 2:
			r.Float(&a.Float)
		case 3:
			r.Int64(&a.Int)
		case 4:
			r.Bytes(&a.String)
		case 5:
			r.Message(reads(&a.Tensor, (*Tensor).read))
		case 6:
			r.Message(reads(&a.Graph, (*Graph).read))
		case 7:
			r.Floats(&a.Floats)
		case 8:
			r.Int64s(&a.Ints)
		case 9:
			r.ByteLists(&a.Strings)
		case 10:
			r.Message(appends(&a.Tensors, (*Tensor).read))
		case 11:
			r.Message(appends(&a.Graphs, (*Graph).read))
		case 14:
			r.Message(reads(&a.TypeValue, (*Type).read))
		case 20:
			r.Int64((*int64)(&a.Type))
		case 21:
			r.Text(&a.Reference)
		case 22:
			r.Message(reads(&a.SparseTensor, (*SparseTensor).read))
		case 23:
			r.Message(appends(&a.SparseTensors, (*SparseTensor).read))
		default:
			r.Skip()
		}
	}
	if a.Type == AttributeUndefined {
		a.Type = found
	}
}
