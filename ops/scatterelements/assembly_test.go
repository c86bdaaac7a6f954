package scatterelements

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// TestLocators compares the assembly with the portable loop, for different numbers of columns
// and alignments.
func TestLocators(t *testing.T) {
	if !hasAssembly() {
		t.Skip("no assembly here")
	}
	r := rand.New(rand.NewPCG(31, 32))
	const guard = uint32(0xdeadbeef)
	for _, index := range []ir.ElementType{ir.I32, ir.I64} {
		for columns := 1; columns <= 41; columns++ {
			for _, rows := range []int{1, 2, 5} {
				gap := r.IntN(3)
				b := block{
					rows: rows, columns: columns, first: r.IntN(4), pitch: columns + gap, length: 1 + r.IntN(100),
					base: r.Uint32N(1000), scale: 1 + r.Uint32N(2000), ahead: 64,
				}
				if r.IntN(8) == 0 {
					b.length = math.MaxInt32
				}
				if r.IntN(2) == 0 {
					b.wrap = b.length
				}
				values := make([]int64, b.first+rows*b.pitch)
				for i := range values {
					if values[i] = r.Int64N(int64(b.length)); b.wrap > 0 && r.IntN(2) == 0 {
						values[i] -= int64(b.length)
					}
				}
				for range rows * columns {
					b.offsets = append(b.offsets, r.Uint32N(5000))
				}
				allowed := append([]int64(nil), values...)
				for _, bad := range []int64{0, int64(b.length), -int64(b.length) - 1, math.MaxInt32, math.MinInt32, -1, 1 << 32, 1<<32 + 1, math.MinInt64, math.MaxInt64} {
					copy(values, allowed)
					if index == ir.I32 && int64(int32(bad)) != bad {
						continue
					}
					at := r.IntN(rows * columns)
					values[b.first+at/columns*b.pitch+at%columns] = bad
					x, err := ir.TensorOfInts(index, ir.Shape{len(values)}, values)
					require.NoError(t, err)
					want, got := make([]uint32, rows*columns), make([]uint32, rows*columns+1)
					got[rows*columns] = guard
					wantBad := locator{index, false}.rows(&b, want, indicesOf(x))
					gotBad := locator{index, true}.rows(&b, got, indicesOf(x))
					require.Equal(t, wantBad, gotBad, "%v %d of %d", index, bad, b.length)
					require.Equal(t, guard, got[rows*columns])
					if wantBad < 0 {
						require.Equal(t, want, got[:rows*columns])
					}
				}
			}
		}
	}
}

// TestExtremes compares the assembly for the minimum and maximum of floats with the portable
// loops.
func TestExtremes(t *testing.T) {
	if !hasAssembly() {
		t.Skip("no assembly here")
	}
	testExtremes[float32](t)
	testExtremes[float64](t)
}

func testExtremes[T float](t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	special := []T{T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN()), 0, T(math.SmallestNonzeroFloat32)}
	number := func(rare int) T {
		if r.IntN(rare) == 0 {
			return special[r.IntN(len(special))]
		}
		return T(r.NormFloat64())
	}
	for name, f := range map[string]operation[T]{"lower": lower[T], "higher": higher[T]} {
		quick := withAssembly(name, f)
		for columns := 1; columns < 40; columns++ {
			for _, rare := range []int{3, 1000} {
				rows, gap := 1+r.IntN(3), r.IntN(3)
				want := make([]T, 20)
				for i := range want {
					want[i] = number(rare)
				}
				got := append([]T(nil), want...)
				at, updates := make([]uint32, rows*columns), make([]T, rows*(columns+gap))
				for i := range at {
					at[i] = r.Uint32N(20)
				}
				for i := range updates {
					updates[i] = number(rare)
				}
				f(want, at, updates, columns, columns+gap)
				quick(got, at, updates, columns, columns+gap)
				for i := range want {
					assert.True(t, want[i] == got[i] || want[i] != want[i] && got[i] != got[i], "%s: %v, expected %v", name, got[i], want[i])
				}
			}
		}
	}
}
