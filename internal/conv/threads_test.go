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

// TestNext takes all units, by several items at once, and by one item alone.
func TestNext(t *testing.T) {
	for _, c := range []struct{ units, threads int }{{200, 4}, {3, 4}, {201, 4}, {1, 4}, {7, 1}, {0, 4}, {500, 20}} {
		scratch := make([]byte, CounterBytes(c.threads)+64) // large enough to be aligned
		counters := cast.Bytes[uint32](scratch)
		var all sync.Map
		var wg sync.WaitGroup
		items := Items(c.units, c.threads)
		for item := range items {
			wg.Go(func() {
				for {
					unit := Next(scratch, c.units, c.threads, item)
					if unit >= c.units {
						assert.Equal(t, c.units, unit)
						return
					}
					_, taken := all.LoadOrStore(unit, true)
					assert.False(t, taken)
				}
			})
		}
		wg.Wait()
		for unit := range c.units {
			_, taken := all.Load(unit)
			assert.True(t, taken, "%+v: %d", c, unit)
		}
		assert.Zero(t, counters[max(c.threads, 1)], "memory behind the counters")
	}
	// The first two items start with the same share, and each item with another one.
	scratch := make([]byte, 64)
	for item, want := range []int{0, 1, 5, 10} {
		assert.Equal(t, want, Next(scratch, 15, 3, item), "item %d", item)
	}
}
