package spacetodepth

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compare moves each element of data to its place, and compares the layer with the result.
func compare(t *testing.T, data *ir.Tensor, block int, mode string) {
	t.Helper()
	shape, elements := append(ir.Shape(nil), data.Shape()...), 1
	for k := 2; k < len(shape); k++ {
		shape[k] /= block
		elements *= block
	}
	channels := shape[1]
	shape[1] *= elements
	want := make([]string, data.Len())
	for i := range want {
		at, inBlock := index.Position(i, data.Shape()), 0
		for k := 2; k < len(shape); k++ {
			inBlock = inBlock*block + at[k]%block
			at[k] /= block
		}
		if mode == "depth_first" {
			at[1] = at[1]*elements + inBlock
		} else {
			at[1] += inBlock * channels
		}
		to := 0
		for k, c := range at {
			to = to*shape[k] + c
		}
		want[to] = layertest.Element(data, i)
	}
	layertest.CheckElements(t, &Ops[0], layertest.Attributes{"mode", mode, "block_size", fmt.Sprint(block)}, shape, want, data)
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(300) {
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
	block := 1 + rng.IntN(3)
	shape := []int{1 + rng.IntN(3), 1 + rng.IntN(4)}
	for range 1 + rng.IntN(3) {
		shape = append(shape, block*(1+rng.IntN(6)))
	}
	if rng.IntN(20) == 0 {
		shape[rng.IntN(len(shape))] = 0
	}
	compare(t, layertest.Counted(t, types[rng.IntN(len(types))], shape...), block, []string{"blocks_first", "depth_first"}[rng.IntN(2)])
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		compare(t, layertest.Counted(t, elementType, 2, 3, 122, 166), 2, "depth_first")
		compare(t, layertest.Counted(t, elementType, 2, 3, 122, 166), 2, "blocks_first")
	}
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"mode", "blocks_first", "block_size", "2"}, layertest.Counted(t, elementType, 3, 3, 60, 70))
	}
}
