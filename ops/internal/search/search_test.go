package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		sorted := make([]float32, rng.IntN(40))
		for i := range sorted {
			sorted[i] = float32(rng.IntN(12))
		}
		slices.Sort(sorted)
		v := float32(rng.IntN(14) - 1)
		below, notAbove := 0, 0
		for _, x := range sorted {
			if x < v {
				below++
			}
			if x <= v {
				notAbove++
			}
		}
		require.Equal(t, below, Below(sorted, v), "%v in %v", v, sorted)
		require.Equal(t, notAbove, NotAbove(sorted, v), "%v in %v", v, sorted)
	}
}

func TestNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	sorted := []float64{-inf, 1, 2, inf, nan}
	assert.Equal(t, []int{0, 0}, []int{Below(sorted, nan), NotAbove(sorted, nan)})
	assert.Equal(t, []int{3, 4}, []int{Below(sorted, inf), NotAbove(sorted, inf)})
	assert.Equal(t, []int{0, 1}, []int{Below(sorted, -inf), NotAbove(sorted, -inf)})
}
