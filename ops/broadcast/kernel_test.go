package broadcast

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference repeats data coordinate by coordinate. Axis k of data is axis axes[k] of the output.
func reference(data *ir.Tensor, axes []int, shape ir.Shape) []string {
	out := make([]string, shape.Elements())
	for i := range out {
		at, from := index.Position(i, shape), 0
		for k, n := range data.Shape() {
			c := 0
			if n > 1 {
				c = at[axes[k]]
			}
			from = from*n + c
		}
		out[i] = layertest.Element(data, from)
	}
	return out
}

// randomCase returns an output shape, some of its axes in rising order, and a shape of data for
// these axes.
func randomCase(rng *rand.Rand) (shape ir.Shape, axes []int, data []int) {
	shape = make(ir.Shape, rng.IntN(5))
	for k := range shape {
		shape[k] = 1 + rng.IntN(5)
		if rng.IntN(20) == 0 {
			shape[k] = 0
		}
		if rng.IntN(2) == 0 {
			axes = append(axes, k)
			data = append(data, []int{1, shape[k]}[rng.IntN(2)])
		}
	}
	return shape, axes, data
}

func wide(list []int) []int64 {
	out := make([]int64, len(list))
	for i, v := range list {
		out[i] = int64(v)
	}
	return out
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 2000 {
		shape, axes, lengths := randomCase(rng)
		data := layertest.Counted(t, types[i%len(types)], lengths...)
		target := layertest.Ints(t, ir.I64, ir.Shape{len(shape)}, wide(shape)...)
		what := fmt.Sprintf("%v%v to %v on axes %v", data.ElementType(), data.Shape(), shape, axes)
		want := reference(data, axes, shape)
		run := func(version int, attributes layertest.Attributes, inputs ...*ir.Tensor) {
			got, err := layertest.Run(layertest.Find(t, Ops, version), attributes, 1+i%2, inputs...)
			require.NoError(t, err, what)
			require.Equal(t, shape, got.Shape(), what)
			require.Equal(t, want, layertest.Elements(got), "%v %v", attributes, what)
		}
		mapping := layertest.Ints(t, ir.I32, ir.Shape{len(axes)}, wide(axes)...)
		run([]int{1, 3}[i%2], layertest.Attributes{"mode", "explicit"}, data, target, mapping)
		first := len(shape) - len(axes)
		together := isRange(axes)
		if together && (len(axes) == 0 || axes[0] == first) {
			run([]int{1, 3}[i%2], layertest.Attributes{"mode", "numpy"}, data, target)
			run(3, layertest.Attributes{"mode", "bidirectional"}, data, target)
			run(3, layertest.Attributes{"mode", "pdpd", "mode.mode.axis", "-1"}, data, target)
		}
		if together && len(axes) > 0 {
			run(1, layertest.Attributes{"mode", "pdpd", "mode.auto_broadcast_axis", fmt.Sprint(axes[0])}, data, target)
		}
	}
}

func isRange(axes []int) bool {
	for i, axis := range axes {
		if axis != axes[0]+i {
			return false
		}
	}
	return true
}

// TestBidirectional has a length of 1 in the target shape, and data with more axes.
func TestBidirectional(t *testing.T) {
	data := layertest.Counted(t, ir.F32, 2, 1, 3)
	got, err := layertest.Run(&Ops[1], layertest.Attributes{"mode", "bidirectional"}, 1, data, layertest.Ints(t, ir.I64, ir.Shape{2}, 4, 1))
	require.NoError(t, err)
	require.Equal(t, ir.Shape{2, 4, 3}, got.Shape())
	require.Equal(t, reference(data, []int{0, 1, 2}, got.Shape()), layertest.Elements(got))
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, lengths := range [][]int{{1, 700}, {700, 1}, {1, 1}} {
		data := layertest.Counted(t, ir.U16, lengths...)
		got, err := layertest.Run(&Ops[1], nil, 3, data, layertest.Ints(t, ir.I64, ir.Shape{2}, 700, 700))
		require.NoError(t, err)
		require.Equal(t, reference(data, []int{0, 1}, got.Shape()), layertest.Elements(got))
	}
}

// TestViewOf_refuses passes shapes that the shape rule rejects.
func TestViewOf_refuses(t *testing.T) {
	_, err := viewOf([]ir.Fact{layertest.Fact(t, "f32[3]")}, ir.Shape{2, 4}, attributes{mode: numpy})
	require.EqualError(t, err, "dimension 0 of data of shape [3] does not broadcast to [2,4]")
	_, err = viewOf([]ir.Fact{layertest.Fact(t, "f32[3]"), {}, layertest.Fact(t, "i64[1]=4294967296")}, ir.Shape{3}, attributes{mode: explicit})
	require.EqualError(t, err, "dimension 0 of data of shape [3] does not broadcast to [3]")
	_, err = viewOf([]ir.Fact{layertest.Fact(t, "f32[3]"), {}, layertest.Fact(t, "i64[1]")}, ir.Shape{3}, attributes{mode: explicit})
	require.EqualError(t, err, "axes_mapping is not known")
}

func TestKernel_allocations(t *testing.T) {
	data := layertest.Counted(t, ir.F32, 64, 1)
	layertest.CheckAllocations(t, &Ops[1], nil, data, layertest.Ints(t, ir.I64, ir.Shape{3}, 4, 64, 16))
}

// FuzzKernel maps the axes of a tensor with up to two axes to three axes.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(3), uint8(1), uint8(2), uint8(3), uint8(4), uint8(1), uint8(2), uint8(0))
	f.Fuzz(func(t *testing.T, a, b, x, y, z, first, second, elementType uint8) {
		types := layertest.Types()
		shape := ir.Shape{int(x % 6), int(y % 6), int(z % 6)}
		data := layertest.Counted(t, types[int(elementType)%len(types)], int(a%6), int(b%6))
		axes := []int{int(first % 4), int(second % 4)}
		got, err := layertest.Run(&Ops[0], layertest.Attributes{"mode", "explicit"}, 2, data,
			layertest.Ints(t, ir.I64, ir.Shape{3}, wide(shape)...), layertest.Ints(t, ir.I64, ir.Shape{2}, wide(axes)...))
		if err == nil && axes[0] != axes[1] {
			require.Equal(t, reference(data, axes, shape), layertest.Elements(got))
		}
	})
}
