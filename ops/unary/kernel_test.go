package unary

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

func run(t *testing.T, name string, attributes layertest.Attributes, elementType ir.ElementType, values ...float64) []float64 {
	t.Helper()
	data := layertest.Numbers(t, elementType, ir.Shape{len(values)}, values...)
	return layertest.Floats(t, compute(t, layertest.FindType(t, Ops, name), attributes, data))
}

// TestKernels_attributes has values that are exact in each type. It compares texts, so that NaN
// equals NaN and -0 does not equal 0.
func TestKernels_attributes(t *testing.T) {
	const clamp, elu, isInf, round = "Clamp-1", "Elu-1", "IsInf-10", "Round-5"
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	limits := layertest.Attributes{"min", "-1.5", "max", "2.5"}
	for _, c := range []struct {
		op         string
		attributes layertest.Attributes
		in, want   []float64
	}{
		{clamp, limits, []float64{-inf, -2, -1.5, zero, 2, 3, inf, nan}, []float64{-1.5, -1.5, -1.5, zero, 2, 2.5, 2.5, -1.5}},
		{clamp, layertest.Attributes{"min", "-inf", "max", "0"}, []float64{-inf, 1}, []float64{-inf, 0}},
		{elu, layertest.Attributes{"alpha", "2"}, []float64{-inf, zero, 0, 3, inf, nan}, []float64{-2, zero, 0, 3, inf, nan}},
		{elu, layertest.Attributes{}, []float64{-3, 3}, []float64{zero, 3}},
		{isInf, nil, []float64{-inf, -2, 0, inf, nan}, []float64{1, 0, 0, 1, 0}},
		{isInf, layertest.Attributes{"detect_negative", "false"}, []float64{-inf, -2, inf}, []float64{0, 0, 1}},
		{isInf, layertest.Attributes{"detect_positive", "0"}, []float64{-inf, -2, inf}, []float64{1, 0, 0}},
		{round, nil, []float64{-2.5, -1.5, -0.25, 0.5, 1.5, 2.5, inf, nan}, []float64{-2, -2, zero, 0, 2, 2, inf, nan}},
		{round, layertest.Attributes{"mode", "half_away_from_zero"}, []float64{-2.5, -0.25, 0.5, 2.5, -inf, nan}, []float64{-3, zero, 1, 3, -inf, nan}},
		{"Gelu-2", nil, []float64{zero, 0, inf, -inf, nan, -60}, []float64{zero, 0, inf, nan, nan, zero}},
		{"Gelu-7", layertest.Attributes{"approximation_mode", "tanh"}, []float64{zero, 0, inf, -inf, nan, -60}, []float64{zero, 0, inf, nan, nan, zero}},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16} {
			got := run(t, c.op, c.attributes, elementType, c.in...)
			assert.Equal(t, fmt.Sprint(c.want), fmt.Sprint(got), "%s %v in %v", c.op, c.attributes, elementType)
		}
	}
}

func TestKernels_attributesOfIntegers(t *testing.T) {
	for _, c := range []struct {
		op         string
		attributes layertest.Attributes
		t          ir.ElementType
		in, want   []float64
	}{
		{"Clamp-1", layertest.Attributes{"min", "-1.5", "max", "2.5"}, ir.I32, []float64{-7, -1, 0, 2, 3}, []float64{-1, -1, 0, 2, 2}},
		{"Clamp-1", layertest.Attributes{"min", "-1.5", "max", "1e30"}, ir.U8, []float64{0, 7, 255}, []float64{0, 7, 255}},
		{"Clamp-1", layertest.Attributes{"min", "-inf", "max", "-3"}, ir.I64, []float64{-9, 7}, []float64{-9, -3}},
		{"Clamp-1", layertest.Attributes{"min", "300", "max", "400"}, ir.I8, []float64{-9, 7}, []float64{127, 127}},
		{"Clamp-1", layertest.Attributes{"min", "2", "max", "inf"}, ir.U64, []float64{1, 1 << 40}, []float64{2, 1 << 40}},
		{"Round-5", nil, ir.I16, []float64{-9, 7}, []float64{-9, 7}},
	} {
		assert.Equal(t, c.want, run(t, c.op, c.attributes, c.t, c.in...), "%s %v in %v", c.op, c.attributes, c.t)
	}
}

// TestKernels_attributesRandom compares with the formulas of the specification.
func TestKernels_attributesRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	tanh := layertest.Attributes{"approximation_mode", "TANH"}
	alpha := layertest.Attributes{"alpha", "0.3"}
	gelu := func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }
	for _, c := range []struct {
		op         string
		attributes layertest.Attributes
		f          func(x float64) float64
	}{
		{"Gelu-2", nil, gelu},
		{"Gelu-7", nil, gelu},
		{"Gelu-7", tanh, func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*math.Pow(x, 3))))
		}},
		{"Elu-1", alpha, func(x float64) float64 {
			if x < 0 {
				return 0.3 * (math.Exp(x) - 1)
			}
			return x
		}},
	} {
		for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-6, ir.F16: 1e-3, ir.BF16: 1e-2} {
			for _, n := range []int{0, 1, 5, 20011} {
				in := make([]float64, n)
				for i := range in {
					in[i] = rng.NormFloat64() * 3
				}
				in = layertest.Floats(t, layertest.Numbers(t, elementType, ir.Shape{n}, in...))
				for i, got := range run(t, c.op, c.attributes, elementType, in...) {
					if want := c.f(in[i]); math.Abs(got-want) > tolerance*max(1, math.Abs(want)) {
						require.InDelta(t, want, got, tolerance, "%s(%v) in %v", c.op, in[i], elementType)
					}
				}
			}
		}
	}
}
