package ops

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGrain(t *testing.T) {
	assert.Equal(t, []int{1 << 14, 1 << 13, 1 << 18, 1 << 16, 5461}, []int{Grain(1), Grain(2), Grain(CopyCost), Grain(MultiplyCost), Grain(3)})
	assert.Equal(t, []int{1, 1}, []int{Grain(1e9), Grain(math.MaxFloat64)})
	assert.Equal(t, []int{1 << 18, 1 << 18}, []int{Grain(0), Grain(-1)}, "an item costs at least as much as a byte")
}

func TestPreparation_Workers(t *testing.T) {
	p := &Preparation{Threads: 4}
	for want, c := range map[int]struct {
		items int
		cost  float64
	}{
		1: {2<<14 - 1, 1}, 2: {2 << 14, 1}, 3: {3, 1e6}, 4: {1 << 30, 1},
	} {
		assert.Equal(t, want, p.Workers(c.items, c.cost), c)
	}
	assert.Equal(t, 4, p.Workers(math.MaxInt, 1e300))
	assert.Equal(t, 1, p.Workers(0, 1e9))
	assert.Equal(t, 1, (&Preparation{}).Workers(1<<30, 1), "Threads is not set")
}
