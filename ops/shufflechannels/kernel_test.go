package shufflechannels

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compare moves each element of data to its place, and compares the layer with the result.
func compare(t *testing.T, data *ir.Tensor, axis, group int) {
	t.Helper()
	shape := data.Shape()
	k := (axis + len(shape)) % len(shape)
	want := make([]string, data.Len())
	for i := range want {
		at := index.Position(i, shape)
		n := shape[k] / group
		at[k] = at[k]%n*group + at[k]/n
		to := 0
		for k, c := range at {
			to = to*shape[k] + c
		}
		want[to] = layertest.Element(data, i)
	}
	layertest.CheckElements(t, &Ops[0], layertest.Attributes{"axis", fmt.Sprint(axis), "group", fmt.Sprint(group)}, shape, want, data)
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(300) {
		checkRandom(t, seed)
	}
}

// FuzzKernel shuffles tensors of random types and shapes.
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
	axis, group := rng.IntN(2*len(shape))-len(shape), 1+rng.IntN(5)
	shape[(axis+len(shape))%len(shape)] *= group
	compare(t, layertest.Counted(t, types[rng.IntN(len(types))], shape...), axis, group)
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		compare(t, layertest.Counted(t, elementType, 2, 120, 33, 35), 1, 3)
		compare(t, layertest.Counted(t, elementType, 2, 33, 35, 120), -1, 8)
	}
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"group", "3"}, layertest.Counted(t, elementType, 3, 12, 60, 70))
	}
}
