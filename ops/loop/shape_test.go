package loop

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/concat"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/eltwise"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
	"github.com/vinoir/vinoir/ops/shapeof"
)

var types = slices.Concat(Ops, concat.Ops, constant.Ops, eltwise.Ops, parameter.Ops, result.Ops, shapeof.Ops)

// growth is a Loop with a state. The body joins the state with the input "more" along an axis. The
// outputs are the last state, and all states joined along axis 0.
type growth struct {
	*layertest.Graph
	layer *ir.Layer
	body  *layertest.Graph
}

// input adds a Parameter, or a Constant if fact starts with "=".
func input(g *layertest.Graph, fact string) *ir.Layer {
	if fact[0] == '=' {
		return g.Constant(fact[1:])
	}
	return g.Parameter(fact)
}

func newGrowth(t testing.TB, trips, cond, goesOn, axis, state, more string) growth {
	g, b := layertest.NewGraph(t), layertest.NewGraph(t)
	layer := g.Add("Loop", "opset5", nil, input(g, trips), input(g, cond), g.Parameter(state), g.Parameter(more))
	was, add := b.Parameter("dynamic[...]"), b.Parameter("dynamic[...]")
	next := b.Add("Result", "opset1", nil, b.Add("Concat", "opset1", layertest.Attributes{"axis", axis}, was, add))
	on := b.Add("Result", "opset1", nil, input(b, goesOn))
	layer.Outputs = make([]ir.Output, 2)
	layer.Bodies = []ir.Body{{
		Model:  &b.Model,
		Inputs: []ir.BodyPort{{External: 2, Internal: was}, {External: 3, Internal: add}},
		Outputs: []ir.BodyPort{
			{External: -1, Internal: on, Purpose: "execution_condition"},
			{External: 0, Internal: next},
			{External: 1, Internal: next, Sliced: true, Start: 0, End: -1, Stride: 1, PartSize: 1},
		},
		BackEdges: []ir.BackEdge{{From: next, To: was}},
	}}
	return growth{g, layer, b}
}

const yes, no = "=boolean[]=1", "=boolean[]=0"

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name, trips, cond, goesOn, axis, state, more string
		want                                         []string
		// the state of the body after the last iteration
		state2 string
	}{
		{"a length that does not change", "=i64[]=3", yes, yes, "0", "f32[2,5]", "f32[0,5]",
			[]string{"f32[2,5]", "f32[6,5]"}, "f32[2,5]"},
		{"a length that grows", "=i64[]=3", yes, yes, "1", "f32[2,5]", "f32[2,1]",
			[]string{"f32[2,1..]", "f32[6,1..]"}, "f32[2,?]"},
		{"the length that is joined", "=i64[]=3", yes, yes, "0", "f32[2,5]", "f32[1,5]",
			[]string{"f32[1..,5]", "f32[?,5]"}, "f32[?,5]"},
		{"no iteration to grow in", "=i64[]=0", yes, yes, "1", "f32[2,5]", "f32[2,1]",
			// OpenVINO infers [2,6], and cannot run it
			[]string{"f32[2,5]", "f32[0,6]"}, "f32[2,5]"},
		{"no limit of trips", "=i64[1]=-1", yes, yes, "1", "f32[2,?]", "f32[2,1]",
			[]string{"f32[2,1..]", "f32[?,1..]"}, "f32[2,?]"},
		{"trips unknown", "i32[]", yes, yes, "0", "f32[2,5]", "f32[0,5]",
			[]string{"f32[2,5]", "f32[?,5]"}, "f32[2,5]"},
		{"condition of the body unknown", "=i64[]=3", yes, "boolean[1]", "0", "f32[2,5]", "f32[0,5]",
			[]string{"f32[2,5]", "f32[?,5]"}, "f32[2,5]"},
		{"condition of the body false", "i64[]", "boolean[]", no, "0", "f32[2,5]", "f32[0,5]",
			// OpenVINO expects execution_condition to be true
			[]string{"f32[2,5]", "f32[?,5]"}, "f32[2,5]"},
		{"never run", "=i64[]=3", no, yes, "0", "f32[2,5]", "f32[0,5]",
			[]string{"f32[0,5]", "f32[0]"}, "f32[2,5]"},
		{"never run, dynamic", "=i64[]=3", no, yes, "0", "f32[2,?]", "f32[0,?]",
			[]string{"f32[2,?]", "f32[0]"}, "f32[2,?]"},
		{"perhaps never run", "=i64[]", "=boolean[]", "=boolean[]", "0", "f32[2,5]", "f32[0,5]",
			[]string{"f32[..2,5]", "f32[...]"}, "f32[2,5]"}, // the .bin was not read
		{"an empty state", "=i64[]=3", yes, yes, "0", "f32[0,5]", "f32[1,5]",
			[]string{"f32[1..,5]", "f32[?,5]"}, "f32[?,5]"},
		{"a range that contains the new length", "=i64[]=3", yes, yes, "0", "f32[2..,5]", "f32[0..1,5]",
			[]string{"f32[2..,5]", "f32[?,5]"}, "f32[2..,5]"},
		{"a range that does not contain it", "=i64[]=3", yes, yes, "0", "f32[2..4,5]", "f32[0..1,5]",
			[]string{"f32[?,5]", "f32[?,5]"}, "f32[?,5]"},
		{"unknown rank", "=i64[]=3", yes, yes, "0", "f32[...]", "f32[...]",
			[]string{"f32[...]", "f32[...]"}, "f32[...]"},
		{"types of the inputs", "=i64[]=3", yes, yes, "0", "u8[2]", "dynamic[0]",
			[]string{"u8[2]", "u8[6]"}, "u8[2]"},
		{"a product beyond int64", "=i64[]=9223372036854775806", yes, yes, "0", "f32[2]", "f32[0]",
			[]string{"f32[2]", "f32[?]"}, "f32[2]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGrowth(t, c.trips, c.cond, c.goesOn, c.axis, c.state, c.more)
			got, shapes, err := g.Infer(g.layer, types...)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
			fact := shapes.Body(g.layer, 0).Outputs(g.body.Parameters[0])[0]
			assert.Equal(t, c.state2, layertest.FactText(&fact))
		})
	}
}

// TestPorts changes a valid Loop.
func TestPorts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(g growth, body *ir.Body)
		want   []string
		err    string
	}{
		"a sliced input": {change: func(g growth, body *ir.Body) {
			body.Inputs[1] = ir.BodyPort{External: 3, Internal: body.Inputs[1].Internal, Sliced: true, Axis: 0, PartSize: 1}
		}, want: []string{"f32[1..,5]", "f32[?,5]"}},
		"a sliced axis that does not exist": {change: func(g growth, body *ir.Body) {
			body.Inputs[1] = ir.BodyPort{External: 3, Internal: body.Inputs[1].Internal, Sliced: true, Axis: 2, PartSize: 1}
		}, err: "input 3: axis 2 is outside [-2,1] for rank 2"},
		"a joined axis that does not exist": {change: func(g growth, body *ir.Body) {
			body.Outputs[2].Axis = -3
		}, err: "output 1: axis -3 is outside [-2,1] for rank 2"},
		"the last axis is joined": {change: func(g growth, body *ir.Body) {
			body.Outputs[2].Axis = -1
		}, want: []string{"f32[2,5]", "f32[2,15]"}},
		"no back edge": {change: func(g growth, body *ir.Body) {
			body.BackEdges = nil
		}, want: []string{"f32[2,5]", "f32[6,5]"}},
		"a back edge with another rank": {change: func(g growth, body *ir.Body) {
			body.BackEdges[0].From = body.Outputs[0].Internal
			body.Outputs[1].Internal = body.Outputs[0].Internal
		}, want: []string{"boolean[]", "f32[?,5]"}},
		"a back edge from a Result without output": {change: func(g growth, body *ir.Body) {
			// a scalar; OpenVINO keeps the shape of the first iteration
			body.BackEdges[0].From = body.Outputs[0].Internal
		}, want: []string{"f32[?,5]", "f32[?,5]"}},
		"no condition": {change: func(g growth, body *ir.Body) {
			body.Outputs = body.Outputs[1:]
		}, want: []string{"dynamic[...]", "dynamic[...]"}},
		"the condition is an input that is true": {change: func(g growth, body *ir.Body) {
			p := g.body.Parameter("boolean[]")
			g.body.Results[1].Inputs[0].Source = p
			*body.Model = g.body.Model
			moveLast(body.Model, 3)
			body.Inputs = slices.Insert(body.Inputs, 0, ir.BodyPort{External: 1, Internal: p})
		}, want: []string{"f32[2,5]", "f32[6,5]"}},
		"more inputs than the port map takes": {change: func(g growth, body *ir.Body) {
			g.layer.Inputs = append(g.layer.Inputs, g.layer.Inputs[3])
		}, err: "the layer has 5 inputs, its port map takes 4"},
		"trip_count and condition for three": {change: func(g growth, body *ir.Body) {
			body.Inputs[1].External = 0
			body.Inputs = append(body.Inputs, ir.BodyPort{External: 1, Internal: body.Inputs[1].Internal},
				ir.BodyPort{External: 1, Internal: body.Inputs[1].Internal})
		}, err: "trip_count and execution_condition feed more than two Parameters"},
		"more outputs than the port map gives": {change: func(g growth, body *ir.Body) {
			g.layer.Outputs = make([]ir.Output, 3)
		}, err: "the layer has 3 outputs, its port map gives 2"},
		"a current_iteration of rank 2": {change: func(g growth, body *ir.Body) {
			body.Inputs[1].Purpose = "current_iteration"
			g.body.Parameters[1].Data[1].Value = "1,1"
		}, err: `current_iteration, layer 1 "Parameter" (Parameter, opset1), has shape [1,1], expected rank 0 or 1`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrowth(t, "=i64[]=3", yes, yes, "0", "f32[2,5]", "f32[0,5]")
			c.change(g, &g.layer.Bodies[0])
			g.Check(g.layer, types, c.err, c.want...)
		})
	}
}

// TestConditionOfShapes has a body that continues while its state is longer than 2.
func TestConditionOfShapes(t *testing.T) {
	for _, c := range []struct{ declared, state, want string }{
		{"f32[...]", "f32[5]", "f32[15]"},
		{"f32[...]", "f32[2]", "f32[2]"},
		{"f32[...]", "f32[?]", "f32[?]"},
		{"f32[9]", "f32[5]", "f32[15]"},
		{"f32[1]", "f32[5]", "f32[15]"},
		{"f32[1]", "f32[?]", "f32[?]"}, // OpenVINO uses the declared length 1
		{"f32[4]", "f32[3..]", "f32[?]"},
	} {
		g := newGrowth(t, "=i64[]=3", yes, yes, "0", c.state, "f32[0]")
		body := &g.layer.Bodies[0]
		body.BackEdges = nil
		declared := g.body.Parameters[0]
		declared.Data[1].Value = strings.Trim(layertest.Fact(t, c.declared).Shape.String(), "[]")
		shape := g.body.Add("ShapeOf", "opset3", nil, declared)
		g.body.Results[1].Inputs[0].Source = g.body.Add("Greater", "opset1", nil, shape, g.body.Constant("i64[1]=2"))
		on := slices.Index(g.body.Layers, g.body.Results[1])
		g.body.Layers = append(slices.Delete(slices.Clone(g.body.Layers), on, on+1), g.body.Results[1])
		g.body.Order = g.body.Layers
		for i, l := range g.body.Layers {
			l.Index = i
		}
		*body.Model = g.body.Model
		got, _, err := g.Infer(g.layer, types...)
		require.NoError(t, err)
		assert.Equal(t, c.want, got[1], "%s declared, %s given", c.declared, c.state)
	}
}

// moveLast moves the last layer of m to position i.
func moveLast(m *ir.Model, i int) {
	last := m.Layers[len(m.Layers)-1]
	m.Layers = slices.Insert(m.Layers[:len(m.Layers)-1], i, last)
	m.Order = m.Layers
	for k, l := range m.Layers {
		l.Index = k
	}
}

func TestScalars(t *testing.T) {
	for name, c := range map[string]struct{ trips, cond, goesOn, err string }{
		"trip_count":                      {"i64[1,1]", yes, yes, "trip_count has shape [1,1], expected rank 0 or 1"},
		"trip_count of two":               {"=i64[2]=1,2", yes, yes, "trip_count has 2 values, expected 1"},
		"execution_condition":             {"=i64[]=1", "boolean[?,?]", yes, "execution_condition has shape [?,?], expected rank 0 or 1"},
		"execution_condition of the body": {"=i64[]=1", yes, "=boolean[2]=1,1", "execution_condition of the body has 2 values, expected 1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrowth(t, c.trips, c.cond, c.goesOn, "0", "f32[2,5]", "f32[0,5]")
			_, _, err := g.Infer(g.layer, types...)
			require.ErrorContains(t, err, c.err)
		})
	}
	// A joined Result may be a scalar; the output of a loop without iterations may not.
	for name, c := range map[string]struct {
		cond, err string
		want      []string
	}{
		"joined":    {yes, "", []string{"boolean[]", "boolean[3]"}},
		"never run": {no, "output 0: a scalar cannot be the output of a loop without iterations", nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrowth(t, "=i64[]=3", c.cond, yes, "0", "f32[2,5]", "f32[0,5]")
			body := &g.layer.Bodies[0]
			body.Outputs[1].Internal, body.Outputs[2].Internal = body.Outputs[0].Internal, body.Outputs[0].Internal
			g.Check(g.layer, types, c.err, c.want...)
		})
	}
}
