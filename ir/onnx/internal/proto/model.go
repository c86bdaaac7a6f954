package proto

import (
	"errors"

	"github.com/vinoir/vinoir/ir/onnx/internal/wire"
)

// Model is a ModelProto, the whole of a file.
type Model struct {
	IRVersion                     int64
	ProducerName, ProducerVersion string
	Domain                        string
	ModelVersion                  int64
	Graph                         *Graph
	Imports                       []Import
	Metadata                      []Entry
	Functions                     []*Function
}

// Import is an OperatorSetIdProto: the version of a domain that a model or a function uses.
type Import struct {
	Domain  string
	Version int64
}

// Entry is a StringStringEntryProto.
type Entry struct {
	Key, Value string
}

// Function is a FunctionProto: an operator that a model defines.
type Function struct {
	Domain, Name, Overload string
	Inputs, Outputs        []string
	Attributes             []string     // names of those without a default
	Defaults               []*Attribute // the others
	Nodes                  []*Node
	Imports                []Import
}

// Parse reads a model. The error is a *wire.SyntaxError if data is not a protocol buffer. The bytes
// of tensors share data.
func Parse(data []byte, limits wire.Limits) (*Model, error) {
	m := new(Model)
	r := wire.NewReader(data, limits)
	m.read(r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	if m.Graph == nil {
		return nil, errors.New("the model has no graph")
	}
	return m, nil
}

func (m *Model) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Int64(&m.IRVersion)
		case 2:
			r.Text(&m.ProducerName)
		case 3:
			r.Text(&m.ProducerVersion)
		case 4:
			r.Text(&m.Domain)
		case 5:
			r.Int64(&m.ModelVersion)
		case 7:
			r.Message(reads(&m.Graph, (*Graph).read))
		case 8:
			r.Message(appendsValue(&m.Imports, (*Import).read))
		case 14:
			r.Message(appendsValue(&m.Metadata, (*Entry).read))
		case 25:
			r.Message(appends(&m.Functions, (*Function).read))
		default:
			r.Skip()
		}
	}
}

// reads returns a function that reads a message into *p, which it makes if it is nil.
func reads[T any](p **T, read func(*T, *wire.Reader)) func(*wire.Reader) {
	return func(r *wire.Reader) {
		if *p == nil {
			*p = new(T)
		}
		read(*p, r)
	}
}

// appends returns a function that appends a message to *list.
func appends[T any](list *[]*T, read func(*T, *wire.Reader)) func(*wire.Reader) {
	return func(r *wire.Reader) {
		m := new(T)
		*list = append(*list, m)
		read(m, r)
	}
}

// appendsValue is appends for a list of values.
func appendsValue[T any](list *[]T, read func(*T, *wire.Reader)) func(*wire.Reader) {
	return func(r *wire.Reader) {
		var m T
		read(&m, r)
		*list = append(*list, m)
	}
}

func (i *Import) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Text(&i.Domain)
		case 2:
			r.Int64(&i.Version)
		default:
			r.Skip()
		}
	}
}

func (e *Entry) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Text(&e.Key)
		case 2:
			r.Text(&e.Value)
		default:
			r.Skip()
		}
	}
}

func (f *Function) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Text(&f.Name)
		case 4:
			r.Texts(&f.Inputs)
		case 5:
			r.Texts(&f.Outputs)
		case 6:
			r.Texts(&f.Attributes)
		case 7:
			r.Message(appends(&f.Nodes, (*Node).read))
		case 9:
			r.Message(appendsValue(&f.Imports, (*Import).read))
		case 10:
			r.Text(&f.Domain)
		case 11:
			r.Message(appends(&f.Defaults, (*Attribute).read))
		case 13:
			r.Text(&f.Overload)
		default:
			r.Skip()
		}
	}
}
