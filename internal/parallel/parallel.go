// Package parallel distributes the work of a kernel over a bounded number of goroutines.
package parallel

import (
	"runtime"

	"github.com/vinoir/vinoir/internal/faults"
)

// Task is work on a sequence of items. It can be split between any two items.
type Task interface {
	// Do processes items lo to hi-1. It is called concurrently for different items. Two calls at
	// the same time have different workers, which are numbers from 0 on, below the number of
	// threads.
	Do(worker, lo, hi int) error
}

// Pool runs tasks on at most Threads goroutines at once, the caller's included, and on no more than
// GOMAXPROCS. Its own goroutines, the workers, start with the first task that is split. They stop
// at Close or when the Pool is garbage collected.
//
// A Pool is safe for concurrent use. It runs one task at a time; if it is busy, For runs its
// task on the caller's goroutine. A nil Pool runs all tasks on the caller's goroutine.
type Pool struct {
	threads    int
	team       *team       // nil if threads is 1, or simulated
	simulation *simulation // nil unless threads are simulated
}

// Options are options for a Pool.
type Options struct {
	// Threads is the number of goroutines among which tasks are divided, the caller's included. It
	// is limited to the range from 1 to maxThreads.
	Threads int
	// IdleAtOnce makes a goroutine without work sleep at once. Otherwise it first spins for a
	// while, because the next task usually follows sooner than a thread wakes.
	IdleAtOnce bool
	// Simulate makes the pool run all parts of tasks on the goroutine of their caller. A Division
	// then tells how Threads threads would divide them, and how much time they would save.
	Simulate bool
}

// New returns a pool of threads goroutines, with the defaults of the other options.
func New(threads int) *Pool { return NewWith(Options{Threads: threads}) }

// NewWith returns a pool.
func NewWith(options Options) *Pool {
	p := &Pool{threads: min(max(options.Threads, 1), maxThreads)}
	switch {
	case p.threads == 1:
	case options.Simulate:
		p.simulation = newSimulation(p.threads)
	default:
		p.team = newTeam(p.threads, options.IdleAtOnce)
		// The team has no reference to the Pool, so that idle workers do not keep an
		// unused Pool alive.
		runtime.AddCleanup(p, (*team).close, p.team)
	}
	return p
}

// Close stops the workers after the current task. Later tasks run on their caller's
// goroutine. Close may be called more than once.
func (p *Pool) Close() {
	if p != nil && p.team != nil {
		p.team.close()
	}
}

// Threads returns the number of goroutines among which For divides a task.
func (p *Pool) Threads() int {
	if p == nil {
		return 1
	}
	return p.threads
}

// partsPerThread is the number of parts of a task for each thread. With more parts than
// threads, the other threads take over the parts of a thread that is late or slow.
const partsPerThread = 4

// For splits the n items of task into parts of at least grain items, and runs task.Do for
// each part. It returns after all parts are done, with the error of the first part, in order
// of items, that failed. A panic in a part is returned as an error. If n is less than
// 2*grain, the task is not split. For does not allocate.
func (p *Pool) For(n, grain int, task Task) error {
	return p.ForWorkers(n, grain, AnyWorkers, task, nil)
}

// AnyWorkers is more workers than any pool has.
const AnyWorkers = maxThreads

// ForWorkers is For for a task whose workers have memory of their own, and are at most as many as
// said. If these are fewer than the threads of the pool, the task has no more parts than workers.
// If division is not nil, it adds to it how the task was divided, if it was.
func (p *Pool) ForWorkers(n, grain, workers int, task Task, division *Division) error {
	if n <= 0 {
		return nil
	}
	if p == nil || p.threads < 2 || n < 2*max(grain, 1) || workers < 2 {
		return do(task, 0, 0, n)
	}
	parts := min(n/max(grain, 1), p.threads*partsPerThread)
	if workers < p.threads {
		parts = min(parts, workers)
	}
	if p.simulation != nil {
		if ok, err := p.simulation.run(task, n, parts, division); ok {
			return err
		}
	} else if p.team.acquire() {
		return p.team.run(task, n, parts, division)
	}
	return do(task, 0, 0, n)
}

// do runs task.Do. It returns a panic as an error.
func do(task Task, worker, lo, hi int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = faults.OfPanic(" in a kernel", r)
		}
	}()
	return task.Do(worker, lo, hi)
}
