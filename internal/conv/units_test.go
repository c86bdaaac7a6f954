package conv

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/cast"
)

func TestItems(t *testing.T) {
	for _, c := range []struct{ units, threads, want int }{
		{0, 4, 1}, {1, 4, 1}, {9, 0, 1}, {9, 1, 1}, {2, 2, 3}, {9, 2, 3}, {3, 8, 4}, {8, 8, 9}, {9, 8, 9},
	} {
		assert.Equal(t, c.want, Items(c.units, c.threads), "%d units, %d threads", c.units, c.threads)
	}
}

// TestMost checks that only the first item, if it is run before the others, takes few units.
func TestMost(t *testing.T) {
	for _, c := range []struct{ units, threads, lo, hi, want int }{
		{100, 4, 0, 1, 7}, {96, 4, 0, 1, 6}, {100, 4, 0, 4, 7}, {2, 2, 0, 2, 1}, {2, 8, 0, 1, 1},
		{100, 4, 0, 5, 100}, {100, 4, 1, 2, 100}, {100, 4, 1, 5, 100}, {100, 1, 0, 1, 100}, {1, 4, 0, 1, 1},
	} {
		assert.Equal(t, c.want, Most(c.units, c.threads, c.lo, c.hi), "%+v", c)
	}
}

func TestNext(t *testing.T) {
	memory := make([]byte, 64) // large enough to be aligned
	counters := cast.Bytes[uint32](memory)
	var all sync.Map
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				_, taken := all.LoadOrStore(Next(memory), true)
				assert.False(t, taken)
			}
		})
	}
	wg.Wait()
	for unit := range 200 {
		_, taken := all.Load(unit)
		assert.True(t, taken, "%d", unit)
	}
	assert.Equal(t, 200, Next(memory))
	assert.Zero(t, counters[1], "memory behind the counter")
}
