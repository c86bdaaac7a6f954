package layertest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ints := RandomInts(rng, -2, 3, 500)
	assert.Equal(t, []int{-2, 3, 500}, []int{slices.Min(ints), slices.Max(ints), len(ints)})
	numbers := RandomNumbers(rng, 3, 0.25, 500)
	assert.Equal(t, []float64{-0.75, 0.75, 500}, []float64{slices.Min(numbers), slices.Max(numbers), float64(len(numbers))})
	assert.Contains(t, numbers, 0.0)
}

func TestList(t *testing.T) {
	assert.Equal(t, "1,-2,3", List([]int{1, -2, 3}))
	assert.Equal(t, "", List(nil))
}
