package batchnorm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// reference computes the definition, element by element. values holds data, gamma, beta, mean
// and variance.
func reference(shape ir.Shape, values [5][]float64, epsilon float64) []float64 {
	out := make([]float64, len(values[0]))
	for i, v := range values[0] {
		c := i / shape[2:].Elements() % shape[1]
		out[i] = (v-values[3][c])/math.Sqrt(values[4][c]+epsilon)*values[1][c] + values[2][c]
	}
	return out
}

// inputsOf returns the inputs in the order of the version.
func inputsOf(t testing.TB, op *ops.Op, elementType ir.ElementType, shape ir.Shape, values [5][]float64) []*ir.Tensor {
	in := make([]*ir.Tensor, 5)
	for i := range in {
		s := ir.Shape{shape[1]}
		if i == 0 {
			s = shape
		}
		in[i] = layertest.Numbers(t, elementType, s, values[i]...)
	}
	if op.Version == 1 {
		in = []*ir.Tensor{in[1], in[2], in[0], in[3], in[4]}
	}
	return in
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 200, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	shape := ir.Shape{rng.IntN(4), rng.IntN(5)}
	for range rng.IntN(3) {
		shape = append(shape, rng.IntN(5))
	}
	var values [5][]float64
	for i := range values {
		values[i] = make([]float64, shape[1])
		if i == 0 {
			values[i] = make([]float64, shape.Elements())
		}
		for k := range values[i] {
			values[i][k] = float64(rng.IntN(9)-4) / 2
			if i == 4 {
				values[i][k] = float64(rng.IntN(9)) / 2
			}
		}
	}
	op := &Ops[rng.IntN(2)]
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-5, ir.F16: 2e-2, ir.BF16: 0.2} {
		in := inputsOf(t, op, elementType, shape, values)
		layertest.CheckNear(t, op, layertest.Attributes{"epsilon", "0.5"}, shape, reference(shape, values, 0.5), tolerance, in...)
	}
}

func TestKernel_stages(t *testing.T) {
	op := layertest.Find(t, Ops, 5)
	for _, shape := range []ir.Shape{{3, 5}, {2, 3, 40}, {2, 3, 70, 70}, {2, 0, 3}} {
		var values [5][]float64
		for i := range values {
			for k := range shape[1] {
				values[i] = append(values[i], float64(k+i))
			}
		}
		values[0] = nil
		for i := range shape.Elements() {
			values[0] = append(values[0], float64(i%37)/4-4)
		}
		for threads := range 3 {
			layertest.CheckStages(t, op, layertest.Attributes{"epsilon", "0.5"}, threads+1, inputsOf(t, op, ir.F32, shape, values)...)
		}
	}
}

func TestKernel_extremes(t *testing.T) {
	op := layertest.Find(t, Ops, 5)
	run := func(values [5][]float64, epsilon string) []float64 {
		out, err := layertest.Run(op, layertest.Attributes{"epsilon", epsilon}, 1, inputsOf(t, op, ir.F32, ir.Shape{3, 1}, values)...)
		require.NoError(t, err)
		return layertest.Floats(t, out)
	}
	got := run([5][]float64{{2, 1, 0}, {1}, {0}, {1}, {0}}, "0")
	assert.True(t, math.IsInf(got[0], 1) && math.IsNaN(got[1]) && math.IsInf(got[2], -1), "no variance: %v", got)

	// A mean that is much larger than the differences does not reduce their precision.
	got = run([5][]float64{{1e6 + 1, 1e6, 1e6 - 3}, {1}, {0}, {1e6}, {4}}, "0")
	assert.Equal(t, []float64{0.5, 0, -1.5}, got)

	got = run([5][]float64{{2, 1, 0}, {1}, {0}, {1}, {-4}}, "0")
	assert.True(t, math.IsNaN(got[0]) && math.IsNaN(got[2]), "negative variance: %v", got)
}
