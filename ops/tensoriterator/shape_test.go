package tensoriterator

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/concat"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
)

var types = slices.Concat(Ops, parameter.Ops, result.Ops)

// whole is the range of all elements, one at a time.
var whole = ir.BodyPort{Sliced: true, Start: 0, End: -1, Stride: 1, PartSize: 1}

// identity returns a TensorIterator with the ports in and out, whose body returns its Parameter.
func identity(t testing.TB, data string, in, out ir.BodyPort) (*layertest.Graph, *ir.Layer) {
	g, b := layertest.NewGraph(t), layertest.NewGraph(t)
	layer := g.Add("TensorIterator", "opset1", nil, g.Parameter(data))
	in.Internal = b.Parameter("f32[...]")
	out.Internal = b.Add("Result", "opset1", nil, in.Internal)
	layer.Bodies = []ir.Body{{Model: &b.Model, Inputs: []ir.BodyPort{in}, Outputs: []ir.BodyPort{out}}}
	return g, layer
}

func TestShapes(t *testing.T) {
	part := func(axis, start, end, size int64) ir.BodyPort {
		return ir.BodyPort{Sliced: true, Axis: axis, Start: start, End: end, Stride: size, PartSize: size}
	}
	for _, c := range []struct {
		name, data string
		in, out    ir.BodyPort
		want, err  string
	}{
		{name: "slices", data: "f32[4,2]", in: whole, out: whole, want: "f32[4,2]"},
		{name: "the last slice", data: "f32[4,2]", in: whole, out: ir.BodyPort{}, want: "f32[1,2]"},
		{name: "backwards", data: "f32[4,2]", in: part(0, -1, 0, 1), out: whole, want: "f32[4,2]"},
		{name: "another axis", data: "f32[4,2]", in: part(1, 0, -1, 1), out: whole, want: "f32[2,1]"},
		{name: "joined along another axis", data: "f32[4,2]", in: whole, out: part(1, 0, -1, 2), want: "f32[1,8]"},
		{name: "parts", data: "f32[5,2]", in: part(0, 0, -1, 2), out: part(0, 0, -1, 2), want: "f32[4,2]"},
		{name: "a part of the axis", data: "f32[5,2]", in: part(0, 1, -2, 1), out: whole, want: "f32[3,2]"},
		{name: "no whole part", data: "f32[4,2]", in: part(0, 0, -1, 9), out: whole, want: "f32[0,2]"},
		{name: "a range of lengths", data: "f32[3..5,2]", in: whole, out: whole, want: "f32[?,2]"},
		{name: "other lengths unknown", data: "f32[4,?]", in: whole, out: whole, want: "f32[4,?]"},
		{name: "unknown rank", data: "f32[...]", in: whole, out: whole, want: "f32[...]"},
		{name: "whole input, joined", data: "f32[4,2]", out: part(0, 0, 6, 2), want: "f32[6,2]"},
		{name: "whole input, last", data: "f32[4..,2]", want: "f32[4..,2]"},
		{name: "scalars joined", data: "f32[]", out: whole, want: "f32[1]"},
		{name: "the body's own type", data: "f16[4]", in: whole, out: whole, want: "f32[4]"},
		{name: "scalars along axis 1", data: "f32[]", out: part(1, 0, -1, 1), err: "output 0: scalars are joined along axis 1, expected 0"},
		{name: "no such axis", data: "f32[4,2]", in: part(2, 0, -1, 1), err: "input 0: axis 2 is outside [-2,1] for rank 2"},
		{name: "no such axis to join", data: "f32[4,2]", in: whole, out: part(-3, 0, -1, 1), err: "output 0: axis -3 is outside [-2,1] for rank 2"},
		{name: "ends at the limits", data: "f32[4,2]", in: part(0, math.MaxInt64, math.MinInt64, 1), out: whole, want: "f32[?,2]"},
		{name: "parts beyond int64", data: "f32[4,2]", in: whole, out: part(0, 0, -1, math.MaxInt64), want: "f32[?,2]"},
		{name: "the longest axis", data: "f32[9223372036854775806]", in: whole, out: whole, want: "f32[9223372036854775806]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, layer := identity(t, c.data, c.in, c.out)
			g.Check(layer, types, c.err, c.want)
		})
	}
}

// TestStates has a chain of states, of which the first is joined with an input in each iteration,
// and each other one is what the one before it was. The output is the last state. OpenVINO infers
// the shapes of the first iteration.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		name, data, more string
		states           int
		want             string
	}{
		{"no change", "f32[4,2]", "f32[0,3]", 3, "f32[2,3]"},
		{"a state grows", "f32[4,2]", "f32[1,3]", 1, "f32[1..,3]"},
		{"states that follow", "f32[4,2]", "f32[1,3]", 3, "f32[?,3]"},
		{"more states than rounds", "f32[4,2]", "f32[1,3]", 20, "f32[?,?]"},
		{"one iteration", "f32[1,2]", "f32[1,3]", 1, "f32[3,3]"},
		{"any number of iterations", "f32[?,2]", "f32[1,3]", 1, "f32[1..,3]"},
		{"a range", "f32[4,2]", "f32[..1,3]", 1, "f32[?,3]"},
		{"unknown rank", "f32[4,2]", "f32[...]", 2, "f32[2..,3]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, b := layertest.NewGraph(t), layertest.NewGraph(t)
			inputs := []*ir.Layer{g.Parameter(c.data), g.Parameter(c.more)}
			slice, more := whole, ir.BodyPort{External: 1}
			slice.Internal, more.Internal = b.Parameter("f32[...]"), b.Parameter("f32[...]")
			body := ir.Body{Inputs: []ir.BodyPort{slice, more}}
			var was *ir.Layer
			for i := range c.states {
				inputs = append(inputs, g.Parameter("f32[2,3]"))
				p := b.Parameter("f32[...]")
				next := was
				if i == 0 {
					next = b.Add("Concat", "opset1", layertest.Attributes{"axis", "0"}, p, more.Internal)
				}
				to := b.Add("Result", "opset1", nil, next)
				body.Inputs = append(body.Inputs, ir.BodyPort{External: 2 + i, Internal: p})
				body.BackEdges = append(body.BackEdges, ir.BackEdge{From: to, To: p})
				body.Outputs, was = []ir.BodyPort{{Internal: to}}, p
			}
			body.Model = &b.Model
			layer := g.Add("TensorIterator", "opset1", nil, inputs...)
			layer.Bodies = []ir.Body{body}
			g.Check(layer, slices.Concat(types, concat.Ops), "", c.want)
		})
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(g *layertest.Graph, layer *ir.Layer)
		want   string
	}{
		"more inputs than the port map takes": {func(g *layertest.Graph, layer *ir.Layer) {
			layer.Inputs = append(layer.Inputs, layer.Inputs[0])
		}, "the layer has 2 inputs, its port map takes 1"},
		"more outputs than the port map gives": {func(_ *layertest.Graph, layer *ir.Layer) {
			layer.Outputs = make([]ir.Output, 2)
		}, "the layer has 2 outputs, its port map gives 1"},
		"a TensorIterator in the body": {func(_ *layertest.Graph, layer *ir.Layer) {
			_, inner := identity(t, "f32[2]", whole, whole)
			inner.Inputs[0].Source = layer.Bodies[0].Model.Parameters[0]
			b := &layertest.Graph{Model: *layer.Bodies[0].Model}
			inner.Index = len(b.Layers)
			b.Layers = append(b.Layers, inner)
			b.Order = b.Layers
			*layer.Bodies[0].Model = b.Model
		}, `the body holds another TensorIterator, layer 1 "TensorIterator"`},
	} {
		t.Run(name, func(t *testing.T) {
			g, layer := identity(t, "f32[4,2]", whole, whole)
			c.change(g, layer)
			_, _, err := g.Infer(layer, types...)
			require.ErrorContains(t, err, c.want)
		})
	}
}
