package spacetobatch

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compare reads each element of the output from padded data, and compares the layer with the
// result.
func compare(t *testing.T, data *ir.Tensor, block, begin, end []int64) {
	t.Helper()
	shape := append(ir.Shape(nil), data.Shape()...)
	for k := range shape[1:] {
		shape[k+1] = (shape[k+1] + int(begin[k+1]+end[k+1])) / int(block[k+1])
		shape[0] *= int(block[k+1])
	}
	empty, err := ir.NewTensor(data.ElementType(), 1)
	require.NoError(t, err)
	want := make([]string, shape.Elements())
	for i := range want {
		at := index.Position(i, shape)
		inBlock := at[0] / data.Shape()[0]
		at[0] %= data.Shape()[0]
		inside := true
		for k := len(shape) - 1; k > 0; k-- {
			at[k] = at[k]*int(block[k]) + inBlock%int(block[k]) - int(begin[k])
			inBlock /= int(block[k])
			inside = inside && at[k] >= 0 && at[k] < data.Shape()[k]
		}
		from := 0
		for k, c := range at {
			from = from*data.Shape()[k] + c
		}
		if want[i] = layertest.Element(empty, 0); inside {
			want[i] = layertest.Element(data, from)
		}
	}
	n := ir.Shape{len(block)}
	layertest.CheckElements(t, &Ops[0], nil, shape, want, data, layertest.Ints(t, ir.I64, n, block...), layertest.Ints(t, ir.I32, n, begin...), layertest.Ints(t, ir.I64, n, end...))
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
	shape := []int{rng.IntN(3)}
	block, begin, end := []int64{1}, []int64{0}, []int64{0}
	for range 1 + rng.IntN(3) {
		n, b := rng.IntN(10), 1+rng.IntN(3)
		first := rng.IntN(5)
		shape, block, begin = append(shape, n), append(block, int64(b)), append(begin, int64(first))
		end = append(end, int64((b-(n+first)%b)%b+b*rng.IntN(2)))
	}
	compare(t, layertest.Counted(t, types[rng.IntN(len(types))], shape...), block, begin, end)
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		compare(t, layertest.Counted(t, elementType, 2, 9, 90, 111), []int64{1, 1, 2, 2}, []int64{0, 1, 0, 3}, []int64{0, 0, 6, 2})
		compare(t, layertest.Counted(t, elementType, 2, 90, 110, 9), []int64{1, 2, 2, 1}, []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0})
	}
}

func TestKernel_errors(t *testing.T) {
	vector := func(values ...int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{len(values)}, values...) }
	data := layertest.Counted(t, ir.F32, 4, 2)
	_, err := layertest.Run(&Ops[0], nil, 1, data, vector(1, 1), vector(1, 0), vector(0, 0))
	require.EqualError(t, err, "block_shape[0] is 1, pads_begin[0] is 1 and pads_end[0] is 0, expected 1, 0 and 0 for the batch")
	_, err = layertest.Run(&Ops[0], nil, 1, data, vector(1, 1), vector(0, 0), vector(0, -2))
	require.EqualError(t, err, "pads_begin[1] is 0, pads_end[1] is -2, neither may be negative")
	_, err = layertest.Run(&Ops[0], nil, 1, data, vector(1, 1, 1), vector(0, 0, 0), vector(0, 0, 0))
	require.EqualError(t, err, "block_shape has 3 elements, data has 2 axes")
}

func TestKernel_allocations(t *testing.T) {
	vector := func(values ...int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{len(values)}, values...) }
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, elementType, 4, 4, 60, 70), vector(1, 1, 2, 2), vector(0, 0, 1, 1), vector(0, 0, 1, 3))
	}
}
