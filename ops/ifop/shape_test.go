package ifop

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/concat"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
)

var types = slices.Concat(Ops, concat.Ops, constant.Ops, parameter.Ops, result.Ops)

// branches returns a model with an If and that layer. Each body returns one input: then_body an
// input of type and shape then, else_body one of other. A cond that starts with "=" is a constant.
func branches(t testing.TB, cond, then, other string) (*layertest.Graph, *ir.Layer) {
	g := layertest.NewGraph(t)
	var c *ir.Layer
	if cond[0] == '=' {
		c = g.Constant(cond[1:])
	} else {
		c = g.Parameter(cond)
	}
	inputs := []*ir.Layer{g.Parameter(then), g.Parameter(other)}
	layer := g.Add("If", "opset8", nil, append([]*ir.Layer{c}, inputs...)...)
	for i := range inputs {
		b := layertest.NewGraph(t)
		p := b.Parameter("dynamic[...]")
		r := b.Add("Result", "opset1", nil, p)
		layer.Bodies = append(layer.Bodies, ir.Body{
			Model:   &b.Model,
			Inputs:  []ir.BodyPort{{External: 1 + i, Internal: p}},
			Outputs: []ir.BodyPort{{External: 0, Internal: r}},
		})
	}
	return g, layer
}

func TestShapes(t *testing.T) {
	for _, c := range []struct{ cond, then, other, want, err string }{
		{cond: "boolean[]", then: "f32[2,3]", other: "f32[2,3]", want: "f32[2,3]"},
		{cond: "boolean[1]", then: "f32[2,3]", other: "f32[5,1]", want: "f32[2..5,1..3]"},
		{cond: "boolean[?]", then: "f32[2..3]", other: "f32[2..3]", want: "f32[?]"},
		{cond: "boolean[...]", then: "f32[2]", other: "f32[?]", want: "f32[?]"},
		{cond: "boolean[2]", then: "f32[]", other: "f32[]", want: "f32[]"},
		{cond: "boolean[]", then: "f32[]", other: "f32[1]", want: "f32[1]"},
		{cond: "boolean[]", then: "f32[3]", other: "f32[]", want: "f32[?]"},
		{cond: "boolean[]", then: "f32[]", other: "f32[1..2]", want: "f32[?]"},
		{cond: "boolean[]", then: "f32[1]", other: "f32[1,1]", want: "f32[...]"},
		{cond: "boolean[]", then: "f32[...]", other: "f32[2]", want: "f32[...]"},
		{cond: "boolean[]", then: "dynamic[2]", other: "i8[2]", want: "i8[2]"},
		{cond: "=boolean[]=1", then: "f32[2..3,?]", other: "i8[]", want: "f32[2..3,?]"},
		{cond: "=boolean[1]=0", then: "f32[2..3,?]", other: "i8[...]", want: "i8[...]"},
		{cond: "boolean[1,1]", then: "f32[2]", other: "f32[2]", err: "cond has shape [1,1], expected rank 0 or 1"},
		{cond: "=boolean[2]=1,1", then: "f32[2]", other: "f32[2]", err: "cond has 2 values, expected 1"},
		{cond: "boolean[]", then: "f32[2]", other: "f16[2]", err: "output 0 is f32 in then_body, f16 in else_body"},
	} {
		t.Run(c.cond+c.then+c.other, func(t *testing.T) {
			g, layer := branches(t, c.cond, c.then, c.other)
			g.Check(layer, types, c.err, c.want)
		})
	}
}

// TestValuesStayOutside checks that the known value of an input is not passed on to the bodies and
// the output.
func TestValuesStayOutside(t *testing.T) {
	g := layertest.NewGraph(t)
	c := g.Constant("boolean[]=1")
	layer := g.Add("If", "opset8", nil, c)
	for range 2 {
		b := layertest.NewGraph(t)
		p := b.Parameter("boolean[3]")
		r := b.Add("Result", "opset1", nil, p)
		layer.Bodies = append(layer.Bodies, ir.Body{
			Model: &b.Model, Inputs: []ir.BodyPort{{Internal: p}}, Outputs: []ir.BodyPort{{Internal: r}},
		})
	}
	got, shapes, err := g.Infer(layer, types...)
	require.NoError(t, err)
	assert.Equal(t, []string{"boolean[]"}, got)
	for i, want := range []string{"boolean[]", "boolean[3]"} {
		body := layer.Bodies[i].Model
		fact := shapes.Body(layer, i).Outputs(body.Results[0])[0]
		assert.Equal(t, want, layertest.FactText(&fact), "the body not taken is as declared")
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(then, other *ir.Body)
		want   string
	}{
		"outputs of one body only": {func(then, _ *ir.Body) { then.Outputs = nil }, "then_body gives 0 outputs, else_body 1"},
		"outputs of no body": {func(then, other *ir.Body) { then.Outputs, other.Outputs = nil, nil },
			"the layer has 1 outputs, the port maps of its bodies give 0"},
		"a Result twice": {func(_, other *ir.Body) {
			other.Outputs = append(other.Outputs, ir.BodyPort{External: 1, Internal: other.Model.Results[0]})
		}, "layer 1 \"Result\" (Result, opset1) of else_body is the source of two outputs"},
		"a body that cannot be as it declares": {func(then, _ *ir.Body) {
			b := &layertest.Graph{Model: *then.Model}
			b.Add("Concat", "opset1", layertest.Attributes{"axis", "7"}, b.Parameters[0])
			b.Parameters[0].Data[1].Value = "2,3"
			*then.Model = b.Model
		}, "layer 2 \"Concat\" (Concat, opset1): axis 7 is outside [-2,1] for rank 2"},
	} {
		t.Run(name, func(t *testing.T) {
			g, layer := branches(t, "boolean[]", "f32[2]", "f32[2]")
			c.change(&layer.Bodies[0], &layer.Bodies[1])
			_, _, err := g.Infer(layer, types...)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := layertest.Infer(t, &Ops[0], nil, "boolean[]")
	require.ErrorContains(t, err, "there is no body 0")
}
