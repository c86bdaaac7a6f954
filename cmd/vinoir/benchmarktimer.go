package main

import (
	"context"
	"sync"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// measureOne infers on the request of s, once at least and runs times at most, until limit has
// passed. Variables have their initial values in each inference. It returns the time of each
// inference and the time that all took. If there is an error, they are of the inferences before it.
func (s *session) measureOne(ctx context.Context, runs int, limit time.Duration) ([]time.Duration, time.Duration, error) {
	times := make([]time.Duration, 0, runs)
	begun := time.Now()
	for ended := begun; len(times) < runs; {
		if err := s.reset(); err != nil {
			return times, ended.Sub(begun), err
		}
		started := time.Now()
		if err := s.request.Infer(ctx); err != nil {
			return times, ended.Sub(begun), err
		}
		ended = time.Now()
		times = append(times, ended.Sub(started))
		if ended.Sub(begun) > limit {
			break
		}
	}
	return times, time.Since(begun), nil
}

// queueTimer measures a Queue.
type queueTimer struct {
	queue   *plugin.Queue
	inputs  []*ir.Tensor
	free    chan int    // places for inferences, as many as the queue has requests
	started []time.Time // of the inference in each place

	mu    sync.Mutex // guards times and cause
	times []time.Duration
	cause error // of the first inference that failed, which stops the others
}

func newQueueTimer(s *session, queue *plugin.Queue, requests int) *queueTimer {
	q := &queueTimer{queue: queue, free: make(chan int, requests), started: make([]time.Time, requests)}
	for place := range requests {
		q.free <- place
	}
	for i := range s.compiled.Inputs() {
		q.inputs = append(q.inputs, s.request.Input(i))
	}
	return q
}

// measure is measureOne for the queue. The time of an inference is from Submit to the call of its
// done, as benchmark_app measures it.
func (q *queueTimer) measure(ctx context.Context, runs int, limit time.Duration) ([]time.Duration, time.Duration, error) {
	ctx, stop := context.WithCancel(ctx) // one error ends all
	defer stop()
	q.mu.Lock()
	q.times, q.cause = make([]time.Duration, 0, runs), nil
	q.mu.Unlock()
	var err error
	begun := time.Now()
	for i := range runs {
		place := <-q.free
		now := time.Now()
		if i > 0 && now.Sub(begun) > limit {
			q.free <- place
			break
		}
		q.started[place] = now
		err = q.queue.Submit(ctx, q.inputs, func(_ *plugin.InferRequest, err error) {
			took := time.Since(q.started[place])
			q.mu.Lock()
			if err == nil {
				q.times = append(q.times, took)
			} else if q.cause == nil {
				q.cause = err
				stop()
			}
			q.mu.Unlock()
			q.free <- place
		})
		if err != nil {
			q.free <- place
			break
		}
	}
	if failed := q.queue.Wait(context.Background()); failed != nil {
		err = failed
	}
	if q.cause != nil {
		err = q.cause
	}
	return q.times, time.Since(begun), err
}
