package infer

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
)

// TestFindSourcesIsBounded has many Assigns that depend on one layer with many inputs. The edges
// are visited once for 64 variables, and only up to a limit.
func TestFindSourcesIsBounded(t *testing.T) {
	build := func(n, inputs int) *ir.Model {
		m := &ir.Model{}
		add := func(layerType, id string, from ...*ir.Layer) *ir.Layer {
			layer := &ir.Layer{Index: len(m.Layers), Type: layerType, Opset: "opset3", Data: []ir.Attribute{{Name: "variable_id", Value: id}}}
			for _, source := range from {
				layer.Inputs = append(layer.Inputs, ir.Input{Source: source})
			}
			m.Layers = append(m.Layers, layer)
			return layer
		}
		reads := make([]*ir.Layer, n)
		for i := range reads {
			reads[i] = add("ReadValue", strconv.Itoa(i))
		}
		all := make([]*ir.Layer, inputs)
		for i := range all {
			all[i] = reads[i%n]
		}
		join := add("Concat", "", all...)
		for i := range n {
			add("Assign", strconv.Itoa(i), join)
		}
		m.Order = m.Layers
		return m
	}
	m := build(1000, 10_000)
	d := newDriver(t.Context(), nil)
	s := d.findSources(m)
	assert.Len(t, s.found, 1000)
	assert.False(t, s.cut)
	assert.LessOrEqual(t, d.visited, 16*(10_000+4*1000+1))

	d = newDriver(t.Context(), nil)
	d.visited = maxVisited - 20_000
	s = d.findSources(m)
	assert.True(t, s.cut)
	assert.Len(t, s.found, 64)
	p := &pass{driver: d, model: m, shapes: &Shapes{}}
	d.assigns = map[*ir.Model]*assignSources{m: {cut: true}}
	assert.False(t, p.readValue(m.Layers[1001]).Shape.RankKnown(), "beyond the limit, the variable is unknown")
}
