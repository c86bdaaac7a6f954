package edit_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/plugin"
)

// branches returns a model with the inputs a and b, and the outputs sum, which depends on both, and
// last, which depends on a.
func branches(t *testing.T) *ir.Model {
	b := newBuilder(t)
	x := b.Parameter("a", ir.F32, ir.ShapeOf(ir.AnyDim, ir.Dim(4)))
	y := b.Parameter("b", ir.F32, ir.StaticShape(1, 4))
	parts := b.Name(b.Layer("Split", 1, edit.Attributes("num_splits", "2"), b.Name(b.Layer("Abs", 1, nil, x), "abs"), b.ConstantOf(int64(1))), "parts")
	b.NameTensor(parts.Out(1), "right")
	last := b.Name(b.Layer("Relu", 1, nil, parts.Out(1)), "relu")
	b.Result("sum", b.Name(b.Layer("Add", 1, numpy, b.Name(b.Layer("Exp", 1, nil, x), "exp"), y), "add"))
	b.Result("last", last)
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

func TestExtract(t *testing.T) {
	m := branches(t)
	for _, tt := range []struct {
		inputs, outputs []string
		want            []string
		fails           string
	}{
		{want: []string{"a f32[?,4]", "b f32[1,4]", "exp f32[?,4]", "add f32[?,4]", "sum/sink_port_0", "abs f32[?,4]", "Constant_3 i64[]", "parts f32[?,2] f32[?,2]", "relu f32[?,2]", "last/sink_port_0"}},
		{outputs: []string{"last"}, want: []string{"a f32[?,4]", "abs f32[?,4]", "Constant_3 i64[]", "parts f32[?,2] f32[?,2]", "relu f32[?,2]", "last/sink_port_0"}},
		{outputs: []string{"right", "exp"}, want: []string{"a f32[?,4]", "abs f32[?,4]", "Constant_3 i64[]", "parts f32[?,2] f32[?,2]", "right/sink_port_0", "exp f32[?,4]", "exp/sink_port_0"}},
		{inputs: []string{"right"}, outputs: []string{"last"}, want: []string{"parts f32[?,2]", "relu f32[?,2]", "last/sink_port_0"}},
		{inputs: []string{"parts:1"}, outputs: []string{"relu"}, want: []string{"parts f32[?,2]", "relu f32[?,2]", "last/sink_port_0"}},
		{inputs: []string{"b", "exp"}, outputs: []string{"sum"}, want: []string{"b f32[1,4]", "exp f32[?,4]", "add f32[?,4]", "sum/sink_port_0"}},
		{inputs: []string{"exp", "b", "abs"}, outputs: []string{"last", "add"}, want: []string{"exp f32[?,4]", "b f32[1,4]", "abs f32[?,4]", "Constant_3 i64[]", "parts f32[?,2] f32[?,2]", "relu f32[?,2]", "last/sink_port_0", "add f32[?,4]", "sum/sink_port_0"}},
		{inputs: []string{"relu"}, outputs: []string{"relu"}, want: []string{"relu f32[?,2]", "last/sink_port_0"}},

		{outputs: []string{"q"}, fails: `name "q": the model has no tensor and no layer of that name`},
		{inputs: []string{"q"}, outputs: []string{"last"}, fails: `name "q": the model has no tensor and no layer of that name`},
		{inputs: []string{"parts"}, outputs: []string{"last"}, fails: `(Split, opset1) has 2 outputs: write "parts":0 for the first`},
		{inputs: []string{"parts:2"}, outputs: []string{"last"}, fails: `(Split, opset1) has no output 2, it has 2`},
		{inputs: []string{"exp"}, outputs: []string{"sum"}, fails: `the outputs depend on layer 1 "b" (Parameter, opset1), which is not among the inputs`},
		{inputs: []string{"a", "exp"}, outputs: []string{"last"}, fails: `input "exp": no output depends on it`},
		{inputs: []string{"right", "parts:1"}, outputs: []string{"last"}, fails: `input "parts:1" is given twice, by other names`},
		{outputs: []string{"last", "relu"}, fails: `output "relu" is the same tensor as output "last"`},
	} {
		part, err := edit.Extract(t.Context(), m, rules(), tt.inputs, tt.outputs)
		if tt.fails != "" {
			require.ErrorContains(t, err, tt.fails)
			assert.Nil(t, part)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, tt.want, shapesOf(part), "%v to %v", tt.inputs, tt.outputs)
		require.NoError(t, edit.Check(part))
		if tt.inputs != nil {
			assert.Len(t, part.Parameters, len(tt.inputs))
		}
	}
	require.NoError(t, edit.Check(m))
}

func TestExtract_names(t *testing.T) {
	part, err := edit.Extract(t.Context(), branches(t), rules(), []string{"abs", "b", "exp"}, []string{"parts:0", "last", "sum"})
	require.NoError(t, err)
	for i, want := range [][]string{{"abs"}, {"b"}, {"exp"}} {
		assert.Equal(t, want, part.Parameters[i].Outputs[0].Names)
	}
	for i, want := range [][]string{{"parts:0"}, {"last"}, {"sum"}} {
		assert.Equal(t, want, part.Results[i].OutputNames)
	}
}

func TestExtract_variables(t *testing.T) {
	b := newBuilder(t)
	x := b.Parameter("x", ir.F32, ir.StaticShape(2))
	variable := edit.Attributes("variable_id", "v", "variable_type", "f32", "variable_shape", "2")
	read := b.Layer("ReadValue", 6, variable, x)
	sum := b.Name(b.Layer("Add", 1, numpy, read, x), "sum")
	b.Layer("Assign", 6, edit.Attributes("variable_id", "v"), sum)
	b.Result("y", sum)
	b.Result("z", b.Layer("Relu", 1, nil, x))
	m, err := b.Model()
	require.NoError(t, err)
	require.Len(t, m.Sinks, 1)

	part, err := edit.Extract(t.Context(), m, rules(), nil, []string{"y"})
	require.NoError(t, err)
	assert.Equal(t, "x ReadValue_1 sum Assign_3 y/sink_port_0", names(part))
	part, err = edit.Extract(t.Context(), m, rules(), nil, []string{"z"})
	require.NoError(t, err)
	assert.Equal(t, "x Relu_5 z/sink_port_0", names(part))
	assert.Empty(t, part.Sinks)
}

// run returns the outputs of one inference of m.
func run(t *testing.T, m *ir.Model, inputs ...*ir.Tensor) []*ir.Tensor {
	compiled, err := plugin.NewCore(rules().(*plugin.Registry), plugin.Options{}).CompileModel(t.Context(), m, plugin.CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	for i, input := range inputs {
		require.NoError(t, request.SetInput(i, input))
	}
	require.NoError(t, request.Infer(t.Context()))
	var outputs []*ir.Tensor
	for i := range m.Results {
		output, err := request.Output(i).Clone()
		require.NoError(t, err)
		outputs = append(outputs, output)
	}
	return outputs
}

// TestExtract_halves cuts a model of a file in two, at each tensor that cuts it, and compares what
// the two halves compute one after the other with what the whole computes.
func TestExtract_halves(t *testing.T) {
	m, err := irxml.ReadFS(os.DirFS("../../examples/classify"), "model.xml", irxml.ReadOptions{})
	require.NoError(t, err)
	shapes, err := infer.Propagate(t.Context(), m, rules(), nil)
	require.NoError(t, err)
	fact := shapes.Outputs(m.Parameters[0])[0]
	shape, err := fact.Shape.Static()
	require.NoError(t, err)
	input, err := ir.NewTensor(fact.Type, shape...)
	require.NoError(t, err)
	for i := range input.Len() {
		input.SetValue(i, float64(i%97)/97)
	}
	want := run(t, m, input)
	cuts := 0
	for _, layer := range m.Order {
		if len(layer.Outputs) != 1 || layer.Type == "Parameter" {
			continue
		}
		second, err := edit.Extract(t.Context(), m, rules(), []string{layer.Name}, nil)
		if err != nil {
			continue
		}
		cuts++
		first, err := edit.Extract(t.Context(), m, rules(), nil, []string{layer.Name})
		require.NoError(t, err)
		got := run(t, second, run(t, first, input)...)
		require.Len(t, got, len(want))
		assert.InDeltaSlice(t, ir.Data[float32](want[0]), ir.Data[float32](got[0]), 1e-5, "%v", layer)
	}
	assert.Positive(t, cuts)
}
