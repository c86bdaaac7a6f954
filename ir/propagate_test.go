package ir

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testRules are rules by layer type.
type testRules map[string]*Rule

type unknownType string

func (e unknownType) Error() string     { return "no rule for " + string(e) }
func (e unknownType) Unsupported() bool { return true }

func (r testRules) Rule(layer *Layer) (*Rule, error) {
	if rule, ok := r[layer.Type]; ok {
		return rule, nil
	}
	return nil, unknownType(layer.Type)
}

// sumRules hold a model's ends and a Sum of two equal shapes, which follows values.
var sumRules = testRules{
	"Parameter": {Infer: func(in *Inference) error {
		a := AttributesOf(in.Layer)
		in.Outputs[0] = Fact{Type: a.ElementType("element_type", Dynamic), Shape: a.PartialShape("shape", PartialShape{})}
		return a.Err()
	}},
	"Constant": {Infer: func(in *Inference) error {
		c := in.Layer.Constant
		in.Outputs[0] = Fact{Type: c.ElementType(), Shape: c.Shape().Partial(), Tensor: c}
		return nil
	}},
	"Sum": {
		MinInputs: 2, MaxInputs: 2,
		Infer: func(in *Inference) error {
			merged, ok := in.Inputs[0].Shape.Merge(in.Inputs[1].Shape)
			if !ok {
				return fmt.Errorf("input shapes %v and %v differ", in.Inputs[0].Shape, in.Inputs[1].Shape)
			}
			in.Outputs[0] = Fact{Type: in.Inputs[0].Type, Shape: merged}
			return nil
		},
		Fold: func(in *Inference) {
			a, _ := in.Inputs[0].Ints()
			b, _ := in.Inputs[1].Ints()
			for i := range a {
				a[i] += b[i]
			}
			in.Outputs[0].Tensor, _ = TensorOfInts(in.Outputs[0].Type, in.Inputs[0].Tensor.Shape(), a)
		},
	},
	"Pair": {MaxInputs: 1, Infer: func(in *Inference) error {
		in.Outputs[0] = Fact{Type: in.Inputs[0].Type, Shape: in.Inputs[0].Shape}
		in.Outputs[1] = Fact{}
		return nil
	}},
	"Panic": {MaxInputs: -1, Infer: func(in *Inference) error { _ = in.Inputs[7]; return nil }},
}

// testModel puts layers together in the order given; each reads output 0 of the
// layers that its inputs name.
func testModel(layers ...*Layer) *Model {
	m := &Model{Version: 11, Layers: layers, Order: layers}
	for i, l := range layers {
		l.Index, l.ID, l.Line, l.Opset = i, uint64(i), i+1, "opset1"
		if l.Outputs == nil {
			l.Outputs = []Output{{Declared: UnknownRank}}
		}
		if l.Type == "Parameter" {
			m.Parameters = append(m.Parameters, l)
		}
	}
	return m
}

func testLayer(name, layerType string, from ...*Layer) *Layer {
	l := &Layer{Name: name, Type: layerType}
	for _, source := range from {
		l.Inputs = append(l.Inputs, Input{Source: source, Declared: UnknownRank})
	}
	return l
}

func testParameter(name, shape string) *Layer {
	l := testLayer(name, "Parameter")
	l.Data = []Attribute{{"element_type", "f32"}, {"shape", shape}}
	return l
}

func TestPropagate(t *testing.T) {
	x, y := testParameter("x", "?,2..5"), testParameter("y", "3,4..")
	x.Outputs = []Output{{Names: []string{"tensor_x"}, Declared: UnknownRank}}
	sum := testLayer("sum", "Sum", x, y)
	m := testModel(x, y, sum)

	s, err := Propagate(m, sumRules, nil)
	require.NoError(t, err)
	assert.Equal(t, "[3,4..5]", s.Outputs(sum)[0].Shape.String())

	for _, name := range []string{"x", "tensor_x"} {
		reshaped, err := m.Reshape(sumRules, map[string]PartialShape{name: StaticShape(3, 5)})
		require.NoError(t, err)
		s, err = Propagate(reshaped, sumRules, nil)
		require.NoError(t, err)
		assert.Equal(t, "[3,5]", s.Outputs(reshaped.Layers[sum.Index])[0].Shape.String())
	}
	_, err = m.Reshape(sumRules, map[string]PartialShape{"z": {}})
	assert.ErrorContains(t, err, `input "z"`)
}

func TestPropagateFoldsConstants(t *testing.T) {
	tensor, err := TensorOfInts(I32, Shape{2}, []int64{3, 4})
	require.NoError(t, err)
	c := testLayer("c", "Constant")
	c.Constant = tensor
	sum := testLayer("sum", "Sum", c, c)
	s, err := Propagate(testModel(c, sum), sumRules, nil)
	require.NoError(t, err)
	ints, known := s.Outputs(sum)[0].Ints()
	require.True(t, known)
	assert.Equal(t, []int64{6, 8}, ints)
}

// TestPropagateFoldsBeyondBounds has bounds that know less than the constants say.
func TestPropagateFoldsBeyondBounds(t *testing.T) {
	tensor, err := TensorOfInts(I32, Shape{2}, []int64{-3, 4})
	require.NoError(t, err)
	c := testLayer("c", "Constant")
	c.Constant = tensor
	sum := testLayer("sum", "Sum", c, c)
	rules := maps.Clone(sumRules)
	rule := *rules["Sum"]
	rule.Bounds = func(in *Inference) {
		in.Outputs[0].Values = []Interval{{Min: math.MinInt64, Max: math.MaxInt64}, {Min: 0, Max: 100}}
	}
	rules["Sum"] = &rule
	s, err := Propagate(testModel(c, sum), rules, nil)
	require.NoError(t, err)
	assert.Equal(t, []Interval{{-6, -6}, {8, 8}}, s.Outputs(sum)[0].Intervals())
}

// TestPropagateKnownFloats has floats that are all known though an input is not, and
// floats that a kernel computes.
func TestPropagateKnownFloats(t *testing.T) {
	half := Interval{CodeOf(0.5), CodeOf(0.5)}
	rules := maps.Clone(sumRules)
	rule := Rule{
		MinInputs: 1, MaxInputs: 1,
		Infer: func(in *Inference) error {
			in.Outputs[0].Type, in.Outputs[0].Shape = F32, StaticShape(1)
			return nil
		},
		Bounds: func(in *Inference) { in.Outputs[0].Values = []Interval{half} },
		Fold:   func(in *Inference) { in.Outputs[0].Tensor = in.Inputs[0].Tensor },
	}
	rules["Half"] = &rule
	x := testParameter("x", "1")
	known := testLayer("known", "Half", x)
	folded := testLayer("folded", "Half", known)
	s, err := Propagate(testModel(x, known, folded), rules, nil)
	require.NoError(t, err)
	tensor := s.Outputs(known)[0].Tensor
	require.NotNil(t, tensor)
	assert.Equal(t, []float32{0.5}, Data[float32](tensor))
	assert.Same(t, tensor, s.Outputs(folded)[0].Tensor)
}

func TestPropagateReportsEveryLayer(t *testing.T) {
	x := testParameter("x", "1,2")
	odd := testLayer("odd", "Odd", x)
	odd.Outputs = []Output{{DeclaredType: F16, Declared: StaticShape(7)}}
	one := testLayer("one", "Sum", odd)
	broken := testLayer("broken", "Panic", x)
	bad := testParameter("bad", "1,,2")
	m := testModel(x, odd, one, broken, bad)

	s, err := Propagate(m, sumRules, nil)
	require.Error(t, err)
	for _, want := range []string{
		`layer 1 "odd" (Odd, opset1): no rule for Odd`,
		`layer 2 "one" (Sum, opset1): 1 inputs are connected, expected 2`,
		`layer 3 "broken" (Panic, opset1): BUG: panic in the layer's rule`,
		`layer 4 "bad" (Parameter, opset1): attribute shape`,
	} {
		assert.ErrorContains(t, err, want)
	}
	var layerError *LayerError
	require.True(t, errors.As(err, &layerError))
	assert.Equal(t, odd, layerError.Layer)
	assert.Len(t, s.Errors(), 4)
	assert.Equal(t, F16, s.Outputs(odd)[0].Type, "a layer without rule is as declared")
	assert.Equal(t, "[7]", s.Outputs(odd)[0].Shape.String())
	assert.False(t, s.Outputs(one)[0].Shape.RankKnown())
}

func TestPropagateSurplusOutputs(t *testing.T) {
	x := testLayer("x", "Parameter")
	x.Data = []Attribute{{Name: "element_type", Value: "i32"}, {Name: "shape", Value: "2"}}
	sum := testLayer("sum", "Sum", x, x)
	sum.Outputs = make([]Output, 3)
	_, err := Propagate(testModel(x, sum), sumRules, nil)
	require.ErrorContains(t, err, "3 output ports stand in the file, the layer has 1")
}

func TestPropagateUnknownOutput(t *testing.T) {
	x := testParameter("x", "2")
	pair := testLayer("pair", "Pair", x)
	pair.Outputs = make([]Output, 2)
	s, err := Propagate(testModel(x, pair), sumRules, nil)
	require.NoError(t, err, "a scalar of a type that is not known is an output like others")
	assert.Equal(t, Fact{}, s.Outputs(pair)[1])
}

func TestValidate(t *testing.T) {
	x := testParameter("x", "2,3")
	x.Outputs = []Output{{DeclaredType: F32, Declared: StaticShape(2, 3)}}
	sum := testLayer("sum", "Sum", x, x)
	sum.Inputs[1].Declared = StaticShape(2)
	sum.Outputs = []Output{{DeclaredType: F16, Declared: ShapeOf(Dim(2), Dim(4))}}
	odd := testLayer("odd", "Odd", sum)
	m := testModel(x, sum, odd)

	r := Validate(m, sumRules, nil)
	var got []string
	for i := range r.Findings {
		got = append(got, r.Findings[i].String())
	}
	assert.Equal(t, []string{
		`2: warning: layer 1 "sum" (Sum, opset1): input 1 is [2] in the file, inferred [2,3] [stale-input-shape]`,
		`2: warning: layer 1 "sum" (Sum, opset1): output 0 is [2,4] in the file, inferred [2,3] [stale-shape]`,
		`2: warning: layer 1 "sum" (Sum, opset1): output 0 is f16 in the file, inferred f32 [stale-type]`,
		`3: error: layer 2 "odd" (Odd, opset1): no rule for Odd [unsupported-layer]`,
	}, got)
	assert.Equal(t, 1, r.Errors())

	m, err := m.Reshape(sumRules, map[string]PartialShape{"x": StaticShape(5)})
	require.NoError(t, err)
	r = Validate(m, sumRules, nil)
	require.Len(t, r.Findings, 2, "the dims of the file say nothing of a reshaped model")
	assert.Equal(t, RuleType, r.Findings[0].Rule)
	assert.Equal(t, RuleUnsupported, r.Findings[1].Rule)
}

func TestValidateIntervals(t *testing.T) {
	for _, c := range []struct {
		shape    string
		declared PartialShape
		findings int
	}{
		{"2,?", ShapeOf(Dim(2), AnyDim), 0},
		{"2,1..3", ShapeOf(Dim(2), AnyDim), 0},
		{"2,3", ShapeOf(AnyDim, Dim(3)), 1}, // the file knows less than can be known
		{"2,1..3", StaticShape(2, 4), 1},
		{"2,1..3", StaticShape(2, 3), 1}, // the file knows more than can be known
		{"...", StaticShape(2, 3), 0},
	} {
		x := testParameter("x", c.shape)
		x.Outputs = []Output{{DeclaredType: F32, Declared: c.declared}}
		m := testModel(x)
		findings := Validate(m, sumRules, nil).Findings
		assert.Len(t, findings, c.findings, "%s as %v", c.shape, c.declared)
		for _, f := range findings {
			vague := c.declared.At(0).IsDynamic()
			assert.Equal(t, vague, f.Severity == SeverityNote, "%s as %v", c.shape, c.declared)
			assert.Equal(t, vague, f.Rule == RuleVagueShape, "%s as %v", c.shape, c.declared)
		}
	}
}
