package inverse

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// determinant expands along the first row.
func determinant(a [][]float64) float64 {
	if len(a) == 0 {
		return 1
	}
	sum := 0.0
	for j := range a {
		sum += float64(1-j%2*2) * a[0][j] * determinant(minor(a, 0, j))
	}
	return sum
}

// minor returns a without row i and column j.
func minor(a [][]float64, i, j int) [][]float64 {
	var out [][]float64
	for k, row := range a {
		if k != i {
			out = append(out, append(append([]float64(nil), row[:j]...), row[j+1:]...))
		}
	}
	return out
}

// reference computes the inverse by Cramer's rule.
func reference(a [][]float64) []float64 {
	var out []float64
	det := determinant(a)
	for i := range a {
		for j := range a {
			out = append(out, float64(1-(i+j)%2*2)*determinant(minor(a, j, i))/det)
		}
	}
	return out
}

func attribute(adjoint bool) layertest.Attributes {
	return layertest.Attributes{"adjoint", strconv.FormatBool(adjoint)}
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	n, batches, adjoint := rng.IntN(6), rng.IntN(4), rng.IntN(2) == 0
	var numbers, want []float64
	for range batches {
		a := make([][]float64, n)
		order := rng.Perm(n) // where the greatest elements are
		for i := range a {
			a[i] = layertest.RandomNumbers(rng, 4, 0.25, n)
			a[i][order[i]] += 6
			numbers = append(numbers, a[i]...)
		}
		if adjoint {
			for i := range a {
				for j := range i {
					a[i][j], a[j][i] = a[j][i], a[i][j]
				}
			}
		}
		want = append(want, reference(a)...)
	}
	shape := ir.Shape{batches, n, n}
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-5, ir.F16: 2e-3, ir.BF16: 1e-2} {
		layertest.CheckNear(t, &Ops[0], attribute(adjoint), shape, want, tolerance, layertest.Numbers(t, elementType, shape, numbers...))
	}
}

// TestKernel_singular compares with OpenVINO, whose pivots are the same.
func TestKernel_singular(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ data, want []float64 }{
		{[]float64{1, 2, 2, 4}, []float64{-inf, inf, inf, -inf}},
		{[]float64{0, 1, 1, 0}, []float64{0, 1, 1, 0}},
	} {
		layertest.CheckNear(t, &Ops[0], attribute(false), ir.Shape{2, 2}, c.want, 0, layertest.Numbers(t, ir.F32, ir.Shape{2, 2}, c.data...))
	}
	for _, data := range [][]float64{{0, 0, 0, 0}, {math.NaN(), 1, 1, 2}} {
		out, err := layertest.Run(&Ops[0], attribute(false), 1, layertest.Numbers(t, ir.F32, ir.Shape{2, 2}, data...))
		require.NoError(t, err)
		for _, x := range layertest.Floats(t, out) {
			assert.False(t, x-x == 0, "%v has inverse %v", data, layertest.Floats(t, out))
		}
	}
}

// TestKernel_allocations has enough matrices for two threads.
func TestKernel_allocations(t *testing.T) {
	for _, elementType := range Ops[0].Types {
		layertest.CheckAllocations(t, &Ops[0], attribute(true), layertest.Counted(t, elementType, 20, 30, 30))
	}
}
