package reshape_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/reshape"
	"github.com/vinoir/vinoir/ops/builtin"
)

func TestReshapeRelaxes(t *testing.T) {
	registry := optest.Registry(t, builtin.Ops())
	for _, c := range relaxCases {
		n := new(net)
		c.build(n)
		_, err := infer.Propagate(t.Context(), &n.Model, registry, nil)
		require.NoError(t, err, c.name)
		before := len(n.Layers)
		for i := 0; i < len(c.cases); i += 3 {
			shape, err := ir.ParsePartialShape(c.cases[i])
			require.NoError(t, err)
			m, err := reshape.Inputs(t.Context(), &n.Model, registry, map[string]ir.PartialShape{"x": shape})
			require.NoError(t, err)
			shapes, err := infer.Propagate(t.Context(), m, registry, nil)
			if c.cases[i+2] == "" {
				assert.Error(t, err, "%s, x %v", c.name, shape)
				continue
			}
			require.NoError(t, err, "%s, x %v", c.name, shape)
			for _, layer := range m.Order {
				if layer.Name == c.cases[i+1] {
					assert.Equal(t, c.cases[i+2], shapes.Outputs(layer)[0].Shape.String(), "%s, x %v, %v", c.name, shape, layer)
				}
			}
			assert.Len(t, n.Layers, before, "the original model is unchanged")
			for k, layer := range m.Layers {
				require.Equal(t, k, layer.Index)
				if k >= before {
					assert.Equal(t, uint64(k), layer.ID)
					assert.GreaterOrEqual(t, layer.Line, 10, layer.Name)
				}
			}
		}
	}
}

// TestReshapeToTheSame checks that the same shape changes nothing, as in OpenVINO.
func TestReshapeToTheSame(t *testing.T) {
	n := new(net)
	n.results(n.reshape("flat", n.parameter("x", "2,3"), 6))
	for _, shapes := range []map[string]ir.PartialShape{nil, {"x": ir.StaticShape(2, 3)}} {
		m, err := reshape.Inputs(t.Context(), &n.Model, optest.Registry(t, builtin.Ops()), shapes)
		require.NoError(t, err)
		assert.Len(t, m.Layers, len(n.Layers))
	}
	// The shape is compared with that of the reshaped model, not with that in the file.
	m, err := reshape.Inputs(t.Context(), &n.Model, optest.Registry(t, builtin.Ops()), map[string]ir.PartialShape{"x": ir.UnknownRank})
	require.NoError(t, err)
	m, err = reshape.Inputs(t.Context(), m, optest.Registry(t, builtin.Ops()), map[string]ir.PartialShape{"x": ir.StaticShape(5, 3)})
	require.NoError(t, err)
	shapes, err := infer.Propagate(t.Context(), m, optest.Registry(t, builtin.Ops()), nil)
	require.NoError(t, err)
	assert.Equal(t, "[15]", shapes.Outputs(m.Results[0])[0].Shape.String())
}

// TestReshapeNamesWhatItAdds checks the lines and names of added layers.
func TestReshapeNamesWhatItAdds(t *testing.T) {
	n := new(net)
	n.results(n.matmul("mm", n.reshape("r", n.parameter("x", "1,6"), 1, 6), n.weights(6, 5), ""))
	m, err := reshape.Inputs(t.Context(), &n.Model, optest.Registry(t, builtin.Ops()), map[string]ir.PartialShape{"x": ir.StaticShape(2, 6)})
	require.NoError(t, err)
	var names []string
	for _, layer := range m.Layers[len(n.Layers):] {
		names = append(names, layer.Name)
		assert.Equal(t, n.Layers[2].Line, layer.Line)
	}
	assert.Equal(t, []string{"r/shape/rest", "r/shape/dim/shape_of", "r/shape/dim/index", "r/shape/dim/axis", "r/shape/dim", "r/shape"}, names)
	r := irtest.Validate(t, m, optest.Registry(t, builtin.Ops()))
	assert.Empty(t, r.Findings)
}

// TestReshapeIsLinear would take hours, so that go test would end it, if each pattern were to
// search the whole model.
func TestReshapeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("large model")
	}
	n := new(net)
	x := n.parameter("x", "1,6")
	w := n.weights(6, 6)
	for range 20_000 {
		x = n.add("", "ReLU", nil, n.matmul("", n.reshape("r", x, 1, 6), w, ""))
		n.add("", "ReLU", nil, x)
	}
	n.results(x)
	m, err := reshape.Inputs(t.Context(), &n.Model, optest.Registry(t, builtin.Ops()), map[string]ir.PartialShape{"x": ir.StaticShape(3, 6)})
	require.NoError(t, err)
	assert.Len(t, m.Layers, len(n.Layers)+6*20_000)
}
