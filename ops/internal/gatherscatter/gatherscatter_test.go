package gatherscatter

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
)

// TestScatter_items checks that the items cover every row once, and that scatterItems and
// mergeItems agree however the work is divided.
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
		data, updates := make([]int64, s.Outer*s.Length*s.N), make([]int64, s.Outer*s.Count*s.N)
		for i := range data {
			data[i] = int64(i)
		}
		for i := range updates {
			updates[i] = int64(-1 - i)
		}
		l := Layout{U8, 8 * s.N}
		if s.N == 1 {
			l = Layout{U64, 1}
		}
		scatter := func(dst []int64, lo, hi int) {
			scatterItems(nil, &s, moverOf[int32](l), cast.Memory(dst), cast.Memory(data), cast.Memory(updates), indices, lo, hi)
		}
		merge := func(dst []int64, lastUpdates []int32, lo, hi int) {
			mergeItems(nil, &s, 8*s.N, cast.Memory(dst), cast.Memory(data), cast.Memory(updates), lastUpdates, lo, hi)
		}
		run, merged := make([]int64, len(data)), make([]int64, len(data))
		scatter(run, 0, items)
		lastUpdates := make([]int32, s.Length)
		LastUpdates(nil, lastUpdates, indices)
		cut := rng.IntN(items + 1)
		merge(merged, lastUpdates, 0, cut)
		merge(merged, lastUpdates, cut, items)
		require.Equal(t, run, merged, "%+v", s)

		// An item writes its own rows only, since others may be written at the same time.
		for i := range items {
			const other = 1 << 30
			alone := slices.Repeat([]int64{other}, len(data))
			if i%2 == 0 {
				scatter(alone, i, i+1)
			} else {
				merge(alone, lastUpdates, i, i+1)
			}
			o, first, last := s.Item(i)
			from, to := (o*s.Length+first)*s.N, (o*s.Length+last)*s.N
			require.Equal(t, run[from:to], alone[from:to], "item %d of %+v", i, s)
			for k := range alone {
				if k < from || k >= to {
					require.EqualValues(t, other, alone[k], "item %d of %+v", i, s)
				}
			}
		}
	}
}

// TestScatter_merge checks that mergeItems is not used, which needs memory for each row, if there
// is no output, or more updates than an int32 counts.
func TestScatter_merge(t *testing.T) {
	tooMany := math.MaxInt32
	tooMany++ // negative if int has 32 bits
	for _, c := range []struct {
		s    Scatter
		size int
		want bool
	}{
		{Scatter{Outer: 1, Length: 4096, Count: 1024, N: 64}, 64, true},
		{Scatter{Outer: 1, Length: 4096, Count: 1023, N: 64}, 64, false},
		{Scatter{Outer: 1, Length: 4096, Count: 1024, N: 63}, 63, false},
		{Scatter{Outer: 0, Length: 4096, Count: 1024, N: 64}, 64, false},
		{Scatter{Outer: 1, Length: 4096, Count: math.MaxInt32, N: 64}, 64, true},
		{Scatter{Outer: 1, Length: 4096, Count: tooMany, N: 64}, 64, false},
	} {
		c.s.Plan(c.size, 1, true)
		assert.Equal(t, c.want, c.s.Merge, "%+v", c.s)
		c.s.Plan(c.size, 1, false)
		assert.False(t, c.s.Merge)
	}
}

// TestAligned has memory at each offset from an address that is aligned for every kind.
func TestAligned(t *testing.T) {
	memory := ir.AlignedBytes(64)
	first, err := ir.TensorOf(ir.U8, ir.Shape{16}, memory[:16])
	require.NoError(t, err)
	for kind, alignment := range map[Kind]int{Packed: 1, U8: 1, U16: 2, U32: 4, U64: 8, U96: 4, U128: 8, Strings: 1} {
		for offset := range 32 {
			x, err := ir.TensorOf(ir.U8, ir.Shape{16}, memory[offset:][:16])
			require.NoError(t, err)
			assert.Equal(t, offset%alignment == 0, kind.Aligned(first, x), "kind %d at %d", kind, offset)
		}
	}
}

// TestGatherRows has one index that is not the position of a row, at each place of the loops and
// behind them.
func TestGatherRows(t *testing.T) {
	const length = 3
	for _, c := range []struct {
		index    int64
		negative bool
		want     int // the row, or -1
	}{
		{length, true, -1}, {-1, true, 2}, {-1, false, -1}, {-length, true, 0}, {-length - 1, true, -1},
		{math.MaxInt64, true, -1}, {math.MinInt64, true, -1}, {1 << 32, false, -1}, {-1 << 32, true, -1},
	} {
		for n := 1; n <= 2; n++ {
			src := []uint16{1, 2, 3, 4, 5, 6}[:length*n]
			for count := 1; count <= 40; count++ {
				for place := range count {
					indices, want := make([]int64, count), make([]uint16, count*n)
					for j := range indices {
						row := j % length
						if indices[j] = int64(row); j == place {
							indices[j], row = c.index, c.want
						}
						if row >= 0 {
							copy(want[j*n:], src[row*n:][:n])
						}
					}
					got := slices.Repeat([]uint16{7}, count*n)
					l := []Layout{1: {U16, 1}, 2: {U8, 4}}[n]
					g := Gather{Batch: 1, Outer: 1, Length: length, Count: count, N: n, Negative: c.negative}
					gatherRows(nil, &g, moverOf[int64](l), cast.Memory(got), cast.Memory(src), indices, 0, count)
					require.Equal(t, want, got, "%v in rows of %d", indices, n)
				}
			}
		}
	}
}

// TestGatherRows_long has rows that are copied in pieces.
func TestGatherRows_long(t *testing.T) {
	g := Gather{Batch: 2, Outer: 2, Length: 3, Count: 4, N: longRow + 1, Negative: true}
	indices := []int64{2, -3, 3, 0, -4, 1, -1, math.MinInt64}
	data, out := make([]uint8, g.Batch*g.Outer*g.Length*g.N), make([]uint8, g.Rows()*g.N)
	for i := range data {
		data[i] = uint8(1 + i/g.N)
	}
	for i := range out {
		out[i] = 0xa5
	}
	gatherRows(nil, &g, mover[int64]{size: g.N}, out, data, indices, 1, g.Rows()-1)
	for row := range g.Rows() {
		o, j := row/g.Count, row%g.Count
		want := uint8(0)
		switch v := indices[o/g.Outer*g.Count+j]; {
		case row == 0 || row == g.Rows()-1:
			want = 0xa5 // another part
		case v >= -3 && v < 3:
			want = uint8(1 + o*g.Length + int(v+3)%3)
		}
		got := out[row*g.N:][:g.N]
		assert.Equal(t, want, got[0], "row %d", row)
		assert.Equal(t, g.N, bytes.Count(got, got[:1]), "row %d", row)
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

	assert.Equal(t, -1, Flatten(dst, []int32{1, 0, 9}, []int{3}, 0), "an index behind those of dst")
	assert.Equal(t, []int64{1, 0}, dst)

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
		Widen(nil, got, x)
		assert.Equal(t, c.values, got, "%v", c.t)
	}
	beyond, err := ir.TensorOf(ir.U64, ir.Shape{1}, []uint64{1 << 63})
	require.NoError(t, err)
	got := make([]int64, 1)
	Widen(nil, got, beyond)
	assert.Equal(t, []int64{math.MaxInt64}, got)
	for elementType, want := range map[ir.ElementType]int64{ir.U1: 1, ir.U2: 3, ir.U3: 7, ir.U4: 15, ir.U6: 63, ir.I4: -1} {
		x, err := ir.NewTensor(elementType, 1)
		require.NoError(t, err)
		x.SetPacked(0, 0xff)
		Widen(nil, got, x)
		assert.Equal(t, want, got[0], "%v", elementType)
	}
}
