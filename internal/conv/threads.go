package conv

import (
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Work is divided into units. Each thread takes the next unit of a share of its own that no thread
// has taken, then those of other shares, until none is left, so no thread waits for another for
// longer than a unit takes. A thread has the same share of every layer, and what it reads is in its
// own cache if it wrote that in the layer before.
//
// For parallel.Pool, the work has one item for each thread and one more. The additional item is
// the first, and it takes only a few units: from its time, the pool decides whether to wake
// sleeping threads. The caller runs the first two items, which have the same share. Each item has
// scratch memory of its own.

// Items returns the number of work items for a number of units and threads.
func Items(units, threads int) int {
	if threads < 2 || units < 2 {
		return 1
	}
	return min(units, threads) + 1
}

// Most returns the largest number of units that a worker takes with Next when it runs items lo to
// hi-1.
func Most(units, threads, lo, hi int) int {
	if lo == 0 && hi < Items(units, threads) {
		return CeilDiv(units, 4*threads)
	}
	return units
}

// CounterBytes returns the number of bytes of the counters of Next.
func CounterBytes(threads int) int { return memory.Padded[byte](4 * max(threads, 1)) }

// Next returns the next unit for the worker that runs an item. If that is the number of units, none
// is left. The counters are the first CounterBytes bytes of scratch, which must be aligned to four
// bytes and zero before the first call. Next is safe for concurrent use.
func Next(scratch []byte, units, threads, item int) int {
	shares := max(min(units, threads), 1)
	counters := cast.Bytes[uint32](scratch[:4*shares])
	for i := range shares {
		share := (max(item-1, 0) + i) % shares
		unit := parallel.Share(units, shares, share) + int(atomic.AddUint32(&counters[share], 1)) - 1
		if unit < parallel.Share(units, shares, share+1) {
			return unit
		}
	}
	return units
}
