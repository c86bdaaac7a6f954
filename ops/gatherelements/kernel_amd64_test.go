//go:build !noasm

package gatherelements

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
)

// TestAssembly compares every function in assembly with the portable kernel.
func TestAssembly(t *testing.T) {
	if !cpu.AVX2.Available() {
		t.Skip("no AVX2")
	}
	testFunctions[uint8, int32](t)
	testFunctions[uint16, int32](t)
	testFunctions[uint32, int32](t)
	testFunctions[uint64, int32](t)
	testFunctions[uint8, int64](t)
	testFunctions[uint16, int64](t)
	testFunctions[uint32, int64](t)
	testFunctions[uint64, int64](t)
}

// guard is the number of elements before and after those that a kernel may access.
const guard = 70

func testFunctions[T uint8 | uint16 | uint32 | uint64, I indexType](t *testing.T) {
	for _, isAcross := range []bool{false, true} {
		t.Run(fmt.Sprintf("%T/%T/across=%v", *new(T), *new(I), isAcross), func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, 10))
			for width := blockColumns; width <= 2*blockColumns+17; width++ {
				for _, rows := range []int{1, 2, 5} {
					testFunction[T, I](t, r, isAcross, rows, width)
				}
			}
		})
	}
}

// testFunction tests one shape. First all indices are valid, and some may be negative. Then one
// index at a random position is invalid, once for each kind of invalid index.
func testFunction[T uint8 | uint16 | uint32 | uint64, I indexType](t *testing.T, r *rand.Rand, isAcross bool, rows, width int) {
	length := 1 + r.IntN(50)
	p := &plan{
		shape: []int{rows, width + 3}, length: length, wrap: length * r.IntN(2), stride: 1,
		rows: rows, width: width, pitch: width + 3, advance: length + 2, pieceRows: rows, pieceColumns: width,
	}
	size := rows * p.advance
	if isAcross {
		p.advance, p.step, p.stride = 0, 1, width+1+r.IntN(5)
		size = length * p.stride
	}
	n := (rows-1)*p.pitch + width
	lead := r.IntN(9)
	indices := make([]I, lead+n)
	for i := range indices {
		indices[i] = I(r.IntN(length))
		if p.wrap > 0 && r.IntN(3) == 0 {
			indices[i] -= I(length)
		}
	}
	data := make([]T, lead+size)
	for i := range data {
		data[i] = T(r.Uint64())
	}
	c := piece{rows: rows, columns: width}
	run := assembly[T, I](p)
	require.NotNil(t, run)
	want, got := guarded[T](lead+n), guarded[T](lead+n)
	require.True(t, portable[T, I](p)(p, c, cast.Memory(want[guard+lead:len(want)-guard]), cast.Memory(data[lead:]), cast.Memory(indices[lead:])))
	require.True(t, run(p, c, cast.Memory(got[guard+lead:len(got)-guard]), cast.Memory(data[lead:]), cast.Memory(indices[lead:])))
	require.True(t, slices.Equal(want, got), "%d rows of %d", rows, width)

	for _, bad := range []int64{int64(length), -int64(p.wrap) - 1, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1 << 32, -1 << 32} {
		if int64(I(bad)) != bad {
			continue
		}
		row, column := r.IntN(rows), r.IntN(width)
		broken := slices.Clone(indices)
		broken[lead+row*p.pitch+column] = I(bad)
		got := guarded[T](lead + n)
		require.False(t, run(p, c, cast.Memory(got[guard+lead:len(got)-guard]), cast.Memory(data[lead:]), cast.Memory(broken[lead:])), "%d at %d, %d", bad, row, column)
		require.True(t, slices.Equal(want[:guard+lead], got[:guard+lead]))
		require.True(t, slices.Equal(want[len(want)-guard:], got[len(got)-guard:]))
	}
}

func guarded[T uint8 | uint16 | uint32 | uint64](n int) []T {
	s := make([]T, guard+n+guard)
	for i := range s {
		s[i] = 0xa5
	}
	return s
}

func TestAssemblyIsPicked(t *testing.T) {
	p := newPlan([]int{100, 100}, []int{100, 100}, 1, true)
	p.divide(4, 1)
	assert.Equal(t, cpu.AVX2.Available(), assembly[uint32, int32](p) != nil)

	restore := cpu.AVX2.Disable()
	assert.Nil(t, assembly[uint32, int32](p))
	restore()

	short := newPlan([]int{100, 31}, []int{100, 31}, 0, true)
	short.divide(4, 1)
	assert.Nil(t, assembly[uint32, int32](short), "rows shorter than a block")

	far := newPlan([]int{math.MaxInt32, 100}, []int{10, 100}, 0, true)
	far.divide(4, 1)
	assert.Nil(t, assembly[uint32, int32](far), "offsets beyond 31 bits")
}

// TestLayerWithoutAssembly compares the portable kernels with the reference.
func TestLayerWithoutAssembly(t *testing.T) {
	defer cpu.AVX2.Disable()()
	TestLayerAgainstCoordinates(t)
}
