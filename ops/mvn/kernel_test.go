package mvn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// sameBlock returns the indices of the elements whose positions differ from that of element i
// only along axes.
func sameBlock(shape ir.Shape, i int, axes []bool) []int {
	at := []int{i}
	stride := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		n := shape[axis]
		if axes[axis] {
			var next []int
			for _, p := range at {
				for k := range n {
					next = append(next, p-p/stride%n*stride+k*stride)
				}
			}
			at = next
		}
		stride *= n
	}
	return at
}

// reference computes the definition, element by element.
func reference(shape ir.Shape, x []float64, axes []bool, variance, outside bool, eps float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		at := sameBlock(shape, i, axes)
		mean, v := 0.0, 0.0
		for _, p := range at {
			mean += x[p] / float64(len(at))
		}
		for _, p := range at {
			v += (x[p] - mean) * (x[p] - mean) / float64(len(at))
		}
		out[i] = x[i] - mean
		switch {
		case variance && outside:
			out[i] /= math.Sqrt(v) + eps
		case variance:
			out[i] /= math.Sqrt(v + eps)
		}
	}
	return out
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 2e-5, ir.F16: 2e-2, ir.BF16: 0.1}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	shape := ir.Shape{}
	for range rng.IntN(5) {
		shape = append(shape, rng.IntN(5))
	}
	if len(shape) > 0 && len(shape) < 3 && rng.IntN(2) == 0 {
		shape[rng.IntN(len(shape))] = 60 + rng.IntN(60)
	}
	checkShape(t, rng, shape)
}

func checkShape(t *testing.T, rng *rand.Rand, shape ir.Shape) {
	values := layertest.RandomNumbers(rng, 16, 0.25, shape.Elements())
	axes, set := []float64{}, make([]bool, len(shape))
	for axis := range shape {
		if rng.IntN(2) == 0 {
			set[axis] = true
			axes = append(axes, float64(axis-rng.IntN(2)*len(shape)))
		}
	}
	variance, outside := rng.IntN(3) > 0, rng.IntN(2) == 0
	attributes := layertest.Attributes{"eps", "0.25", "normalize_variance", fmt.Sprint(variance), "eps_mode", "INSIDE_SQRT"}
	if outside {
		attributes[5] = "outside_sqrt"
	}
	want := reference(shape, values, set, variance, outside, 0.25)
	op := layertest.Find(t, Ops, 6)
	for elementType, tolerance := range tolerances {
		layertest.CheckNear(t, op, attributes, shape, want, tolerance,
			layertest.Numbers(t, elementType, shape, values...), layertest.Numbers(t, ir.I64, ir.Shape{len(axes)}, axes...))
	}
}

// TestKernel_shares has blocks and columns for more than one thread.
func TestKernel_shares(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 9))
		for _, shape := range []ir.Shape{{67, 300}, {1, 4, 5000}, {900, 5, 5}, {20000}} {
			if seed > 0 && len(shape) == 1 {
				continue
			}
			checkFast(t, rng, shape)
		}
	}
}

// checkFast compares the output on four threads with that on one, bit by bit.
func checkFast(t *testing.T, rng *rand.Rand, shape ir.Shape) {
	axes := []float64{}
	for axis := range shape {
		if rng.IntN(2) == 0 {
			axes = append(axes, float64(axis))
		}
	}
	values := make([]float64, shape.Elements())
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	op := layertest.Find(t, Ops, 6)
	attributes := layertest.Attributes{"eps", "0.25", "normalize_variance", "true", "eps_mode", "INSIDE_SQRT"}
	for elementType := range tolerances {
		var outs [2]*ir.Tensor
		for i := range outs {
			var err error
			outs[i], err = layertest.Run(op, attributes, 1+3*i, layertest.Numbers(t, elementType, shape, values...),
				layertest.Numbers(t, ir.I64, ir.Shape{len(axes)}, axes...))
			require.NoError(t, err)
		}
		require.Equal(t, outs[0].Bytes(), outs[1].Bytes(), "%v %v axes %v", elementType, shape, axes)
	}
}

// TestKernel_axes2 tests all ways in which MVN-2 specifies its axes.
func TestKernel_axes2(t *testing.T) {
	op := layertest.Find(t, Ops, 2)
	shape := ir.Shape{2, 3, 4}
	values := make([]float64, 24)
	for i := range values {
		values[i] = float64(i * i % 7)
	}
	for _, c := range []struct {
		attributes layertest.Attributes
		axes       []bool
	}{
		{layertest.Attributes{"across_channels", "true"}, []bool{false, true, true}},
		{layertest.Attributes{"across_channels", "false"}, []bool{false, false, true}},
		{layertest.Attributes{"reduction_axes", "0, 2"}, []bool{true, false, true}},
		{layertest.Attributes{"across_channels", "true", "reduction_axes", "1"}, []bool{false, true, false}},
	} {
		attributes := append(c.attributes, "eps", "0.5", "normalize_variance", "true")
		out, err := layertest.Run(op, attributes, 1, layertest.Numbers(t, ir.F64, shape, values...))
		require.NoError(t, err)
		want := reference(shape, values, c.axes, true, false, 0.5)
		assert.InDeltaSlice(t, want, layertest.Floats(t, out), 1e-12, "%v", attributes)
	}
}

// TestKernel_mean has a mean that is much larger than the differences from it.
func TestKernel_mean(t *testing.T) {
	six := layertest.Find(t, Ops, 6)
	attributes := layertest.Attributes{"eps", "0", "normalize_variance", "true", "eps_mode", "inside_sqrt"}
	for _, shape := range []ir.Shape{{1, 4}, {4, 1}, {4, 2}} {
		values := make([]float64, shape.Elements())
		for i := range values {
			values[i] = 1e6 + []float64{1, 1, -1, -1}[i*4/len(values)]
		}
		axis := 0.0
		if shape[0] == 1 {
			axis = 1
		}
		out, err := layertest.Run(six, attributes, 1, layertest.Numbers(t, ir.F32, shape, values...), layertest.Numbers(t, ir.I32, ir.Shape{1}, axis))
		require.NoError(t, err)
		for i, got := range layertest.Floats(t, out) {
			assert.InDelta(t, values[i]-1e6, got, 1e-6)
		}
	}
}

func TestKernel_stages(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	attributes := layertest.Attributes{"eps", "0.25", "normalize_variance", "true", "eps_mode", "INSIDE_SQRT"}
	for _, shape := range []ir.Shape{{}, {300, 7}, {3, 4, 5}, {2, 3, 700}, {2, 40, 900}, {0, 3}} {
		for mask := range 1 << len(shape) {
			axes := []int64{}
			for axis := range shape {
				if mask>>axis&1 == 1 {
					axes = append(axes, int64(axis))
				}
			}
			values := make([]float64, shape.Elements())
			for i := range values {
				values[i] = rng.NormFloat64()
			}
			layertest.CheckStages(t, layertest.Find(t, Ops, 6), attributes, 1+rng.IntN(3),
				layertest.Numbers(t, ir.F32, shape, values...), layertest.Ints(t, ir.I64, ir.Shape{len(axes)}, axes...))
		}
	}
}

func TestPrepare_errors(t *testing.T) {
	six := layertest.Find(t, Ops, 6)
	attributes := layertest.Attributes{"eps", "0", "normalize_variance", "true", "eps_mode", "inside_sqrt"}
	_, err := layertest.Run(six, attributes, 1, layertest.Numbers(t, ir.F32, ir.Shape{2}), layertest.Numbers(t, ir.I32, ir.Shape{1}, 1))
	require.EqualError(t, err, "the axes are [1], some of which are outside data of shape [2]")
	_, err = layertest.Run(six, attributes, 1, layertest.Numbers(t, ir.Boolean, ir.Shape{2}), layertest.Numbers(t, ir.I32, ir.Shape{1}, 0))
	require.EqualError(t, err, "MVN-6 has no kernel for input 0 of type boolean, only for [f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64]")

	shape, err := ir.ParsePartialShape("[2]")
	require.NoError(t, err)
	fact := ir.Fact{Type: ir.F32, Shape: shape}
	_, err = six.Prepare(&ops.Preparation{Inputs: []ir.Fact{fact, fact}, Outputs: []ir.Fact{fact}, Attributes: attributesOf(t)})
	require.EqualError(t, err, "the axes are not known")
}

func attributesOf(t *testing.T) any {
	at, err := parse6(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{
		{Name: "eps", Value: "1"}, {Name: "normalize_variance", Value: "true"}, {Name: "eps_mode", Value: "inside_sqrt"},
	}}))
	require.NoError(t, err)
	return at
}

func TestKernel_allocations(t *testing.T) {
	attributes := layertest.Attributes{"eps", "1", "normalize_variance", "true", "eps_mode", "inside_sqrt"}
	for axis := range 2 {
		for elementType := range tolerances {
			layertest.CheckAllocations(t, layertest.Find(t, Ops, 6), attributes, layertest.Numbers(t, elementType, ir.Shape{5, 70}),
				layertest.Numbers(t, ir.I64, ir.Shape{1}, float64(axis)))
		}
	}
}
