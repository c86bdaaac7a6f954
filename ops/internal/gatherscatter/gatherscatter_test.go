package gatherscatter

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// TestScatter_items checks that the items cover every row once, and that ScatterItems and
// MergeItems agree however the work is divided.
func TestScatter_items(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := Scatter{Outer: 1 + rng.IntN(3), Length: 1 + rng.IntN(40), Count: rng.IntN(60), N: 1 + rng.IntN(3)}
		items, grain := s.Plan(1<<rng.IntN(24), 1+rng.IntN(4), rng.IntN(2) == 0)
		require.Positive(t, grain)
		seen := make([]int, s.Outer*s.Length)
		for i := range items {
			o, first, last := s.Item(i)
			for row := first; row < last; row++ {
				seen[o*s.Length+row]++
			}
		}
		for row, n := range seen {
			require.Equal(t, 1, n, "row %d of %+v", row, s)
		}

		indices := make([]int32, s.Count)
		for j := range indices {
			indices[j] = int32(rng.IntN(2*s.Length) - s.Length)
		}
		data, updates := make([]int, s.Outer*s.Length*s.N), make([]int, s.Outer*s.Count*s.N)
		for i := range data {
			data[i] = i
		}
		for i := range updates {
			updates[i] = -1 - i
		}
		run, merged := make([]int, len(data)), make([]int, len(data))
		ScatterItems(&s, run, data, updates, indices, 0, items)
		lastUpdates := make([]int32, s.Length)
		LastUpdates(lastUpdates, indices)
		cut := rng.IntN(items + 1)
		MergeItems(&s, merged, data, updates, lastUpdates, 0, cut)
		MergeItems(&s, merged, data, updates, lastUpdates, cut, items)
		require.Equal(t, run, merged, "%+v", s)
	}
}

func TestFlatten(t *testing.T) {
	dst := make([]int64, 2)
	assert.Equal(t, -1, Flatten(dst, []int32{2, -1}, []int{3}, 10))
	assert.Equal(t, []int64{12, 12}, dst)
	assert.Equal(t, -1, Flatten(dst, []int64{1, 2, -2, -4}, []int{2, 4}, 0))
	assert.Equal(t, []int64{6, 0}, dst)
	assert.Equal(t, -1, Flatten(dst, []int64{1, 2, 0, -1, 0, 1}, []int{2, 3, 2}, 100))
	assert.Equal(t, []int64{110, 107}, dst)
	assert.Equal(t, -1, Flatten(dst, []int64{}, nil, 7), "tuples of no indices")
	assert.Equal(t, []int64{7, 7}, dst)

	for position := range 6 {
		for _, bad := range []int64{2, -3, math.MinInt64, math.MaxInt64, 1 << 32} {
			for k := 1; k <= 3; k++ {
				indices, lengths := make([]int64, 6), []int{2, 2, 2}[:k]
				indices[position] = bad
				assert.Equal(t, position, Flatten(make([]int64, 6/k), indices, lengths, 0))
			}
		}
	}
}

func TestWiden(t *testing.T) {
	for _, c := range []struct {
		t      ir.ElementType
		values []int64
	}{
		{ir.I8, []int64{-128, 127}}, {ir.I16, []int64{-1, 1}}, {ir.I32, []int64{-1, 1}},
		{ir.I64, []int64{math.MinInt64, math.MaxInt64}}, {ir.U8, []int64{0, 255}}, {ir.U16, []int64{0, 65535}},
		{ir.U32, []int64{0, math.MaxUint32}}, {ir.U64, []int64{0, math.MaxInt64}}, {ir.Boolean, []int64{0, 1}},
	} {
		x, err := ir.TensorOfInts(c.t, ir.Shape{len(c.values)}, c.values)
		require.NoError(t, err)
		got := make([]int64, len(c.values))
		Widen(got, x)
		assert.Equal(t, c.values, got, "%v", c.t)
	}
	beyond, err := ir.TensorOf(ir.U64, ir.Shape{1}, []uint64{1 << 63})
	require.NoError(t, err)
	got := make([]int64, 1)
	Widen(got, beyond)
	assert.Equal(t, []int64{math.MaxInt64}, got)
	for elementType, want := range map[ir.ElementType]int64{ir.U1: 1, ir.U2: 3, ir.U3: 7, ir.U4: 15, ir.U6: 63, ir.I4: -1} {
		x, err := ir.NewTensor(elementType, 1)
		require.NoError(t, err)
		x.SetPacked(0, 0xff)
		Widen(got, x)
		assert.Equal(t, want, got[0], "%v", elementType)
	}
}
