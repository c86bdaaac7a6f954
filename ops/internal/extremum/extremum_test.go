package extremum

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// TestPositions compares rows of all lengths with a search of each, and checks that nothing is
// written behind the positions.
func TestPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, isa := range []string{"AVX-512", "AVX2"} {
		if isa == "AVX2" {
			defer cpu.AVX512.Disable()()
		}
		for n := 1; n < 140; n++ {
			const rows = 5
			x := make([]float32, rows*n)
			for i := range x {
				x[i] = float32(rng.IntN(20) - 10)
				if rng.IntN(4) == 0 || i < n {
					x[i] = []float32{float32(math.NaN()), float32(math.Inf(-1)), float32(math.Copysign(0, -1))}[rng.IntN(min(3, 1+i/n))]
				}
			}
			for _, least := range []bool{false, true} {
				positions := [rows + 1]uint32{rows: 99}
				if !Positions(positions[:rows], x, n, least) {
					t.Skip("no vector code on this machine")
				}
				require.Equal(t, uint32(99), positions[rows])
				for i, p := range positions[:rows] {
					require.Equal(t, search(x[i*n:][:n], least), int(p), "%s: %v", isa, x[i*n:][:n])
				}
			}
		}
	}
	require.True(t, Positions(nil, nil, 1, false))
}

// search computes the definition for a row.
func search(x []float32, least bool) int {
	best := -1
	for i, v := range x {
		if v == v && (best < 0 || least && v < x[best] || !least && v > x[best]) {
			best = i
		}
	}
	return max(best, 0)
}
