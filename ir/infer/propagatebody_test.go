package infer_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

func TestPropagateBody(t *testing.T) {
	body, sum := irtest.Body("9")
	x := irtest.Parameter("x", "1,2")
	loop := irtest.Layer("loop", "Loop", x)
	irtest.AddBody(loop, body)
	m := irtest.Model(x, loop)

	s, err := infer.Propagate(t.Context(), m, irtest.BodyRules(irtest.Once), nil)
	require.NoError(t, err)
	assert.Equal(t, "[1,2]", s.Outputs(loop)[0].Shape.String())
	assert.Equal(t, "[1,2]", s.Body(loop, 0).Outputs(sum)[0].Shape.String())
	assert.Nil(t, s.Body(loop, 1))
	assert.Nil(t, s.Body(x, 0))

	s, err = infer.Propagate(t.Context(), m, irtest.BodyRules(irtest.Twice), nil)
	require.NoError(t, err)
	assert.Equal(t, "[?,1,2]", s.Body(loop, 0).Outputs(sum)[0].Shape.String(), "the last iteration counts")

	rules := irtest.BodyRules(irtest.Once)
	rules["Loop"].Infer = func(in *infer.Inference) error {
		_, err := in.Body(0, nil)
		return err
	}
	s, err = infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	assert.Equal(t, "[9]", s.Body(loop, 0).Outputs(sum)[0].Shape.String(), "as declared")

	rules["Loop"].Infer = func(in *infer.Inference) error {
		_, err := in.Body(0, make([]ir.Fact, 2))
		return err
	}
	_, err = infer.Propagate(t.Context(), m, rules, nil)
	assert.ErrorContains(t, err, `layer 1 "loop" (Loop, opset1): body 0 has 1 Parameters, 2 values are given`)
}

// TestPropagateBodiesLater has mistakes in a body and beside it.
func TestPropagateBodiesLater(t *testing.T) {
	wrong := errors.New("wrong")
	rules := irtest.BodyRules(irtest.Once)
	rules["Sum"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: -1}, Infer: func(*infer.Inference) error { return wrong }}
	body, sum := irtest.Body("9")
	x := irtest.Parameter("x", "1,2")
	loop := irtest.Layer("loop", "Loop", x)
	irtest.AddBody(loop, body)
	m := irtest.Model(x, loop)

	_, err := infer.Propagate(t.Context(), m, rules, nil)
	require.ErrorIs(t, err, wrong)
	s, err := infer.PropagateWith(t.Context(), m, rules, infer.Options{BodiesLater: true})
	require.NoError(t, err)
	assert.Equal(t, ir.UnknownRank, s.Body(loop, 0).Outputs(sum)[0].Shape)
	assert.Equal(t, ir.UnknownRank, s.Outputs(loop)[0].Shape)

	_, err = infer.PropagateWith(t.Context(), body, rules, infer.Options{BodiesLater: true})
	require.ErrorIs(t, err, wrong, "the body is the model")
	outer := irtest.Layer("outer", "Loop", x)
	irtest.AddBody(outer, m)
	for _, c := range []struct {
		layer *ir.Layer
		want  error
	}{{loop, wrong}, {outer, nil}} {
		_, err = infer.ContextOf(t.Context(), c.layer, rules).Body(0, nil)
		require.ErrorIs(t, err, c.want, c.layer.Name)
	}
}

// TestPropagateNestedBodies nests bodies whose number of inferences would double at each level.
func TestPropagateNestedBodies(t *testing.T) {
	runs := 0
	count := func(steps func(in *infer.Inference) []ir.Fact) irtest.Rules {
		runs = 0
		rules := irtest.BodyRules(steps)
		sum := *rules["Sum"]
		inner := sum.Infer
		sum.Infer = func(in *infer.Inference) error { runs++; return inner(in) }
		rules["Sum"] = &sum
		return rules
	}
	const depth = 32
	body, _ := irtest.Body("1")
	for range depth {
		x := irtest.Parameter("x", "1")
		loop := irtest.Layer("loop", "Loop", x)
		irtest.AddBody(loop, body)
		body = irtest.Model(x, loop)
		body.Results = []*ir.Layer{loop}
	}
	// A second run with the same facts is not inferred again.
	_, err := infer.Propagate(t.Context(), body, count(func(in *infer.Inference) []ir.Fact { return []ir.Fact{in.Inputs[0], in.Inputs[0]} }), nil)
	require.NoError(t, err)
	assert.Equal(t, 1, runs)

	// Facts that converge need few inferences.
	_, err = infer.Propagate(t.Context(), body, count(func(in *infer.Inference) []ir.Fact {
		return []ir.Fact{in.Inputs[0], {Type: ir.F32, Shape: ir.ShapeOfRank(1)}}
	}), nil)
	require.NoError(t, err)
	assert.Equal(t, 2, runs)

	// Facts that keep growing are an error after maxBodyRuns.
	grow := func(in *infer.Inference, d ir.Dimension) ir.Fact {
		return ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(append([]ir.Dimension{d}, in.Inputs[0].Shape.Dims()...)...)}
	}
	_, err = infer.Propagate(t.Context(), body, count(func(in *infer.Inference) []ir.Fact {
		return []ir.Fact{grow(in, ir.Dim(1)), grow(in, ir.Dim(2))}
	}), nil)
	require.ErrorContains(t, err, "body 0: inferred 64 times from different shapes, which change without end")
	assert.LessOrEqual(t, runs, 64)
}
