package bucketize

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func attributesOf(right bool, outputType string) layertest.Attributes {
	return layertest.Attributes{"with_right_bound", strconv.FormatBool(right), "output_type", outputType}
}

// exact returns the elements of t, none of which is NaN.
func exact(t testing.TB, tensor *ir.Tensor) []*big.Float {
	var values []*big.Float
	var floats []float64
	if tensor.ElementType() != ir.I64 && tensor.ElementType() != ir.U64 {
		floats = layertest.Floats(t, tensor)
	}
	for i := range tensor.Len() {
		v := new(big.Float).SetPrec(100)
		switch tensor.ElementType() {
		case ir.I64:
			v.SetInt64(ir.Data[int64](tensor)[i])
		case ir.U64:
			v.SetUint64(ir.Data[uint64](tensor)[i])
		default:
			v.SetFloat64(floats[i])
		}
		values = append(values, v)
	}
	return values
}

// numbers returns n numbers of a type, many of them at its limits or near powers of two.
func numbers(t testing.TB, rng *rand.Rand, elementType ir.ElementType, n int) *ir.Tensor {
	switch elementType {
	case ir.I64:
		values := make([]int64, n)
		for i := range values {
			values[i] = (int64(1)<<rng.IntN(64) + int64(rng.IntN(5)) - 2) * int64(1-2*rng.IntN(2))
		}
		return layertest.Ints(t, ir.I64, ir.Shape{n}, values...)
	case ir.U64:
		values := make([]uint64, n)
		for i := range values {
			values[i] = uint64(1)<<rng.IntN(64) + uint64(rng.IntN(5)) - 2
		}
		tensor, err := ir.TensorOf(ir.U64, ir.Shape{n}, values)
		require.NoError(t, err)
		return tensor
	}
	values := make([]float64, n)
	for i := range values {
		v := math.Ldexp(1+float64(rng.IntN(3)-1)/1024, rng.IntN(70)-4) * float64(1-2*rng.IntN(2))
		if lo, hi, ok := elementType.Limits(); ok {
			v = math.Trunc(min(max(math.Mod(v, 600), float64(lo)), float64(hi)))
			if rng.IntN(4) == 0 {
				v = []float64{float64(lo), float64(hi)}[rng.IntN(2)]
			}
		} else if rng.IntN(12) == 0 {
			v = math.Inf(1 - 2*rng.IntN(2))
		} else if rng.IntN(3) == 0 {
			v = float64(rng.IntN(600)) + 0.5
		}
		values[i] = v
	}
	return layertest.Numbers(t, elementType, ir.Shape{n}, values...)
}

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 1500, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	checkTypes(t, rng, types[rng.IntN(len(types))], types[rng.IntN(len(types))], rng.IntN([]int{8, 50}[rng.IntN(2)]), rng.IntN([]int{12, 80}[rng.IntN(2)]))
}

func checkTypes(t *testing.T, rng *rand.Rand, dataType, bucketType ir.ElementType, n, boundaries int) {
	t.Helper()
	data, buckets := numbers(t, rng, dataType, n), numbers(t, rng, bucketType, boundaries)
	sortTensor(buckets)
	right := rng.IntN(2) == 0
	want := make([]float64, n)
	sorted := exact(t, buckets)
	for i, v := range exact(t, data) {
		for _, b := range sorted {
			if c := b.Cmp(v); c < 0 || c == 0 && !right {
				want[i]++
			}
		}
	}
	layertest.CheckNear(t, &Ops[0], attributesOf(right, []string{"i32", "i64"}[rng.IntN(2)]), ir.Shape{n}, want, 0, data, buckets)
}

// sortTensor sorts the elements of a tensor.
func sortTensor(t *ir.Tensor) {
	load, err := loaderOf(t.ElementType())
	if err != nil {
		panic(err)
	}
	order := make([]int, t.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := load(t, a), load(t, b)
		return cmp.Or(cmp.Compare(x.signed, y.signed), cmp.Compare(x.unsigned, y.unsigned), cmp.Compare(x.float, y.float))
	})
	size, old := t.ElementType().Size(), slices.Clone(t.Bytes())
	for to, from := range order {
		copy(t.Bytes()[to*size:], old[from*size:][:size])
	}
}

// grain is more elements than are worth a thread of their own.
const grain = 1 << 13

// TestLarge has enough elements for three threads.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checkTypes(t, rng, ir.F32, ir.F32, 4*grain, 7)
	checkTypes(t, rng, ir.I32, ir.F32, 4*grain, 7)
}

// TestNaN has the values of OpenVINO 2026.4.1.
func TestNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	data := layertest.Numbers(t, ir.F32, ir.Shape{10}, 0, 1, 1.5, 2, 3, 4, 5, nan, inf, -inf)
	buckets := layertest.Numbers(t, ir.F32, ir.Shape{4}, 1, 2, 2, 4)
	for right, want := range map[bool][]float64{true: {0, 0, 1, 1, 3, 3, 4, 0, 4, 0}, false: {0, 1, 1, 3, 3, 4, 4, 4, 4, 0}} {
		layertest.CheckNear(t, &Ops[0], attributesOf(right, "i64"), ir.Shape{10}, want, 0, data, buckets)
	}
	got, err := layertest.Run(&Ops[0], attributesOf(false, "i64"), 1, layertest.Ints(t, ir.I32, ir.Shape{2}, 1, 9), layertest.Numbers(t, ir.F32, ir.Shape{2}, 1, nan))
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 1}, ir.Data[int64](got))
}

func TestTypeNotComputed(t *testing.T) {
	_, err := layertest.Run(&Ops[0], attributesOf(true, "i64"), 1, layertest.Counted(t, ir.F32, 2), layertest.Counted(t, ir.U4, 2))
	assert.ErrorContains(t, err, "Bucketize-3 has no kernel for input 1 of type u4")
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range types {
		layertest.CheckAllocations(t, &Ops[0], attributesOf(true, "i32"), layertest.Numbers(t, elementType, ir.Shape{3 * grain}), layertest.Numbers(t, ir.F32, ir.Shape{9}))
	}
}
