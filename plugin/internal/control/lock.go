package control

import "github.com/vinoir/vinoir/internal/parallel"

// Lock is a mutex whose Acquire ends when a stop is requested, so that nobody waits beyond a
// deadline for the work of others.
type Lock chan struct{}

// NewLock returns a Lock that is free.
func NewLock() Lock { return make(Lock, 1) }

// Acquire locks l. If stop is requested, it returns parallel.ErrStopped, and l is not locked.
func (l Lock) Acquire(stop parallel.Stop) error {
	select { // a free lock is taken, even if stop is requested
	case l <- struct{}{}:
		return nil
	default:
	}
	select {
	case l <- struct{}{}:
		return nil
	case <-stop:
		return parallel.ErrStopped
	}
}

// Release unlocks l.
func (l Lock) Release() { <-l }
