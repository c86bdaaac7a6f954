package slice

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference copies the piece coordinate by coordinate.
func reference(data *ir.Tensor, starts, stops, steps []int64, axes []int) (ir.Shape, []string) {
	picked := make([][]int, len(data.Shape()))
	for k, n := range data.Shape() {
		picked[k] = layertest.Positions(int64(n), 0, int64(n), 1)
	}
	for i, axis := range axes {
		picked[axis] = layertest.Positions(int64(data.Shape()[axis]), starts[i], stops[i], steps[i])
	}
	shape := make(ir.Shape, len(picked))
	for k, list := range picked {
		shape[k] = len(list)
	}
	out := make([]string, shape.Elements())
	for i := range out {
		from := 0
		for k, c := range index.Position(i, shape) {
			from = from*data.Shape()[k] + picked[k][c]
		}
		out[i] = layertest.Element(data, from)
	}
	return shape, out
}

// compare slices with positive and with negative axes.
func compare(t *testing.T, data *ir.Tensor, starts, stops, steps []int64, axes []int, threads int) {
	t.Helper()
	n := ir.Shape{len(axes)}
	named := make([]int64, len(axes))
	for i, axis := range axes {
		named[i] = int64(axis)
		if i%2 == 1 {
			named[i] -= int64(len(data.Shape()))
		}
	}
	got, err := layertest.Run(&Ops[0], nil, threads, data, layertest.Ints(t, ir.I64, n, starts...), layertest.Ints(t, ir.I64, n, stops...),
		layertest.Ints(t, ir.I64, n, steps...), layertest.Ints(t, ir.I32, n, named...))
	require.NoError(t, err)
	shape, want := reference(data, starts, stops, steps, axes)
	what := fmt.Sprintf("%v%v [%v:%v:%v] of axes %v", data.ElementType(), data.Shape(), starts, stops, steps, axes)
	require.Equal(t, shape, got.Shape(), what)
	require.Equal(t, want, layertest.Elements(got), what)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 2000 {
		shape := make([]int, 1+rng.IntN(4))
		for k := range shape {
			shape[k] = rng.IntN(7)
		}
		axes := rng.Perm(len(shape))[:rng.IntN(len(shape)+1)]
		var starts, stops, steps []int64
		for range axes {
			starts = append(starts, rng.Int64N(17)-8)
			stops = append(stops, rng.Int64N(17)-8)
			steps = append(steps, []int64{-3, -2, -1, 1, 1, 1, 2, 3}[rng.IntN(8)])
		}
		compare(t, layertest.Counted(t, types[i%len(types)], shape...), starts, stops, steps, axes, 1+i%2)
	}
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	data := layertest.Counted(t, ir.I32, 300, 500)
	compare(t, data, []int64{3, -2}, []int64{290, 1}, []int64{2, -1}, []int{0, 1}, 3)
	compare(t, data, []int64{1}, []int64{299}, []int64{1}, []int{0}, 3)
}

func TestWithoutAxes(t *testing.T) {
	data := layertest.Counted(t, ir.F32, 4, 5)
	vector := func(v int64) *ir.Tensor { return layertest.Ints(t, ir.I32, ir.Shape{1}, v) }
	got, err := layertest.Run(&Ops[0], nil, 1, data, vector(-1), vector(0), vector(-2))
	require.NoError(t, err)
	_, want := reference(data, []int64{-1}, []int64{0}, []int64{-2}, []int{0})
	require.Equal(t, want, layertest.Elements(got))
}

func TestKernel_allocations(t *testing.T) {
	data := layertest.Counted(t, ir.F32, 8, 64, 3)
	vector := func(v int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{1}, v) }
	layertest.CheckAllocations(t, &Ops[0], nil, data, vector(1), vector(60), vector(3), vector(1))
}

// FuzzKernel slices tensors of up to three axes with any start, stop and step.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(3), uint8(4), uint8(5), int64(1), int64(-1), int64(1), uint8(0), uint8(7))
	f.Add(uint8(0), uint8(2), uint8(2), int64(-1), int64(-1<<63), int64(-1<<63), uint8(2), uint8(0))
	f.Fuzz(func(t *testing.T, a, b, c uint8, start, stop, step int64, axis, elementType uint8) {
		if step == 0 {
			return
		}
		types := layertest.Types()
		data := layertest.Counted(t, types[int(elementType)%len(types)], int(a%8), int(b%8), int(c%8))
		compare(t, data, []int64{start}, []int64{stop}, []int64{step}, []int{int(axis % 3)}, 2)
	})
}
