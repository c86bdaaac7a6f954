package nonzero

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference collects the positions of nonzero elements one by one.
func reference(t testing.TB, data *ir.Tensor) (ir.Shape, []int64) {
	var found [][]int
	for i, v := range layertest.Floats(t, data) {
		if v != 0 {
			found = append(found, index.Position(i, data.Shape()))
		}
	}
	rank := len(data.Shape())
	if rank == 0 {
		return ir.Shape{len(found), len(found)}, make([]int64, len(found))
	}
	out := []int64{}
	for axis := range rank {
		for _, position := range found {
			out = append(out, int64(position[axis]))
		}
	}
	return ir.Shape{rank, len(found)}, out
}

func compare(t testing.TB, data *ir.Tensor, outputType string, threads int) {
	t.Helper()
	got, err := layertest.Run(&Ops[0], layertest.Attributes{"output_type", outputType}, threads, data)
	require.NoError(t, err)
	shape, want := reference(t, data)
	what := fmt.Sprintf("%v%v", data.ElementType(), data.Shape())
	require.Equal(t, shape, got.Shape(), what)
	ints, err := got.Ints()
	require.NoError(t, err)
	require.Equal(t, want, append([]int64{}, ints...), what)
}

// sparse returns a tensor in which about one of `every` elements is not zero.
func sparse(t testing.TB, rng *rand.Rand, elementType ir.ElementType, every int, shape ...int) *ir.Tensor {
	values := make([]float64, ir.Shape(shape).Elements())
	for i := range values {
		if rng.IntN(every) == 0 {
			values[i] = 1
		}
	}
	if len(values) == 0 {
		return layertest.Numbers(t, elementType, shape)
	}
	return layertest.Numbers(t, elementType, shape, values...)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		shape := make([]int, rng.IntN(5))
		for k := range shape {
			shape[k] = rng.IntN(6)
		}
		data := sparse(t, rng, types[i%len(types)], 1+rng.IntN(4), shape...)
		compare(t, data, []string{"i32", "i64"}[i%2], 1+i%2)
	}
}

// TestLarge has chunks that end inside rows, and rows that end inside chunks.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, shape := range []ir.Shape{{5*chunk + 3}, {3, chunk + 1}, {50, 7, 211}, {2*chunk + 1, 1}, {2, 2 * chunk}, {chunk, 3, 1, 1}} {
		for _, every := range []int{1, 3, 100000} {
			compare(t, sparse(t, rng, ir.U8, every, shape...), "i64", 3)
		}
	}
}

func TestZeros(t *testing.T) {
	data := layertest.Numbers(t, ir.F64, ir.Shape{5}, 0, math.Copysign(0, -1), math.NaN(), math.SmallestNonzeroFloat64, math.Inf(-1))
	got, err := layertest.Run(&Ops[0], nil, 1, data)
	require.NoError(t, err)
	assert.Equal(t, []int64{2, 3, 4}, ir.Data[int64](got))
}

func TestKnownShape(t *testing.T) {
	data := layertest.Ints(t, ir.I64, ir.Shape{2, 2}, 0, 5, 0, 6)
	kernel, r, err := layertest.Prepare(&Ops[0], nil, 1, data)
	require.NoError(t, err)
	require.NoError(t, kernel(r))
	assert.Equal(t, []int64{0, 1, 1, 1}, ir.Data[int64](r.Outputs[0]))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		// the output of the previous run has the right shape
		r.Resize = func(int, ir.Shape) error { return nil }
		err = kernel(r)
	}))
	require.NoError(t, err)
}

func TestTypeNotComputed(t *testing.T) {
	_, err := layertest.Run(&Ops[0], nil, 1, layertest.Counted(t, ir.String, 2))
	assert.ErrorContains(t, err, "NonZero-3 has no kernel for input 0 of type string, only for [f32 ")
}

// FuzzKernel finds the nonzero bytes in tensors with three axes.
func FuzzKernel(f *testing.F) {
	f.Add([]byte{1, 0, 0, 2}, uint8(1), uint8(2), uint8(0))
	f.Fuzz(func(t *testing.T, values []byte, a, b, elementType uint8) {
		rows, columns := int(a%9)+1, int(b%9)+1
		planes := len(values) / (rows * columns)
		numbers := make([]float64, planes*rows*columns)
		for i := range numbers {
			numbers[i] = float64(values[i] & 1)
		}
		if len(numbers) == 0 {
			return
		}
		compare(t, layertest.Numbers(t, types[int(elementType)%len(types)], ir.Shape{planes, rows, columns}, numbers...), "i32", 2)
	})
}
