// Package parallel splits the work of one kernel over a bounded number of
// goroutines.
package parallel

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Task is work over items that can be split anywhere.
type Task interface {
	// Do works on items lo to hi-1.
	Do(lo, hi int) error
}

// Pool runs tasks on at most Threads goroutines at once. It is safe for
// concurrent use; a nil Pool runs everything on the caller's goroutine.
type Pool struct {
	threads int
}

// New returns a pool of threads goroutines, the caller's included.
func New(threads int) *Pool { return &Pool{threads: max(threads, 1)} }

// Threads returns the number of goroutines that For may use.
func (p *Pool) Threads() int {
	if p == nil {
		return 1
	}
	return p.threads
}

// For splits n items into parts of at least grain items each, runs them, and
// returns the error of the lowest part that failed. A panic in a part is handed
// back as an error.
func (p *Pool) For(n, grain int, task Task) error {
	parts := min(p.Threads(), n/max(grain, 1))
	if parts <= 1 {
		if n <= 0 {
			return nil
		}
		return do(task, 0, n)
	}
	errs := make([]error, parts)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { errs[i] = do(task, i*n/parts, (i+1)*n/parts) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func do(task Task, lo, hi int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("BUG: panic in a kernel: %v\n%s", r, debug.Stack())
		}
	}()
	return task.Do(lo, hi)
}
