package plugin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/concat"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/ifop"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
	"github.com/vinoir/vinoir/ops/shapeof"
	"github.com/vinoir/vinoir/ops/variable"
)

// testOps are simple layer types of i32 for the tests of this package:
//
//	Sum       input 0 + input 1 of equal shapes, in place of one input
//	Mirror    input 0 + input 1 from last to first, in place of input 0
//	Inc       input + 1, in place
//	Reverse   the elements from last to first, not in place
//	Halves    two outputs: the first half of a vector, and the rest
//	Reform    input 0 in the shape that input 1 holds: a view
//	Prefix    the first elements of input 0; input 1 holds their number
//	Shift     input 0 + the value of input 1, in place; prepared for that value
//	Positive  the elements above 0; the kernel finds the shape
//	Fail      an error when it runs
var testOps = []ops.Op{
	{Type: "Sum", Version: 1, Inputs: ops.Exactly(2), Memory: ops.Memory{InPlace: []int{0, 1}}, Infer: likeInput, Prepare: prepareSum},
	{Type: "Mirror", Version: 1, Inputs: ops.Exactly(2), Memory: ops.Memory{InPlace: []int{0}}, Infer: likeInput, Prepare: prepareMirror},
	{Type: "Inc", Version: 1, Inputs: ops.Exactly(1), Memory: ops.Memory{InPlace: []int{0}}, Infer: likeInput, Bounds: incBounds, Prepare: prepareInc},
	{Type: "Reverse", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput, Prepare: prepareReverse},
	{Type: "Halves", Version: 1, Inputs: ops.Exactly(1), Infer: inferHalves, Memory: ops.Memory{Pieces: halvesPieces}, Prepare: prepareHalves},
	{Type: "Reform", Version: 1, Inputs: ops.Exactly(2), Values: []int{1}, Memory: ops.Memory{View: true}, Infer: inferReform, Prepare: ops.PrepareView},
	{Type: "Prefix", Version: 1, Inputs: ops.Exactly(2), Values: []int{1}, Infer: inferPrefix, Prepare: preparePrefix},
	{Type: "Shift", Version: 1, Inputs: ops.Exactly(2), Values: []int{1}, Memory: ops.Memory{InPlace: []int{0}}, Infer: inferShift, Prepare: prepareShift},
	{Type: "Positive", Version: 1, Inputs: ops.Exactly(1), Infer: inferPositive, Prepare: preparePositive},
	{Type: "Fail", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput, Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return &ops.IndexError{Position: []int{1}, Value: 7, Lo: -2, Hi: 1} }}, nil
	}},
}

// likeInput sets output 0 to the type of input 0 and the common shape of all inputs.
func likeInput(in *infer.Inference) error {
	shape := in.Inputs[0].Shape
	for _, other := range in.Inputs[1:] {
		var ok bool
		if shape, ok = shape.Merge(other.Shape); !ok {
			return fmt.Errorf("shapes %v and %v differ", in.Inputs[0].Shape, other.Shape)
		}
	}
	in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: shape}
	return nil
}

func prepareSum(*ops.Preparation) (*ops.Prepared, error) {
	part := func(r *ops.Run, lo, hi int) error {
		a, b, out := ir.Data[int32](r.Inputs[0]), ir.Data[int32](r.Inputs[1]), ir.Data[int32](r.Outputs[0])
		for i := lo; i < hi; i++ {
			out[i] = a[i] + b[i]
		}
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(r.Outputs[0].Len(), 4, part) }}, nil
}

func prepareMirror(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		a, b, out := ir.Data[int32](r.Inputs[0]), ir.Data[int32](r.Inputs[1]), ir.Data[int32](r.Outputs[0])
		for i := range out {
			out[i] = a[i] + b[len(b)-1-i]
		}
		return nil
	}}, nil
}

func incBounds(in *infer.Inference) {
	for _, v := range in.Inputs[0].Intervals() {
		in.Outputs[0].Values = append(in.Outputs[0].Values, ir.Interval{Min: v.Min + 1, Max: v.Max + 1})
	}
}

func prepareInc(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		out := ir.Data[int32](r.Outputs[0])
		for i, v := range ir.Data[int32](r.Inputs[0]) {
			out[i] = v + 1
		}
		return nil
	}}, nil
}

// prepareReverse returns a kernel that copies through scratch memory, so that tests cover it.
func prepareReverse(p *ops.Preparation) (*ops.Prepared, error) {
	shape, err := p.Inputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{ScratchBytes: 4 * shape.Elements(), Kernel: func(r *ops.Run) error {
		copy(r.Scratch, r.Inputs[0].Bytes())
		out := r.Outputs[0].Bytes()
		clear(out)
		for n := len(out) - 4; n >= 0; n -= 4 {
			copy(out[len(out)-4-n:], r.Scratch[n:n+4])
		}
		clear(r.Scratch)
		return nil
	}}, nil
}

func halvesPieces(p *ops.Preparation) []int { return []int{0, int(length(p.Outputs[0].Shape).Min)} }

// length returns the length of a vector.
func length(s ir.PartialShape) ir.Dimension {
	if !s.RankKnown() {
		return ir.AnyDim
	}
	return s.At(0)
}

func inferHalves(in *infer.Inference) error {
	if len(in.Outputs) != 2 {
		return errors.New("two outputs are expected")
	}
	d := length(in.Inputs[0].Shape)
	first, second := ir.AnyDim, ir.AnyDim
	if d.IsStatic() {
		first, second = ir.Dim(d.Min/2), ir.Dim(d.Min-d.Min/2)
	}
	in.Outputs[0] = ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(first)}
	in.Outputs[1] = ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(second)}
	return nil
}

func prepareHalves(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		n := copy(r.Outputs[0].Bytes(), r.Inputs[0].Bytes())
		copy(r.Outputs[1].Bytes(), r.Inputs[0].Bytes()[n:])
		return nil
	}}, nil
}

func inferReform(in *infer.Inference) error {
	in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: ir.UnknownRank}
	if lengths, ok := in.Inputs[1].Ints(); ok {
		in.Outputs[0].Shape = ir.StaticShape(lengths...)
		n := in.Inputs[0].Shape.Elements()
		if n.IsStatic() && n != in.Outputs[0].Shape.Elements() {
			return fmt.Errorf("%v elements cannot have shape %v", n, in.Outputs[0].Shape)
		}
	}
	return nil
}

func inferPrefix(in *infer.Inference) error {
	in.Outputs[0] = ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(ir.AnyDim)}
	if n, ok := in.Inputs[1].Ints(); ok {
		if d := length(in.Inputs[0].Shape); n[0] < 0 || n[0] > d.Max {
			return fmt.Errorf("length %d is not within %v", n[0], d)
		}
		in.Outputs[0].Shape = ir.StaticShape(n[0])
	}
	return nil
}

func preparePrefix(p *ops.Preparation) (*ops.Prepared, error) {
	if _, err := p.Outputs[0].Shape.Static(); err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		copy(r.Outputs[0].Bytes(), r.Inputs[0].Bytes())
		return nil
	}}, nil
}

func inferShift(in *infer.Inference) error {
	in.Outputs[0] = ir.Fact{Type: ir.I32, Shape: in.Inputs[0].Shape}
	return nil
}

func prepareShift(p *ops.Preparation) (*ops.Prepared, error) {
	by, ok := p.Inputs[1].Ints()
	if !ok {
		return nil, errors.New("the value is not known")
	}
	n := int32(by[0])
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		out := ir.Data[int32](r.Outputs[0])
		for i, v := range ir.Data[int32](r.Inputs[0]) {
			out[i] = v + n
		}
		return nil
	}}, nil
}

func inferPositive(in *infer.Inference) error {
	in.Outputs[0] = ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(ir.DimRange(0, length(in.Inputs[0].Shape).Max))}
	return nil
}

func preparePositive(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		n := 0
		in := ir.Data[int32](r.Inputs[0])
		for _, v := range in {
			if v > 0 {
				n++
			}
		}
		if err := r.SetShape(0, n); err != nil {
			return err
		}
		out := ir.Data[int32](r.Outputs[0])[:0]
		for _, v := range in {
			if v > 0 {
				out = append(out, v)
			}
		}
		return nil
	}}, nil
}

// testGraph builds a model of testOps and other layers.
type testGraph struct{ ir.Model }

// add adds a layer at the end of the order. Its id and its default name follow from its index.
func (g *testGraph) add(layer ir.Layer, outputs int, inputs ...ir.Input) *ir.Layer {
	layer.Index, layer.ID, layer.Line = len(g.Layers), uint64(len(g.Layers)), 10+len(g.Layers)
	if layer.Opset == "" {
		layer.Opset = "opset1"
	}
	if layer.Name == "" {
		layer.Name = layer.Type + strconv.Itoa(layer.Index)
	}
	layer.Inputs, layer.Outputs = inputs, make([]ir.Output, outputs)
	g.Layers = append(g.Layers, &layer)
	g.Order = append(g.Order, &layer)
	return &layer
}

// out returns an input that reads an output of layer.
func out(layer *ir.Layer, index int) ir.Input { return ir.Input{Source: layer, SourceIndex: index} }

func (g *testGraph) parameter(name, elementType, shape string) ir.Input {
	layer := g.add(ir.Layer{Type: "Parameter", Name: name, Data: []ir.Attribute{
		{Name: "element_type", Value: elementType}, {Name: "shape", Value: shape}}}, 1)
	g.Parameters = append(g.Parameters, layer)
	return out(layer, 0)
}

func (g *testGraph) constant(value *ir.Tensor) ir.Input {
	return out(g.add(ir.Layer{Type: "Constant", Constant: value}, 1), 0)
}

// op adds a layer of opset1 with one output, and returns an input that reads it.
func (g *testGraph) op(name string, inputs ...ir.Input) ir.Input {
	return out(g.add(ir.Layer{Type: name}, 1, inputs...), 0)
}

func (g *testGraph) result(in ir.Input) {
	g.Results = append(g.Results, g.add(ir.Layer{Type: "Result"}, 1, in))
}

// choose adds an If. Each body has one Result, and a Parameter for each of inputs, which declares a
// vector of i32.
func (g *testGraph) choose(then, other func(body *testGraph, x []ir.Input) ir.Input, cond ir.Input, inputs ...ir.Input) ir.Input {
	layer := g.add(ir.Layer{Type: "If", Opset: "opset8"}, 1, append([]ir.Input{cond}, inputs...)...)
	for _, build := range []func(*testGraph, []ir.Input) ir.Input{then, other} {
		body, ports, x := &testGraph{}, []ir.BodyPort(nil), []ir.Input(nil)
		for i := range inputs {
			x = append(x, body.parameter("p"+strconv.Itoa(i), "i32", "?"))
			ports = append(ports, ir.BodyPort{External: 1 + i, Internal: x[i].Source})
		}
		body.result(build(body, x))
		for _, l := range body.Layers {
			l.Owner = layer
		}
		layer.Bodies = append(layer.Bodies, ir.Body{
			Model: &body.Model, Inputs: ports, Outputs: []ir.BodyPort{{External: 0, Internal: body.Results[0]}},
		})
	}
	return out(layer, 0)
}

// variable adds a ReadValue of an i32 variable of the given shape. initial is its initial value, or
// empty.
func (g *testGraph) variable(id, shape string, initial ...ir.Input) ir.Input {
	return out(g.add(ir.Layer{Type: "ReadValue", Opset: "opset6", Data: []ir.Attribute{
		{Name: "variable_id", Value: id}, {Name: "variable_type", Value: "i32"}, {Name: "variable_shape", Value: shape},
	}}, 1, initial...), 0)
}

// assign adds an Assign of in to the variable id.
func (g *testGraph) assign(id string, in ir.Input) {
	layer := g.add(ir.Layer{Type: "Assign", Opset: "opset6", Data: []ir.Attribute{{Name: "variable_id", Value: id}}}, 1, in)
	g.Sinks = append(g.Sinks, layer)
}

func boolean(t testing.TB, value bool) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.Boolean)
	require.NoError(t, err)
	if value {
		tensor.Bytes()[0] = 1
	}
	return tensor
}

// inferred runs request on the given inputs and returns output 0.
func inferred(t testing.TB, request *InferRequest, inputs ...*ir.Tensor) *ir.Tensor {
	t.Helper()
	for i, in := range inputs {
		require.NoError(t, request.SetInput(i, in))
	}
	require.NoError(t, request.Infer(background))
	return request.Output(0)
}

// testCore returns a Core with testOps and a few families.
func testCore(t testing.TB, options Options) *Core {
	list := append([]ops.Op(nil), testOps...)
	for _, family := range [][]ops.Op{concat.Ops, constant.Ops, ifop.Ops, parameter.Ops, result.Ops, shapeof.Ops, variable.Ops} {
		list = append(list, family...)
	}
	registry, err := NewRegistry(list...)
	require.NoError(t, err)
	return NewCore(registry, options)
}

func compile(t testing.TB, g *testGraph, options CompileOptions) *CompiledModel {
	t.Helper()
	compiled, err := testCore(t, Options{}).CompileModel(context.Background(), &g.Model, options)
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	return compiled
}

func i32(t testing.TB, shape ir.Shape, values ...int32) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorOf(ir.I32, shape, values)
	require.NoError(t, err)
	return tensor
}

func ints(t testing.TB, values ...int64) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorOf(ir.I64, ir.Shape{len(values)}, values)
	require.NoError(t, err)
	return tensor
}

// ramp returns the i32 vector 1, 2, ..., n.
func ramp(t testing.TB, n int) *ir.Tensor {
	values := make([]int32, n)
	for i := range values {
		values[i] = int32(i + 1)
	}
	return i32(t, ir.Shape{n}, values...)
}
