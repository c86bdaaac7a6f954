package models

import (
	"fmt"
	"sync"
)

// ledger counts the memory of versions.
type ledger struct {
	limit int64 // no limit if it is not positive
	mu    sync.Mutex
	used  int64
}

// reserve counts n bytes more, or returns an error if they are too much.
func (l *ledger) reserve(n int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit > 0 && n > l.limit-l.used {
		return fmt.Errorf("it needs about %d MiB more memory, and all models may have %d MiB, of which %d MiB are in use",
			mebibytes(n), mebibytes(l.limit), mebibytes(l.used))
	}
	l.used += n
	return nil
}

// change counts n bytes more or, if n is negative, less, whatever the limit is.
func (l *ledger) change(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used += n
}

// mebibytes returns n bytes in MiB, rounded up.
func mebibytes(n int64) int64 { return (n + 1<<20 - 1) >> 20 }
