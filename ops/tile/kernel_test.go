package tile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compare runs a layer and compares it with a repetition coordinate by coordinate.
func compare(t *testing.T, data *ir.Tensor, repeats []int64, threads int) {
	t.Helper()
	got, err := layertest.Run(&Ops[0], nil, threads, data, layertest.Ints(t, ir.I64, ir.Shape{len(repeats)}, repeats...))
	require.NoError(t, err)
	rank := max(len(data.Shape()), len(repeats))
	shape, lengths := make(ir.Shape, rank), make([]int, rank)
	for k := range shape {
		shape[k], lengths[k] = 1, 1
		if i := k - rank + len(data.Shape()); i >= 0 {
			lengths[k] = data.Shape()[i]
			shape[k] = lengths[k]
		}
		if i := k - rank + len(repeats); i >= 0 {
			shape[k] *= int(max(repeats[i], 0))
		}
	}
	want := make([]string, shape.Elements())
	for i := range want {
		from := 0
		for k, c := range index.Position(i, shape) {
			from = from*lengths[k] + c%lengths[k]
		}
		want[i] = layertest.Element(data, from)
	}
	what := fmt.Sprintf("%v%v by %v", data.ElementType(), data.Shape(), repeats)
	require.Equal(t, shape, got.Shape(), what)
	require.Equal(t, want, layertest.Elements(got), what)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 800 {
		shape := make([]int, rng.IntN(4))
		for k := range shape {
			shape[k] = []int{0, 1, 2, 3, 5, 8}[min(rng.IntN(20), 5)]
		}
		repeats := make([]int64, rng.IntN(5))
		for k := range repeats {
			repeats[k] = []int64{-1, 0, 1, 1, 2, 3, 4}[min(rng.IntN(30), 2+rng.IntN(5))]
		}
		compare(t, layertest.Counted(t, types[i%len(types)], shape...), repeats, 1+i%2)
	}
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	compare(t, layertest.Counted(t, ir.I32, 100, 100), []int64{4, 5}, 3)
	compare(t, layertest.Counted(t, ir.U8, 300, 1), []int64{1, 1000}, 3)
	compare(t, layertest.Counted(t, ir.I64, 3), []int64{70000}, 3)
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, ir.F32, 8, 9), layertest.Ints(t, ir.I64, ir.Shape{2}, 3, 2))
}

// FuzzKernel repeats tensors with two axes along up to three axes.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(3), uint8(2), int8(2), int8(1), int8(4), uint8(7))
	f.Fuzz(func(t *testing.T, a, b uint8, x, y, z int8, elementType uint8) {
		types := layertest.Types()
		data := layertest.Counted(t, types[int(elementType)%len(types)], int(a%9), int(b%9))
		repeats := []int64{int64(x % 6), int64(y % 6), int64(z % 6)}
		compare(t, data, repeats[:1+int(a)%3], 2)
	})
}
