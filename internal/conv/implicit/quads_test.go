package implicit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// TestPackQuads compares with the definition for all lengths of the last vector, with and without
// assembly.
func TestPackQuads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, off := range []*cpu.Feature{nil, cpu.AVX512, cpu.AVX2, cpu.NEON} {
		if off != nil {
			defer off.Disable()()
		}
		for n := 1; n < 70; n++ {
			for _, size := range []int{2, 4} {
				channels, outside := 1+rng.IntN(size), uint8(rng.UintN(256))
				src := make([]uint8, channels*n)
				for i := range src {
					src[i] = uint8(rng.UintN(256))
				}
				all := make([]gemm.Quad, n+1)
				all[n] = 77
				PackQuads(all[:n], src, outside, size)
				for i := range n {
					quad := pack.Bits(all[i])
					for c := range channels {
						if size == 2 {
							require.Equal(t, int16(src[c*n+i])-int16(outside), int16(quad>>(16*c)), "channel %d, element %d of %d", c, i, n)
						} else {
							require.Equal(t, src[c*n+i]^outside, uint8(quad>>(8*c)), "channel %d, element %d of %d", c, i, n)
						}
					}
				}
				require.Equal(t, gemm.Quad(77), all[n])
			}
		}
	}
}

func TestFilterQuads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		outs, in, taps, size := 1+rng.IntN(4), 1+rng.IntN(9), 1+rng.IntN(5), 2+i%2*2
		filters := make([]int8, outs*in*taps)
		for i := range filters {
			filters[i] = int8(rng.IntN(256) - 128)
		}
		got, quads := FilterQuads(filters, in, taps, size), conv.CeilDiv(in, size)
		require.Len(t, got, outs*quads*taps)
		for o := range outs {
			for c := range size * quads {
				for tap := range taps {
					want := 0
					if c < in {
						want = int(filters[(o*in+c)*taps+tap])
					}
					bits := pack.Bits(got[(o*quads+c/size)*taps+tap]) >> (32 / size * (c % size))
					if size == 2 {
						require.Equal(t, want, int(int16(bits)))
					} else {
						require.Equal(t, want, int(int8(bits)))
					}
				}
			}
		}
	}
}

func TestFilterStarts(t *testing.T) {
	require.Nil(t, FilterStarts([]int8{1, 2}, 2, 0))
	require.Equal(t, []int32{255 * 126, -255 * 256}, FilterStarts([]int8{127, -1, -128, -128}, 2, 255))
}
