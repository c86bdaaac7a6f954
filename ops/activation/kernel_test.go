package activation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compute runs a layer in place and not in place, and checks that both results are equal. Each
// parameter becomes a tensor with one element.
func compute(t *testing.T, name string, elementType ir.ElementType, data []float64, parameters ...float64) []float64 {
	t.Helper()
	inputs := []*ir.Tensor{layertest.Numbers(t, elementType, ir.Shape{len(data)}, data...)}
	for _, x := range parameters {
		inputs = append(inputs, layertest.Numbers(t, elementType, ir.Shape{}, x))
	}
	op := layertest.FindType(t, Ops, name)
	out, err := layertest.Run(op, nil, 2, inputs...)
	require.NoError(t, err)
	in, err := layertest.RunInPlace(op, nil, 2, inputs...)
	require.NoError(t, err)
	assert.Equal(t, out.Bytes(), in.Bytes(), "%s in place", name)
	return layertest.Floats(t, out)
}

// reference holds the formulas of the specifications.
var reference = map[string]func(x, a, b float64) float64{
	"HardSigmoid-1": func(x, a, b float64) float64 { return math.Max(0, math.Min(1, a*x+b)) },
	"Selu-1": func(x, a, b float64) float64 {
		return b * (math.Max(0, x) + math.Min(0, a*(math.Exp(x)-1)))
	},
	"Swish-4": func(x, a, _ float64) float64 { return x / (1 + math.Exp(-a*x)) },
}

func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-5, ir.F16: 2e-3, ir.BF16: 2e-2} {
		for name, f := range reference {
			for _, n := range []int{0, 1, 5, 1024, 20011} {
				data := make([]float64, n)
				for i := range data {
					data[i] = rng.NormFloat64() * 3
				}
				data = layertest.Floats(t, layertest.Numbers(t, elementType, ir.Shape{n}, data...))
				parameters := []float64{0.25, 0.5}
				if name == "Swish-4" {
					parameters = parameters[:1]
				}
				for i, got := range compute(t, name, elementType, data, parameters...) {
					if want := f(data[i], 0.25, 0.5); math.Abs(got-want) > tolerance*max(1, math.Abs(want)) {
						require.InDelta(t, want, got, tolerance, "%s(%v) in %v", name, data[i], elementType)
					}
				}
			}
		}
	}
}

func TestKernels_specialValues(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	data := []float64{nan, inf, -inf, 0, zero}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16} {
		for _, c := range []struct {
			op         string
			parameters []float64
			want       []float64
		}{
			{"HardSigmoid-1", []float64{0.25, 0.5}, []float64{nan, 1, 0, 0.5, 0.5}},
			{"Selu-1", []float64{2, 0.5}, []float64{nan, inf, -1, 0, zero}},
			{"Swish-4", nil, []float64{nan, inf, nan, 0, zero}},
			{"Swish-4", []float64{-1}, []float64{nan, nan, -inf, 0, zero}},
		} {
			got := compute(t, c.op, elementType, data, c.parameters...)
			assert.Equal(t, fmt.Sprint(c.want), fmt.Sprint(got), "%s %v in %v", c.op, c.parameters, elementType)
		}
	}
}

func TestPrepare_refuses(t *testing.T) {
	vector := layertest.Numbers(t, ir.F32, ir.Shape{2}, 1, 2)
	_, err := layertest.Run(layertest.FindType(t, Ops, "Selu-1"), nil, 1, vector, vector, vector)
	assert.EqualError(t, err, "input 1 has shape [2], not one element")
	boolean := layertest.Ints(t, ir.Boolean, ir.Shape{}, 1)
	_, err = layertest.Run(layertest.FindType(t, Ops, "HardSigmoid-1"), nil, 1, boolean, boolean, boolean)
	assert.ErrorContains(t, err, "HardSigmoid-1 has no kernel for input 0 of type boolean, only for [f32 f64 f16 bf16 ")
}

// TestHardSigmoid_integers has numbers whose results are between 0 and 1 in no type.
func TestHardSigmoid_integers(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64} {
		got := compute(t, "HardSigmoid-1", elementType, []float64{-100, -3, 0, 1, 2, 100}, 2, -1)
		assert.Equal(t, []float64{0, 0, 0, 1, 1, 1}, got, "%v", elementType)
	}
	for _, elementType := range []ir.ElementType{ir.U8, ir.U16, ir.U32, ir.U64} {
		assert.Equal(t, []float64{1, 1, 1}, compute(t, "HardSigmoid-1", elementType, []float64{0, 1, 200}, 2, 1), "%v", elementType)
	}
}
