package batchtospace

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compare moves each element of data to its place, unless that is cropped, and compares the layer
// with the result.
func compare(t *testing.T, data *ir.Tensor, block, begin, end []int64) {
	t.Helper()
	shape := append(ir.Shape(nil), data.Shape()...)
	for k := range shape[1:] {
		shape[k+1] = shape[k+1]*int(block[k+1]) - int(begin[k+1]+end[k+1])
		shape[0] /= int(block[k+1])
	}
	want := make([]string, shape.Elements())
	for i := range data.Len() {
		at := index.Position(i, data.Shape())
		inBlock := at[0] / max(shape[0], 1)
		at[0] -= inBlock * shape[0]
		inside := true
		for k := len(shape) - 1; k > 0; k-- {
			at[k] = at[k]*int(block[k]) + inBlock%int(block[k]) - int(begin[k])
			inBlock /= int(block[k])
			inside = inside && at[k] >= 0 && at[k] < shape[k]
		}
		to := 0
		for k, c := range at {
			to = to*shape[k] + c
		}
		if inside {
			want[to] = layertest.Element(data, i)
		}
	}
	n := ir.Shape{len(block)}
	layertest.CheckElements(t, &Ops[0], nil, shape, want, data, layertest.Ints(t, ir.I64, n, block...), layertest.Ints(t, ir.I64, n, begin...), layertest.Ints(t, ir.I64, n, end...))
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
	shape := []int{rng.IntN(3) + 1}
	block, begin, end := []int64{1}, []int64{0}, []int64{0}
	for range 1 + rng.IntN(3) {
		n, b := rng.IntN(8), 1+rng.IntN(3)
		shape[0] *= b
		left := n * b
		crop := rng.IntN(min(left, 5) + 1)
		shape, block, begin = append(shape, n), append(block, int64(b)), append(begin, int64(crop))
		end = append(end, int64(rng.IntN(min(left-crop, 5)+1)))
	}
	compare(t, layertest.Counted(t, types[rng.IntN(len(types))], shape...), block, begin, end)
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		compare(t, layertest.Counted(t, elementType, 4, 9, 61, 83), []int64{1, 1, 2, 2}, []int64{0, 1, 0, 3}, []int64{0, 0, 5, 2})
		compare(t, layertest.Counted(t, elementType, 8, 61, 83, 9), []int64{1, 2, 2, 1}, []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0})
	}
}

func TestKernel_errors(t *testing.T) {
	vector := func(values ...int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{len(values)}, values...) }
	_, err := layertest.Run(&Ops[0], nil, 1, layertest.Counted(t, ir.F32, 4, 2), vector(2, 1), vector(0, 0), vector(0, 0))
	require.EqualError(t, err, "block_shape[0] is 2, crops_begin[0] is 0 and crops_end[0] is 0, expected 1, 0 and 0 for the batch")
	_, err = layertest.Run(&Ops[0], nil, 1, layertest.Counted(t, ir.F32, 4, 2), vector(1, 1), vector(1, 0), vector(0, 0))
	require.EqualError(t, err, "block_shape[0] is 1, crops_begin[0] is 1 and crops_end[0] is 0, expected 1, 0 and 0 for the batch")
}

func TestKernel_allocations(t *testing.T) {
	vector := func(values ...int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{len(values)}, values...) }
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, elementType, 4, 4, 60, 70), vector(1, 1, 2, 2), vector(0, 0, 1, 1), vector(0, 0, 0, 1))
	}
}
