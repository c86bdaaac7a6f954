package plugin

import (
	"context"
	"errors"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/control"
)

// Queue runs many inferences of a CompiledModel at the same time: OpenVINO's AsyncInferQueue. It
// has a number of InferRequests, and a goroutine for each inference that runs. It is safe for
// concurrent use.
type Queue struct {
	compiled *CompiledModel
	ordered  bool
	idle     chan *InferRequest
	// streams has a Lock for each thread pool: requests that share a pool compute one after the
	// other, so that the queue uses no more threads than InferenceNumThreads.
	streams map[*parallel.Pool]control.Lock
	closed  chan struct{} // closed by Close

	mu        sync.Mutex // guards the fields below
	submitted int
	running   int           // inferences whose done has not returned
	drained   chan struct{} // closed when running is 0 again
	last      chan struct{} // of the last inference submitted: closed when its done has returned
	failures  int           // since the last Wait
	failed    int           // the number of the earliest of them
	err       error         // its error
}

// QueueOptions are options of a Queue. Zero fields mean the defaults.
type QueueOptions struct {
	// Requests is the number of InferRequests: how many inferences can be submitted before the
	// first of them ends. 0 means CompiledModel.OptimalRequests. More than that keep the threads at
	// work while the functions given to Submit run.
	Requests int
	// Ordered calls the functions given to Submit one at a time, in the order of the calls of
	// Submit. Otherwise they run when their inference ends, some of them at the same time.
	Ordered bool
}

// ErrQueueClosed is the error of Queue.Submit after Close.
var ErrQueueClosed = errors.New("the queue is closed")

// NewQueue returns a Queue whose InferRequests have no values of outputs set. The caller closes it
// before the CompiledModel.
func (c *CompiledModel) NewQueue(options QueueOptions) (*Queue, error) {
	n := options.Requests
	if n < 0 {
		return nil, faults.Errorf("a queue of %d requests, not of 0 or more", n)
	}
	if n == 0 {
		n = c.OptimalRequests()
	}
	q := &Queue{
		compiled: c, ordered: options.Ordered, idle: make(chan *InferRequest, n), closed: make(chan struct{}),
		streams: make(map[*parallel.Pool]control.Lock), drained: make(chan struct{}), last: make(chan struct{}),
	}
	close(q.drained)
	close(q.last)
	for _, r := range c.newInferRequests(n) {
		if q.streams[r.shared.Pool] == nil {
			q.streams[r.shared.Pool] = control.NewLock()
		}
		q.idle <- r
	}
	return q, nil
}

// Submit starts an inference of the inputs, which are in the order of CompiledModel.Inputs and must
// not be changed until it ends. While all requests are in use, Submit waits: so a program that
// produces inputs faster than the model computes does not fill the memory.
//
// Submit returns an error and starts nothing if an input has a wrong type or shape, if ctx is done,
// or, with ErrQueueClosed, after Close. Otherwise it calls done on another goroutine when the
// inference has ended, with the error of InferRequest.Infer. ctx stops the inference too. The
// outputs of the request are valid until done returns; done must not use the request afterwards,
// set anything in it, or call methods of the Queue, which could wait for done itself. done can be
// nil.
//
// Variables of the model start from their initial values in each inference.
func (q *Queue) Submit(ctx context.Context, inputs []*ir.Tensor, done func(request *InferRequest, err error)) error {
	if len(inputs) != len(q.compiled.inputs) {
		return faults.Errorf("%d inputs are given, the model has %d", len(inputs), len(q.compiled.inputs))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var r *InferRequest
	select {
	case r = <-q.idle:
	case <-q.closed:
		return ErrQueueClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := q.prepare(r, inputs); err != nil {
		q.idle <- r
		return err
	}
	s, err := q.begin(done)
	if err != nil {
		q.idle <- r
		return err
	}
	go q.run(ctx, r, s)
	return nil
}

// prepare sets the inputs and variables of r.
func (q *Queue) prepare(r *InferRequest, inputs []*ir.Tensor) error {
	for i, t := range inputs {
		if err := r.SetInput(i, t); err != nil {
			return err
		}
	}
	for _, state := range r.QueryState() {
		if err := state.Reset(); err != nil {
			return err
		}
	}
	return nil
}

// submission is an inference that was submitted. If the queue is ordered, done is called when
// before is closed. after is closed when it has returned.
type submission struct {
	number        int
	done          func(*InferRequest, error)
	before, after chan struct{}
}

// begin counts one more inference.
func (q *Queue) begin(done func(*InferRequest, error)) (*submission, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-q.closed:
		return nil, ErrQueueClosed
	default:
	}
	s := &submission{number: q.submitted, done: done, before: q.last, after: make(chan struct{})}
	q.last = s.after
	q.submitted++
	if q.running++; q.running == 1 {
		q.drained = make(chan struct{})
	}
	return s, nil
}

// run runs an inference and its done. If done ends the goroutine, as the functions of package
// testing do, the queue still goes on.
func (q *Queue) run(ctx context.Context, r *InferRequest, s *submission) {
	var err error
	defer func() { q.end(r, s, err) }()
	err = q.infer(ctx, r)
	if q.ordered {
		<-s.before
	}
	if s.done != nil {
		s.done(r, err)
	}
}

// infer runs r when its threads are free.
func (q *Queue) infer(ctx context.Context, r *InferRequest) error {
	stream := q.streams[r.shared.Pool]
	if err := stream.Acquire(control.StopOf(ctx)); err != nil {
		return control.Stopped(ctx, err)
	}
	defer stream.Release()
	return r.Infer(ctx)
}

// end gives r back and counts one inference less.
func (q *Queue) end(r *InferRequest, s *submission, err error) {
	close(s.after)
	q.idle <- r
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		if q.failures++; q.failures == 1 || s.number < q.failed {
			q.failed, q.err = s.number, err
		}
	}
	if q.running--; q.running == 0 {
		close(q.drained)
	}
}

// Wait waits until no inference is left and the functions given to Submit have returned. It returns
// the error of the earliest inference that failed since the last Wait, with its number, counted
// from 0 in the order of Submit; or the error of ctx if that is done earlier.
func (q *Queue) Wait(ctx context.Context) error {
	q.mu.Lock()
	drained := q.drained
	q.mu.Unlock()
	select {
	case <-drained:
		return q.failure()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failure returns the error for Wait and forgets it.
func (q *Queue) failure() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	err, n := q.err, q.failures
	q.err, q.failures = nil, 0
	switch n {
	case 0:
		return nil
	case 1:
		return faults.Errorf("inference %d: %w", q.failed, err)
	}
	return faults.Errorf("inference %d: %w (%d inferences failed)", q.failed, err, n)
}

// Close ends the queue: Submit returns ErrQueueClosed, also where it waits for a request. Close
// waits for the inferences that were submitted, and returns the error that Wait would return.
// Closing again does nothing.
func (q *Queue) Close() error {
	q.mu.Lock()
	select {
	case <-q.closed:
	default:
		close(q.closed)
	}
	q.mu.Unlock()
	return q.Wait(context.Background())
}
