package variable

import (
	"slices"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/concat"
	"github.com/vinoir/vinoir/ops/parameter"
)

var types = slices.Concat(Ops, concat.Ops, parameter.Ops)

func TestRead(t *testing.T) {
	v6 := func(elementType, shape string) layertest.Attributes {
		return layertest.Attributes{"variable_id", "v", "variable_type", elementType, "variable_shape", shape}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: "ReadValue-3", Attributes: layertest.Attributes{"variable_id", "v"}, Inputs: []string{"f32[2,?]"}, Want: "f32[2,?]"},
		{Type: "ReadValue-3", Attributes: layertest.Attributes{"variable_id", "v"}, Inputs: []string{"i64[2]=1,2"}, Want: "i64[2]"},
		{Type: "ReadValue-3", Inputs: []string{"f32[2]"}, Error: "attribute variable_id: missing"},
		{Type: "ReadValue-6", Attributes: v6("f32", "2,3"), Inputs: []string{"f32[2,3]"}, Want: "f32[2,3]"},
		{Type: "ReadValue-6", Attributes: v6("f32", "1..4,?"), Inputs: []string{"f32[2..3,3]"}, Want: "f32[1..4,?]"},
		{Type: "ReadValue-6", Attributes: v6("i64", "2"), Inputs: []string{"i64[2]=1,2"}, Want: "i64[2]"},
		{Type: "ReadValue-6", Attributes: v6("f32", "..."), Inputs: []string{"f32[2]"}, Want: "f32[...]"},
		{Type: "ReadValue-6", Attributes: v6("dynamic", "2,?"), Inputs: []string{"f32[2,3]"}, Want: "dynamic[2,?]"},
		{Type: "ReadValue-6", Attributes: v6("dynamic", "..."), Inputs: []string{"f32[2,3]"}, Want: "f32[2,3]"},
		{Type: "ReadValue-6", Attributes: layertest.Attributes{"variable_id", "v"}, Inputs: []string{"f32[2,3]"}, Want: "f32[2,3]"},
		{Type: "ReadValue-6", Attributes: v6("f16", "2,3"), Want: "f16[2,3]"},
		{Type: "ReadValue-6", Attributes: v6("f32", "2,3"), Inputs: []string{"f32[?,3]"},
			Error: "variable_shape [2,3] does not hold the initial value's shape [?,3]"},
		{Type: "ReadValue-6", Attributes: v6("f32", "2,3"), Inputs: []string{"f32[...]"},
			Error: "variable_shape [2,3] does not hold the initial value's shape [...]"},
		{Type: "ReadValue-6", Attributes: v6("f32", "2,3"), Inputs: []string{"f32[2]"},
			Error: "variable_shape [2,3] does not hold the initial value's shape [2]"},
		{Type: "ReadValue-6", Attributes: v6("f16", "2"), Inputs: []string{"f32[2]"},
			Error: "variable_type is f16, the initial value is f32"},
		{Type: "ReadValue-6", Attributes: v6("f16", "2"), Inputs: []string{"dynamic[2]"},
			Error: "variable_type is f16, the initial value is dynamic"},
		{Type: "ReadValue-6", Inputs: []string{"f32[2]"}, Error: "attribute variable_id: missing"},
		{Type: "ReadValue-6", Attributes: v6("f99", "2"), Error: `attribute variable_type: "f99" is not an element type`},
	})
}

func TestAssign(t *testing.T) {
	type layers struct {
		g           *layertest.Graph
		data, other *ir.Layer
	}
	read := func(l layers, opset, elementType, shape string) *ir.Layer {
		return l.g.Add("ReadValue", opset, layertest.Attributes{"variable_id", "v", "variable_type", elementType, "variable_shape", shape}, l.data)
	}
	twice := func(l layers, r *ir.Layer) *ir.Layer {
		return l.g.Add("Concat", "opset1", layertest.Attributes{"axis", "0"}, r, l.data)
	}
	for name, c := range map[string]struct {
		opset     string
		input     func(l layers) *ir.Layer
		want, err string
	}{
		"6":                     {opset: "opset6", input: func(l layers) *ir.Layer { return read(l, "opset6", "f32", "2,?") }, want: "f32[2,?]"},
		"6, beside it":          {opset: "opset6", input: func(l layers) *ir.Layer { read(l, "opset6", "f32", "?,?"); return l.other }, want: "f32[7,3]"},
		"6, grown":              {opset: "opset6", input: func(l layers) *ir.Layer { return twice(l, read(l, "opset6", "f32", "?,3")) }, want: "f32[2..,3]"},
		"6 of 3":                {opset: "opset8", input: func(l layers) *ir.Layer { return twice(l, read(l, "opset3", "", "")) }, want: "f32[4,3]"},
		"6, too long":           {opset: "opset6", input: func(l layers) *ir.Layer { return twice(l, read(l, "opset6", "f32", "2,3")) }, err: `the input has shape [4,3], variable "v" has [2,3]`},
		"6, too long beside it": {opset: "opset6", input: func(l layers) *ir.Layer { read(l, "opset6", "f32", "2,3"); return l.other }, err: `the input has shape [7,3], variable "v" has [2,3]`},
		"6, another type": {opset: "opset6", input: func(l layers) *ir.Layer {
			read(l, "opset6", "f32", "?,?")
			return l.g.Parameter("f16[2,3]")
		}, err: `the input is f16, variable "v" is f32`},
		"3":           {opset: "opset5", input: func(l layers) *ir.Layer { return read(l, "opset3", "", "") }, want: "f32[2,3]"},
		"3, too long": {opset: "opset3", input: func(l layers) *ir.Layer { return twice(l, read(l, "opset3", "", "")) }, err: `the input has shape [4,3], variable "v" has [2,3]`},
		"3, beside it": {opset: "opset3", input: func(l layers) *ir.Layer { read(l, "opset3", "", ""); return l.other },
			err: `the input depends on no ReadValue of opset3 to opset5 with the variable_id "v"`},
		"3 of 6": {opset: "opset3", input: func(l layers) *ir.Layer { return read(l, "opset6", "f32", "2,3") },
			err: `the input depends on no ReadValue of opset3 to opset5 with the variable_id "v"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := layertest.NewGraph(t)
			l := layers{g, g.Parameter("f32[2,3]"), g.Parameter("f32[7,3]")}
			assign := g.Add("Assign", c.opset, layertest.Attributes{"variable_id", "v"}, c.input(l))
			g.Check(assign, types, c.err, c.want)
		})
	}
}

// TestAlone infers layers that are outside of a model.
func TestAlone(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: "Assign-6", Attributes: layertest.Attributes{"variable_id", "v"}, Inputs: []string{"f32[2,?]"}, Want: "f32[2,?]"},
		{Type: "Assign-3", Attributes: layertest.Attributes{"variable_id", "v"}, Inputs: []string{"f32[2]"}, Want: "f32[2]"},
	})
}
