package explain

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// many returns a model of a layer with n outputs of the shape of its input, rules that count the
// runs of its rule, and the layer.
func many(n int, runs *int) (*ir.Model, irtest.Rules, *ir.Layer) {
	rules := irtest.SumRules()
	rules["Many"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(in *infer.Inference) error {
		*runs++
		for i := range in.Outputs {
			in.Outputs[i] = in.Inputs[0]
		}
		return nil
	}}
	x := irtest.Parameter("x", "3,?")
	layer := irtest.Layer("many", "Many", x)
	layer.Outputs = make([]ir.Output, n)
	return irtest.Model(x, layer), rules, layer
}

// TestExplainer_sharesWork explains all outputs of a layer: its rule runs no more often than for
// one.
func TestExplainer_sharesWork(t *testing.T) {
	runs := 0
	m, rules, layer := many(100, &runs)
	shapes, err := infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	e := NewExplainer(m, rules, shapes)
	for i := range layer.Outputs {
		x, err := e.Output(t.Context(), layer, i)
		require.NoError(t, err)
		require.Len(t, x.Dims, 2)
		for k, o := range x.Dims {
			require.Len(t, o.Causes, 1)
			assert.Equal(t, m.Layers[0], o.Causes[0].Layer)
			assert.Equal(t, k, o.Causes[0].Index)
		}
		if i == 0 {
			assert.Positive(t, runs)
			runs = 0
		}
	}
	assert.Zero(t, runs)
	assert.False(t, e.Spent())
}

// TestExplainer_limitsOutputs has explanations that are cheap to find, but more than anybody reads.
func TestExplainer_limitsOutputs(t *testing.T) {
	runs := 0
	m, rules, layer := many(1, &runs)
	shapes, err := infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	e := NewExplainer(m, rules, shapes)
	n := 0
	for ; !e.Spent(); n++ {
		_, err := e.Output(t.Context(), layer, 0)
		require.NoError(t, err)
	}
	assert.Greater(t, n, 1000)
	assert.Less(t, n, maxProbed/originWork)
}

// TestExplainer_canceled explains an output again after a call that was stopped.
func TestExplainer_canceled(t *testing.T) {
	runs := 0
	m, rules, layer := many(1, &runs)
	shapes, err := infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	e := NewExplainer(m, rules, shapes)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Output(ctx, layer, 0)
	require.ErrorIs(t, err, context.Canceled)
	x, err := e.Output(t.Context(), layer, 0)
	require.NoError(t, err)
	assert.Equal(t, SourceDerived, x.Dims[0].Source)
}
