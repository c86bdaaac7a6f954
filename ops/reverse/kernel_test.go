package reverse

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compare reverses coordinate by coordinate, and compares the layer with the result in both modes.
// named holds reversed axes, some of them negative or twice.
func compare(t *testing.T, data *ir.Tensor, named []int64) {
	t.Helper()
	shape := data.Shape()
	mask := make([]int64, len(shape))
	for _, axis := range named {
		mask[(axis+int64(len(shape)))%int64(len(shape))] = 1
	}
	want := make([]string, data.Len())
	for i := range want {
		from := 0
		for k, c := range index.Position(i, shape) {
			if mask[k] == 1 {
				c = shape[k] - 1 - c
			}
			from = from*shape[k] + c
		}
		want[i] = layertest.Element(data, from)
	}
	layertest.CheckElements(t, &Ops[0], layertest.Attributes{"mode", "index"}, shape, want, data, layertest.Ints(t, ir.I32, ir.Shape{len(named)}, named...))
	layertest.CheckElements(t, &Ops[0], layertest.Attributes{"mode", "mask"}, shape, want, data, layertest.Ints(t, ir.Boolean, ir.Shape{len(mask)}, mask...))
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(300) {
		checkRandom(t, seed)
	}
}

// FuzzKernel reverses tensors of random types and shapes.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	types := layertest.Types()
	shape := make([]int, 1+rng.IntN(4))
	for k := range shape {
		if shape[k] = 1 + rng.IntN(7); rng.IntN(30) == 0 {
			shape[k] = 0
		}
	}
	named := make([]int64, rng.IntN(len(shape)+2))
	for i := range named {
		named[i] = int64(rng.IntN(2*len(shape)) - len(shape))
	}
	compare(t, layertest.Counted(t, types[rng.IntN(len(types))], shape...), named)
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		compare(t, layertest.Counted(t, elementType, 20, 100, 120), []int64{1})
		compare(t, layertest.Counted(t, elementType, 20, 100, 120), []int64{0, -1})
	}
}

func TestKernel_errors(t *testing.T) {
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"mode", "index"}, 1, layertest.Counted(t, ir.F32, 2, 3), layertest.Ints(t, ir.I64, ir.Shape{1}, -3))
	require.EqualError(t, err, "axis -3 is outside [-2,1] for rank 2")
}

func TestKernel_allocations(t *testing.T) {
	axes := layertest.Ints(t, ir.I64, ir.Shape{2}, 0, 2)
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"mode", "index"}, layertest.Counted(t, elementType, 12, 60, 70), axes)
	}
}
