package conv

import (
	"sync/atomic"
	"unsafe"
)

// Work is divided into units. Each thread takes the next unit that no thread has taken, until none
// is left, so no thread waits for another for longer than a unit takes.
//
// For parallel.Pool, the work has one item for each thread and one more. The additional item is
// the first, and it takes only a few units: from its time, the pool decides whether to wake
// sleeping threads. Each item has scratch memory of its own.

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
		return ceilDiv(units, 4*threads)
	}
	return units
}

// Next returns the next unit that no worker has taken. If that is not below the number of units,
// none is left. The counter is in the first four bytes of scratch, which must be aligned to four
// bytes and zero before the first call. Next is safe for concurrent use.
func Next(scratch []byte) int {
	return int((*atomic.Uint32)(unsafe.Pointer(&scratch[0])).Add(1)) - 1
}
