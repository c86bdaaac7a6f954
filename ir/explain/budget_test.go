package explain

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// countedRules counts the dims that rules see.
func countedRules(dims *int) irtest.Rules {
	rules := irtest.SumRules()
	rules["Join"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: -1}, Infer: func(in *infer.Inference) error {
		shape := in.Inputs[0].Shape
		for i := range in.Inputs {
			*dims += in.Inputs[i].Shape.Rank()
			var ok bool
			if shape, ok = shape.Merge(in.Inputs[i].Shape); !ok {
				return assert.AnError
			}
		}
		in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: shape}
		return nil
	}}
	return rules
}

// wide returns a model of a layer that reads a tensor of 60 axes n times, and the layer.
func wide(n int) (*ir.Model, *ir.Layer) {
	x := irtest.Parameter("x", strings.Repeat("2,", 59)+"2")
	join := irtest.Layer("join", "Join")
	for range n {
		join.Inputs = append(join.Inputs, ir.Input{Source: x})
	}
	return irtest.Model(x, join), join
}

// TestExplainLimitsWork has a layer of many inputs and axes, each of which would have to be changed
// in runs that read all others.
func TestExplainLimitsWork(t *testing.T) {
	dims := 0
	rules := countedRules(&dims)
	m, join := wide(800)
	e := explained(t, m, rules, join)
	require.Len(t, e.Dims, 60)
	assert.Equal(t, SourceCut, e.Dims[59].Source)
	assert.Less(t, dims, maxProbed+maxProbed/10)
	assert.Contains(t, e.String(), "which is not followed further")

	dims = 0
	m, join = wide(3)
	e = explained(t, m, rules, join)
	for _, o := range e.Dims {
		assert.Equal(t, SourceDerived, o.Source)
		assert.Equal(t, m.Layers[0], o.Causes[0].Layer)
	}
}

// TestExplainLimitsCauses has a faulty layer with many inputs, and a layer whose output depends on
// more inputs than an explanation lists.
func TestExplainLimitsCauses(t *testing.T) {
	var layers []*ir.Layer
	faulty, join := irtest.Layer("faulty", "Odd"), irtest.Layer("join", "Wide")
	for range 30_000 {
		p := irtest.Parameter("x", "?,?,?")
		layers = append(layers, p)
		faulty.Inputs = append(faulty.Inputs, ir.Input{Source: p})
		join.Inputs = append(join.Inputs, ir.Input{Source: p})
	}
	dims := 0
	rules := countedRules(&dims)
	rules["Wide"] = &infer.Rule{Inputs: infer.Arity{Max: -1}, Infer: func(in *infer.Inference) error {
		dims += len(in.Inputs)
		sum := ir.Dim(0)
		for i := range in.Inputs {
			sum = sum.Add(in.Inputs[i].Shape.At(0))
		}
		in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(sum)}
		return nil
	}}
	m := irtest.Model(append(layers, faulty, join)...)
	e := explained(t, m, rules, faulty)
	require.Error(t, e.Err)
	assert.LessOrEqual(t, len(e.Inputs), maxOrigins)
	e = explained(t, m, rules, join)
	assert.Equal(t, SourceCut, e.Dims[0].Source)
	assert.Less(t, dims, maxProbed)
}

// TestExplainStops cancels the context while a rule is run again and again.
func TestExplainStops(t *testing.T) {
	dims, runs := 0, 0
	rules := countedRules(&dims)
	ctx, cancel := context.WithCancel(t.Context())
	inner := rules["Join"].Infer
	rules["Join"].Infer = func(in *infer.Inference) error {
		if runs++; runs == 10 {
			cancel()
		}
		return inner(in)
	}
	m, join := wide(20)
	shapes, err := infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	_, err = Output(ctx, m, rules, shapes, join, 0)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 10, runs)
}
