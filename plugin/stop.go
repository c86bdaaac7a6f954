package plugin

import (
	"context"
	"errors"

	"github.com/vinoir/vinoir/internal/parallel"
)

// stopOf returns the request to stop that ctx makes when it is done.
func stopOf(ctx context.Context) parallel.Stop { return parallel.Stop(ctx.Done()) }

// stopped returns the error of ctx if err is that of work that ctx has stopped, and err otherwise.
func stopped(ctx context.Context, err error) error {
	if errors.Is(err, parallel.ErrStopped) {
		if ended := ctx.Err(); ended != nil {
			return ended
		}
	}
	return err
}

// lock is a mutex whose acquire ends when a stop is requested, so that nobody waits beyond a deadline
// for the work of others.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

// acquire locks l. If stop is requested, it returns parallel.ErrStopped, and l is not locked.
func (l lock) acquire(stop parallel.Stop) error {
	select { // a lock that is free is taken, even if stop is requested
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

// release unlocks l.
func (l lock) release() { <-l }
