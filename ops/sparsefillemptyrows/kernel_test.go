package sparsefillemptyrows

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// inputs returns the inputs for the given matrix.
func inputs(t testing.TB, values *ir.Tensor, indexType ir.ElementType, shape, indices []int64, added *ir.Tensor) []*ir.Tensor {
	return []*ir.Tensor{values, layertest.Ints(t, indexType, ir.Shape{2}, shape...), layertest.Ints(t, indexType, ir.Shape{len(indices) / 2, 2}, indices...), added}
}

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 500, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	rows, columns := rng.IntN(7), 1+rng.IntN(4)
	elements := 0
	if rows > 0 {
		elements = rng.IntN(10)
	}
	elementTypes := []ir.ElementType{ir.F32, ir.U8, ir.BF16, ir.I64, ir.Boolean, ir.String}
	checkMatrix(t, rng, elementTypes[rng.IntN(len(elementTypes))], rows, columns, elements)
}

// checkMatrix goes through all elements for each row.
func checkMatrix(t *testing.T, rng *rand.Rand, elementType ir.ElementType, rows, columns, elements int) {
	t.Helper()
	all := layertest.Counted(t, elementType, elements+1)
	values, added := part(t, all, 0, ir.Shape{elements}), part(t, all, elements, ir.Shape{})
	indices := make([]int64, 2*elements)
	for i := range elements {
		indices[2*i], indices[2*i+1] = int64(rng.IntN(rows)), int64(rng.IntN(columns))
	}
	var wantIndices, wantEmpty []int64
	var wantValues []string
	for row := range int64(rows) {
		empty := int64(1)
		for i := range elements {
			if indices[2*i] == row {
				wantIndices = append(wantIndices, row, indices[2*i+1])
				wantValues = append(wantValues, layertest.Element(values, i))
				empty = 0
			}
		}
		if wantEmpty = append(wantEmpty, empty); empty == 1 {
			wantIndices = append(wantIndices, row, 0)
			wantValues = append(wantValues, layertest.Element(added, 0))
		}
	}
	indexType := []ir.ElementType{ir.I32, ir.I64}[rng.IntN(2)]
	got, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, inputs(t, values, indexType, []int64{int64(rows), int64(columns)}, indices, added)...)
	require.NoError(t, err)
	gotIndices, err := got[0].Ints()
	require.NoError(t, err)
	require.Equal(t, wantIndices, append([]int64(nil), gotIndices...))
	require.Equal(t, ir.Shape{len(wantValues), 2}, got[0].Shape())
	require.Equal(t, wantValues, append([]string(nil), layertest.Elements(got[1])...))
	empty, err := got[2].Ints()
	require.NoError(t, err)
	require.Equal(t, wantEmpty, append([]int64(nil), empty...))
}

// part returns the elements of t from element `from` on.
func part(t testing.TB, tensor *ir.Tensor, from int, shape ir.Shape) *ir.Tensor {
	out, err := ir.NewTensor(tensor.ElementType(), shape...)
	require.NoError(t, err)
	if tensor.ElementType() == ir.String {
		copy(out.Strings(), tensor.Strings()[from:])
	} else {
		copy(out.Bytes(), tensor.Bytes()[from*tensor.ElementType().Size():])
	}
	return out
}

func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checkMatrix(t, rng, ir.F32, 300, 40, 500)
}

// TestOpenVINO has the values of OpenVINO 2026.4.1 for indices that are not sorted.
func TestOpenVINO(t *testing.T) {
	values, added := layertest.Numbers(t, ir.F32, ir.Shape{3}, 1, 2, 3), layertest.Numbers(t, ir.F32, ir.Shape{}, 9)
	got, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, inputs(t, values, ir.I64, []int64{5, 4}, []int64{2, 3, 0, 1, 2, 3}, added)...)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 9, 1, 3, 9, 9}, ir.Data[float32](got[1]))
	assert.Equal(t, []int64{0, 1, 1, 0, 2, 3, 2, 3, 3, 0, 4, 0}, ir.Data[int64](got[0]))
}

func TestErrors(t *testing.T) {
	values, added := layertest.Numbers(t, ir.F32, ir.Shape{1}, 1), layertest.Numbers(t, ir.F32, ir.Shape{}, 9)
	none := layertest.Numbers(t, ir.F32, ir.Shape{0})
	for _, c := range []struct {
		values         *ir.Tensor
		shape, indices []int64
		want           string
	}{
		{values, []int64{2, 3}, []int64{2, 0}, "indices[0] is [2,0], outside of dense_shape [2 3]"},
		{values, []int64{2, 3}, []int64{0, -1}, "indices[0] is [0,-1], outside of dense_shape [2 3]"},
		{none, []int64{2, 0}, nil, "dense_shape is [2 0], without a column for the elements of empty rows"},
		{none, []int64{math.MaxInt64, 1}, nil, "dense_shape is [9223372036854775807 1], "},
		{none, []int64{-1, 1}, nil, "dense_shape is [-1 1], which no matrix has"},
	} {
		_, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, inputs(t, c.values, ir.I64, c.shape, c.indices, added)...)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestTypeNotComputed(t *testing.T) {
	_, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, inputs(t, layertest.Counted(t, ir.U4, 1), ir.I64, []int64{1, 1}, []int64{0, 0}, layertest.Counted(t, ir.U4))...)
	assert.ErrorContains(t, err, "SparseFillEmptyRows-16 has no kernel for input 0 of type u4")
}

func TestKernel_allocations(t *testing.T) {
	values, added := layertest.Counted(t, ir.F32, 3000), layertest.Counted(t, ir.F32)
	indices := make([]int64, 6000)
	for i := 0; i < len(indices); i += 2 {
		indices[i] = int64(i % 1000)
	}
	all := inputs(t, values, ir.I64, []int64{2000, 3}, indices, added)
	outputs, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, all...)
	require.NoError(t, err)
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], nil, 1, 3, all...)
	require.NoError(t, err)
	r.Outputs = outputs
	// the outputs of the previous run have the right shapes
	r.Resize = func(int, ir.Shape) error { return nil }
	require.Zero(t, testing.AllocsPerRun(5, func() { err = kernel(r) }))
	require.NoError(t, err)
}
