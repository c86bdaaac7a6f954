package conv

import (
	"sync/atomic"
	"unsafe"
)

// Units of work are handed out one by one: a thread takes the next that nobody has
// taken, until none is left, so that no thread waits for another for longer than a
// unit. For parallel.Pool, that is as many items as there are threads. An item more,
// the first one, takes a few units only: by its time, the pool sees whether it has to
// wake threads that rest. Each item has memory of its own.

// Items returns the number of items of units of work.
func Items(units, threads int) int {
	if threads < 2 || units < 2 {
		return 1
	}
	return min(units, threads) + 1
}

// Most returns how many units the worker of items lo to hi-1 takes at most, by Next.
func Most(units, threads, lo, hi int) int {
	if lo == 0 && hi < Items(units, threads) {
		return ceilDiv(units, 4*threads)
	}
	return units
}

// Next counts up the number in the first four bytes of scratch memory, and returns
// what it was: the next unit.
func Next(scratch []byte) int {
	return int((*atomic.Uint32)(unsafe.Pointer(&scratch[0])).Add(1)) - 1
}
