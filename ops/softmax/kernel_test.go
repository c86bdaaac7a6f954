package softmax

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

// reference computes the definition, element by element.
func reference(shape ir.Shape, x []float64, axis int, log bool) []float64 {
	out := make([]float64, len(x))
	n, stride := 1, 1
	if len(shape) > 0 {
		n, stride = shape[axis], shape[axis+1:].Elements()
	}
	for i := range x {
		first := i - i/stride%n*stride
		m, sum := math.Inf(-1), 0.0
		for k := range n {
			m = max(m, x[first+k*stride])
		}
		for k := range n {
			sum += math.Exp(x[first+k*stride] - m)
		}
		if log {
			out[i] = x[i] - m - math.Log(sum)
		} else {
			out[i] = math.Exp(x[i]-m) / sum
		}
	}
	return out
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-13, ir.F32: 2e-6, ir.F16: 1e-2, ir.BF16: 0.1}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 150, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	shape := ir.Shape{}
	for range rng.IntN(5) {
		shape = append(shape, rng.IntN(6))
	}
	if len(shape) > 0 && len(shape) < 3 && rng.IntN(2) == 0 {
		shape[rng.IntN(len(shape))] = 60 + rng.IntN(100)
	}
	axis := 0
	if len(shape) > 0 {
		axis = rng.IntN(len(shape))
	}
	check(t, rng, shape, axis)
}

func check(t *testing.T, rng *rand.Rand, shape ir.Shape, axis int) {
	values := layertest.RandomNumbers(rng, 32, 0.25, shape.Elements())
	for i := range Ops {
		op := &Ops[i]
		want := reference(shape, values, axis, op.Type == "LogSoftmax")
		for elementType, tolerance := range tolerances {
			in := layertest.Numbers(t, elementType, shape, values...)
			written := axis
			if op.Version > 1 && rng.IntN(2) == 0 {
				written -= max(len(shape), 1)
			}
			layertest.CheckNear(t, op, layertest.Attributes{"axis", fmt.Sprint(written)}, shape, want, tolerance, in)
		}
	}
}

// TestKernel_shares has lines and columns for more than one thread.
func TestKernel_shares(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for _, c := range []struct {
		shape ir.Shape
		axis  int
	}{{ir.Shape{67, 301}, 1}, {ir.Shape{1, 10, 1900}, 1}, {ir.Shape{300, 5, 14}, 1}, {ir.Shape{1, 3000}, 1}} {
		check(t, rng, c.shape, c.axis)
	}
}

func TestKernel_extremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, shape := range []ir.Shape{{3}, {3, 2}} {
		for i := range Ops {
			op := &Ops[i]
			log := op.Type == "LogSoftmax"
			for elementType := range tolerances {
				run := func(x ...float64) []float64 {
					columns := shape.Elements() / 3
					values := make([]float64, 3*columns)
					for i := range values {
						values[i] = x[i/columns]
					}
					out, err := layertest.Run(op, layertest.Attributes{"axis", "0"}, 1, layertest.Numbers(t, elementType, shape, values...))
					require.NoError(t, err)
					got := layertest.Floats(t, out)
					return []float64{got[0], got[columns], got[2*columns]}
				}
				zero, one := 0.0, 1.0
				if log {
					zero, one = -inf, 0
				}
				assert.Equal(t, []float64{zero, one, zero}, run(-inf, 30000, -inf), "%v %v", op, elementType)
				for _, v := range run(nan, 1, 2) {
					assert.True(t, math.IsNaN(v), "%v of NaN", op)
				}
				for _, v := range run(1, 2, nan) {
					assert.True(t, math.IsNaN(v), "%v of NaN", op)
				}
				for _, v := range run(-inf, -inf, -inf) {
					assert.True(t, math.IsNaN(v), "%v of what is all -inf", op)
				}
			}
		}
	}
}

// TestLogSoftmax_precision has elements that are much larger than the logarithm.
func TestLogSoftmax_precision(t *testing.T) {
	op := layertest.FindType(t, Ops, "LogSoftmax-5")
	for _, shape := range []ir.Shape{{1, 4}, {4, 1}, {4, 2}} {
		values := make([]float64, shape.Elements())
		for i := range values {
			values[i] = 1e6 + float64(i*4/len(values))
		}
		axis := 1
		if shape[0] == 4 {
			axis = 0
		}
		out, err := layertest.Run(op, layertest.Attributes{"axis", fmt.Sprint(axis)}, 1, layertest.Numbers(t, ir.F32, shape, values...))
		require.NoError(t, err)
		assert.InDeltaSlice(t, reference(shape, values, axis, true), layertest.Floats(t, out), 1e-6)
	}
}

func TestPrepare_otherTypes(t *testing.T) {
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"axis", "0"}, 1, layertest.Numbers(t, ir.Boolean, ir.Shape{2}))
	require.EqualError(t, err, "LogSoftmax-5 has no kernel for input 0 of type boolean, only for [f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64]")
}

func TestKernel_allocations(t *testing.T) {
	for i := range Ops {
		for axis := range 2 {
			for elementType := range tolerances {
				layertest.CheckAllocations(t, &Ops[i], layertest.Attributes{"axis", fmt.Sprint(axis)}, layertest.Numbers(t, elementType, ir.Shape{5, 70}))
			}
		}
	}
}
