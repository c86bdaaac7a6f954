package infer_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

func ExampleLayer() {
	_, rules := exampletest.Reshape()
	layer := &ir.Layer{Type: "Split", Opset: "opset1", Data: edit.Attributes("num_splits", "3")}
	axis, err := ir.TensorFrom(int64(1))
	if err != nil {
		log.Fatal(err)
	}
	outputs, _, err := infer.Layer(context.Background(), layer, rules, []ir.Fact{
		{Type: ir.F32, Shape: ir.StaticShape(2, 12)},
		{Type: ir.I64, Tensor: axis},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, fact := range outputs {
		fmt.Println(fact.Type, fact.Shape)
	}
	// Output:
	// f32 [2,4]
	// f32 [2,4]
	// f32 [2,4]
}

func TestLayer_outputs(t *testing.T) {
	_, rules := exampletest.Reshape()
	f32 := ir.Fact{Type: ir.F32, Shape: ir.StaticShape(2, 1000)}
	ints := func(values ...int64) ir.Fact {
		tensor, err := ir.TensorFrom(values)
		require.NoError(t, err)
		return ir.Fact{Type: ir.I64, Shape: tensor.Shape().Partial(), Tensor: tensor}
	}
	one, err := ir.TensorFrom(int64(1))
	require.NoError(t, err)
	axis := ir.Fact{Type: ir.I64, Tensor: one}
	for _, tt := range []struct {
		layerType, opset string
		data             []ir.Attribute
		inputs           []ir.Fact
		want             int
		fails            string
	}{
		{layerType: "Relu", opset: "opset1", inputs: []ir.Fact{f32}, want: 1},
		{layerType: "TopK", opset: "opset11", inputs: []ir.Fact{f32, axis}, want: 2, data: edit.Attributes("axis", "1", "mode", "max", "sort", "value", "index_element_type", "i64", "stable", "false")},
		{layerType: "Split", opset: "opset1", inputs: []ir.Fact{f32, axis}, want: 1000, data: edit.Attributes("num_splits", "1000")},
		{layerType: "Split", opset: "opset1", inputs: []ir.Fact{f32, axis}, fails: "axis 1 of data has 1000 elements", data: edit.Attributes("num_splits", "3")},
		{layerType: "VariadicSplit", opset: "opset1", inputs: []ir.Fact{f32, axis, ints(400, -1, 300)}, want: 3},
		{layerType: "VariadicSplit", opset: "opset1", inputs: []ir.Fact{f32, axis, {Type: ir.I64, Shape: ir.ShapeOf(ir.AnyDim)}}, fails: "do not tell how many outputs the layer has: 4096 are possible"},
		{layerType: "Add", opset: "opset1", inputs: []ir.Fact{f32}, fails: "1 inputs are connected, expected 2"},
		{layerType: "Sum", opset: "opset1", inputs: []ir.Fact{f32}, fails: "no such type is registered"},
	} {
		layer := &ir.Layer{Type: tt.layerType, Opset: tt.opset, Data: tt.data}
		outputs, notes, err := infer.Layer(context.Background(), layer, rules, tt.inputs)
		if tt.fails != "" {
			assert.ErrorContains(t, err, tt.fails)
			continue
		}
		require.NoError(t, err, tt.layerType)
		assert.Len(t, outputs, tt.want)
		assert.Empty(t, notes)
	}
}

func TestLayer_notes(t *testing.T) {
	_, rules := exampletest.Reshape()
	layer := &ir.Layer{Type: "MatMul", Opset: "opset1", Data: edit.Attributes("transpose_a", "false", "transpos_b", "true")}
	square := ir.Fact{Type: ir.F32, Shape: ir.StaticShape(2, 2)}
	_, notes, err := infer.Layer(context.Background(), layer, rules, []ir.Fact{square, square})
	require.NoError(t, err)
	assert.Contains(t, notes, "attribute transpos_b: MatMul has none of that name")
}

func TestLayer_bodies(t *testing.T) {
	body, _ := irtest.Body("2")
	layer := irtest.Layer("loop", "Loop")
	irtest.AddBody(layer, body)
	facts := []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(2)}}
	_, _, err := infer.Layer(context.Background(), layer, irtest.BodyRules(irtest.Once), facts)
	require.EqualError(t, err, "the output ports of a layer with bodies must be given")
	layer.Outputs = make([]ir.Output, 1)
	outputs, _, err := infer.Layer(context.Background(), layer, irtest.BodyRules(irtest.Once), facts)
	require.NoError(t, err)
	assert.Equal(t, "[2]", outputs[0].Shape.String())
}

func TestLayer_done(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, rules := exampletest.Reshape()
	_, _, err := infer.Layer(ctx, &ir.Layer{Type: "Relu", Opset: "opset1"}, rules, []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(2)}})
	require.ErrorIs(t, err, context.Canceled)
}
