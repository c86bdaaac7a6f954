package cumsum

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference computes the definition: each element of the output is a sum of its own.
func reference(shape ir.Shape, axis int, exclusive, reverse bool, x []float64) []float64 {
	out := make([]float64, len(x))
	inner := shape[axis+1:].Elements()
	for i := range x {
		position := i / inner % shape[axis]
		for k := range shape[axis] {
			before := k < position
			if reverse {
				before = k > position
			}
			if before || k == position && !exclusive {
				out[i] += x[i+(k-position)*inner]
			}
		}
	}
	return out
}

func attributesOf(exclusive, reverse bool) layertest.Attributes {
	return layertest.Attributes{"exclusive", fmt.Sprint(exclusive), "reverse", fmt.Sprint(reverse)}
}

// checkAll compares all element types with the reference. The values are integers that all types
// hold.
func checkAll(t *testing.T, shape ir.Shape, axis int, exclusive, reverse, negative bool, x []float64) {
	t.Helper()
	want := reference(shape, axis, exclusive, reverse, x)
	named := int64(axis)
	if negative {
		named -= int64(len(shape))
	}
	for _, elementType := range Ops[0].Types {
		layertest.CheckNear(t, &Ops[0], attributesOf(exclusive, reverse), shape, want, 0,
			layertest.Numbers(t, elementType, shape, x...), layertest.Ints(t, ir.I32, nil, named))
	}
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 60, checkRandom) }

// FuzzKernel adds random numbers along an axis of a random shape.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	shape := make(ir.Shape, 1+rng.IntN(4))
	for k := range shape {
		if shape[k] = 1 + rng.IntN(7); rng.IntN(30) == 0 {
			shape[k] = 0
		}
	}
	x := make([]float64, shape.Elements())
	for i := range x {
		x[i] = float64(rng.IntN(10))
	}
	checkAll(t, shape, rng.IntN(len(shape)), rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0, x)
}

// TestLarge has enough work for several threads, rows of several pieces, and several blocks of
// columns.
func TestLarge(t *testing.T) {
	for _, shape := range []ir.Shape{{7, 17001}, {2, 20, 2500}, {65000, 2}} {
		for flags := range 4 {
			x := make([]float64, shape.Elements())
			for axis, n := range shape {
				inner := shape[axis+1:].Elements()
				// few elements are not 0, so that the sums are exact in all types
				for i := range x {
					x[i] = 0
					if i/inner%n%max(n/9, 1) == i%5 {
						x[i] = float64(1 + i%3)
					}
				}
				want := running(shape, axis, flags&1 != 0, flags&2 != 0, x)
				for _, elementType := range []ir.ElementType{ir.F32, ir.BF16, ir.I8} {
					layertest.CheckNear(t, &Ops[0], attributesOf(flags&1 != 0, flags&2 != 0), shape, want, 0,
						layertest.Numbers(t, elementType, shape, x...), layertest.Ints(t, ir.I64, nil, int64(axis)))
				}
			}
		}
	}
}

// running is reference with running sums, for long axes.
func running(shape ir.Shape, axis int, exclusive, reverse bool, x []float64) []float64 {
	out := make([]float64, len(x))
	n, inner := shape[axis], shape[axis+1:].Elements()
	for column := range len(x) / n {
		start, sum := column/inner*n*inner+column%inner, 0.
		for k := range n {
			if reverse {
				k = n - 1 - k
			}
			i := start + k*inner
			if out[i] = sum; !exclusive {
				out[i] += x[i]
			}
			sum += x[i]
		}
	}
	return out
}

// TestKernel_wraps has results of OpenVINO.
func TestKernel_wraps(t *testing.T) {
	axis := layertest.Ints(t, ir.I64, nil, 0)
	layertest.CheckNear(t, &Ops[0], nil, ir.Shape{3}, []float64{200, 44, 47}, 0, layertest.Numbers(t, ir.U8, ir.Shape{3}, 200, 100, 3), axis)
	layertest.CheckNear(t, &Ops[0], nil, ir.Shape{3}, []float64{100, -56, -53}, 0, layertest.Numbers(t, ir.I8, ir.Shape{3}, 100, 100, 3), axis)
	layertest.CheckNear(t, &Ops[0], nil, nil, []float64{3}, 0, layertest.Numbers(t, ir.F32, nil, 3), axis)
	layertest.CheckNear(t, &Ops[0], attributesOf(true, false), nil, []float64{0}, 0, layertest.Numbers(t, ir.F16, nil, 3), axis)
}

// TestKernel_rounding checks that the sums of 16-bit floats are not rounded between two additions.
func TestKernel_rounding(t *testing.T) {
	x := []float64{2048, 1, 1, 1, 1}
	for _, shape := range []ir.Shape{{5}, {5, 1, 1}} {
		layertest.CheckNear(t, &Ops[0], nil, shape, []float64{2048, 2048, 2050, 2052, 2052}, 0, layertest.Numbers(t, ir.F16, shape, x...), layertest.Ints(t, ir.I64, nil, 0))
	}
}

func TestKernel_errors(t *testing.T) {
	data := layertest.Numbers(t, ir.F32, ir.Shape{2, 3})
	_, err := layertest.Run(&Ops[0], nil, 1, data, layertest.Ints(t, ir.I64, nil, 2))
	require.EqualError(t, err, "axis 2 is outside [-2,1] for rank 2")
	_, err = layertest.Run(&Ops[0], nil, 1, data, layertest.Ints(t, ir.I64, ir.Shape{2}, 0, 1))
	require.EqualError(t, err, "axis has shape [2], expected one known element")
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range Ops[0].Types {
		for axis := range int64(2) {
			layertest.CheckAllocations(t, &Ops[0], nil, layertest.Numbers(t, elementType, ir.Shape{300, 300}), layertest.Ints(t, ir.I64, nil, axis))
		}
	}
}
