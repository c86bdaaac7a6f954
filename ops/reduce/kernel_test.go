package reduce

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestKernel_parts compares layers that are large enough for several threads with the
// reference.
func TestKernel_parts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	shape := ir.Shape{6, 50, 7, 61}
	data := make([]float64, shape.Elements())
	for i := range data {
		data[i] = float64(rng.IntN(9) - 4)
	}
	for _, elementType := range []ir.ElementType{ir.F64, ir.F32, ir.F16, ir.BF16, ir.I32} {
		tensor := layertest.Numbers(t, elementType, shape, data...)
		for mask := range 1 << len(shape) {
			set, axes := make([]bool, len(shape)), []int64{}
			for i := range shape {
				if set[i] = mask>>i&1 != 0; set[i] {
					axes = append(axes, int64(i))
				}
			}
			for _, name := range []string{"ReduceMax-1", "ReduceL2-4"} {
				op := layertest.FindType(t, Ops, name)
				out, err := layertest.Run(op, nil, 3, tensor, layertest.Ints(t, ir.I64, ir.Shape{len(axes)}, axes...))
				require.NoError(t, err)
				got := layertest.Floats(t, out)
				for i, want := range reference(op.Type, data, shape, set) {
					if elementType == ir.I32 {
						want = float64(int64(want))
					}
					if tolerance := 0.004 * math.Abs(want); math.Abs(got[i]-want) > tolerance {
						require.InDelta(t, want, got[i], tolerance, "%s %v %v element %d", name, elementType, axes, i)
					}
				}
			}
		}
	}
}

// TestKernel_allocations checks that kernels do not allocate. The pieces of 16-bit types must
// stay on the stack.
func TestKernel_allocations(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F16, ir.BF16, ir.F32} {
		layertest.CheckAllocations(t, layertest.FindType(t, Ops, "ReduceMean-1"), nil, layertest.Numbers(t, elementType, ir.Shape{3, 500}), layertest.Ints(t, ir.I64, ir.Shape{1}, 1))
	}
}

// TestKernel_wrapped has squares whose sum overflows an int64.
func TestKernel_wrapped(t *testing.T) {
	for want, values := range map[int64][]int64{0: {1 << 31, 1 << 31}, 5: {3, -4}} {
		data := layertest.Ints(t, ir.I64, ir.Shape{2}, values...)
		out, err := layertest.Run(layertest.FindType(t, Ops, "ReduceL2-4"), nil, 1, data, layertest.Ints(t, ir.I64, ir.Shape{1}, 0))
		require.NoError(t, err)
		assert.Equal(t, []int64{want}, ir.Data[int64](out))
	}
}
