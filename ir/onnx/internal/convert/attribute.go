package convert

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
)

// attribute returns an attribute of the node, or nil if it is missing. It is an error if its value
// is of another type.
func (n *Node) attribute(name string, t proto.AttributeType) *proto.Attribute {
	a := n.find(name)
	if a != nil && a.Type != t {
		n.Fail("attribute %s is %v, expected %v", name, a.Type, t)
		return nil
	}
	return a
}

// find returns an attribute of the node, whatever its type, or nil if it is missing.
func (n *Node) find(name string) *proto.Attribute {
	for _, a := range n.node.Attributes {
		if a.Name != name {
			continue
		}
		resolved, err := n.graph.resolve(a)
		if err != nil {
			n.fail(err)
		}
		return resolved
	}
	return nil
}

// HasAttribute reports whether the node has an attribute.
func (n *Node) HasAttribute(name string) bool { return n.find(name) != nil }

// RequireAttribute makes it an error if an attribute is missing.
func (n *Node) RequireAttribute(name string) {
	if !n.HasAttribute(name) {
		n.Fail("attribute %s is missing", name)
	}
}

// Int returns an attribute that is an integer, or def if it is missing.
//
// It is not inlined: the code of the command would be 6 KiB larger.
//
//go:noinline
func (n *Node) Int(name string, def int64) int64 {
	if a := n.attribute(name, proto.AttributeInt); a != nil {
		return a.Int
	}
	return def
}

// Bool returns whether an attribute that is an integer is not 0, or def if it is missing.
//
// It is not inlined: the code of the command would be 4 KiB larger.
//
//go:noinline
func (n *Node) Bool(name string, def bool) bool {
	if a := n.attribute(name, proto.AttributeInt); a != nil {
		return a.Int != 0
	}
	return def
}

// Float returns an attribute that is a float, or def if it is missing.
func (n *Node) Float(name string, def float32) float32 {
	if a := n.attribute(name, proto.AttributeFloat); a != nil {
		return a.Float
	}
	return def
}

// Text returns an attribute that is a string, or def if it is missing.
func (n *Node) Text(name, def string) string {
	if a := n.attribute(name, proto.AttributeString); a != nil {
		return string(a.String)
	}
	return def
}

// Enum is Text for an attribute that must be one of members.
func (n *Node) Enum(name, def string, members ...string) string {
	text := n.Text(name, def)
	if !slices.Contains(members, text) {
		n.Fail("attribute %s is %s, expected one of %q", name, printable.Quote(text, maxNameText), members)
		return def
	}
	return text
}

// IsList reports whether the node has an attribute that is a list of integers.
func (n *Node) IsList(name string) bool {
	a := n.find(name)
	return a != nil && a.Type == proto.AttributeInts
}

// IntList returns an attribute that is a list of integers; nil if it is missing.
//
// It is not inlined: the code of the command would be 4 KiB larger.
//
//go:noinline
func (n *Node) IntList(name string) []int64 {
	if a := n.attribute(name, proto.AttributeInts); a != nil {
		return a.Ints
	}
	return nil
}

// IntsOf returns an attribute that is a list of count integers, which are def if it is missing.
func (n *Node) IntsOf(name string, count int, def int64) []int64 {
	values := n.IntList(name)
	if len(values) > 0 && len(values) != count {
		n.Fail("attribute %s has %d numbers, expected %d", name, len(values), count)
	}
	if len(values) != count {
		return slices.Repeat([]int64{def}, count)
	}
	return values
}

// FloatList returns an attribute that is a list of floats; nil if it is missing.
func (n *Node) FloatList(name string) []float32 {
	if a := n.attribute(name, proto.AttributeFloats); a != nil {
		return a.Floats
	}
	return nil
}

// TextList returns an attribute that is a list of strings; nil if it is missing.
func (n *Node) TextList(name string) []string {
	a := n.attribute(name, proto.AttributeStrings)
	if a == nil {
		return nil
	}
	list := make([]string, len(a.Strings))
	for i, s := range a.Strings {
		if i > 0 && string(s) == list[i-1] { // there are many, such as the modes of nodes of trees
			list[i] = list[i-1]
			continue
		}
		list[i] = string(s)
	}
	return list
}

// Tensor returns an attribute that is a tensor, or nil if it is missing.
func (n *Node) Tensor(name string) *ir.Tensor {
	a := n.attribute(name, proto.AttributeTensor)
	if a == nil {
		return nil
	}
	if a.Tensor == nil {
		n.Fail("attribute %s has no tensor", name)
		return nil
	}
	t, err := n.graph.Tensors.Tensor(a.Tensor)
	if err != nil {
		n.fail(faults.Errorf("attribute %s: %w", name, err))
	}
	return t
}

// TensorValue adds a Constant of an attribute that is a tensor; absent if it is missing.
func (n *Node) TensorValue(name string) Value {
	t := n.Tensor(name)
	if t == nil {
		return Value{}
	}
	return n.Value(t).holding(tensors.Narrow(n.attribute(name, proto.AttributeTensor).Tensor.DataType))
}

// SparseTensor returns an attribute that is a sparse tensor with all of its elements, or nil if it
// is missing.
func (n *Node) SparseTensor(name string) *ir.Tensor {
	a := n.attribute(name, proto.AttributeSparseTensor)
	if a == nil {
		return nil
	}
	if a.SparseTensor == nil {
		n.Fail("attribute %s has no tensor", name)
		return nil
	}
	t, err := n.graph.Tensors.Sparse(a.SparseTensor)
	if err != nil {
		n.fail(faults.Errorf("attribute %s: %w", name, err))
	}
	return t
}

// ElementType returns an attribute that is the number of an element type that OpenVINO has or, as
// in the oldest files, its name, or def if it is missing.
func (n *Node) ElementType(name string, def ir.ElementType) ir.ElementType {
	t := n.DataTypeOf(name, DataType{Element: def})
	if t.Narrow != nil {
		n.fail(faults.Errorf("attribute %s: %w", name, &tensors.UnsupportedTypeError{Type: t.Narrow.Name}))
	}
	return t.Element
}

// DataTypeOf is ElementType for a rule that converts also to types that OpenVINO does not have.
func (n *Node) DataTypeOf(name string, def DataType) DataType {
	a := n.find(name)
	if a == nil {
		return def
	}
	number := a.Int
	if a.Type == proto.AttributeString {
		number = int64(proto.ParseDataType(string(a.String)))
	} else if a = n.attribute(name, proto.AttributeInt); a == nil {
		return def
	}
	t, err := dataType(number)
	if err != nil {
		n.fail(faults.Errorf("attribute %s: %w", name, err))
	}
	return t
}
