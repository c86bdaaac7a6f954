package passes

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
)

// rules infers the output of every layer as f32[2], or as f64[2] if its name is "to f64".
type rules struct{}

func (rules) Rule(*ir.Layer) (*infer.Rule, error) {
	return &infer.Rule{Inputs: infer.Arity{Max: -1}, Infer: func(in *infer.Inference) error {
		in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: ir.StaticShape(2), Tensor: in.Layer.Constant}
		if in.Layer.Name == "to f64" {
			in.Outputs[0].Type = ir.F64
		}
		return nil
	}}, nil
}

// model returns a model of the given layers, which must be in an order of execution.
func model(layers ...*ir.Layer) *ir.Model {
	m := &ir.Model{Layers: layers, Order: layers}
	for i, layer := range layers {
		layer.Index = i
		layer.Outputs = make([]ir.Output, 1)
		switch layer.Type {
		case "Parameter":
			m.Parameters = append(m.Parameters, layer)
		case "Result":
			m.Results = append(m.Results, layer)
		}
	}
	return m
}

// layer returns a layer that reads output 0 of inputs.
func layer(layerType, name string, inputs ...*ir.Layer) *ir.Layer {
	l := &ir.Layer{Type: layerType, Name: name}
	for _, in := range inputs {
		l.Inputs = append(l.Inputs, ir.Input{Source: in})
	}
	return l
}

// names returns the names of the layers of m in order.
func names(m *ir.Model) []string {
	var names []string
	for _, l := range m.Order {
		names = append(names, l.Name)
	}
	return names
}

// graphOf returns the input of a pass for a clone of m. It evaluates each layer as zeros, except a
// layer named "random", which cannot be evaluated.
func graphOf(t *testing.T, m *ir.Model) *ops.Graph {
	t.Helper()
	m = m.Clone()
	shapes, err := infer.Propagate(t.Context(), m, rules{}, nil)
	require.NoError(t, err)
	value, err := ir.NewTensor(ir.F32, 2)
	require.NoError(t, err)
	op := &ops.Op{Prepare: func(*ops.Preparation) (*ops.Prepared, error) { return nil, nil }}
	return &ops.Graph{Model: m, Shapes: shapes, Op: func(*ir.Layer) (*ops.Op, error) { return op, nil }, Evaluate: func(l *ir.Layer, inputs []ir.Fact) ([]*ir.Tensor, error) {
		if l.Name == "random" {
			return nil, errors.New("not a function of its inputs")
		}
		for _, in := range inputs {
			require.NotNil(t, in.Tensor)
		}
		return []*ir.Tensor{value}, nil
	}}
}

// constant returns a Constant of zeros of shape [2].
func constant(t *testing.T, name string) *ir.Layer {
	t.Helper()
	c := layer("Constant", name)
	var err error
	c.Constant, err = ir.NewTensor(ir.F32, 2)
	require.NoError(t, err)
	return c
}

func TestFoldConstants(t *testing.T) {
	x, c := layer("Parameter", "x"), constant(t, "c")
	convert := layer("Convert", "convert", c)
	scale := layer("Multiply", "scale", convert, c)
	random := layer("Random", "random", c)
	add := layer("Add", "add", x, scale, random)
	m := model(x, c, convert, scale, random, add, layer("Result", "r", add), layer("Result", "s", scale))
	// no outputs: one without a name
	scale.Outputs[0].Names, convert.Outputs = []string{"scaled"}, nil
	g := graphOf(t, m)
	require.True(t, FoldConstants(g))
	assert.Equal(t, []string{"x", "scale", "c", "random", "add", "r", "s"}, names(g.Model))
	folded := g.Model.Results[1].Inputs[0].Source
	assert.Equal(t, "Constant", folded.Type)
	assert.Equal(t, []string{"scaled"}, folded.Outputs[0].Names)
	assert.Same(t, folded, g.Model.Layers[add.Index].Inputs[1].Source)
	assert.Same(t, g.Model.Layers[folded.Index], folded)
	assert.Same(t, scale, m.Results[1].Inputs[0].Source, "the model that was read is as it was")

	g.Shapes, _ = infer.Propagate(t.Context(), g.Model, rules{}, nil)
	assert.False(t, FoldConstants(g), "a second time")
}

func TestRemoveNoOps(t *testing.T) {
	x := layer("Parameter", "x")
	same := layer("Convert", "same", x)
	one := layer("Concat", "one", same)
	other := layer("Convert", "to f64", one)
	two := layer("Concat", "two", one, one)
	g := graphOf(t, model(x, same, one, other, two, layer("Result", "r", other), layer("Result", "s", two)))
	require.True(t, RemoveNoOps(g))
	assert.Equal(t, []string{"x", "to f64", "r", "two", "s"}, names(g.Model))
	assert.False(t, RemoveNoOps(g), "a second time")
}

func TestNestConcats(t *testing.T) {
	x, y, z := layer("Parameter", "x"), layer("Parameter", "y"), layer("Parameter", "z")
	pair := layer("Concat", "pair", x, y)
	equal := layer("Concat", "equal", x, y)
	triple := layer("Concat", "triple", x, y, z)
	four := layer("Concat", "four", x, y, z, x)
	other := layer("Concat", "other", y, x, z)
	wide := []*ir.Layer{x, y}
	for len(wide) < 257 {
		wide = append(wide, z)
	}
	widest, tooWide := layer("Concat", "widest", wide[:256]...), layer("Concat", "too wide", wide...)
	concats := []*ir.Layer{pair, equal, triple, four, other, widest, tooWide}
	layers := append([]*ir.Layer{x, y, z}, concats...)
	for _, concat := range concats {
		layers = append(layers, layer("Result", "of "+concat.Name, concat))
	}
	g := graphOf(t, model(layers...))
	require.True(t, NestConcats(g))
	for i, want := range [][]string{{"x", "y"}, {"x", "y"}, {"pair", "z"}, {"triple", "x"}, {"y", "x", "z"}} {
		var got []string
		for _, in := range g.Model.Results[i].Inputs[0].Source.Inputs {
			got = append(got, in.Source.Name)
		}
		assert.Equal(t, want, got, concats[i].Name)
	}
	nested := g.Model.Results[5].Inputs[0].Source.Inputs
	assert.Equal(t, "triple", nested[0].Source.Name)
	assert.Len(t, nested, 254)
	assert.Len(t, g.Model.Results[6].Inputs[0].Source.Inputs, 257, "more than the pass handles")
}
