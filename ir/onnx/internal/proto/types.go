package proto

import "github.com/vinoir/vinoir/ir/onnx/internal/wire"

// Kind says what a value is.
type Kind uint8

// The kinds of values.
const (
	KindUnknown Kind = iota
	KindTensor
	KindSequence
	KindMap
	KindOpaque
	KindSparseTensor
	KindOptional
)

// String returns the word for a value of kind k.
func (k Kind) String() string {
	return [...]string{"value of unknown type", "tensor", "sequence", "map", "opaque value", "sparse tensor", "optional"}[k]
}

// Type is a TypeProto.
type Type struct {
	Kind Kind
	// ElementType is that of a tensor or of a sparse tensor, or the type of the keys of a map: a
	// number of TensorProto.DataType.
	ElementType DataType
	// Shape is that of a tensor; nil means that its rank is unknown.
	Shape *Shape
	// Element is the type of the elements of a sequence, of the values of a map, or of an optional.
	Element *Type
}

// Shape is a TensorShapeProto.
type Shape struct {
	Dims []Dim
}

// Dim is a Dimension of a TensorShapeProto. If Known is not set, its length is unknown; equal
// names, which are not empty, then mean equal lengths.
type Dim struct {
	Known bool
	Value int64
	Name  string
}

func (t *Type) read(r *wire.Reader) {
	for r.Next() {
		if k := kindOf(r.Field); k == KindUnknown {
			r.Skip()
		} else {
			t.Kind = k
			r.Message(t.readContent)
		}
	}
}

// kindOf returns the kind of value that a field of a TypeProto describes.
func kindOf(field int) Kind {
	switch field {
	case 1:
		return KindTensor
	case 4:
		return KindSequence
	case 5:
		return KindMap
	case 7:
		return KindOpaque
	case 8:
		return KindSparseTensor
	case 9:
		return KindOptional
	}
	return KindUnknown
}

// readContent reads the message of the kind that t is.
func (t *Type) readContent(r *wire.Reader) {
	for r.Next() {
		element := r.Field == 1 && (t.Kind == KindSequence || t.Kind == KindOptional) || r.Field == 2 && t.Kind == KindMap
		switch {
		case element:
			r.Message(reads(&t.Element, (*Type).read))
		case r.Field == 1 && t.Kind != KindOpaque:
			r.Int32((*int32)(&t.ElementType))
		case r.Field == 2 && (t.Kind == KindTensor || t.Kind == KindSparseTensor):
			r.Message(reads(&t.Shape, (*Shape).read))
		default:
			r.Skip()
		}
	}
}

func (s *Shape) read(r *wire.Reader) {
	for r.Next() {
		if r.Field == 1 {
			r.Message(appendsValue(&s.Dims, (*Dim).read))
		} else {
			r.Skip()
		}
	}
}

func (d *Dim) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Int64(&d.Value)
			d.Known, d.Name = true, ""
		case 2:
			r.Text(&d.Name)
			d.Known = false
		default:
			r.Skip()
		}
	}
}
