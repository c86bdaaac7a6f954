package plugin_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// pinned returns a model of batch 1 whose Reshapes and Squeeze contain that batch as a constant.
func pinned(t *testing.T) *ir.Model {
	t.Helper()
	m := new(ir.Model)
	add := func(layerType string, data []ir.Attribute, inputs ...*ir.Layer) *ir.Layer {
		l := &ir.Layer{
			Index: len(m.Layers), ID: uint64(len(m.Layers)), Name: fmt.Sprint(layerType, len(m.Layers)), Line: 1,
			Type: layerType, FileType: layerType, Opset: "opset8", Data: data, Outputs: make([]ir.Output, 1),
		}
		for _, in := range inputs {
			l.Inputs = append(l.Inputs, ir.Input{Source: in})
		}
		m.Layers, m.Order = append(m.Layers, l), append(m.Order, l)
		return l
	}
	value := func(tensor *ir.Tensor, err error) *ir.Layer {
		require.NoError(t, err)
		c := add("Constant", nil)
		c.Constant = tensor
		return c
	}
	ints := func(values ...int64) *ir.Layer { return value(ir.TensorOfInts(ir.I64, ir.Shape{len(values)}, values)) }
	weights := func(shape ...int) *ir.Layer {
		w := value(ir.NewTensor(ir.F32, shape...))
		data := ir.Data[float32](w.Constant)
		for i := range data {
			data[i] = float32(i%7-3) / 4
		}
		return w
	}
	x := add("Parameter", []ir.Attribute{{Name: "element_type", Value: "f32"}, {Name: "shape", Value: "1,2,3"}})
	matrix := add("MatMul", nil, add("Reshape", nil, x, ints(1, 6)), weights(6, 3))
	sunk := add("Reshape", nil, add("MatMul", nil, add("Reshape", nil, x, ints(-1, 3)), weights(3, 2)), ints(1, 2, 2))
	first := add("Squeeze", nil, add("StridedSlice", []ir.Attribute{{Name: "begin_mask", Value: "1,0"}, {Name: "end_mask", Value: "1,0"}},
		sunk, ints(0, 1), ints(0, 2), ints(1, 1)), ints(1))
	m.Parameters = []*ir.Layer{x}
	for _, l := range []*ir.Layer{matrix, first} {
		m.Results = append(m.Results, add("Result", nil, l))
	}
	return m
}

// inferShaped returns the outputs of a model for an f32 input of the shape given. If compiled is
// not nil, the model is reshaped to that input shape.
func inferShaped(t *testing.T, core *plugin.Core, m *ir.Model, data []float32, compiled, given ir.Shape) [][]float32 {
	t.Helper()
	options := plugin.CompileOptions{InferenceNumThreads: 1}
	if compiled != nil {
		options.Reshape = map[string]ir.PartialShape{m.Parameters[0].Name: compiled.Partial()}
	}
	c, err := core.CompileModel(context.Background(), m, options)
	require.NoError(t, err)
	defer c.Close()
	request := c.NewInferRequest()
	tensor, err := ir.TensorOf(ir.F32, given, data)
	require.NoError(t, err)
	require.NoError(t, request.SetInput(0, tensor))
	require.NoError(t, request.Infer(context.Background()))
	var outputs [][]float32
	for i := range c.Outputs() {
		outputs = append(outputs, append([]float32(nil), ir.Data[float32](request.Output(i))...))
	}
	return outputs
}

// TestReshapeRunsAtAnotherBatch compares one run of a model of batch 1, reshaped to batch 3, with
// three runs of the model as it is.
func TestReshapeRunsAtAnotherBatch(t *testing.T) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	core := plugin.NewCore(registry, plugin.Options{})
	const batch, size = 3, 6
	data := make([]float32, batch*size)
	for i := range data {
		data[i] = float32(i*5%11) - 4
	}
	want := make([][]float32, 2)
	for i := range batch {
		for k, out := range inferShaped(t, core, pinned(t), data[i*size:(i+1)*size], nil, ir.Shape{1, 2, 3}) {
			want[k] = append(want[k], out...)
		}
	}
	m := pinned(t)
	layers := len(m.Layers)
	got := inferShaped(t, core, m, data, ir.Shape{batch, 2, 3}, ir.Shape{batch, 2, 3})
	for k := range want {
		assert.InDeltaSlice(t, want[k], got[k], 1e-6)
	}
	assert.Len(t, m.Layers, layers, "the model that was read is as it was")
}
