package convertpromotetypes

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// unsafe promotes every pair of types.
var unsafe = layertest.Attributes{"promote_unsafe", "true"}

// TestKernelPromotes has pairs of types with values that T represents: the numbers must not change.
func TestKernelPromotes(t *testing.T) { layertest.CheckSeeds(t, 300, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	types := []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.F16, ir.BF16, ir.F32, ir.F64, ir.Boolean}
	var inputs []*ir.Tensor
	var values [2][]float64
	for i := range values {
		elementType := types[rng.IntN(len(types))]
		shape := ir.Shape{}
		for range rng.IntN(3) {
			shape = append(shape, rng.IntN(30))
		}
		values[i] = make([]float64, shape.Elements())
		for k := range values[i] {
			values[i][k] = float64(rng.IntN(8)) // a boolean has 0 and 1 only
			if elementType == ir.Boolean {
				values[i][k] = float64(rng.IntN(2))
			}
		}
		inputs = append(inputs, layertest.Numbers(t, elementType, shape, values[i]...))
	}
	outputs, err := layertest.RunOutputs(&Ops[0], unsafe, 1+rng.IntN(3), 2, inputs...)
	require.NoError(t, err)
	require.Equal(t, outputs[0].ElementType(), outputs[1].ElementType())
	for i, out := range outputs {
		require.Equal(t, inputs[i].Shape(), out.Shape())
		require.Equal(t, layertest.Elements(layertest.Numbers(t, out.ElementType(), out.Shape(), values[i]...)), layertest.Elements(out),
			"output %d of %v and %v", i, inputs[0], inputs[1])
	}
}

// TestKernelLowBits has a scalar beyond the type that OpenVINO promotes it to.
func TestKernelLowBits(t *testing.T) {
	outputs, err := layertest.RunOutputs(&Ops[0], layertest.Attributes{"pytorch_scalar_promotion", "true"}, 1, 2,
		layertest.Numbers(t, ir.I8, ir.Shape{2}, -128, 127), layertest.Numbers(t, ir.U16, ir.Shape{}, 65000))
	require.NoError(t, err)
	low := -24 // of the type int8, which 65000 has the low bits of
	require.Equal(t, []byte{0x80, 0x7f}, outputs[0].Bytes())
	require.Equal(t, []byte{byte(low)}, outputs[1].Bytes())
}

// TestKernelThreads has enough elements for several threads, and input 0 of type T.
func TestKernelThreads(t *testing.T) {
	a := make([]float64, 1<<16)
	for i := range a {
		a[i] = float64(i % 100)
	}
	x, y := layertest.Numbers(t, ir.F32, ir.Shape{len(a)}, a...), layertest.Numbers(t, ir.I8, ir.Shape{len(a)}, a...)
	for threads := 1; threads <= 3; threads++ {
		outputs, err := layertest.RunOutputs(&Ops[0], nil, threads, 2, x, y)
		require.NoError(t, err)
		require.Equal(t, layertest.Elements(x), layertest.Elements(outputs[0]))
		require.Equal(t, layertest.Elements(x), layertest.Elements(outputs[1]))
	}
	_, err := layertest.RunInPlace(&Ops[0], nil, 1, x, y)
	require.NoError(t, err)
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], nil, layertest.Numbers(t, ir.F32, ir.Shape{1 << 16}), layertest.Numbers(t, ir.I8, ir.Shape{1 << 16}))
}
