package reorgyolo

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compare computes the definition with indices in the reshaped image, and compares the layer with
// it.
func compare(t *testing.T, data *ir.Tensor, stride int) {
	t.Helper()
	s := data.Shape()
	k := s[1] / (stride * stride)
	image := ir.Shape{s[0], k, s[2] * stride, s[3] * stride}
	want := make([]string, data.Len())
	for i := range want {
		at := index.Position(i, s)
		b := at[1] / k
		at[1], at[2], at[3] = at[1]%k, at[2]*stride+b/stride, at[3]*stride+b%stride
		from := 0
		for axis, c := range at {
			from = from*image[axis] + c
		}
		want[i] = layertest.Element(data, from)
	}
	out := ir.Shape{s[0], s[1] * stride * stride, s[2] / stride, s[3] / stride}
	layertest.CheckElements(t, &Ops[0], layertest.Attributes{"stride", fmt.Sprint(stride)}, out, want, data)
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(200) {
		checkRandom(t, seed)
	}
}

// FuzzKernel moves tensors of random types and shapes.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	types := layertest.Types()
	stride := 1 + rng.IntN(3)
	shape := []int{1 + rng.IntN(3), stride * stride * (1 + rng.IntN(3)), stride * (1 + rng.IntN(4)), stride * (1 + rng.IntN(4))}
	if rng.IntN(20) == 0 {
		shape[[]int{0, 2, 3}[rng.IntN(3)]] = 0
	}
	compare(t, layertest.Counted(t, types[rng.IntN(len(types))], shape...), stride)
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		compare(t, layertest.Counted(t, elementType, 2, 64, 38, 38), 2)
	}
}

func TestKernel_errors(t *testing.T) {
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"stride", "2"}, 1, layertest.Counted(t, ir.F32, 1, 6, 2, 2))
	require.EqualError(t, err, "data [1,6,2,2] has 6 channels, no multiple of the square of stride 2")
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"stride", "2"}, layertest.Counted(t, elementType, 2, 16, 38, 38))
	}
}
