package infer_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// constant returns a Constant of n integers.
func constant(t *testing.T, n int) *ir.Layer {
	c := irtest.Layer("c", "Constant")
	var err error
	c.Constant, err = ir.NewTensor(ir.I64, n)
	require.NoError(t, err)
	return c
}

// readers returns a model of n layers of the type Read that read c.
func readers(c *ir.Layer, n int) *ir.Model {
	layers := []*ir.Layer{c}
	for range n {
		layers = append(layers, irtest.Layer("", "Read", c))
	}
	return irtest.Model(layers...)
}

// TestPropagateLimitsReads has many layers that read the values of one Constant: small ones are
// always known, large ones only up to a total.
func TestPropagateLimitsReads(t *testing.T) {
	rules := irtest.SumRules()
	known := 0
	rules["Read"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: 1}, Values: []int{0}, Infer: func(in *infer.Inference) error {
		if in.Inputs[0].Tensor != nil {
			known++
		}
		return nil
	}}
	for _, c := range []struct{ elements, layers, want int }{
		{64, 100_000, 100_000},
		{1024, 1000, 1000},
		{1 << 20, 1000, 4},
		{1 << 23, 1, 0},
	} {
		known = 0
		s, err := infer.Propagate(t.Context(), readers(constant(t, c.elements), c.layers), rules, nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, known, "%d elements", c.elements)
		if c.want < c.layers {
			require.Len(t, s.Notes(), 1)
			assert.Contains(t, s.Notes()[0].Text, "further large values are not followed")
		} else {
			assert.Empty(t, s.Notes())
		}
	}
}

// TestPropagateLimitsKnownTensors has many layers whose outputs are small tensors.
func TestPropagateLimitsKnownTensors(t *testing.T) {
	rules := irtest.SumRules()
	rules["Read"] = &infer.Rule{
		Inputs: infer.Arity{Min: 1, Max: 1},
		Infer: func(in *infer.Inference) error {
			in.Outputs[0].Type, in.Outputs[0].Shape = ir.I64, ir.StaticShape(1000)
			return nil
		},
		Fold: func(in *infer.Inference) { in.Outputs[0].Tensor, _ = ir.NewTensor(ir.I64, 1000) },
	}
	m := readers(constant(t, 1), 6000)
	s, err := infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	known := 0
	for _, layer := range m.Order {
		if layer.Type == "Read" && s.Outputs(layer)[0].Known() {
			known++
		}
	}
	assert.Equal(t, 1<<21/1000, known)
}

// TestPropagateLimitsFolds has layers that ask to do much work. Little work is always admitted.
func TestPropagateLimitsFolds(t *testing.T) {
	rules := irtest.SumRules()
	admitted := 0
	for _, c := range []struct {
		work float64
		want int
	}{{1 << 10, 40_000}, {1 << 20, 16}, {1e300, 0}} {
		rules["Read"] = &infer.Rule{
			Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(*infer.Inference) error { return nil },
			Fold: func(in *infer.Inference) {
				if in.AdmitFold(c.work) {
					admitted++
				}
			},
		}
		admitted = 0
		_, err := infer.Propagate(t.Context(), readers(constant(t, 1), 40_000), rules, nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, admitted, "work of %v", c.work)
	}
}

// TestPropagateLimitsErrors has more faulty layers than errors are reported. The text of one is
// long.
func TestPropagateLimitsErrors(t *testing.T) {
	x := irtest.Parameter("x", "1")
	layers := []*ir.Layer{x, irtest.Layer("", strings.Repeat("Long", 5000), x)}
	for range 20_000 {
		layers = append(layers, irtest.Layer("", "Odd", x))
	}
	m := irtest.Model(layers...)
	s, err := infer.Propagate(t.Context(), m, irtest.SumRules(), nil)
	require.Error(t, err)
	require.Len(t, s.Errors(), 10_001)
	assert.Len(t, s.Errors()[0].Err.Error(), 8<<10+3)
	assert.ErrorContains(t, s.Errors()[10_000], "only the first 10000 errors are reported")
	assert.NotNil(t, s.Outputs(layers[20_000]))
}

// TestPropagateRank has a rule that returns a rank above the limit.
func TestPropagateRank(t *testing.T) {
	rules := irtest.SumRules()
	rules["Read"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(in *infer.Inference) error {
		in.Outputs[0].Shape = ir.ShapeOfRank(ir.MaxRank + 1)
		return nil
	}}
	m := readers(constant(t, 1), 1)
	s, err := infer.Propagate(t.Context(), m, rules, nil)
	require.EqualError(t, err, `layer 1 "" (Read, opset1): output 0: 65 axes are more than the limit of 64`)
	assert.False(t, s.Outputs(m.Order[1])[0].Shape.RankKnown())
}

// TestPropagateStops cancels the context in the middle of a model, of a body, and of a layer that
// infers its body again and again.
func TestPropagateStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rules := irtest.BodyRules(func(in *infer.Inference) []ir.Fact {
		return []ir.Fact{in.Inputs[0], {Type: ir.F32, Shape: ir.StaticShape(2)}, {Type: ir.F32, Shape: ir.StaticShape(3)}}
	})
	inferred := 0
	rules["Read"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(*infer.Inference) error {
		if inferred++; inferred == 5 {
			cancel()
		}
		return nil
	}}
	x := irtest.Parameter("x", "1")
	inner := irtest.Parameter("inner", "?")
	body := irtest.Model(inner, irtest.Layer("", "Read", inner), irtest.Layer("", "Read", inner))
	body.Results = body.Layers[1:2]
	loop := irtest.Layer("loop", "Loop", x)
	irtest.AddBody(loop, body)
	s, err := infer.Propagate(ctx, irtest.Model(x, loop), rules, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, s)
	assert.Equal(t, 5, inferred)

	inferred = 0
	s, err = infer.Propagate(ctx, readers(constant(t, 1), 10), rules, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, s)
	assert.Zero(t, inferred)

	in := infer.Inference{Layer: loop, Inputs: []ir.Fact{{Type: ir.F32}}, Outputs: make([]ir.Fact, 1), Context: infer.ContextOf(ctx, loop, rules)}
	require.ErrorIs(t, rules["Loop"].Run(&in), context.Canceled)
}

// TestReadValue has Assigns that depend on a ReadValue of their variable, of another variable, and
// of another revision.
func TestReadValue(t *testing.T) {
	rules := irtest.SumRules()
	rules["ReadValue"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(in *infer.Inference) error {
		in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: ir.StaticShape(in.Layer.Line)}
		return nil
	}}
	found := make(map[*ir.Layer]*ir.Fact)
	rules["Assign"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(in *infer.Inference) error {
		found[in.Layer] = in.ReadValue()
		return nil
	}}
	variable := func(layerType, id string, from *ir.Layer) *ir.Layer {
		layer := irtest.Layer("", layerType, from)
		layer.Data = []ir.Attribute{{Name: "variable_id", Value: id}}
		return layer
	}
	// 200 ReadValues that are joined by a tree of Sums, so that there are several batches.
	x := irtest.Parameter("x", "1")
	layers := []*ir.Layer{x}
	all := x
	for i := range 200 {
		read := variable("ReadValue", strconv.Itoa(i), x)
		all = irtest.Layer("", "Read", all)
		all.Inputs = append(all.Inputs, ir.Input{Source: read})
		layers = append(layers, read, all)
	}
	rules["Read"] = &infer.Rule{Inputs: infer.Arity{Min: 2, Max: 2}, Infer: func(*infer.Inference) error { return nil }}
	first, last, none := variable("Assign", "0", all), variable("Assign", "199", all), variable("Assign", "200", all)
	direct, early := variable("Assign", "7", layers[15]), variable("Assign", "70", layers[140])
	m := irtest.Model(append(layers, first, last, none, direct, early)...)
	m.Sinks = []*ir.Layer{first}
	for _, layer := range m.Layers {
		layer.Opset = "opset3"
	}
	_, err := infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	assert.Equal(t, "[2]", found[first].Shape.String())
	assert.Equal(t, "[400]", found[last].Shape.String())
	assert.Equal(t, "[16]", found[direct].Shape.String())
	assert.Nil(t, found[none])
	assert.Nil(t, found[early], "the ReadValue is behind the layer that it reads")

	for _, layer := range m.Layers {
		layer.Opset = "opset6"
	}
	_, err = infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	assert.Nil(t, found[first])
}
