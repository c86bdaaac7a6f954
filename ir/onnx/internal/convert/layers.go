package convert

import (
	"math"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
)

// dataType returns the element type for a number of ONNX.
func dataType(number int64) (DataType, error) {
	if number != int64(int32(number)) {
		return DataType{}, faults.Errorf("element type %d is not one of ONNX", number)
	}
	e, err := tensors.ElementType(proto.DataType(number))
	return DataType{e, tensors.Narrow(proto.DataType(number))}, err
}

// Attributes returns attributes of a layer with the given names and values, which alternate. A
// value is a string, bool, int, int64, []int64, float32, []float32 or ir.ElementType.
func Attributes(namesAndValues ...any) []ir.Attribute {
	list := make([]ir.Attribute, len(namesAndValues)/2)
	for i := range list {
		list[i] = ir.Attribute{Name: namesAndValues[2*i].(string), Value: text(namesAndValues[2*i+1])}
	}
	return list
}

// text returns the text of the value of an attribute, as in a file.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32)
	case ir.ElementType:
		return v.String()
	case []int64:
		return joined(v)
	case []float32:
		return joined(v)
	}
	panic("BUG: an attribute of an unknown Go type")
}

// joined returns the texts of values, separated by commas.
func joined[T int64 | float32](values []T) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = text(v)
	}
	return strings.Join(list, ",")
}

// Layer adds a layer of an opset, such as 8 for opset8, and returns its first output: Value.Output
// returns the others. The builder checks its attributes and infers it. It must be the name of a
// type of OpenVINO, or of vinoir.
func (n *Node) Layer(layerType string, opset int, attributes []ir.Attribute, inputs ...Value) Value {
	return n.layer(layerType, "opset"+strconv.Itoa(opset), attributes, inputs)
}

// Own is Layer for a layer type of ours, which OpenVINO does not have.
func (n *Node) Own(layerType string, attributes []ir.Attribute, inputs ...Value) Value {
	return n.layer(layerType, "vinoir", attributes, inputs)
}

// layer adds a layer of a type in a namespace.
func (n *Node) layer(layerType, namespace string, attributes []ir.Attribute, inputs []Value) Value {
	if n.Failed() {
		return Value{}
	}
	sources := make([]edit.Source, len(inputs))
	for i, v := range inputs {
		if v.Spoiled() {
			return v
		}
		if err := v.checkTensor(); err != nil {
			n.Fail("input %d of a %s is %w", i, layerType, err)
			return Value{}
		}
		sources[i] = v.source()
	}
	v := n.named(n.graph.builder.Extension(layerType, namespace, attributes, sources...))
	if !n.Failed() && len(inputs) > 0 && inputs[0].narrow() != nil && n.Type(v) == n.Type(inputs[0]) {
		v = v.holding(inputs[0].narrow())
	}
	return v
}

// named gives a new layer a name below that of the node's first output, which it keeps unless it
// computes an output, and records the node that it was made for.
func (n *Node) named(s edit.Source) Value {
	if n.Failed() {
		return Value{}
	}
	g := n.graph
	g.builder.Name(s, g.unique(g.full(firstOf(n.node.Outputs))+"/"+s.Layer.Type))
	if n.origin == nil {
		n.origin = g.origin(n.node, n.Version)
	}
	s.Layer.RTInfo = n.origin
	if g.Observer != nil && s.Layer.Type != "Constant" {
		n.layers = append(n.layers, s.Layer)
	}
	return valueOf(s)
}

// Value adds a Constant.
func (n *Node) Value(t *ir.Tensor) Value {
	if n.Failed() {
		return Value{}
	}
	return n.named(n.graph.builder.Constant(t))
}

// ValueOf adds a Constant of Go values: those of ir.TensorFrom.
func (n *Node) ValueOf(data any, shape ...int) Value {
	return n.values(ir.TensorFrom(data, shape...))
}

// IntValues adds a Constant of i64 with one axis.
func (n *Node) IntValues(values ...int64) Value {
	return n.values(ir.TensorOf(ir.I64, ir.Shape{len(values)}, values))
}

// IntValue adds a scalar Constant of i64.
func (n *Node) IntValue(value int64) Value {
	return n.values(ir.TensorOf(ir.I64, nil, []int64{value}))
}

// Scalar adds a scalar Constant of type t, rounded to the nearest if t is of floats.
func (n *Node) Scalar(t ir.ElementType, value float64) Value {
	tensor, err := ir.NewTensor(t)
	if err == nil && (t == ir.Dynamic || t == ir.String) {
		err = faults.Errorf("the number %v cannot be of element type %v", value, t)
	}
	if err == nil {
		tensor.SetValue(0, value)
	}
	return n.values(tensor, err)
}

func (n *Node) values(t *ir.Tensor, err error) Value {
	if err != nil {
		n.fail(err)
		return Value{}
	}
	return n.Value(t)
}

// Like adds a scalar Constant of the type of v, which must be known.
func (n *Node) Like(v Value, value float64) Value {
	if n.Failed() {
		return Value{}
	}
	return n.Scalar(n.Type(v), value)
}

// ShapeOf returns the shape of v, a value of i64.
func (n *Node) ShapeOf(v Value) Value {
	return n.Layer("ShapeOf", 3, Attributes("output_type", ir.I64), v)
}

// Convert returns v with another element type; v itself if it has that type.
func (n *Node) Convert(v Value, t ir.ElementType) Value {
	if n.Type(v) == t {
		return v
	}
	return n.Layer("Convert", 1, Attributes("destination_type", t), v)
}

// Reshape returns v with another shape, a value of integers. -1 stands for one length that follows
// from the others. With zeroCopies, 0 stands for the length of v at that position.
func (n *Node) Reshape(v, shape Value, zeroCopies bool) Value {
	return n.Layer("Reshape", 1, Attributes("special_zero", zeroCopies), v, shape)
}

// Unsqueeze returns v with axes of length 1 at the given positions in the result.
func (n *Node) Unsqueeze(v Value, axes ...int64) Value {
	if len(axes) == 0 {
		return v
	}
	return n.Layer("Unsqueeze", 1, nil, v, n.IntValues(axes...))
}

// Squeeze returns v without axes that have length 1.
func (n *Node) Squeeze(v Value, axes ...int64) Value {
	return n.Layer("Squeeze", 1, nil, v, n.IntValues(axes...))
}

// Transpose returns v with its axes in another order.
func (n *Node) Transpose(v Value, order ...int64) Value {
	return n.Layer("Transpose", 1, nil, v, n.IntValues(order...))
}

// Concat joins values along an axis.
func (n *Node) Concat(axis int64, values ...Value) Value {
	return n.Layer("Concat", 1, Attributes("axis", axis), values...)
}

// Slice returns the elements of v from start to before end along an axis; end can be math.MaxInt64.
func (n *Node) Slice(v Value, axis, start, end int64) Value {
	return n.Layer("Slice", 8, nil, v, n.IntValues(start), n.IntValues(end), n.IntValues(1), n.IntValues(axis))
}

// Split returns count parts of v that have the same length along an axis.
func (n *Node) Split(v Value, axis int64, count int) []Value {
	return n.Layer("Split", 1, Attributes("num_splits", count), v, n.IntValue(axis)).Outputs(count)
}

// Elements returns the number of elements of v along all of its axes from start to before end, as a
// value of i64 of length 1. The axes can be those of a value of unknown rank: end is then
// math.MaxInt64 for the rank.
func (n *Node) Elements(v Value, start, end int64) Value {
	lengths := n.ShapeOf(v)
	if start != 0 || end != math.MaxInt64 {
		lengths = n.Slice(lengths, 0, start, end)
	}
	return n.Layer("ReduceProd", 1, Attributes("keep_dims", true), lengths, n.IntValue(0))
}

// AxesFrom returns the numbers of the axes of v from start on, as a value of i64 of one axis.
func (n *Node) AxesFrom(v Value, start int64) Value {
	if rank := n.Rank(v); rank >= 0 {
		var axes []int64
		for axis := start; axis < int64(rank); axis++ {
			axes = append(axes, axis)
		}
		return n.IntValues(axes...)
	}
	rank := n.Squeeze(n.ShapeOf(n.ShapeOf(v)), 0)
	return n.Layer("Range", 4, Attributes("output_type", ir.I64), n.IntValue(start), rank, n.IntValue(1))
}
