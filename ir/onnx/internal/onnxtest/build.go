package onnxtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// dataTypes has the number of each element type.
var dataTypes = map[ir.ElementType]proto.DataType{
	ir.F32: proto.Float, ir.U8: proto.Uint8, ir.I8: proto.Int8, ir.U16: proto.Uint16, ir.I16: proto.Int16, ir.I32: proto.Int32,
	ir.I64: proto.Int64, ir.String: proto.String, ir.Boolean: proto.Bool, ir.F16: proto.Float16, ir.F64: proto.Double,
	ir.U32: proto.Uint32, ir.U64: proto.Uint64, ir.BF16: proto.BFloat16, ir.F8E4M3: proto.Float8E4M3FN, ir.F8E5M2: proto.Float8E5M2,
	ir.U4: proto.Uint4, ir.I4: proto.Int4, ir.F4E2M1: proto.Float4E2M1, ir.F8E8M0: proto.Float8E8M0, ir.U2: proto.Uint2,
}

// DataType returns the number of an element type.
func DataType(t ir.ElementType) proto.DataType { return dataTypes[t] }

// TensorType returns the type of a tensor. Lengths are integers, or texts: names of lengths that
// are unknown.
func TensorType(t ir.ElementType, lengths ...any) *proto.Type {
	shape := &proto.Shape{}
	for _, length := range lengths {
		switch v := length.(type) {
		case int:
			shape.Dims = append(shape.Dims, proto.Dim{Known: true, Value: int64(v)})
		case string:
			shape.Dims = append(shape.Dims, proto.Dim{Name: v})
		}
	}
	return &proto.Type{Kind: proto.KindTensor, ElementType: DataType(t), Shape: shape}
}

// Value returns a value with the type of a tensor: see TensorType.
func Value(name string, t ir.ElementType, lengths ...any) *proto.ValueInfo {
	return &proto.ValueInfo{Name: name, Type: TensorType(t, lengths...)}
}

// TensorOf returns a tensor as an initializer, with raw data unless it has strings.
func TensorOf(name string, t *ir.Tensor) *proto.Tensor {
	p := &proto.Tensor{Name: name, DataType: DataType(t.ElementType())}
	for _, length := range t.Shape() {
		p.Dims = append(p.Dims, int64(length))
	}
	if t.ElementType() == ir.String {
		for _, s := range t.Strings() {
			p.Strings = append(p.Strings, []byte(s))
		}
		return p
	}
	p.Raw = append([]byte{}, t.Bytes()...)
	return p
}

// Node returns a node. inputs and outputs are names that spaces separate; "-" stands for none.
func Node(operator, inputs, outputs string, attributes ...*proto.Attribute) *proto.Node {
	return &proto.Node{Operator: operator, Inputs: names(inputs), Outputs: names(outputs), Attributes: attributes}
}

func names(text string) []string {
	list := strings.Fields(text)
	for i, name := range list {
		if name == "-" {
			list[i] = ""
		}
	}
	return list
}

// Attribute returns an attribute. The value is an int, float64, string, []int, []float64, []string,
// *ir.Tensor or *proto.Graph.
func Attribute(name string, value any) *proto.Attribute {
	a := &proto.Attribute{Name: name}
	switch v := value.(type) {
	case int:
		a.Type, a.Int = proto.AttributeInt, int64(v)
	case float64:
		a.Type, a.Float = proto.AttributeFloat, float32(v)
	case string:
		a.Type, a.String = proto.AttributeString, []byte(v)
	case []int:
		a.Type = proto.AttributeInts
		for _, x := range v {
			a.Ints = append(a.Ints, int64(x))
		}
	case []float64:
		a.Type = proto.AttributeFloats
		for _, x := range v {
			a.Floats = append(a.Floats, float32(x))
		}
	case []string:
		a.Type = proto.AttributeStrings
		for _, x := range v {
			a.Strings = append(a.Strings, []byte(x))
		}
	case *ir.Tensor:
		a.Type, a.Tensor = proto.AttributeTensor, TensorOf("", v)
	case *proto.Graph:
		a.Type, a.Graph = proto.AttributeGraph, v
	default:
		panic(fmt.Sprintf("BUG: an attribute of type %T", value))
	}
	return a
}

// Attributes returns attributes with the given names and values, which alternate, sorted by name.
func Attributes(namesAndValues ...any) []*proto.Attribute {
	var list []*proto.Attribute
	for i := 0; i < len(namesAndValues); i += 2 {
		list = append(list, Attribute(namesAndValues[i].(string), namesAndValues[i+1]))
	}
	slices.SortFunc(list, func(a, b *proto.Attribute) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Model returns a model of one graph, which uses a version of ONNX's operators.
func Model(version int, g *proto.Graph) *proto.Model {
	return &proto.Model{IRVersion: 8, Graph: g, Imports: []proto.Import{{Version: int64(version)}}}
}
