package concat

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference joins tensors coordinate by coordinate.
func reference(inputs []*ir.Tensor, axis int) (ir.Shape, []string) {
	shape := slices.Clone(inputs[0].Shape())
	shape[axis] = 0
	for _, in := range inputs {
		shape[axis] += in.Shape()[axis]
	}
	out := make([]string, shape.Elements())
	for i := range out {
		at := index.Position(i, shape)
		k := 0
		for ; at[axis] >= inputs[k].Shape()[axis]; k++ {
			at[axis] -= inputs[k].Shape()[axis]
		}
		from := 0
		for d, n := range inputs[k].Shape() {
			from = from*n + at[d]
		}
		out[i] = layertest.Element(inputs[k], from)
	}
	return shape, out
}

func compare(t *testing.T, inputs []*ir.Tensor, axis, threads int) {
	t.Helper()
	what := fmt.Sprintf("%v axis %d of", inputs[0].ElementType(), axis)
	for _, in := range inputs {
		what += in.Shape().String()
	}
	shape, want := reference(inputs, axis)
	for _, spelling := range []int{axis, axis - len(shape)} {
		got, err := layertest.Run(&Ops[0], layertest.Attributes{"axis", fmt.Sprint(spelling)}, threads, inputs...)
		require.NoError(t, err, what)
		require.Equal(t, shape, got.Shape(), what)
		require.Equal(t, want, layertest.Elements(got), what)
	}
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 1500 {
		shape := make([]int, 1+rng.IntN(4))
		for k := range shape {
			shape[k] = rng.IntN(5)
		}
		axis := rng.IntN(len(shape))
		inputs := make([]*ir.Tensor, 1+rng.IntN(4))
		for k := range inputs {
			shape[axis] = rng.IntN(12)
			inputs[k] = layertest.Counted(t, types[i%len(types)], shape...)
		}
		compare(t, inputs, axis, 1+i%2)
	}
}

// TestLarge has enough work for several threads, in many rows and in one row.
func TestLarge(t *testing.T) {
	inputs := []*ir.Tensor{layertest.Counted(t, ir.I32, 400, 300), layertest.Counted(t, ir.I32, 400, 300)}
	compare(t, inputs, 0, 3)
	compare(t, inputs, 1, 3)
}

func TestKernel_allocations(t *testing.T) {
	inputs := []*ir.Tensor{layertest.Counted(t, ir.F32, 8, 3), layertest.Counted(t, ir.F32, 8, 30)}
	for _, axis := range []string{"0", "1"} {
		if axis == "0" {
			inputs[1] = layertest.Counted(t, ir.F32, 5, 3)
		} else {
			inputs[1] = layertest.Counted(t, ir.F32, 8, 30)
		}
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"axis", axis}, inputs...)
	}
}

// FuzzKernel joins three tensors with three axes.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(2), uint8(3), uint8(1), uint8(4), uint8(0), uint8(1), uint8(0))
	f.Fuzz(func(t *testing.T, outer, inner, a, b, c, axis, elementType uint8) {
		types := layertest.Types()
		var inputs []*ir.Tensor
		for _, n := range []uint8{a, b, c} {
			shape := []int{int(outer % 5), int(inner % 5), int(inner % 3)}
			shape[axis%3] = int(n % 40)
			inputs = append(inputs, layertest.Counted(t, types[int(elementType)%len(types)], shape...))
		}
		compare(t, inputs, int(axis%3), 2)
	})
}
