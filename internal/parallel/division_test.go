package parallel

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDivision_add(t *testing.T) {
	var d Division
	assert.Equal(t, time.Duration(0), d.add([]time.Duration{0, 0}), "nobody worked")
	assert.Equal(t, Division{}, d)
	assert.Equal(t, time.Duration(30), d.add([]time.Duration{10, 30, 0, 20}))
	assert.Equal(t, Division{Tasks: 1, Threads: 3, Mean: 20, Longest: 30}, d)
	d.add([]time.Duration{0, 0, 0, 5})
	assert.Equal(t, Division{Tasks: 2, Threads: 3, Mean: 25, Longest: 35}, d)
}

func TestSimulation_schedule(t *testing.T) {
	for _, tt := range []struct {
		took, want []time.Duration
	}{
		{[]time.Duration{4, 4, 4}, []time.Duration{4, 4, 4}},
		{[]time.Duration{4}, []time.Duration{4, 0, 0}},
		// Thread 1 is free first and takes the last part of thread 2, which then takes one of
		// thread 0.
		{[]time.Duration{3, 3, 3, 1, 1, 5, 5}, []time.Duration{6, 7, 8}},
		// The parts of thread 2 are long: the others take its last, and then nothing is left.
		{[]time.Duration{1, 1, 1, 1, 9, 9}, []time.Duration{11, 2, 9}},
	} {
		s := newSimulation(3)
		s.took = append(s.took, tt.took...)
		s.schedule()
		assert.Equal(t, tt.want, s.worked, tt.took)
	}
}

// units is a task whose items are worked on once, by workers below a limit.
type units struct {
	seen    []atomic.Int32
	workers int
	busy    []atomic.Bool
	err     error
}

func (u *units) Do(worker, lo, hi int) error {
	if worker < 0 || worker >= u.workers || u.busy[worker].Swap(true) {
		return errors.New("not a worker of its own")
	}
	for ; lo < hi; lo++ {
		u.seen[lo].Add(1)
		for range 100 {
			pause(1)
		}
	}
	u.busy[worker].Store(false)
	return u.err
}

func TestForWorkers(t *testing.T) {
	for _, options := range []Options{{Threads: 1}, {Threads: 2}, {Threads: 5}, {Threads: 5, Simulate: true}} {
		p := NewWith(options)
		for _, workers := range []int{1, 2, 3, 5, 9} {
			for _, n := range []int{0, 1, 2, 4, 5, 6, 61} {
				u := &units{seen: make([]atomic.Int32, n), workers: min(workers, max(n, 1)), busy: make([]atomic.Bool, workers)}
				require.NoError(t, p.ForWorkers(n, 1, workers, u, nil), "%+v %d %d", options, workers, n)
				for i := range u.seen {
					require.Equal(t, int32(1), u.seen[i].Load())
				}
			}
		}
		p.Close()
	}
}

func TestForWorkers_division(t *testing.T) {
	task := &units{seen: make([]atomic.Int32, 64), workers: 4, busy: make([]atomic.Bool, 4)}
	for _, options := range []Options{{Threads: 1}, {Threads: 2}, {Threads: 4, Simulate: true}} {
		p := NewWith(options)
		var d Division
		for range 3 {
			require.NoError(t, p.ForWorkers(64, 1, AnyWorkers, task, &d))
		}
		if options.Threads == 1 {
			assert.Equal(t, Division{}, d, "a task that is not split does not count")
			continue
		}
		require.NoError(t, p.ForWorkers(1, 1, AnyWorkers, task, &d))
		assert.Equal(t, 3, d.Tasks, "a task that is not split does not count")
		assert.Positive(t, d.Mean)
		assert.LessOrEqual(t, d.Mean, d.Longest)
		if options.Simulate {
			assert.Equal(t, 4, d.Threads)
		}
		before := d
		require.NoError(t, p.For(64, 1, task))
		assert.Equal(t, before, d, "nobody asked")
		p.Close()
	}
}

// TestForWorkers_divisions has several callers of a pool, of which one at a time has its threads.
func TestForWorkers_divisions(t *testing.T) {
	p := New(2)
	defer p.Close()
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			task := &units{seen: make([]atomic.Int32, 8), workers: 2, busy: make([]atomic.Bool, 2)}
			var d Division
			for range 100 {
				assert.NoError(t, p.ForWorkers(8, 1, AnyWorkers, task, &d))
			}
			assert.LessOrEqual(t, d.Tasks, 100)
			assert.LessOrEqual(t, d.Mean, d.Longest)
		})
	}
	callers.Wait()
}

func TestPool_Simulate_error(t *testing.T) {
	p := NewWith(Options{Threads: 3, Simulate: true})
	wrong := errors.New("wrong")
	require.ErrorIs(t, p.For(9, 1, &units{seen: make([]atomic.Int32, 9), workers: 3, busy: make([]atomic.Bool, 3), err: wrong}), wrong)
}
