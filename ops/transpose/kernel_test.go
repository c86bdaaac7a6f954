package transpose

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compare runs a layer and compares it with a transposition coordinate by coordinate.
func compare(t *testing.T, arg *ir.Tensor, order []int, threads int) {
	t.Helper()
	shape := make(ir.Shape, len(order))
	values := make([]int64, len(order))
	for i, axis := range order {
		shape[i], values[i] = arg.Shape()[axis], int64(axis)
	}
	want := make([]string, shape.Elements())
	for i := range want {
		at := make([]int, len(order))
		for k, c := range index.Position(i, shape) {
			at[order[k]] = c
		}
		from := 0
		for k, n := range arg.Shape() {
			from = from*n + at[k]
		}
		want[i] = layertest.Element(arg, from)
	}
	got, err := layertest.Run(&Ops[0], nil, threads, arg, layertest.Ints(t, ir.I32, ir.Shape{len(order)}, values...))
	require.NoError(t, err)
	what := fmt.Sprintf("%v%v order %v", arg.ElementType(), arg.Shape(), order)
	require.Equal(t, shape, got.Shape(), what)
	require.Equal(t, want, layertest.Elements(got), what)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 800 {
		shape := make([]int, rng.IntN(6))
		for k := range shape {
			shape[k] = 1 + rng.IntN(9)
			if rng.IntN(30) == 0 {
				shape[k] = 0
			}
		}
		compare(t, layertest.Counted(t, types[i%len(types)], shape...), rng.Perm(len(shape)), 1+i%2)
	}
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F16, ir.F32, ir.I64, ir.U4} {
		compare(t, layertest.Counted(t, elementType, 301, 517), []int{1, 0}, 3)
		compare(t, layertest.Counted(t, elementType, 3, 40000), []int{1, 0}, 3)
		compare(t, layertest.Counted(t, elementType, 40000, 3), []int{1, 0}, 3)
		compare(t, layertest.Counted(t, elementType, 8, 60, 256), []int{1, 0, 2}, 3)
	}
}

func TestReversed(t *testing.T) {
	got, err := layertest.Run(&Ops[0], nil, 1, layertest.Ints(t, ir.I32, ir.Shape{2, 1, 3}, 0, 1, 2, 3, 4, 5), layertest.Ints(t, ir.I64, ir.Shape{0}))
	require.NoError(t, err)
	require.Equal(t, ir.Shape{3, 1, 2}, got.Shape())
	require.Equal(t, []int32{0, 3, 1, 4, 2, 5}, ir.Data[int32](got))
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.I64, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, elementType, 9, 20, 17), layertest.Ints(t, ir.I64, ir.Shape{3}, 2, 0, 1))
	}
}

// FuzzKernel reorders the axes of tensors with three axes.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(17), uint8(3), uint8(33), uint8(4), uint8(7))
	f.Add(uint8(8), uint8(0), uint8(1), uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, a, b, c, order, elementType uint8) {
		types := layertest.Types()
		data := layertest.Counted(t, types[int(elementType)%len(types)], int(a%70), int(b%20), int(c%40))
		orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
		compare(t, data, orders[order%6], 2)
	})
}
