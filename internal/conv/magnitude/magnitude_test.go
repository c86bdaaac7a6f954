package magnitude

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv/convtest"
)

func TestMagnitudes(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		for n := range 40 {
			for channels := range 10 {
				step := n + r.IntN(4)
				all, from := convtest.Guarded(max(channels-1, 0)*step + n)
				copy(from, convtest.NormalFloats(r, len(from)))
				if len(from) > 0 {
					from[r.IntN(len(from))] = float32(math.Copysign(math.NaN(), -1))
				}
				got, want := make([]uint32, n+Padding+2), make([]uint32, n+Padding+2)
				for i := range got {
					got[i] = math.Float32bits(r.Float32())
				}
				copy(want, got)
				mergePortable(want, from, n, channels, step)
				Merge(got, from, n, channels, step)
				require.Equal(t, want, got, "n %d, channels %d", n, channels)
				for i := range n {
					for c := range channels {
						v := math.Float32bits(from[c*step+i]) &^ (1 << 31)
						require.LessOrEqual(t, v, got[i], fmt.Sprint(n, channels))
					}
				}
				convtest.RequireGuards(t, all)
			}
		}
		for n := range 50 {
			list := make([]uint32, n)
			for i := range list {
				list[i] = r.Uint32()
			}
			least, most := Extremes(list)
			wantLeast, wantMost := extremesPortable(list)
			assert.Equal(t, [2]uint32{wantLeast, wantMost}, [2]uint32{least, most}, "%d elements", n)
		}
	})
}

func TestFinite(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		for n := range 600 {
			list := make([]float32, n)
			assert.True(t, Finite(list), "%d zeros", n)
			if n > 0 {
				list[n-1] = -math.MaxFloat32
				assert.True(t, Finite(list))
				for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
					list[n*5/7] = float32(v)
					assert.False(t, Finite(list), "%v in %d elements", v, n)
				}
			}
		}
	})
}
