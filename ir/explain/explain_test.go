package explain

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// chainRules are rules of layers with one input: Same passes its length on, Grow adds 1.
var chainRules = irtest.Rules{
	"Parameter": irtest.SumRules()["Parameter"],
	"Same": {Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(in *infer.Inference) error {
		in.Outputs[0] = in.Inputs[0]
		return nil
	}},
	"Grow": {Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(in *infer.Inference) error {
		in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(in.Inputs[0].Shape.At(0).Add(ir.Dim(1)))}
		return nil
	}},
}

// explained returns the Explanation of output 0 of layer.
func explained(t *testing.T, m *ir.Model, rules infer.Rules, layer *ir.Layer) *Explanation {
	s, _ := infer.Propagate(t.Context(), m, rules, nil)
	e, err := Output(t.Context(), m, rules, s, layer, 0)
	require.NoError(t, err)
	return e
}

// TestExplainMerge has inputs that can only change together.
func TestExplainMerge(t *testing.T) {
	x, y, z := irtest.Parameter("x", "3,?"), irtest.Parameter("y", "3,4"), irtest.Parameter("z", "?,4")
	xy := irtest.Layer("xy", "Sum", x, y)
	xyz := irtest.Layer("xyz", "Sum", xy, z)
	assert.Equal(t, `layer 4 "xyz" (Sum, opset1): output 0: f32[3,4]
  dim 0 = 3
    dim 0 = 3 of layer 2 "xy" (Sum, opset1)
      dim 0 = 3 of input "x" (must equal other input dims)
      dim 0 = 3 of input "y" (must equal other input dims)
  dim 1 = 4
    dim 1 = 4 of input "y" (must equal other input dims), through "xy"
    dim 1 = 4 of input "z" (must equal other input dims)
`, explained(t, irtest.Model(x, y, xy, z, xyz), irtest.SumRules(), xyz).String())
}

// TestExplainShared has a diamond of layers that pass lengths on, and a layer that is read
// twice.
func TestExplainShared(t *testing.T) {
	x := irtest.Parameter("x", "3,3")
	a, b := irtest.Layer("a", "Sum", x, x), irtest.Layer("b", "Sum", x, x)
	c := irtest.Layer("c", "Sum", a, b)
	e := explained(t, irtest.Model(x, a, b, c), irtest.SumRules(), c)
	require.Len(t, e.Dims, 2)
	for i, o := range e.Dims {
		require.Len(t, o.Causes, 1)
		assert.Equal(t, x, o.Causes[0].Layer)
		assert.Equal(t, i, o.Causes[0].Index)
		assert.Equal(t, SourceInput, o.Causes[0].Source)
		assert.Equal(t, 1, o.Causes[0].Through)
		assert.Equal(t, []*ir.Layer{a}, o.Causes[0].Via)
		assert.True(t, o.Causes[0].Merged)
	}
}

// TestExplainFault explains the inputs of a layer with an error, and an explanation that ends
// at such a layer.
func TestExplainFault(t *testing.T) {
	x, y := irtest.Parameter("x", "3"), irtest.Parameter("y", "4")
	x2 := irtest.Layer("x2", "Sum", x, x)
	bad := irtest.Layer("bad", "Sum", x2, y)
	bad.Outputs = []ir.Output{{Declared: ir.StaticShape(7)}}
	last := irtest.Layer("last", "Sum", bad, bad)
	m := irtest.Model(x, y, x2, bad, last)
	assert.Equal(t, `layer 3 "bad" (Sum, opset1): input shapes [3] and [4] differ
  input 0: f32[3]
    dim 0 = 3 from dim 0 = 3 of input "x" (must equal other input dims)
  input 1: f32[4]
    dim 0 = 4 from input "y"
`, explained(t, m, irtest.SumRules(), bad).String())
	assert.Equal(t, `layer 4 "last" (Sum, opset1): output 0: dynamic[7]
  dim 0 = 7 from dim 0 = 7 of layer 3 "bad" (Sum, opset1) as the file declares it, since it cannot be inferred (must equal other input dims)
`, explained(t, m, irtest.SumRules(), last).String())

	s, _ := infer.Propagate(t.Context(), m, irtest.SumRules(), nil)
	_, err := Output(t.Context(), m, irtest.SumRules(), s, last, 1)
	assert.ErrorContains(t, err, "has no output 1")
	_, err = Output(t.Context(), m, irtest.SumRules(), s, &ir.Layer{}, 0)
	assert.ErrorContains(t, err, "not among the layers")
}

func TestExplainRank(t *testing.T) {
	x, y := irtest.Parameter("x", "..."), irtest.Parameter("y", "...")
	sum := irtest.Layer("sum", "Sum", x, y)
	e := explained(t, irtest.Model(x, y, sum), irtest.SumRules(), sum)
	require.Len(t, e.Dims, 1)
	assert.Equal(t, AspectRank, e.Dims[0].Aspect)
	assert.Len(t, e.Dims[0].Causes, 2)
	assert.Equal(t, "?", e.Dims[0].Text())
}

// TestExplainDeep has chains as long as in the largest models: of layers that pass the length
// on, and of layers that change it.
func TestExplainDeep(t *testing.T) {
	chain := func(layerType string, n int) []*ir.Layer {
		layers := []*ir.Layer{irtest.Parameter("x", "7")}
		for i := range n {
			layers = append(layers, irtest.Layer("l", layerType, layers[i]))
		}
		return layers
	}
	layers := chain("Same", 50_000)
	e := explained(t, irtest.Model(layers...), chainRules, layers[len(layers)-1])
	require.Len(t, e.Dims, 1)
	cause := e.Dims[0].Causes[0]
	assert.Equal(t, layers[0], cause.Layer)
	assert.Equal(t, len(layers)-2, cause.Through)
	assert.Len(t, cause.Via, maxVia)

	layers = chain("Grow", 10_000)
	e = explained(t, irtest.Model(layers...), chainRules, layers[len(layers)-1])
	depth := 0
	o := e.Dims[0]
	for ; len(o.Causes) > 0; o = o.Causes[0].Origin {
		depth++
	}
	assert.Equal(t, SourceCut, o.Source)
	assert.Equal(t, maxOrigins, depth)
	assert.Less(t, len(e.String()), 10_000)

	e = explained(t, irtest.Model(layers...), chainRules, layers[1000])
	for o = e.Dims[0]; len(o.Causes) > 0; o = o.Causes[0].Origin {
		depth--
	}
	assert.Equal(t, SourceInput, o.Source)
	assert.Equal(t, maxOrigins-1000, depth)
}

// TestExplainWide has more origins than an Explanation follows.
func TestExplainWide(t *testing.T) {
	x := irtest.Parameter("x", "7")
	layers := []*ir.Layer{x}
	// Each length is a sum of two lengths, so that no layer passes a length on.
	rules := irtest.Rules{"Parameter": irtest.SumRules()["Parameter"], "Add": {Inputs: infer.Arity{Min: 2, Max: 2}, Infer: func(in *infer.Inference) error {
		in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(in.Inputs[0].Shape.At(0).Add(in.Inputs[1].Shape.At(0)))}
		return nil
	}}}
	for i := range 2 * maxOrigins {
		layers = append(layers, irtest.Layer("l", "Add", layers[i], x))
	}
	e := explained(t, irtest.Model(layers...), rules, layers[len(layers)-1])
	o := e.Dims[0]
	count := 0
	for ; len(o.Causes) > 0; o = o.Causes[0].Origin {
		count++
	}
	assert.Equal(t, SourceCut, o.Source)
	assert.LessOrEqual(t, count, maxOrigins+1)
	assert.Less(t, len(e.String()), 100_000)
}

// TestExplainManyInputs has a layer with too many inputs to change one by one.
func TestExplainManyInputs(t *testing.T) {
	x := irtest.Parameter("x", "5,5")
	many := irtest.Layer("many", "All", x)
	for range 1_000 {
		many.Inputs = append(many.Inputs, many.Inputs[0])
	}
	calls := 0
	rules := irtest.Rules{"Parameter": irtest.SumRules()["Parameter"], "All": {Inputs: infer.Arity{Max: -1}, Infer: func(in *infer.Inference) error {
		calls++
		shape := in.Inputs[0].Shape
		for i := range in.Inputs {
			if !in.Inputs[i].Shape.Equal(shape) {
				return fmt.Errorf("input %d is %v, input 0 is %v", i, in.Inputs[i].Shape, shape)
			}
		}
		in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: shape}
		return nil
	}}}
	explained(t, irtest.Model(x, many), rules, many)
	assert.Less(t, calls, 50_000, "inferences of a layer with 1,001 inputs")
}
