// Package parallel splits the work of one kernel over a bounded number of
// goroutines.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Task is work over items that can be split anywhere.
type Task interface {
	// Do works on items lo to hi-1.
	Do(lo, hi int) error
}

// Pool runs tasks on at most Threads goroutines at once, the caller's included.
// Its goroutines start with the first task that is worth splitting, and stop at
// Close or when the Pool is garbage. It is safe for concurrent use: it works on
// one task at a time, and a caller that finds it busy works alone. A nil Pool
// runs everything on the caller's goroutine.
type Pool struct {
	threads int
	team    *team // nil where threads is 1
}

// New returns a pool of threads goroutines, the caller's included.
func New(threads int) *Pool {
	p := &Pool{threads: min(max(threads, 1), maxThreads)}
	if p.threads > 1 {
		p.team = newTeam(p.threads - 1)
		// The team does not refer to the Pool, so that idle workers do not keep
		// a forgotten Pool alive.
		runtime.AddCleanup(p, (*team).close, p.team)
	}
	return p
}

// Close stops the pool's goroutines after the task that they are at. Tasks that
// are given later run on their caller's goroutine.
func (p *Pool) Close() {
	if p != nil && p.team != nil {
		p.team.close()
	}
}

// Threads returns the number of goroutines that For may use.
func (p *Pool) Threads() int {
	if p == nil {
		return 1
	}
	return p.threads
}

// partsPerThread is how many parts a task is cut into for each thread: a thread
// that starts late, or is held up, leaves its parts to the others.
const partsPerThread = 4

// For splits n items into parts of at least grain items each, runs them, and
// returns the error of the lowest part that failed. A panic in a part is handed
// back as an error. For allocates nothing.
func (p *Pool) For(n, grain int, task Task) error {
	if n <= 0 {
		return nil
	}
	if p == nil || p.team == nil || n < 2*max(grain, 1) {
		return do(task, 0, n)
	}
	parts := min(n/max(grain, 1), p.threads*partsPerThread)
	if !p.team.acquire() {
		return do(task, 0, n)
	}
	return p.team.run(task, n, parts)
}

func do(task Task, lo, hi int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("BUG: panic in a kernel: %v\n%s", r, debug.Stack())
		}
	}()
	return task.Do(lo, hi)
}
