package infer_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

func TestPropagate(t *testing.T) {
	x, y := irtest.Parameter("x", "?,2..5"), irtest.Parameter("y", "3,4..")
	x.Outputs = []ir.Output{{Names: []string{"tensor_x"}, Declared: ir.UnknownRank}}
	sum := irtest.Layer("sum", "Sum", x, y)
	m := irtest.Model(x, y, sum)

	s, err := infer.Propagate(t.Context(), m, irtest.SumRules(), nil)
	require.NoError(t, err)
	assert.Equal(t, "[3,4..5]", s.Outputs(sum)[0].Shape.String())
}

// TestPropagateEarlier infers a model for other shapes: its attributes are parsed only once.
func TestPropagateEarlier(t *testing.T) {
	parsed, rules := 0, irtest.SumRules()
	rule := *rules["Sum"]
	rule.Attributes = func(*ir.Attributes) (any, error) {
		parsed++
		return parsed, nil
	}
	rules["Sum"] = &rule
	x := irtest.Parameter("x", "?")
	sum := irtest.Layer("sum", "Sum", x, x)
	m := irtest.Model(x, sum)
	earlier, err := infer.Propagate(t.Context(), m, rules, nil)
	require.NoError(t, err)
	s, err := infer.PropagateWith(t.Context(), m, rules, infer.Options{
		Parameters: map[*ir.Layer]ir.Fact{x: {Type: ir.I32, Shape: ir.StaticShape(3)}}, Earlier: earlier,
	})
	require.NoError(t, err)
	assert.Equal(t, 1, parsed)
	assert.Equal(t, 1, s.Attributes(sum))
	assert.Equal(t, "[3]", s.Outputs(sum)[0].Shape.String())
}

func TestPropagateFoldsConstants(t *testing.T) {
	tensor, err := ir.TensorOfInts(ir.I32, ir.Shape{2}, []int64{3, 4})
	require.NoError(t, err)
	c := irtest.Layer("c", "Constant")
	c.Constant = tensor
	sum := irtest.Layer("sum", "Sum", c, c)
	s, err := infer.Propagate(t.Context(), irtest.Model(c, sum), irtest.SumRules(), nil)
	require.NoError(t, err)
	ints, known := s.Outputs(sum)[0].Ints()
	require.True(t, known)
	assert.Equal(t, []int64{6, 8}, ints)
}

// TestPropagateFoldsBeyondBounds has a rule whose Bounds are less precise than its Fold.
func TestPropagateFoldsBeyondBounds(t *testing.T) {
	tensor, err := ir.TensorOfInts(ir.I32, ir.Shape{2}, []int64{-3, 4})
	require.NoError(t, err)
	c := irtest.Layer("c", "Constant")
	c.Constant = tensor
	sum := irtest.Layer("sum", "Sum", c, c)
	rules := irtest.SumRules()
	rule := *rules["Sum"]
	rule.Bounds = func(in *infer.Inference) {
		in.Outputs[0].Values = []ir.Interval{{Min: math.MinInt64, Max: math.MaxInt64}, {Min: 0, Max: 100}}
	}
	rules["Sum"] = &rule
	s, err := infer.Propagate(t.Context(), irtest.Model(c, sum), rules, nil)
	require.NoError(t, err)
	assert.Equal(t, []ir.Interval{{Min: -6, Max: -6}, {Min: 8, Max: 8}}, s.Outputs(sum)[0].Intervals())
}

// TestPropagateKnownFloats has a layer whose output is known although its input is not, and a
// layer that is folded.
func TestPropagateKnownFloats(t *testing.T) {
	half := ir.Interval{Min: ir.CodeOf(0.5), Max: ir.CodeOf(0.5)}
	rules := irtest.SumRules()
	rule := infer.Rule{
		Inputs: infer.Arity{Min: 1, Max: 1},
		Infer: func(in *infer.Inference) error {
			in.Outputs[0].Type, in.Outputs[0].Shape = ir.F32, ir.StaticShape(1)
			return nil
		},
		Bounds: func(in *infer.Inference) { in.Outputs[0].Values = []ir.Interval{half} },
		Fold:   func(in *infer.Inference) { in.Outputs[0].Tensor = in.Inputs[0].Tensor },
	}
	rules["Half"] = &rule
	x := irtest.Parameter("x", "1")
	known := irtest.Layer("known", "Half", x)
	folded := irtest.Layer("folded", "Half", known)
	s, err := infer.Propagate(t.Context(), irtest.Model(x, known, folded), rules, nil)
	require.NoError(t, err)
	tensor := s.Outputs(known)[0].Tensor
	require.NotNil(t, tensor)
	assert.Equal(t, []float32{0.5}, ir.Data[float32](tensor))
	assert.Same(t, tensor, s.Outputs(folded)[0].Tensor)
}

func TestPropagateReportsEveryLayer(t *testing.T) {
	x := irtest.Parameter("x", "1,2")
	odd := irtest.Layer("odd", "Odd", x)
	odd.Outputs = []ir.Output{{DeclaredType: ir.F16, Declared: ir.StaticShape(7)}}
	one := irtest.Layer("one", "Sum", odd)
	broken := irtest.Layer("broken", "Panic", x)
	bad := irtest.Parameter("bad", "1,,2")
	m := irtest.Model(x, odd, one, broken, bad)

	s, err := infer.Propagate(t.Context(), m, irtest.SumRules(), nil)
	require.Error(t, err)
	for _, want := range []string{
		`layer 1 "odd" (Odd, opset1): no rule for Odd`,
		`layer 2 "one" (Sum, opset1): 1 inputs are connected, expected 2`,
		`layer 3 "broken" (Panic, opset1): BUG: panic in the layer's rule`,
		`layer 4 "bad" (Parameter, opset1): attribute shape`,
	} {
		assert.ErrorContains(t, err, want)
	}
	var layerError *ir.LayerError
	require.True(t, errors.As(err, &layerError))
	assert.Equal(t, odd, layerError.Layer)
	assert.Len(t, s.Errors(), 4)
	assert.Equal(t, ir.F16, s.Outputs(odd)[0].Type, "a layer without rule is as declared")
	assert.Equal(t, "[7]", s.Outputs(odd)[0].Shape.String())
	assert.False(t, s.Outputs(one)[0].Shape.RankKnown())
}

func TestPropagateSurplusOutputs(t *testing.T) {
	x := irtest.Layer("x", "Parameter")
	x.Data = []ir.Attribute{{Name: "element_type", Value: "i32"}, {Name: "shape", Value: "2"}}
	sum := irtest.Layer("sum", "Sum", x, x)
	sum.Outputs = make([]ir.Output, 3)
	_, err := infer.Propagate(t.Context(), irtest.Model(x, sum), irtest.SumRules(), nil)
	require.ErrorContains(t, err, "the file has 3 output ports, the layer has 1")
}

func TestPropagateUnknownOutput(t *testing.T) {
	x := irtest.Parameter("x", "2")
	pair := irtest.Layer("pair", "Pair", x)
	pair.Outputs = make([]ir.Output, 2)
	s, err := infer.Propagate(t.Context(), irtest.Model(x, pair), irtest.SumRules(), nil)
	require.NoError(t, err, "a scalar of a type that is not known is an output like others")
	assert.Equal(t, ir.Fact{}, s.Outputs(pair)[1])
}
