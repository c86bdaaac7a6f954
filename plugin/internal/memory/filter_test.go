package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFilter adds hashes twice, and counts the others that are found.
func TestFilter(t *testing.T) {
	for _, max := range []int{1, 100, 1000} {
		rng := rand.New(rand.NewPCG(uint64(max), 1))
		var f filter
		hashes, wrong := make([]uint64, max), 0
		for i := range hashes {
			hashes[i] = rng.Uint64()
			if f.add(hashes[i], max) {
				wrong++
			}
		}
		assert.LessOrEqual(t, wrong, max/100)
		for _, hash := range hashes {
			assert.True(t, f.add(hash, max))
		}
		for range 2 * max {
			f.add(rng.Uint64(), max)
		}
		assert.Len(t, f.bits, max/4+1)
		assert.LessOrEqual(t, f.n, max+4)
	}
}

// TestFilter_full adds more hashes than a filter holds.
func TestFilter_full(t *testing.T) {
	var f filter
	for hash := range uint64(4) {
		assert.False(t, f.add(hash<<58|hash, 1))
	}
	assert.True(t, f.add(0, 1))
	assert.False(t, f.add(5<<58, 1))
	assert.Zero(t, f.n)
	assert.False(t, f.add(0, 1))
	f = filter{}
	f.add(1, 1<<40)
	assert.Len(t, f.bits, maxFilter/4+1)
}
