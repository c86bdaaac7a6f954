package models

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// statistics counts what happens to a version. It outlives the version when that is loaded again.
type statistics struct {
	mu      sync.Mutex
	counted oip.ModelStatistics // without what is known elsewhere
	batches map[int]*oip.BatchStatistics
}

func newStatistics(model, version string) *statistics {
	return &statistics{
		counted: oip.ModelStatistics{Name: model, Version: version, Failures: make(map[oip.Reason]uint64)},
		batches: make(map[int]*oip.BatchStatistics),
	}
}

// add counts one event that took d.
func add(to *oip.Duration, d time.Duration) {
	to.Count++
	to.Total += max(d, 0)
}

// execution counts an inference of rows.
func (s *statistics) execution(rows int, input, infer, output time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counted.ExecutionCount++
	b := s.batches[rows]
	if b == nil {
		b = &oip.BatchStatistics{BatchSize: rows}
		s.batches[rows] = b
	}
	add(&b.ComputeInput, input)
	add(&b.ComputeInfer, infer)
	add(&b.ComputeOutput, output)
}

// request counts a request that has ended, of the given number of rows. reason is why it failed.
func (s *statistics) request(rows int, times *Times, reason oip.Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if times.Err != nil {
		s.fail(reason, times.End.Sub(times.Start))
		return
	}
	s.counted.LastInference = times.End
	add(&s.counted.Success, times.End.Sub(times.Start))
	if times.Cached {
		return
	}
	s.counted.InferenceCount += uint64(rows)
	add(&s.counted.Queue, times.Dequeued.Sub(times.Start))
	add(&s.counted.ComputeInput, times.Inputs.Sub(times.Dequeued))
	add(&s.counted.ComputeInfer, times.Inferred.Sub(times.Inputs))
	add(&s.counted.ComputeOutput, times.End.Sub(times.Inferred))
}

// cacheHit and cacheMiss count a look into the cache.
func (s *statistics) cacheHit(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add(&s.counted.CacheHit, d)
}

func (s *statistics) cacheMiss(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add(&s.counted.CacheMiss, d)
}

// refused counts a request that did not come as far as a version.
func (s *statistics) refused(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail(reasonOf(err), 0)
}

// fail counts a failure. The caller holds s.mu.
func (s *statistics) fail(reason oip.Reason, d time.Duration) {
	add(&s.counted.Fail, d)
	s.counted.Failures[reason]++
}

// reasonOf returns how a failure that is not one of an inference is counted.
func reasonOf(err error) oip.Reason {
	e, ok := err.(*oip.Error)
	if !ok {
		return oip.ReasonOther
	}
	switch e.Code {
	case oip.Canceled, oip.DeadlineExceeded:
		return oip.ReasonCanceled
	case oip.Internal:
		return oip.ReasonOther
	}
	return oip.ReasonRejected
}

// snapshot returns what was counted.
func (s *statistics) snapshot() oip.ModelStatistics {
	s.mu.Lock()
	defer s.mu.Unlock()
	counted := s.counted
	counted.Failures = maps.Clone(counted.Failures)
	for _, b := range s.batches {
		counted.Batches = append(counted.Batches, *b)
	}
	slices.SortFunc(counted.Batches, func(a, b oip.BatchStatistics) int { return cmp.Compare(a.BatchSize, b.BatchSize) })
	return counted
}
