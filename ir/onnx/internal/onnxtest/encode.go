// Package onnxtest makes ONNX files for tests, and checks operators with them. It encodes the
// structs of package proto, and knows only as much of the encoding as it writes, so that a mistake
// of the reader is not made twice.
package onnxtest

import (
	"encoding/binary"
	"math"

	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// Message is a protocol buffer that is being written.
type Message []byte

// tag appends the tag of a field.
func (m *Message) tag(field, wireType int) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|uint64(wireType))
}

// Int appends an integer, unless it is 0.
func (m *Message) Int(field int, v int64) {
	if v != 0 {
		m.tag(field, 0)
		*m = binary.AppendUvarint(*m, uint64(v))
	}
}

// Float appends a float, unless it is 0.
func (m *Message) Float(field int, v float32) {
	if v != 0 {
		m.tag(field, 5)
		*m = binary.LittleEndian.AppendUint32(*m, math.Float32bits(v))
	}
}

// Bytes appends bytes, a string or a message.
func (m *Message) Bytes(field int, v []byte) {
	m.tag(field, 2)
	*m = append(binary.AppendUvarint(*m, uint64(len(v))), v...)
}

// Text appends a string, unless it is empty.
func (m *Message) Text(field int, v string) {
	if v != "" {
		m.Bytes(field, []byte(v))
	}
}

// Texts appends strings, also empty ones.
func (m *Message) Texts(field int, list []string) {
	for _, v := range list {
		m.Bytes(field, []byte(v))
	}
}

// ints appends a packed list of integers, unless it is empty.
func ints[T int32 | int64 | uint64](m *Message, field int, list []T) {
	if len(list) == 0 {
		return
	}
	var data []byte
	for _, v := range list {
		data = binary.AppendUvarint(data, uint64(v))
	}
	m.Bytes(field, data)
}

// messages appends a message for each element of list.
func messages[T any](m *Message, field int, list []T, encode func(T) []byte) {
	for _, v := range list {
		m.Bytes(field, encode(v))
	}
}

// Encode returns the file of a model.
func Encode(p *proto.Model) []byte {
	var m Message
	m.Int(1, p.IRVersion)
	m.Text(2, p.ProducerName)
	m.Text(3, p.ProducerVersion)
	m.Text(4, p.Domain)
	m.Int(5, p.ModelVersion)
	if p.Graph != nil {
		m.Bytes(7, Graph(p.Graph))
	}
	messages(&m, 8, p.Imports, encodeImport)
	messages(&m, 14, p.Metadata, entry)
	messages(&m, 25, p.Functions, function)
	return m
}

func encodeImport(i proto.Import) []byte {
	var m Message
	m.Text(1, i.Domain)
	m.Int(2, i.Version)
	return m
}

func entry(e proto.Entry) []byte {
	var m Message
	m.Text(1, e.Key)
	m.Text(2, e.Value)
	return m
}

func function(f *proto.Function) []byte {
	var m Message
	m.Text(1, f.Name)
	m.Texts(4, f.Inputs)
	m.Texts(5, f.Outputs)
	m.Texts(6, f.Attributes)
	messages(&m, 7, f.Nodes, node)
	messages(&m, 9, f.Imports, encodeImport)
	m.Text(10, f.Domain)
	messages(&m, 11, f.Defaults, attribute)
	m.Text(13, f.Overload)
	return m
}

// Graph returns the encoding of a graph.
func Graph(g *proto.Graph) []byte {
	var m Message
	messages(&m, 1, g.Nodes, node)
	m.Text(2, g.Name)
	messages(&m, 5, g.Initializers, Tensor)
	messages(&m, 11, g.Inputs, valueInfo)
	messages(&m, 12, g.Outputs, valueInfo)
	messages(&m, 13, g.ValueInfo, valueInfo)
	messages(&m, 15, g.SparseInitializers, sparseTensor)
	return m
}

func node(n *proto.Node) []byte {
	var m Message
	m.Texts(1, n.Inputs)
	m.Texts(2, n.Outputs)
	m.Text(3, n.Name)
	m.Text(4, n.Operator)
	messages(&m, 5, n.Attributes, attribute)
	m.Text(7, n.Domain)
	m.Text(8, n.Overload)
	return m
}

func valueInfo(v *proto.ValueInfo) []byte {
	var m Message
	m.Text(1, v.Name)
	if v.Type != nil {
		m.Bytes(2, valueType(v.Type))
	}
	return m
}

func valueType(t *proto.Type) []byte {
	var m, content Message
	element := func(field int) {
		if t.Element != nil {
			content.Bytes(field, valueType(t.Element))
		}
	}
	switch t.Kind {
	case proto.KindTensor, proto.KindSparseTensor:
		content.Int(1, int64(t.ElementType))
		if t.Shape != nil {
			var shape Message
			messages(&shape, 1, t.Shape.Dims, dim)
			content.Bytes(2, shape)
		}
	case proto.KindMap:
		content.Int(1, int64(t.ElementType))
		element(2)
	case proto.KindSequence, proto.KindOptional:
		element(1)
	}
	fields := map[proto.Kind]int{
		proto.KindTensor: 1, proto.KindSequence: 4, proto.KindMap: 5, proto.KindOpaque: 7, proto.KindSparseTensor: 8, proto.KindOptional: 9,
	}
	if field := fields[t.Kind]; field > 0 {
		m.Bytes(field, content)
	}
	return m
}

func dim(d proto.Dim) []byte {
	var m Message
	if d.Known {
		m.tag(1, 0)
		m = binary.AppendUvarint(m, uint64(d.Value))
	}
	m.Text(2, d.Name)
	return m
}

// Tensor returns the encoding of a tensor.
func Tensor(t *proto.Tensor) []byte {
	var m Message
	ints(&m, 1, t.Dims)
	m.Int(2, int64(t.DataType))
	if t.Segment {
		m.Bytes(3, nil)
	}
	var floats, doubles []byte
	for _, v := range t.Floats {
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(v))
	}
	if floats != nil {
		m.Bytes(4, floats)
	}
	ints(&m, 5, t.Int32s)
	for _, s := range t.Strings {
		m.Bytes(6, s)
	}
	ints(&m, 7, t.Int64s)
	m.Text(8, t.Name)
	if t.Raw != nil {
		m.Bytes(9, t.Raw)
	}
	for _, v := range t.Doubles {
		doubles = binary.LittleEndian.AppendUint64(doubles, math.Float64bits(v))
	}
	if doubles != nil {
		m.Bytes(10, doubles)
	}
	ints(&m, 11, t.Uint64s)
	messages(&m, 13, t.Location, entry)
	if t.External {
		m.Int(14, 1)
	}
	return m
}

func sparseTensor(s *proto.SparseTensor) []byte {
	var m Message
	if s.Values != nil {
		m.Bytes(1, Tensor(s.Values))
	}
	if s.Indices != nil {
		m.Bytes(2, Tensor(s.Indices))
	}
	ints(&m, 3, s.Dims)
	return m
}

func attribute(a *proto.Attribute) []byte {
	var m Message
	m.Text(1, a.Name)
	m.Float(2, a.Float)
	m.Int(3, a.Int)
	if a.String != nil {
		m.Bytes(4, a.String)
	}
	if a.Tensor != nil {
		m.Bytes(5, Tensor(a.Tensor))
	}
	if a.Graph != nil {
		m.Bytes(6, Graph(a.Graph))
	}
	for _, v := range a.Floats { // not packed
		m.tag(7, 5)
		m = binary.LittleEndian.AppendUint32(m, math.Float32bits(v))
	}
	for _, v := range a.Ints {
		m.tag(8, 0)
		m = binary.AppendUvarint(m, uint64(v))
	}
	for _, v := range a.Strings {
		m.Bytes(9, v)
	}
	messages(&m, 10, a.Tensors, Tensor)
	messages(&m, 11, a.Graphs, Graph)
	if a.TypeValue != nil {
		m.Bytes(14, valueType(a.TypeValue))
	}
	m.Int(20, int64(a.Type))
	m.Text(21, a.Reference)
	if a.SparseTensor != nil {
		m.Bytes(22, sparseTensor(a.SparseTensor))
	}
	messages(&m, 23, a.SparseTensors, sparseTensor)
	return m
}
