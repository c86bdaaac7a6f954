// Package schedule decides which requests of a model run when, and which run together.
//
// A request runs at once if fewer than the allowed number of inferences run. Otherwise it waits in
// a Queue of bounded length, from which each inference that ends takes as many requests as can be
// joined. So nothing waits while it could run, and requests are joined exactly when the model is
// busy.
package schedule

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// The errors of Queue.Do, besides those of contexts and of the function that runs jobs.
var (
	// ErrFull means that there is no place for one more job.
	ErrFull = errors.New("the queue is full")
	// ErrLate means that the job could not start in time.
	ErrLate = errors.New("the request has waited for too long")
	// ErrClosed means that the queue takes no more jobs.
	ErrClosed = errors.New("the queue is closed")
)

// Options are options of a Queue.
type Options struct {
	// Instances is how many batches run at the same time: at least 1.
	Instances int
	// MaxRows bounds the rows of a batch of several jobs. Up to 1 means that nothing is joined.
	MaxRows int
	// MaxDelay is how long a job waits for others while a batch could run, unless a batch is full.
	MaxDelay time.Duration
	// MaxJobs and MaxBytes bound the jobs that wait, and their Bytes together.
	MaxJobs  int
	MaxBytes int64
	// Levels is the number of priorities; 0 counts as 1.
	Levels int
}

// Job is something to run.
type Job[T any] struct {
	Value T
	// Key says which jobs can be joined: those whose keys are equal. Jobs without are not joined.
	Key string
	// Rows is what the job adds to a batch.
	Rows int
	// Bytes is the memory that the job holds while it waits.
	Bytes int64
	// Level is the priority: from 0, the highest, to Options.Levels-1. Others count as the nearest.
	Level int
	// StartBy is when the job is of no use if it has not started; zero means that there is no such
	// time.
	StartBy time.Time

	// Enqueued is when Do was called, and Dequeued when the job was taken to run.
	Enqueued, Dequeued time.Time
	// Err is what Do returns. The function that runs a batch sets it for jobs that fail.
	Err error

	ctx     context.Context
	waiting *list.Element // in the queue; nil if it is not there
	done    chan struct{} // closed when the job has ended after it has waited
}

// Context is that of the Do of the job.
func (j *Job[T]) Context() context.Context { return j.ctx }

// PanicError is the error of the jobs of a batch that panicked, which would be a bug.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("BUG: panic: %v", e.Value) }

// Queue runs jobs. It is safe for concurrent use.
type Queue[T any] struct {
	options Options
	run     func(ctx context.Context, batch []*Job[T])
	// more has a signal when a job was added while a worker waits for a batch to become full.
	more chan struct{}

	mu      sync.Mutex  // guards the fields below
	levels  []list.List // of *Job[T], by priority
	length  int         // jobs that wait
	bytes   int64       // of the jobs that wait
	running int         // batches that run, or are about to
	closed  bool
	idle    chan struct{} // closed when nothing runs after Close
}

// New returns a Queue that calls run with the jobs of each batch, at most Options.Instances at the
// same time. The context of a batch is done when those of all its jobs are. run may use what the
// jobs refer to until it returns.
func New[T any](options Options, run func(ctx context.Context, batch []*Job[T])) *Queue[T] {
	options.Instances = max(options.Instances, 1)
	options.Levels = max(options.Levels, 1)
	return &Queue[T]{
		options: options,
		run:     run,
		more:    make(chan struct{}, 1),
		levels:  make([]list.List, options.Levels),
		idle:    make(chan struct{}),
	}
}

// Do runs job, in a batch with others if that fits, and returns when it has ended. If ctx is done
// or the job is late while it waits, it leaves the queue, and Do returns at once.
func (q *Queue[T]) Do(ctx context.Context, job *Job[T]) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	job.ctx = ctx
	job.Enqueued = time.Now()
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return ErrClosed
	}
	free := q.running < q.options.Instances
	if free && q.length == 0 && q.options.MaxDelay == 0 {
		q.running++
		q.mu.Unlock()
		job.Dequeued = job.Enqueued
		q.runBatch([]*Job[T]{job})
		q.passOn()
		return job.Err
	}
	if q.length >= q.options.MaxJobs || job.Bytes > q.options.MaxBytes-q.bytes {
		q.mu.Unlock()
		return ErrFull
	}
	job.done = make(chan struct{})
	q.add(job)
	if free {
		q.running++
		go q.work()
	}
	q.mu.Unlock()
	q.signal()
	return q.wait(ctx, job)
}

// wait waits until a job that is in the queue has ended.
func (q *Queue[T]) wait(ctx context.Context, job *Job[T]) error {
	var late <-chan time.Time
	if !job.StartBy.IsZero() {
		timer := time.NewTimer(time.Until(job.StartBy))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-job.done:
		return job.Err
	case <-ctx.Done():
		if q.leave(job) {
			return ctx.Err()
		}
	case <-late:
		if q.leave(job) {
			return ErrLate
		}
	}
	<-job.done
	return job.Err
}

// add puts job at the end of its level. The caller holds q.mu.
func (q *Queue[T]) add(job *Job[T]) {
	level := min(max(job.Level, 0), len(q.levels)-1)
	job.Level = level
	job.waiting = q.levels[level].PushBack(job)
	q.length++
	q.bytes += job.Bytes
}

// remove takes job out of the queue. The caller holds q.mu.
func (q *Queue[T]) remove(job *Job[T]) {
	q.levels[job.Level].Remove(job.waiting)
	job.waiting = nil
	q.length--
	q.bytes -= job.Bytes
}

// leave takes job out of the queue; false if it is not there any more.
func (q *Queue[T]) leave(job *Job[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if job.waiting == nil {
		return false
	}
	q.remove(job)
	return true
}

// signal wakes a worker that waits for a batch to become full.
func (q *Queue[T]) signal() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// passOn ends a batch: if jobs wait, another goroutine takes its place.
func (q *Queue[T]) passOn() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.length == 0 {
		q.rest()
		return
	}
	go q.work()
}

// rest counts one batch less. The caller holds q.mu.
func (q *Queue[T]) rest() {
	q.running--
	if q.closed && q.running == 0 {
		close(q.idle)
	}
}

// work runs batches until no jobs wait.
func (q *Queue[T]) work() {
	for {
		batch, delay := q.take()
		switch {
		case batch != nil:
			q.runBatch(batch)
			for _, job := range batch {
				close(job.done)
			}
		case delay > 0:
			timer := time.NewTimer(delay)
			select {
			case <-timer.C:
			case <-q.more:
			}
			timer.Stop()
		default:
			return
		}
	}
}

// take takes a batch out of the queue. It returns a time if the batch should wait so long for more
// jobs; neither if no jobs wait, and then the caller is no worker any more.
func (q *Queue[T]) take() (batch []*Job[T], delay time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	first := q.first(now)
	if first == nil {
		q.rest()
		return nil, 0
	}
	batch, full := q.joined(first, now)
	if wait := q.options.MaxDelay - now.Sub(first.Enqueued); wait > 0 && !full && !q.closed {
		return nil, wait
	}
	for _, job := range batch {
		q.remove(job)
		job.Dequeued = now
	}
	return batch, 0
}

// first returns the next job; nil if no jobs wait. The caller holds q.mu.
func (q *Queue[T]) first(now time.Time) *Job[T] {
	for i := range q.levels {
		for e := q.levels[i].Front(); e != nil; {
			job := e.Value.(*Job[T])
			e = e.Next()
			if !q.drop(job, now) {
				return job
			}
		}
	}
	return nil
}

// drop takes job out of the queue and ends it if it is of no use any more. The caller holds q.mu.
func (q *Queue[T]) drop(job *Job[T], now time.Time) bool {
	switch {
	case job.ctx.Err() != nil:
		job.Err = job.ctx.Err()
	case !job.StartBy.IsZero() && !now.Before(job.StartBy):
		job.Err = ErrLate
	default:
		return false
	}
	q.remove(job)
	close(job.done)
	return true
}

// joined returns first and the jobs that are to run with it. full means that it is of no use to
// wait for more. The caller holds q.mu.
func (q *Queue[T]) joined(first *Job[T], now time.Time) (batch []*Job[T], full bool) {
	batch = []*Job[T]{first}
	rows := first.Rows
	if first.Key == "" || q.options.MaxRows <= 1 || rows >= q.options.MaxRows {
		return batch, true
	}
	for i := range q.levels {
		for e := q.levels[i].Front(); e != nil && rows < q.options.MaxRows; {
			job := e.Value.(*Job[T])
			e = e.Next()
			if job == first || job.Key != first.Key || rows+job.Rows > q.options.MaxRows || q.drop(job, now) {
				continue
			}
			batch = append(batch, job)
			rows += job.Rows
		}
	}
	if rows == q.options.MaxRows {
		return batch, true
	}
	return trim(batch, rows, q.options.MaxRows), false
}

// runBatch calls run. A panic becomes the error of the jobs.
func (q *Queue[T]) runBatch(batch []*Job[T]) {
	defer func() {
		if r := recover(); r != nil {
			err := &PanicError{Value: r, Stack: debug.Stack()}
			for _, job := range batch {
				job.Err = err
			}
		}
	}()
	ctx, stop := contextOf(batch)
	defer stop()
	q.run(ctx, batch)
}

// Waiting returns the number of jobs that wait.
func (q *Queue[T]) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.length
}

// Running returns the number of batches that run.
func (q *Queue[T]) Running() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running
}

// Close ends the queue: jobs that wait fail with ErrClosed, and so do new ones. It waits for those
// that run, or returns the error of ctx. Closing again waits again.
func (q *Queue[T]) Close(ctx context.Context) error {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		for i := range q.levels {
			for e := q.levels[i].Front(); e != nil; e = q.levels[i].Front() {
				job := e.Value.(*Job[T])
				job.Err = ErrClosed
				q.remove(job)
				close(job.done)
			}
		}
		if q.running == 0 {
			close(q.idle)
		}
	}
	q.mu.Unlock()
	q.signal()
	select {
	case <-q.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
