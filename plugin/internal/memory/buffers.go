package memory

import (
	"runtime"
	"slices"
	"sync"

	"github.com/vinoir/vinoir/ir"
)

// Buffers keeps the memory of deferred constants for reuse. It works best if the largest are
// requested first.
type Buffers struct {
	ledger  *Ledger // counts the free buffers; their users charge those in use
	mu      sync.Mutex
	free    [][]byte
	garbage int // bytes that were dropped since the last collection
}

// take returns n bytes of the smallest buffer that has from n to four times n. If there is none, it
// allocates one, and drops the larger buffers, which will not be used again.
func (b *Buffers) take(n int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	best := -1
	for i, f := range b.free {
		if len(f) >= n && len(f)/4 <= n && (best < 0 || len(f) < len(b.free[best])) {
			best = i
		}
	}
	if best < 0 {
		b.discard(func(f []byte) bool { return len(f)/4 > n })
		return ir.AlignedBytes(n)
	}
	f := b.free[best]
	b.free = slices.Delete(b.free, best, best+1)
	b.ledger.Add(-int64(len(f)))
	return f[:n]
}

// give returns memory that take has returned. It is kept if the limit allows that.
func (b *Buffers) give(f []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f = f[:cap(f)]
	if b.ledger.try(int64(len(f))) {
		b.free = append(b.free, f)
	}
}

// Drop leaves all memory that is not in use to the garbage collector. It reports whether there was
// any.
func (b *Buffers) Drop() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	any := len(b.free) > 0
	b.discard(func([]byte) bool { return true })
	b.free = nil
	return any
}

// collectBytes is the amount of garbage after which a collection is run, so that packed weights and
// the tensors of the first inference reuse the memory.
const collectBytes = 4 << 20

// discard drops the buffers for which match returns true.
func (b *Buffers) discard(match func([]byte) bool) {
	for _, f := range b.free {
		if match(f) {
			b.garbage += len(f)
			b.ledger.Add(-int64(len(f)))
		}
	}
	b.free = slices.DeleteFunc(b.free, match)
	if b.garbage >= collectBytes {
		b.garbage = 0
		runtime.GC()
	}
}
