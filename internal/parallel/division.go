package parallel

import (
	"math"
	"runtime"
	"sync"
	"time"
)

// Division tells how tasks were divided among threads. It is a sum over the tasks that were split.
type Division struct {
	// Tasks is the number of these tasks.
	Tasks int
	// Threads is the largest number of threads that worked on one of them.
	Threads int
	// Mean and Longest are the mean time of the threads that worked on a task, and that of the one
	// that worked longest.
	Mean, Longest time.Duration
	// Saved is how much less time the tasks would take on several threads than they took, if the
	// pool simulates threads: see Options.Simulate.
	Saved time.Duration
}

// add adds a task whose threads worked for the given times, and returns the longest.
func (d *Division) add(worked []time.Duration) time.Duration {
	sum, longest, threads := time.Duration(0), time.Duration(0), 0
	for _, t := range worked {
		if t > 0 {
			sum, longest, threads = sum+t, max(longest, t), threads+1
		}
	}
	if threads > 0 {
		d.Tasks++
		d.Threads = max(d.Threads, threads)
		d.Mean += sum / time.Duration(threads)
		d.Longest += longest
	}
	return longest
}

// simulation runs the parts of tasks one after the other on the goroutine of the caller, and
// computes how long threads would need for them if they took them as those of a team do.
type simulation struct {
	mu      sync.Mutex
	threads int
	look    time.Duration // how long threadTime takes

	took   []time.Duration // of each part
	worked []time.Duration // of each thread
	next   []int           // the first and the last part of each thread's share that is not taken
	end    []int
}

func newSimulation(threads int) *simulation {
	runtime.LockOSThread() // threadTime is of one thread
	defer runtime.UnlockOSThread()
	look := time.Duration(math.MaxInt64)
	for range 100 {
		start := threadTime()
		look = min(look, threadTime()-start)
	}
	return &simulation{
		threads: threads, look: look, took: make([]time.Duration, 0, threads*partsPerThread),
		worked: make([]time.Duration, threads), next: make([]int, threads), end: make([]int, threads),
	}
}

// run runs a task and adds its division to d, if that is not nil. It returns false if another task
// runs.
func (s *simulation) run(task Task, items, parts int, d *Division) (ok bool, err error) {
	if !s.mu.TryLock() {
		return false, nil
	}
	defer s.mu.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s.took = s.took[:0]
	start, last := time.Now(), threadTime()
	for i := range parts {
		if failure := do(task, 0, Share(items, parts, i), Share(items, parts, i+1)); err == nil {
			err = failure
		}
		now := threadTime()
		s.took = append(s.took, max(now-last-s.look, 1))
		last = now
	}
	if took := time.Since(start); d != nil {
		s.schedule()
		d.Saved += took - d.add(s.worked) - joinTime(s.threads)
	}
	return true, err
}

// schedule gives the parts to the threads: the one that is free first takes the first part that is
// left of its share, or the last that is left of another.
func (s *simulation) schedule() {
	clear(s.worked)
	a := announce(0, s.threads, len(s.took))
	for i := range s.threads {
		s.next[i], s.end[i] = a.share(i), a.share(i+1)
	}
	for range s.took {
		me := 0
		for i, worked := range s.worked {
			if worked < s.worked[me] {
				me = i
			}
		}
		for i := range s.threads {
			of := (me + i) % s.threads
			if s.next[of] == s.end[of] {
				continue
			}
			part := s.next[of]
			if i == 0 {
				s.next[of]++
			} else {
				s.end[of]--
				part = s.end[of]
			}
			s.worked[me] += s.took[part]
			break
		}
	}
}

// joinTime returns how long threads take to start a task and to join after it: see RATIONALE.md.
func joinTime(threads int) time.Duration {
	return 700*time.Nanosecond + time.Duration(threads)*300*time.Nanosecond
}
