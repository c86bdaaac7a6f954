package half

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestF16Rows holds the conversions of rows against those of single numbers, for
// every f16, at every length and alignment that their loops tell apart.
func TestF16Rows(t *testing.T) {
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
