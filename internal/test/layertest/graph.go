package layertest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin"
)

// Graph is a model, or the body of a layer, that a test builds. Each layer reads output 0 of
// layers that were added before it.
type Graph struct {
	ir.Model
	t testing.TB
}

// NewGraph returns an empty graph.
func NewGraph(t testing.TB) *Graph { return &Graph{t: t} }

// Add adds a layer with one output. The name of the layer is its type.
func (g *Graph) Add(layerType, opset string, attributes Attributes, from ...*ir.Layer) *ir.Layer {
	l := &ir.Layer{
		Index: len(g.Layers), ID: uint64(len(g.Layers)), Name: layerType, Type: layerType, Opset: opset,
		Data: attributes.Data(), Outputs: make([]ir.Output, 1),
	}
	for _, source := range from {
		l.Inputs = append(l.Inputs, ir.Input{Source: source})
	}
	g.Layers = append(g.Layers, l)
	g.Order = g.Layers
	switch layerType {
	case "Parameter":
		g.Parameters = append(g.Parameters, l)
	case "Result":
		g.Results = append(g.Results, l)
	case "Assign":
		g.Sinks = append(g.Sinks, l)
	}
	return l
}

// Parameter adds a Parameter of a type and shape in the notation of Fact.
func (g *Graph) Parameter(fact string) *ir.Layer {
	f := Fact(g.t, fact)
	shape := strings.Trim(f.Shape.String(), "[]")
	return g.Add("Parameter", "opset1", Attributes{"element_type", f.Type.String(), "shape", shape})
}

// Constant adds a Constant with a type, shape and value in the notation of Fact: "i64[2]=3,4".
// Without a value it is a Constant of a model that was read without its .bin.
func (g *Graph) Constant(fact string) *ir.Layer {
	f := Fact(g.t, fact)
	text := strings.Trim(f.Shape.String(), "[]")
	l := g.Add("Constant", "opset1", Attributes{"element_type", f.Type.String(), "shape", text})
	if values, known := f.Ints(); known {
		shape, err := f.Shape.Static()
		require.NoError(g.t, err)
		l.Constant, err = ir.TensorOfInts(f.Type, shape, values)
		require.NoError(g.t, err)
	}
	return l
}

// Infer infers the graph with the given layer types. It returns the outputs of layer in the
// notation of Fact.
func (g *Graph) Infer(layer *ir.Layer, types ...ops.Op) ([]string, *infer.Shapes, error) {
	registry, err := plugin.NewRegistry(types...)
	require.NoError(g.t, err)
	s, err := infer.Propagate(g.t.Context(), &g.Model, registry, nil)
	var all []string
	for _, fact := range s.Outputs(layer) {
		all = append(all, FactText(&fact))
	}
	return all, s, err
}

// Check compares the inferred outputs of layer with want. If refused is not empty, inference
// must return an error that contains it instead.
func (g *Graph) Check(layer *ir.Layer, types []ops.Op, refused string, want ...string) {
	got, _, err := g.Infer(layer, types...)
	if refused != "" {
		require.ErrorContains(g.t, err, refused)
		return
	}
	require.NoError(g.t, err)
	assert.Equal(g.t, want, got)
}
