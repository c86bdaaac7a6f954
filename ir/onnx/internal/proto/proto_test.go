package proto_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/wire"
)

// full returns a model with all fields.
func full() *proto.Model {
	tensor := func(name string) *proto.Tensor {
		return &proto.Tensor{Name: name, DataType: proto.Float, Dims: []int64{2}, Floats: []float32{1, 2}}
	}
	sequence := &proto.Type{Kind: proto.KindSequence, Element: &proto.Type{Kind: proto.KindTensor, ElementType: proto.Int64}}
	sparse := &proto.SparseTensor{
		Values:  tensor("s"),
		Indices: &proto.Tensor{DataType: proto.Int64, Dims: []int64{2}, Int64s: []int64{1, 3}}, Dims: []int64{4},
	}
	inner := &proto.Graph{Name: "inner", Outputs: []*proto.ValueInfo{{Name: "z"}}}
	return &proto.Model{
		IRVersion: 8, ProducerName: "p", ProducerVersion: "1", Domain: "d", ModelVersion: 3,
		Imports:  []proto.Import{{Version: 13}, {Domain: "x", Version: 1}},
		Metadata: []proto.Entry{{Key: "k", Value: "v"}},
		Functions: []*proto.Function{{
			Domain: "x", Name: "f", Overload: "o", Inputs: []string{"a"}, Outputs: []string{"b"}, Attributes: []string{"c"},
			Defaults: []*proto.Attribute{{Name: "e", Type: proto.AttributeInt, Int: 1}},
			Nodes:    []*proto.Node{{Operator: "Relu", Inputs: []string{"a"}, Outputs: []string{"b"}}},
			Imports:  []proto.Import{{Version: 12}},
		}},
		Graph: &proto.Graph{
			Name: "g",
			Inputs: []*proto.ValueInfo{
				onnxtest.Value("x", 0, 2, "n", ""), {Name: "s", Type: sequence},
				{Name: "m", Type: &proto.Type{Kind: proto.KindMap, ElementType: proto.Int64, Element: &proto.Type{Kind: proto.KindTensor, ElementType: proto.Float}}},
				{Name: "o", Type: &proto.Type{Kind: proto.KindOptional, Element: sequence}},
				{Name: "q", Type: &proto.Type{Kind: proto.KindOpaque}},
				{Name: "r", Type: &proto.Type{Kind: proto.KindSparseTensor, ElementType: proto.Float, Shape: &proto.Shape{}}},
			},
			Outputs:            []*proto.ValueInfo{{Name: "y"}},
			ValueInfo:          []*proto.ValueInfo{onnxtest.Value("v", 0)},
			SparseInitializers: []*proto.SparseTensor{sparse},
			Initializers: []*proto.Tensor{
				tensor("t"),
				{Name: "raw", DataType: proto.Int32, Dims: []int64{1}, Raw: []byte{1, 2, 3, 4}},
				{Name: "ext", DataType: proto.Int32, External: true, Location: []proto.Entry{{Key: "location", Value: "w.bin"}}},
				{Name: "typed", DataType: proto.Double, Segment: true, Doubles: []float64{1}, Int32s: []int32{-1}, Int64s: []int64{-2}, Uint64s: []uint64{3},
					Strings: [][]byte{[]byte("s")}},
			},
			Nodes: []*proto.Node{{
				Name: "n", Domain: "x", Operator: "Op", Overload: "o", Inputs: []string{"x", ""}, Outputs: []string{"y"},
				Attributes: []*proto.Attribute{
					{Name: "f", Type: proto.AttributeFloat, Float: 2}, {Name: "i", Type: proto.AttributeInt, Int: -3},
					{Name: "s", Type: proto.AttributeString, String: []byte("t")}, {Name: "t", Type: proto.AttributeTensor, Tensor: tensor("")},
					{Name: "g", Type: proto.AttributeGraph, Graph: inner}, {Name: "fs", Type: proto.AttributeFloats, Floats: []float32{1, 2}},
					{Name: "is", Type: proto.AttributeInts, Ints: []int64{1, -1}}, {Name: "ss", Type: proto.AttributeStrings, Strings: [][]byte{{'a'}, {}}},
					{Name: "ts", Type: proto.AttributeTensors, Tensors: []*proto.Tensor{tensor("a"), tensor("b")}},
					{Name: "gs", Type: proto.AttributeGraphs, Graphs: []*proto.Graph{inner}},
					{Name: "tp", Type: proto.AttributeTypeProto, TypeValue: sequence}, {Name: "r", Type: proto.AttributeInt, Reference: "c"},
					{Name: "sp", Type: proto.AttributeSparseTensor, SparseTensor: sparse},
					{Name: "sps", Type: proto.AttributeSparseTensors, SparseTensors: []*proto.SparseTensor{sparse}},
				},
			}},
		},
	}
}

func TestParse(t *testing.T) {
	got, err := proto.Parse(onnxtest.Encode(full()), onnxtest.Limits)
	require.NoError(t, err)
	assert.Equal(t, full(), got)
}

// TestParse_pieces checks that the pieces of a message merge, and that unknown fields are skipped.
func TestParse_pieces(t *testing.T) {
	first, second := onnxtest.Graph(&proto.Graph{Name: "a", Outputs: []*proto.ValueInfo{{Name: "y"}}}), onnxtest.Graph(&proto.Graph{Name: "b", Inputs: []*proto.ValueInfo{{Name: "x"}}})
	var m onnxtest.Message
	for _, graph := range [][]byte{first, second, nil} {
		m.Text(6, "documentation")
		m.Int(1000, 5)
		m.Bytes(7, graph)
	}
	got, err := proto.Parse(m, onnxtest.Limits)
	require.NoError(t, err)
	assert.Equal(t, &proto.Graph{Name: "b", Inputs: []*proto.ValueInfo{{Name: "x"}}, Outputs: []*proto.ValueInfo{{Name: "y"}}}, got.Graph)
}

// TestParse_attributeWithoutType checks attributes of files before IR version 2.
func TestParse_attributeWithoutType(t *testing.T) {
	m := onnxtest.Model(1, &proto.Graph{Nodes: []*proto.Node{{Attributes: []*proto.Attribute{{Name: "axes", Ints: []int64{1}}, {Name: "to", String: []byte("FLOAT")}, {Name: "no"}}}}})
	got, err := proto.Parse(onnxtest.Encode(m), onnxtest.Limits)
	require.NoError(t, err)
	attributes := got.Graph.Nodes[0].Attributes
	assert.Equal(t, []proto.AttributeType{proto.AttributeInts, proto.AttributeString, proto.AttributeUndefined}, []proto.AttributeType{attributes[0].Type, attributes[1].Type, attributes[2].Type})
}

func TestParse_errors(t *testing.T) {
	_, err := proto.Parse(nil, onnxtest.Limits)
	assert.EqualError(t, err, "the model has no graph")
	_, err = proto.Parse([]byte("<!DOCTYPE html>"), onnxtest.Limits)
	var syntax *wire.SyntaxError
	assert.ErrorAs(t, err, &syntax)
}

func TestStrings(t *testing.T) {
	assert.Equal(t, []string{"FLOAT", "FLOAT6E3M2", "29", "-1"}, []string{proto.Float.String(), proto.Float6E3M2.String(), proto.DataType(29).String(), proto.DataType(-1).String()})
	assert.Equal(t, []string{"an integer", "types", "a value of unknown type"}, []string{proto.AttributeInt.String(), proto.AttributeTypeProtos.String(), proto.AttributeType(-1).String()})
	assert.Equal(t, "optional", proto.KindOptional.String())
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(onnxtest.Encode(full())))
	f.Add([]byte(onnxtest.Encode(onnxtest.Model(13, &proto.Graph{Nodes: []*proto.Node{onnxtest.Node("Add", "x -", "y")}}))))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := proto.Parse(data, onnxtest.Limits)
		if err != nil {
			return
		}
		// What the reader understands is the same after it was written and read again.
		again, err := proto.Parse(onnxtest.Encode(m), wire.Limits{Messages: 1 << 20, Depth: 1 << 10})
		require.NoError(t, err)
		assert.Equal(t, len(m.Graph.Nodes), len(again.Graph.Nodes))
		assert.Equal(t, len(m.Graph.Initializers), len(again.Graph.Initializers))
	})
}
