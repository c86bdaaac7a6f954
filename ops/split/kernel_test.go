package split

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// checkOutputs compares the pieces with a split coordinate by coordinate.
func checkOutputs(t *testing.T, data *ir.Tensor, axis int, lengths []int64, outputs []*ir.Tensor) {
	t.Helper()
	what := fmt.Sprintf("%v%v axis %d into %v", data.ElementType(), data.Shape(), axis, lengths)
	first := 0
	for k, out := range outputs {
		require.EqualValues(t, lengths[k], out.Shape()[axis], what)
		want := make([]string, out.Len())
		for i := range want {
			from := 0
			for d, c := range index.Position(i, out.Shape()) {
				if d == axis {
					c += first
				}
				from = from*data.Shape()[d] + c
			}
			want[i] = layertest.Element(data, from)
		}
		require.Equal(t, want, layertest.Elements(out), what)
		first += int(lengths[k])
	}
}

// compare splits data with VariadicSplit, with one of the lengths given as -1. If all lengths are
// equal, it uses Split too.
func compare(t *testing.T, data *ir.Tensor, axis int, lengths []int64, threads int) {
	t.Helper()
	written := append([]int64(nil), lengths...)
	written[axis%len(lengths)] = -1
	outputs, err := layertest.RunOutputs(&Ops[1], nil, threads, len(lengths), data,
		layertest.Ints(t, ir.I64, ir.Shape{1}, int64(axis)), layertest.Ints(t, ir.I32, ir.Shape{len(lengths)}, written...))
	require.NoError(t, err)
	checkOutputs(t, data, axis, lengths, outputs)
	for _, n := range lengths {
		if n != lengths[0] {
			return
		}
	}
	outputs, err = layertest.RunOutputs(&Ops[0], layertest.Attributes{"num_splits", fmt.Sprint(len(lengths))}, threads, len(lengths), data,
		layertest.Ints(t, ir.I64, ir.Shape{}, int64(axis-len(data.Shape()))))
	require.NoError(t, err)
	checkOutputs(t, data, axis, lengths, outputs)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 800 {
		shape := make([]int, 1+rng.IntN(4))
		for k := range shape {
			shape[k] = rng.IntN(7)
		}
		axis := rng.IntN(len(shape))
		lengths, sum, same := make([]int64, 1+rng.IntN(4)), int64(0), rng.Int64N(9)
		for k := range lengths {
			lengths[k] = same
			if i%3 > 0 {
				lengths[k] = rng.Int64N(9)
			}
			sum += lengths[k]
		}
		shape[axis] = int(sum)
		compare(t, layertest.Counted(t, types[i%len(types)], shape...), axis, lengths, 1+i%2)
	}
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	data := layertest.Counted(t, ir.I32, 400, 600)
	compare(t, data, 0, []int64{100, 100, 200}, 3)
	compare(t, data, 1, []int64{200, 200, 200}, 3)
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[1], nil, layertest.Counted(t, ir.F32, 8, 9), layertest.Ints(t, ir.I64, ir.Shape{}, 1), layertest.Ints(t, ir.I64, ir.Shape{1}, 9))
}

// FuzzKernel cuts tensors with three axes into three pieces.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(3), uint8(2), uint8(1), uint8(4), uint8(0), uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, outer, inner, a, b, c, axis, elementType uint8) {
		types := layertest.Types()
		shape := []int{int(outer % 5), int(inner % 5), int(inner % 3)}
		lengths := []int64{int64(a % 9), int64(b % 9), int64(c % 9)}
		shape[axis%3] = int(lengths[0] + lengths[1] + lengths[2])
		compare(t, layertest.Counted(t, types[int(elementType)%len(types)], shape...), int(axis%3), lengths, 2)
	})
}
