package half

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestF16Slices compares the conversions of slices with those of single numbers: for every
// f16, and for different lengths and alignments.
func TestF16Slices(t *testing.T) {
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	wide := make([]float32, len(all))
	F16sToF32s(wide, all)
	for i, f := range wide {
		require.Equal(t, math.Float32bits(F16ToF32(all[i])), math.Float32bits(f), "%#x", i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	floats := make([]float32, 1<<16)
	for i := range floats {
		floats[i] = math.Float32frombits(r.Uint32())
		if i%2 == 0 { // near the range of f16, where rounding matters
			floats[i] = math.Float32frombits(r.Uint32()&0x807fffff | (90+r.Uint32N(60))<<23)
		}
	}
	narrow := make([]uint16, len(floats))
	F32sToF16s(narrow, floats)
	for i, h := range narrow {
		require.Equal(t, F32ToF16(floats[i]), h, "%v", floats[i])
	}
	for n := range 40 {
		for at := range 3 {
			const guard = 0xbeef
			to := make([]uint16, 64)
			for i := range to {
				to[i] = guard
			}
			F32sToF16s(to[at:at+n], floats[at:at+n])
			assert.Equal(t, narrow[at:at+n], to[at:at+n])
			assert.EqualValues(t, guard, to[at+n])
			back := make([]float32, 64)
			F16sToF32s(back[at:at+n], to[at:at+n])
			assert.Zero(t, back[at+n])
			for i, h := range to[at : at+n] {
				if want := F16ToF32(h); want == want {
					assert.Equal(t, want, back[at+i])
				}
			}
		}
	}
}

// TestBF16Slices is TestF16Slices for bf16.
func TestBF16Slices(t *testing.T) {
	all := make([]BFloat16, 1<<16)
	for i := range all {
		all[i] = BFloat16(i)
	}
	wide := make([]float32, len(all))
	BF16sToF32s(wide, all)
	for i, f := range wide {
		require.Equal(t, math.Float32bits(all[i].Float32()), math.Float32bits(f), "%#x", i)
	}
	r := rand.New(rand.NewPCG(3, 4))
	floats := make([]float32, 1<<16)
	for i := range floats {
		b := r.Uint32()
		switch i % 3 {
		case 0: // halfway between two
			b = b&^0xffff | 0x8000
		case 1: // NaN and infinities
			b |= 0x7f800000
			b &^= 0x1ffff << (r.Uint32N(8))
		}
		floats[i] = math.Float32frombits(b)
	}
	narrow := make([]BFloat16, len(floats))
	F32sToBF16s(narrow, floats)
	for i, h := range narrow {
		require.Equal(t, BFloat16Of(floats[i]), h, "%#x", math.Float32bits(floats[i]))
	}
	for n := range 40 {
		to := make([]BFloat16, 64)
		F32sToBF16s(to[1:1+n], floats[3:3+n])
		assert.Equal(t, narrow[3:3+n], to[1:1+n])
		assert.Zero(t, to[1+n])
		back := make([]float32, 64)
		BF16sToF32s(back[1:1+n], all[0x3f80:0x3f80+n])
		assert.Equal(t, wide[0x3f80:0x3f80+n], back[1:1+n])
		assert.Zero(t, back[1+n])
	}
}
