package slicescatter

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/slice"
)

// reversed reverses the elements of a tensor, so that they differ from the elements of data that
// they replace.
func reversed(t *testing.T, tensor *ir.Tensor) *ir.Tensor {
	t.Helper()
	n := tensor.Len()
	last, end, step := layertest.Ints(t, ir.I64, ir.Shape{1}, -1), layertest.Ints(t, ir.I64, ir.Shape{1}, -int64(n)-1), layertest.Ints(t, ir.I64, ir.Shape{1}, -1)
	flat := layertest.Counted(t, tensor.ElementType(), n)
	flat, err := layertest.Run(&slice.Ops[0], nil, 1, flat, last, end, step)
	require.NoError(t, err)
	if tensor.ElementType() == ir.String {
		copy(tensor.Strings(), flat.Strings())
	}
	copy(tensor.Bytes(), flat.Bytes())
	return tensor
}

// compare runs a layer, in place and not, and compares it with a reference that sets element by
// element.
func compare(t *testing.T, elementType ir.ElementType, shape []int, starts, stops, steps []int64, axes []int, threads int) {
	t.Helper()
	data := layertest.Counted(t, elementType, shape...)
	picked := make([][]int, len(shape))
	for k, n := range shape {
		picked[k] = layertest.Positions(int64(n), 0, int64(n), 1)
	}
	named := make([]int64, len(axes))
	for i, axis := range axes {
		picked[axis] = layertest.Positions(int64(shape[axis]), starts[i], stops[i], steps[i])
		named[i] = int64(axis)
	}
	piece := make(ir.Shape, len(shape))
	for k, list := range picked {
		piece[k] = len(list)
	}
	updates := reversed(t, layertest.Counted(t, elementType, piece...))
	want := layertest.Elements(data)
	for i := range updates.Len() {
		to := 0
		for k, c := range index.Position(i, piece) {
			to = to*shape[k] + picked[k][c]
		}
		want[to] = layertest.Element(updates, i)
	}
	n := ir.Shape{len(axes)}
	inputs := []*ir.Tensor{data, updates, layertest.Ints(t, ir.I64, n, starts...), layertest.Ints(t, ir.I64, n, stops...),
		layertest.Ints(t, ir.I64, n, steps...), layertest.Ints(t, ir.I32, n, named...)}
	what := fmt.Sprintf("%v%v [%v:%v:%v] of axes %v", elementType, shape, starts, stops, steps, axes)
	got, err := layertest.Run(&Ops[0], nil, threads, inputs...)
	require.NoError(t, err, what)
	require.Equal(t, want, layertest.Elements(got), what)
	got, err = layertest.RunInPlace(&Ops[0], nil, threads, inputs...)
	require.NoError(t, err, what)
	require.Equal(t, want, layertest.Elements(got), what)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 800 {
		shape := make([]int, 1+rng.IntN(4))
		for k := range shape {
			shape[k] = 1 + rng.IntN(7)
		}
		axes := rng.Perm(len(shape))[:rng.IntN(len(shape)+1)]
		var starts, stops, steps []int64
		for range axes {
			starts = append(starts, rng.Int64N(17)-8)
			stops = append(stops, rng.Int64N(17)-8)
			steps = append(steps, []int64{-3, -2, -1, 1, 1, 1, 2, 3}[rng.IntN(8)])
		}
		compare(t, types[i%len(types)], shape, starts, stops, steps, axes, 1+i%2)
	}
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	compare(t, ir.I32, []int{300, 500}, []int64{3, -2}, []int64{290, 1}, []int64{2, -1}, []int{0, 1}, 3)
	compare(t, ir.I32, []int{300, 500}, []int64{1}, []int64{299}, []int64{1}, []int{0}, 3)
}

// TestPlanes has planes that are copied and set one after the other.
func TestPlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, elementType := range layertest.Types() {
		shape := []int{2, 1 + rng.IntN(2), 64 + rng.IntN(8), 65 + rng.IntN(8)}
		step := []int64{-2, -1, 1, 2}[rng.IntN(4)]
		compare(t, elementType, shape, []int64{3, 60}, []int64{50, 20}, []int64{1, -1}, []int{2, 3}, 2)
		compare(t, elementType, shape, []int64{30 - 5*step}, []int64{30 + 5*step}, []int64{step}, []int{2 + rng.IntN(2)}, 1)
		// nothing
		compare(t, elementType, shape, []int64{3, 4}, []int64{3, 60}, []int64{1, 1}, []int{2, 3}, 1)
	}
	one := func(v ...int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{2}, v...) }
	layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, ir.F32, 3, 40, 40), layertest.Counted(t, ir.F32, 3, 5, 6), one(1, 2), one(6, 8), one(1, 1), one(1, 2))
}

func TestErrors(t *testing.T) {
	one := func(v int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{1}, v) }
	_, err := layertest.Run(&Ops[0], nil, 1, layertest.Counted(t, ir.F32, 4), layertest.Counted(t, ir.I32, 2), one(0), one(2), one(1))
	require.EqualError(t, err, "data is f32, updates is i32")
}

func TestKernel_allocations(t *testing.T) {
	one := func(v int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{1}, v) }
	layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, ir.F32, 8, 3), layertest.Counted(t, ir.F32, 3, 3), one(1), one(7), one(2))
}

// FuzzKernel sets a piece along one axis of tensors with three axes.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(3), uint8(4), uint8(5), int8(1), int8(-1), int8(1), uint8(0), uint8(7))
	f.Fuzz(func(t *testing.T, a, b, c uint8, start, stop, step int8, axis, elementType uint8) {
		if step == 0 {
			return
		}
		types := layertest.Types()
		shape := []int{1 + int(a%8), 1 + int(b%8), 1 + int(c%8)}
		compare(t, types[int(elementType)%len(types)], shape, []int64{int64(start)}, []int64{int64(stop)}, []int64{int64(step)}, []int{int(axis % 3)}, 2)
	})
}
