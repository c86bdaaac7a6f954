package schedule_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/schedule"
)

type job = schedule.Job[string]

// runner runs batches of a queue: each waits until the test lets it go on.
type runner struct {
	batches [][]string // the values of the jobs of each batch that has started
	release chan struct{}
	ctxs    []context.Context
	mu      sync.Mutex
}

func newRunner() *runner { return &runner{release: make(chan struct{})} }

func (r *runner) run(ctx context.Context, batch []*job) {
	var values []string
	for _, j := range batch {
		values = append(values, j.Value)
	}
	r.mu.Lock()
	r.batches = append(r.batches, values)
	r.ctxs = append(r.ctxs, ctx)
	r.mu.Unlock()
	select {
	case <-r.release:
	case <-ctx.Done():
		for _, j := range batch {
			j.Err = ctx.Err()
		}
	}
}

// do starts jobs, one after the other, and returns channels with their errors.
func do(q *schedule.Queue[string], jobs ...*job) []chan error {
	return doWith(context.Background(), q, jobs...)
}

func doWith(ctx context.Context, q *schedule.Queue[string], jobs ...*job) []chan error {
	var ended []chan error
	for _, j := range jobs {
		end := make(chan error, 1)
		ended = append(ended, end)
		go func() { end <- q.Do(ctx, j) }()
		synctest.Wait()
	}
	return ended
}

// joinable returns a job of rows that can be joined with others of the same key.
func joinable(value, key string, rows int) *job {
	return &job{Value: value, Key: key, Rows: rows, Bytes: int64(rows)}
}

// goOn lets n batches end, one after the other.
func (r *runner) goOn(n int) {
	for range n {
		r.release <- struct{}{}
		synctest.Wait()
	}
}

// large is a number of jobs and bytes that no test exceeds.
const large = 1 << 20

func TestQueue_runsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 2, MaxRows: 8}, r.run) // no job can wait
		ended := do(q, joinable("a", "k", 1), joinable("b", "k", 1))
		require.Equal(t, [][]string{{"a"}, {"b"}}, r.batches, "what can run is not joined")
		require.Equal(t, 2, q.Running())
		require.ErrorIs(t, q.Do(t.Context(), joinable("c", "k", 1)), schedule.ErrFull)
		r.goOn(2)
		require.NoError(t, <-ended[0])
		require.NoError(t, <-ended[1])
		require.Zero(t, q.Running())
	})
}

func TestQueue_joins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 1, MaxRows: 4, MaxJobs: large, MaxBytes: large}, r.run)
		ended := do(q, joinable("first", "k", 1),
			joinable("a", "k", 1), joinable("other", "l", 1), joinable("b", "k", 1), joinable("alone", "", 1),
			joinable("too many", "k", 3), joinable("c", "k", 2), joinable("more than allowed", "k", 9))
		require.Equal(t, 7, q.Waiting())
		r.goOn(6)
		require.Equal(t, [][]string{
			{"first"}, {"a", "b", "c"}, {"other"}, {"alone"}, {"too many"}, {"more than allowed"},
		}, r.batches)
		for _, end := range ended {
			require.NoError(t, <-end)
		}
	})
}

func TestQueue_joinsUpToASize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 1, MaxRows: 16, MaxJobs: large, MaxBytes: large}, r.run)
		do(q, joinable("0", "k", 1), joinable("1", "k", 1), joinable("2", "k", 1), joinable("3", "k", 1), joinable("4", "k", 1), joinable("5", "k", 1))
		r.goOn(3)
		require.Equal(t, [][]string{{"0"}, {"1", "2", "3", "4"}, {"5"}}, r.batches, "five rows would be rounded up to eight")
	})
}

func TestQueue_bounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 1, MaxJobs: 3, MaxBytes: 10}, r.run)
		do(q, &job{Value: "runs", Bytes: 1000}, &job{Bytes: 6})
		require.ErrorIs(t, q.Do(t.Context(), &job{Bytes: 5}), schedule.ErrFull, "too many bytes")
		do(q, &job{Bytes: 4}, &job{})
		require.ErrorIs(t, q.Do(t.Context(), &job{}), schedule.ErrFull, "too many jobs")
		r.goOn(1)
		require.Equal(t, 2, q.Waiting())
		do(q, &job{Bytes: 6})
		require.Equal(t, 3, q.Waiting(), "a place is free again")
		r.goOn(4)
		require.Zero(t, q.Running())
	})
}

func TestQueue_priorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 1, MaxRows: 2, Levels: 3, MaxJobs: large, MaxBytes: large}, r.run)
		do(q, &job{Value: "runs"}, &job{Value: "last", Level: 99}, &job{Value: "middle", Level: 1}, &job{Value: "first", Level: -5},
			&job{Value: "first too", Level: 0}, &job{Value: "joined", Key: "k", Rows: 1, Level: 2}, &job{Value: "joins", Key: "k", Rows: 1, Level: 1})
		r.goOn(6)
		require.Equal(t, [][]string{{"runs"}, {"first"}, {"first too"}, {"middle"}, {"joins", "joined"}, {"last"}}, r.batches)
	})
}

func TestQueue_cancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 1, MaxJobs: 1, MaxBytes: large}, r.run)
		running, stopRunning := context.WithCancel(t.Context())
		waiting, stopWaiting := context.WithCancel(t.Context())
		ended := append(doWith(running, q, &job{Value: "runs"}), doWith(waiting, q, &job{Value: "waits"})...)
		stopWaiting()
		require.ErrorIs(t, <-ended[1], context.Canceled)
		require.Zero(t, q.Waiting(), "the place is free")
		stopRunning()
		require.ErrorIs(t, <-ended[0], context.Canceled)
		synctest.Wait()
		require.Equal(t, [][]string{{"runs"}}, r.batches)
		require.Zero(t, q.Running())
		require.ErrorIs(t, q.Do(waiting, &job{}), context.Canceled, "it does not start")
	})
}

// TestQueue_cancelledBatch checks that a batch stops when the contexts of all its jobs are done,
// and not earlier.
func TestQueue_cancelledBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 1, MaxRows: 8, MaxJobs: large, MaxBytes: large}, r.run)
		do(q, joinable("first", "k", 1))
		a, stopA := context.WithCancel(t.Context())
		b, stopB := context.WithCancel(t.Context())
		ended := append(doWith(a, q, joinable("a", "k", 1)), doWith(b, q, joinable("b", "k", 1))...)
		r.goOn(1)
		require.Equal(t, []string{"a", "b"}, r.batches[1])
		stopA()
		synctest.Wait()
		require.NoError(t, r.ctxs[1].Err())
		stopB()
		require.ErrorIs(t, <-ended[0], context.Canceled)
		require.ErrorIs(t, <-ended[1], context.Canceled)
	})
}

func TestQueue_startBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 1, MaxJobs: large, MaxBytes: large}, r.run)
		by := time.Now().Add(time.Second)
		ended := do(q, &job{Value: "runs", StartBy: by}, &job{Value: "late", StartBy: by}, &job{Value: "waits"})
		time.Sleep(time.Second)
		require.ErrorIs(t, <-ended[1], schedule.ErrLate)
		r.goOn(2)
		require.NoError(t, <-ended[0], "it has started")
		require.NoError(t, <-ended[2])
		require.Equal(t, [][]string{{"runs"}, {"waits"}}, r.batches)
	})
}

// TestQueue_maxDelay checks that a batch waits for more jobs until it is full or the time is over.
func TestQueue_maxDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 2, MaxRows: 2, MaxDelay: time.Second, MaxJobs: large, MaxBytes: large}, r.run)
		begin := time.Now()
		do(q, joinable("a", "k", 1))
		require.Empty(t, r.batches)
		do(q, joinable("b", "k", 1))
		require.Equal(t, [][]string{{"a", "b"}}, r.batches, "the batch is full")
		require.Equal(t, begin, time.Now())
		do(q, joinable("c", "k", 1))
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, []string{"c"}, r.batches[1], "the time is over")
		r.goOn(2)
		ctx, stop := context.WithCancel(t.Context())
		doWith(ctx, q, joinable("d", "k", 1))
		stop()
		synctest.Wait()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Len(t, r.batches, 2)
		require.Zero(t, q.Running())
	})
}

func TestQueue_times(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 1, MaxJobs: large, MaxBytes: large}, r.run)
		a, b := &job{}, &job{}
		ended := do(q, a, b)
		time.Sleep(time.Minute)
		r.goOn(2)
		require.NoError(t, <-ended[0])
		require.NoError(t, <-ended[1])
		require.Zero(t, a.Dequeued.Sub(a.Enqueued))
		require.Equal(t, time.Minute, b.Dequeued.Sub(b.Enqueued))
	})
}

func TestQueue_errors(t *testing.T) {
	wrong := errors.New("wrong")
	q := schedule.New(schedule.Options{}, func(_ context.Context, batch []*job) {
		if batch[0].Value == "panic" {
			panic("no")
		}
		batch[0].Err = wrong
	})
	require.ErrorIs(t, q.Do(t.Context(), &job{}), wrong)
	var panicked *schedule.PanicError
	require.ErrorAs(t, q.Do(t.Context(), &job{Value: "panic"}), &panicked)
	require.EqualError(t, panicked, "BUG: panic: no")
	require.Contains(t, string(panicked.Stack), "queue_test.go")
	require.ErrorIs(t, q.Do(t.Context(), &job{}), wrong, "the queue goes on")
}

func TestQueue_Close(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{Instances: 1, MaxJobs: large, MaxBytes: large}, r.run)
		ended := do(q, &job{Value: "runs"}, &job{Value: "waits"})
		closed := make(chan error)
		go func() { closed <- q.Close(context.Background()) }()
		require.ErrorIs(t, <-ended[1], schedule.ErrClosed)
		require.ErrorIs(t, q.Do(t.Context(), &job{}), schedule.ErrClosed)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		require.ErrorIs(t, q.Close(ctx), context.Canceled)
		r.goOn(1)
		require.NoError(t, <-ended[0])
		require.NoError(t, <-closed)
		require.NoError(t, q.Close(t.Context()), "again")
	})
}

// TestQueue_Close_delay checks that Close does not wait for a batch that waits to become full.
func TestQueue_Close_delay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		q := schedule.New(schedule.Options{MaxRows: 8, MaxDelay: time.Hour, MaxJobs: large, MaxBytes: large}, r.run)
		ended := do(q, joinable("a", "k", 1))
		begin := time.Now()
		require.NoError(t, q.Close(t.Context()))
		require.ErrorIs(t, <-ended[0], schedule.ErrClosed)
		require.Equal(t, begin, time.Now())
	})
}

// TestQueue_hammer runs many jobs from many goroutines, of which some are cancelled, and checks
// that each job that did not fail has run once.
func TestQueue_hammer(t *testing.T) {
	var mu sync.Mutex
	ran := make(map[*job]int)
	q := schedule.New(schedule.Options{Instances: 3, MaxRows: 8, Levels: 2, MaxJobs: 16, MaxBytes: large}, func(_ context.Context, batch []*job) {
		mu.Lock()
		defer mu.Unlock()
		for _, j := range batch {
			ran[j]++
		}
	})
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 200 {
				ctx, stop := context.WithCancel(context.Background())
				j := joinable("", []string{"", "k", "l"}[n%3], 1+n%2)
				j.Level = i % 2
				if n%7 == 0 {
					go stop()
				}
				err := q.Do(ctx, j)
				mu.Lock()
				times := ran[j]
				mu.Unlock()
				if err == nil {
					assert.Equal(t, 1, times)
				} else {
					assert.Zero(t, times, err)
				}
				stop()
			}
		})
	}
	all.Wait()
	require.NoError(t, q.Close(t.Context()))
	require.Zero(t, q.Waiting())
}

func TestRoundUp(t *testing.T) {
	var rounded []int
	for rows := range 18 {
		rounded = append(rounded, schedule.RoundUp(rows, 12))
	}
	require.Equal(t, []int{0, 1, 2, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 13, 14, 15, 16, 17}, rounded)
	require.Equal(t, 16, schedule.RoundUp(9, 100))
}

func TestCache(t *testing.T) {
	c := schedule.NewCache[int](20)
	c.Put("a", 1, 4)
	c.Put("b", 2, 4)
	c.Put("c", 3, 4)
	require.Equal(t, int64(15), c.Bytes())
	_, ok := c.Get("a")
	require.True(t, ok)
	c.Put("d", 4, 10) // makes room by those that were used least recently
	var kept []string
	for _, key := range []string{"a", "b", "c", "d"} {
		if _, ok := c.Get(key); ok {
			kept = append(kept, key)
		}
	}
	require.Equal(t, []string{"a", "d"}, kept)
	c.Put("a", 5, 5)
	value, _ := c.Get("a")
	require.Equal(t, 5, value)
	require.Equal(t, int64(17), c.Bytes())
	c.Put("e", 6, 20)
	require.Equal(t, int64(17), c.Bytes(), "it is larger than the cache")
	c.Put("a", 7, 100)
	_, ok = c.Get("a")
	require.False(t, ok, "the old value is gone")
	require.Equal(t, int64(11), c.Bytes())
}
