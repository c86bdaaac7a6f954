package scatterndupdate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// get and set read and write an element as a float64, which holds all values of these tests
// exactly.
func get(x *ir.Tensor, i int) float64 {
	switch t := x.ElementType(); t {
	case ir.F64:
		return ir.Data[float64](x)[i]
	case ir.F32:
		return float64(ir.Data[float32](x)[i])
	case ir.F16, ir.BF16, ir.F8E4M3, ir.F8E5M2, ir.F8E8M0, ir.NF4, ir.F4E2M1:
		var v [1]float32
		codecOf(t).load(v[:], x, i)
		return float64(v[0])
	case ir.U64:
		return float64(ir.Data[uint64](x)[i])
	case ir.I4:
		return float64(int8(x.Packed(i)<<4) >> 4)
	}
	if x.ElementType().Size() == 0 {
		return float64(x.Packed(i))
	}
	all, _ := x.Ints()
	return float64(all[i])
}

func set(x *ir.Tensor, i int, v float64) {
	switch t := x.ElementType(); t {
	case ir.F64:
		ir.Data[float64](x)[i] = v
	case ir.F32:
		ir.Data[float32](x)[i] = float32(v)
	case ir.F16, ir.BF16, ir.F8E4M3, ir.F8E5M2, ir.F8E8M0, ir.NF4, ir.F4E2M1:
		codecOf(t).store(x, i, []float32{float32(v)})
	default:
		// Integers wrap: only the low bits of the value are stored.
		bits := uint64(int64(v))
		if t.Size() == 0 {
			x.SetPacked(i, uint8(bits))
			return
		}
		for b := range t.Size() {
			x.Bytes()[i*t.Size()+b] = byte(bits >> (8 * b))
		}
	}
}

// combined is the definition of a reduction in the specification.
func combined(red reduction, boolean bool, x, y float64) float64 {
	switch {
	case boolean && red == sum:
		return max(x, y)
	case boolean && red == sub:
		return float64(int(x) ^ int(y))
	case red == sum:
		return x + y
	case red == sub:
		return x - y
	case red == prod:
		return x * y
	case red == minimum:
		return min(x, y)
	}
	return max(x, y)
}

func TestRandom_reductions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	types := []ir.ElementType{
		ir.Boolean, ir.U1, ir.U2, ir.U3, ir.U4, ir.U6, ir.U8, ir.U16, ir.U32, ir.U64, ir.I4, ir.I8, ir.I16, ir.I32, ir.I64,
		ir.F16, ir.BF16, ir.F32, ir.F64, ir.F8E4M3, ir.F8E5M2, ir.F8E8M0, ir.NF4, ir.F4E2M1,
	}
	for i := range 3000 {
		elementType, red := types[i%len(types)], sum+reduction(rng.IntN(5))
		dataShape, indicesShape, values := randomCase(rng, 4)
		shape := updatesShape(dataShape, indicesShape, indicesShape[len(indicesShape)-1])
		data, updates := randomNumbers(rng, elementType, dataShape), randomNumbers(rng, elementType, shape)
		sums := make([]float64, data.Len())
		for k := range sums {
			if elementType == ir.U64 {
				set(data, k, get(data, k)+1000) // a float64 does not hold numbers that wrapped
			}
			sums[k] = get(data, k)
		}
		to := places(dataShape, indicesShape, values, shape)
		for from, k := range to {
			sums[k] = combined(red, elementType == ir.Boolean, sums[k], get(updates, from))
			if elementType.IsInteger() {
				// The product may have wrapped before min or max compares it.
				x, _ := ir.NewTensor(elementType, 1)
				set(x, 0, sums[k])
				sums[k] = get(x, 0)
			} else if elementType != ir.F64 {
				sums[k] = float64(float32(sums[k]))
			}
		}
		want, err := ir.NewTensor(elementType, dataShape...)
		require.NoError(t, err)
		copy(want.Bytes(), data.Bytes())
		for _, k := range to {
			set(want, k, sums[k])
		}
		check(t, red, data, indexTensor(t, i, indicesShape, values), updates, layertest.Elements(want))
	}
}

func randomNumbers(rng *rand.Rand, elementType ir.ElementType, shape ir.Shape) *ir.Tensor {
	x, _ := ir.NewTensor(elementType, shape...)
	for i := range x.Len() {
		v := rng.IntN(5)
		if elementType == ir.Boolean {
			v %= 2
		} else if elementType.Kind() != ir.KindUnsigned && elementType != ir.F8E8M0 {
			v -= 2
		}
		set(x, i, float64(v))
	}
	return x
}

// TestOnce checks that 16-bit floats are rounded once, that other elements keep their bits, and
// that rows longer than a block are complete.
func TestOnce(t *testing.T) {
	op, attributes := scatterOp(t, sum)
	data := []uint16{half.F32ToF16(2048), 0x7c01, 0x8000} // a signalling NaN, -0
	x, err := ir.TensorOf(ir.F16, ir.Shape{3}, data)
	require.NoError(t, err)
	one := half.F32ToF16(1)
	y, err := ir.TensorOf(ir.F16, ir.Shape{4}, []uint16{one, one, one, one})
	require.NoError(t, err)
	got, err := layertest.Run(op, attributes, 1, x, layertest.Ints(t, ir.I64, ir.Shape{4, 1}, 0, 0, -3, 0), y)
	require.NoError(t, err)
	assert.Equal(t, []uint16{half.F32ToF16(2052), 0x7c01, 0x8000}, ir.Data[uint16](got))

	const n = 2*blockElements + 5
	for _, elementType := range []ir.ElementType{ir.BF16, ir.F4E2M1} {
		x, y := layertest.Counted(t, elementType, 3, n), layertest.Counted(t, elementType, 2, n)
		for i := range n {
			for j, v := range []float64{1, 2, 0} {
				set(x, j*n+i, v)
			}
			set(y, i, []float64{0.5, 1}[i%2])
			set(y, n+i, []float64{1, 2}[i%2])
		}
		got, err := layertest.Run(op, attributes, 2, x, layertest.Ints(t, ir.I64, ir.Shape{2, 1}, 2, 2), y)
		require.NoError(t, err)
		for i := range n {
			assert.Equal(t, 1., get(got, i))
			assert.Equal(t, 2., get(got, n+i))
			assert.Equal(t, []float64{1.5, 3}[i%2], get(got, 2*n+i), "element %d", i)
		}
	}
}

func TestNaN(t *testing.T) {
	nan := math.NaN()
	for _, red := range []reduction{minimum, maximum} {
		op, attributes := scatterOp(t, red)
		for _, elementType := range []ir.ElementType{ir.F16, ir.BF16, ir.F32, ir.F64} {
			x, _ := ir.NewTensor(elementType, 3)
			y, _ := ir.NewTensor(elementType, 3)
			for i, v := range []float64{nan, 1, 1} {
				set(x, i, v)
			}
			for i, v := range []float64{2, nan, math.Inf(1 - 2*int(red-minimum))} {
				set(y, i, v)
			}
			got, err := layertest.Run(op, attributes, 1, x, layertest.Ints(t, ir.I64, ir.Shape{3, 1}, 0, 1, 2), y)
			require.NoError(t, err)
			assert.True(t, math.IsNaN(get(got, 0)))
			assert.True(t, math.IsNaN(get(got, 1)))
			assert.Equal(t, 1., get(got, 2), "%v with the infinity that loses", red)
		}
	}
}

// TestNaN_rows has rows long enough for vector code, with one NaN at each position.
func TestNaN_rows(t *testing.T) {
	nan := float32(math.NaN())
	for _, red := range []reduction{minimum, maximum} {
		op, attributes := scatterOp(t, red)
		for _, n := range []int{1, 16, 37} {
			for e := range n {
				x, y := layertest.Counted(t, ir.F32, 3, n), layertest.Counted(t, ir.F32, 2, n)
				for i := range n {
					ir.Data[float32](y)[i], ir.Data[float32](y)[n+i] = float32(i), float32(5-i)
					for row := range 3 {
						ir.Data[float32](x)[row*n+i] = float32(i%3 + row)
					}
				}
				ir.Data[float32](y)[e] = nan
				ir.Data[float32](x)[n+e] = nan
				got, err := layertest.Run(op, attributes, 1, x, layertest.Ints(t, ir.I64, ir.Shape{2, 1}, 0, 1), y)
				require.NoError(t, err)
				for i, v := range ir.Data[float32](got)[:2*n] {
					want := combined(red, false, float64(ir.Data[float32](x)[i]), float64(ir.Data[float32](y)[i]))
					if i%n == e {
						assert.True(t, math.IsNaN(float64(v)), "%v element %d", red, i)
					} else {
						assert.Equal(t, want, float64(v), "%v element %d", red, i)
					}
				}
			}
		}
	}
}

func TestReduction_undefined(t *testing.T) {
	op, attributes := scatterOp(t, maximum)
	for elementType, want := range map[ir.ElementType]string{
		ir.String:    "reduction max is not defined for string",
		ir.Complex64: "reduction max is not defined for complex64",
	} {
		_, err := layertest.Run(op, attributes, 1, layertest.Counted(t, elementType, 2), layertest.Ints(t, ir.I64, ir.Shape{1, 1}, 0), layertest.Counted(t, elementType, 1))
		assert.EqualError(t, err, want)
	}
}

// TestSumOfSums checks that the sum of integers does not depend on how duplicates are grouped.
func TestSumOfSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	op, attributes := scatterOp(t, sum)
	for range 50 {
		x, updates := randomNumbers(rng, ir.I8, ir.Shape{5, 4}), randomNumbers(rng, ir.I8, ir.Shape{40, 4})
		ids, sums := make([]int64, 40), make([]int64, 20)
		for i := range ids {
			ids[i] = int64(rng.IntN(5))
			for e := range 4 {
				sums[int(ids[i])*4+e] += int64(ir.Data[int8](updates)[i*4+e])
			}
		}
		a, err := layertest.Run(op, attributes, 1, x, layertest.Ints(t, ir.I64, ir.Shape{40, 1}, ids...), updates)
		require.NoError(t, err)
		b, err := layertest.Run(op, attributes, 1, x, layertest.Ints(t, ir.I64, ir.Shape{5, 1}, 0, 1, 2, 3, 4), layertest.Ints(t, ir.I8, ir.Shape{5, 4}, sums...))
		require.NoError(t, err)
		require.Equal(t, a.Bytes(), b.Bytes())
	}
}

// TestCombine_range checks that each reduction changes only the rows that it is given, since other
// threads compute the others.
func TestCombine_range(t *testing.T) {
	for _, red := range []reduction{sum, sub, prod, minimum, maximum} {
		checkRange(t, red, logical(red), func(rng *rand.Rand) uint8 { return uint8(rng.IntN(2)) })
		checkRange(t, red, arithmetic[int16](red), func(rng *rand.Rand) int16 { return int16(rng.Uint32()) })
		checkRange(t, red, single(red, vectorElements), func(rng *rand.Rand) float32 { return rng.Float32() - 0.5 })
	}
}

func checkRange[T comparable](t *testing.T, red reduction, f combine[T], number func(*rand.Rand) T) {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, uint64(red)))
	const rows, n = 7, vectorElements
	numbers := func(count int) []T {
		list := make([]T, count)
		for i := range list {
			list[i] = number(rng)
		}
		return list
	}
	for range 20 {
		at := make([]int64, rng.IntN(20))
		for j := range at {
			at[j] = int64(rng.IntN(rows))
		}
		data, updates := numbers(rows*n), numbers(len(at)*n)
		all := slices.Clone(data)
		f(all, updates, n, at, 0, rows)
		first := rng.IntN(rows)
		last := first + rng.IntN(rows-first+1)
		want, got := slices.Clone(data), slices.Clone(data)
		copy(want[first*n:last*n], all[first*n:])
		f(got, updates, n, at, first, last)
		require.Equal(t, want, got, "%v of %T in rows %d to %d", red, data, first, last-1)
	}
}
