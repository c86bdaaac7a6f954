package conv

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// TestPackQuads compares with the definition for all lengths of the last vector, with and without assembly.
func TestPackQuads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, disable := range []bool{false, true} {
		if disable {
			defer cpu.AVX512.Disable()()
		}
		for n := 1; n < 70; n++ {
			channels, outside := 1+rng.IntN(4), uint8(rng.UintN(256))
			src := make([]uint8, channels*n)
			for i := range src {
				src[i] = uint8(rng.UintN(256))
			}
			all := make([]float32, n+1)
			all[n] = 77
			PackQuads(all[:n], src, outside)
			for i := range n {
				quad := math.Float32bits(all[i])
				for c := range channels {
					require.Equal(t, src[c*n+i]^outside, uint8(quad>>(8*c)), "channel %d, element %d of %d", c, i, n)
				}
			}
			require.Equal(t, float32(77), all[n])
		}
	}
}

func TestFilterQuads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		outs, in, taps := 1+rng.IntN(4), 1+rng.IntN(9), 1+rng.IntN(5)
		filters := make([]int8, outs*in*taps)
		for i := range filters {
			filters[i] = int8(rng.IntN(256) - 128)
		}
		got, quads := FilterQuads(filters, in, taps), QuadsOf(in)
		require.Len(t, got, outs*quads*taps)
		for o := range outs {
			for c := range 4 * quads {
				for tap := range taps {
					want := int8(0)
					if c < in {
						want = filters[(o*in+c)*taps+tap]
					}
					require.Equal(t, want, int8(math.Float32bits(got[(o*quads+c/4)*taps+tap])>>(8*(c%4))))
				}
			}
		}
	}
}
