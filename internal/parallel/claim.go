package parallel

import "sync/atomic"

// lineBytes is the distance of words that different threads write: two lines of a cache, as
// processors fetch them in pairs.
const lineBytes = 128

// announcement is a task in one word: its number, the threads among which its parts are divided,
// and its parts.
type announcement uint64

const (
	partBits   = 16
	partMask   = 1<<partBits - 1
	numberAt   = 2 * partBits
	maxThreads = partMask / partsPerThread
)

func announce(number uint32, threads, parts int) announcement {
	return announcement(number)<<numberAt | announcement(threads)<<partBits | announcement(parts)
}

func (a announcement) number() uint32 { return uint32(a >> numberAt) }
func (a announcement) threads() int   { return int(a >> partBits & partMask) }
func (a announcement) parts() int     { return int(a & partMask) }

// share returns the first part of thread i.
func (a announcement) share(i int) int {
	parts, threads := uint32(a.parts()), uint32(a.threads())
	return int(parts/threads*uint32(i) + min(uint32(i), parts%threads))
}

// slot is what a thread takes parts from, and counts its parts in.
//
// claim holds the number of a task, and which parts of the thread's share of it are not taken:
// those from next to end-1. The thread takes the first of them, and other threads, when they have
// none left, the last. With the number of an earlier task, no part of the thread's share of this
// one is taken. So a task begins without a write to any slot.
//
// A thread that is late cannot take a part of a task that is over: all its parts were taken, so
// every slot with a share of it has its number or a later one.
type slot struct {
	claim  atomic.Uint64 // number<<32 | end<<16 | next
	worked atomic.Int64  // the time that the thread worked on the task, if that is measured
	done   atomic.Uint32 // parts of all tasks that the thread has done, modulo 1<<32
	_      [lineBytes - 24]byte
}

// take takes a part of the share that thread i has of a task: the first that is left, or the last.
// It returns false if none is left.
func (s *slot) take(a announcement, i int, first bool) (part int, ok bool) {
	for {
		claim := s.claim.Load()
		next, end := int(claim&partMask), int(claim>>partBits&partMask)
		switch age := int32(a.number() - uint32(claim>>numberAt)); {
		case age < 0: // the task is over
			return 0, false
		case age > 0:
			next, end = a.share(i), a.share(i+1)
		}
		if next >= end {
			return 0, false
		}
		if part = next; first {
			next++
		} else {
			end--
			part = end
		}
		if s.claim.CompareAndSwap(claim, uint64(a.number())<<numberAt|uint64(end)<<partBits|uint64(next)) {
			return part, true
		}
	}
}

// age makes the slot one of the task before number, with no part left. Numbers wrap around, so that
// one that is too old would look new. No task must be running.
func (s *slot) age(number uint32) { s.claim.Store(uint64(number-1) << numberAt) }

// Share returns the first item of part i if n items are split into a number of parts. The first
// n%parts parts have one item more than the other parts. Share(n, parts, parts) is n. It is not
// inlined: see Requested. Its two divisions take longer than a call.
//
//go:noinline
func Share(n, parts, i int) int { return n/parts*i + min(i, n%parts) }
