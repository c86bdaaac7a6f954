package parallel

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// count is a task that counts how often each item is processed. fail, if not nil, returns the
// error of a part.
type count struct {
	seen []atomic.Int32
	fail func(lo, hi int) error
}

func (c *count) Do(_, lo, hi int) error {
	for i := lo; i < hi; i++ {
		c.seen[i].Add(1)
	}
	if c.fail != nil {
		return c.fail(lo, hi)
	}
	return nil
}

// check fails unless each item was processed once.
func (c *count) check(t *testing.T) {
	t.Helper()
	for i := range c.seen {
		if n := c.seen[i].Load(); n != 1 {
			t.Fatalf("item %d of %d was worked on %d times", i, len(c.seen), n)
		}
	}
}

func TestFor_eachItemOnce(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 3, 8} {
		p := New(threads)
		for _, n := range []int{0, 1, 2, 3, 7, 100, 1001} {
			for _, grain := range []int{0, 1, 3, 1000} {
				c := &count{seen: make([]atomic.Int32, n)}
				require.NoError(t, p.For(n, grain, c))
				c.check(t)
			}
		}
		p.Close()
	}
	require.NoError(t, (*Pool)(nil).For(5, 1, &count{seen: make([]atomic.Int32, 5)}))
	assert.Equal(t, 1, (*Pool)(nil).Threads())
}

func TestFor_smallestPart(t *testing.T) {
	p := New(4)
	defer p.Close()
	smallest := atomic.Int64{}
	smallest.Store(1000)
	c := &count{seen: make([]atomic.Int32, 1000), fail: func(lo, hi int) error {
		for {
			old := smallest.Load()
			if int64(hi-lo) >= old || smallest.CompareAndSwap(old, int64(hi-lo)) {
				return nil
			}
		}
	}}
	require.NoError(t, p.For(1000, 300, c))
	c.check(t)
	assert.GreaterOrEqual(t, smallest.Load(), int64(300))
	assert.Less(t, smallest.Load(), int64(1000))
}

func TestFor_errorOfLowestPart(t *testing.T) {
	p := New(3)
	defer p.Close()
	for range 200 {
		c := &count{seen: make([]atomic.Int32, 100), fail: func(lo, hi int) error {
			if hi > 40 {
				return fmt.Errorf("lo %d", lo)
			}
			return nil
		}}
		err := p.For(100, 1, c)
		require.EqualError(t, err, "lo 36") // the part 36..43 holds item 40
		c.check(t)
	}
	require.NoError(t, p.For(100, 1, &count{seen: make([]atomic.Int32, 100)}), "the error is not kept")
}

func TestFor_panic(t *testing.T) {
	p := New(2)
	defer p.Close()
	for _, n := range []int{1, 100} {
		err := p.For(n, 1, &count{seen: make([]atomic.Int32, n), fail: func(lo, hi int) error {
			if hi == n {
				panic("boom")
			}
			return nil
		}})
		require.ErrorContains(t, err, "BUG: panic in a kernel: boom")
	}
}

func TestFor_concurrent(t *testing.T) {
	for _, idle := range []bool{false, true} {
		testConcurrent(t, NewWith(Options{Threads: 4, IdleAtOnce: idle}))
	}
}

func testConcurrent(t *testing.T, p *Pool) {
	t.Helper()
	defer p.Close()
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 300 {
				c := &count{seen: make([]atomic.Int32, 1+(g*31+i)%97)}
				if err := p.For(len(c.seen), 1, c); err != nil {
					t.Error(err)
				}
				for k := range c.seen {
					if c.seen[k].Load() != 1 {
						t.Errorf("item %d was worked on %d times", k, c.seen[k].Load())
					}
				}
			}
		})
	}
	wg.Wait()
}

// useProcessors lets a test use n processors, which may be more than there are: a pool has no more
// threads at once.
func useProcessors(t *testing.T, n int) {
	t.Helper()
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	if runtime.GOMAXPROCS(0) < n {
		t.Skip("there is one thread")
	}
}

// TestFor_threads blocks each part until all threads have one.
func TestFor_threads(t *testing.T) {
	const threads = 4
	useProcessors(t, threads)
	p := New(threads)
	defer p.Close()
	var at sync.WaitGroup
	at.Add(threads)
	var n atomic.Int32
	err := p.For(threads, 1, &count{seen: make([]atomic.Int32, threads), fail: func(int, int) error {
		n.Add(1)
		at.Done()
		at.Wait()
		return nil
	}})
	require.NoError(t, err)
	assert.Equal(t, int32(threads), n.Load())
}

// eventually waits for cond. It starts no goroutine, because some tests count goroutines.
func eventually(t *testing.T, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the condition did not come true")
		}
	}
}

// goroutines returns the number of goroutines, when those of the tests before have ended.
func goroutines() int {
	for n := -1; ; time.Sleep(5 * time.Millisecond) {
		before := n
		if n = runtime.NumGoroutine(); n == before {
			return n
		}
	}
}

func TestWorkers_sleepAndWake(t *testing.T) {
	useProcessors(t, 3)
	for _, idle := range []bool{false, true} {
		p := NewWith(Options{Threads: 3, IdleAtOnce: idle})
		defer p.Close()
		for range 5 {
			c := &count{seen: make([]atomic.Int32, 64)}
			require.NoError(t, p.For(64, 1, c))
			c.check(t)
			eventually(t, func() bool { return p.team.sleepers.Load() == 2 })
		}
	}
}

func TestClose_stopsWorkers(t *testing.T) {
	useProcessors(t, 5)
	before := goroutines()
	p := New(5)
	require.NoError(t, p.For(64, 1, &count{seen: make([]atomic.Int32, 64)}))
	assert.Greater(t, runtime.NumGoroutine(), before)
	p.Close()
	p.Close()
	eventually(t, func() bool { return runtime.NumGoroutine() <= before })
	c := &count{seen: make([]atomic.Int32, 64)}
	require.NoError(t, p.For(64, 1, c), "a closed pool works on the caller's goroutine")
	c.check(t)
}

func TestPool_garbageStopsWorkers(t *testing.T) {
	useProcessors(t, 5)
	before := goroutines()
	func() {
		p := New(5)
		require.NoError(t, p.For(64, 1, &count{seen: make([]atomic.Int32, 64)}))
	}()
	eventually(t, func() bool {
		runtime.GC()
		return runtime.NumGoroutine() <= before
	})
}

// work is a task on floats.
type work struct{ n, into []float32 }

func (w *work) Do(_, lo, hi int) error {
	for i := lo; i < hi; i++ {
		w.into[i] = w.n[i]*1.5 + 1
	}
	return nil
}

func TestFor_allocations(t *testing.T) {
	w := &work{make([]float32, 4096), make([]float32, 4096)}
	for _, threads := range []int{1, 2, 4} {
		p := New(threads)
		var err error
		assert.Zero(t, testing.AllocsPerRun(100, func() { err = errors.Join(err, p.For(4096, 64, w)) }))
		assert.NoError(t, err)
		p.Close()
	}
}

// BenchmarkFor_trivial measures fork and join of a task that does almost nothing: the mean time of
// a hundred tasks, the shortest of all such means, as other programs have the processors too. More
// threads than processors must not take much longer than as many.
func BenchmarkFor_trivial(b *testing.B) {
	w := &work{make([]float32, 256), make([]float32, 256)}
	for _, threads := range []int{2, 4, 8, 16} {
		p := New(threads)
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			const tasks = 100
			shortest := time.Hour
			for b.Loop() {
				start := time.Now()
				for range tasks {
					if err := p.For(len(w.n), 1, w); err != nil {
						b.Fatal(err)
					}
				}
				shortest = min(shortest, time.Since(start))
			}
			b.ReportMetric(float64(shortest.Nanoseconds())/tasks, "ns/For")
		})
		p.Close()
	}
}

// BenchmarkFor measures a call on the caller's goroutine alone, with spinning workers, and
// with workers that sleep after a pause.
func BenchmarkFor(b *testing.B) {
	for _, n := range []int{1, 64, 4096, 65536} {
		w := &work{make([]float32, n), make([]float32, n)}
		for _, threads := range []int{1, 2} {
			for _, pause := range []time.Duration{0, 200 * time.Microsecond} {
				if pause > 0 && threads == 1 {
					continue
				}
				p := New(threads)
				b.Run(fmt.Sprintf("items=%d/threads=%d/pause=%v", n, threads, pause), func(b *testing.B) {
					var busy time.Duration
					for b.Loop() {
						for start := time.Now(); time.Since(start) < pause; {
						}
						start := time.Now()
						if err := p.For(n, 1, w); err != nil {
							b.Fatal(err)
						}
						busy += time.Since(start)
					}
					b.ReportMetric(float64(busy.Nanoseconds())/float64(b.N), "ns/For")
				})
				p.Close()
			}
		}
	}
}

// meeting is a task whose parts wait for each other.
type meeting struct {
	there atomic.Int32
	alone atomic.Bool // a part gave up waiting
}

func (m *meeting) Do(_, lo, hi int) error {
	m.there.Add(1)
	for range 60_000 { // a minute
		if m.there.Load() == 2 {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	m.alone.Store(true)
	return nil
}

// nap is a task whose parts are long.
type nap struct{}

func (nap) Do(_, lo, hi int) error {
	time.Sleep(2 * time.Millisecond)
	return nil
}

// TestFor_fewLongParts runs tasks of two parts on two threads while the worker sleeps. After
// a long task, the worker is woken at once, and no thread runs both parts.
func TestFor_fewLongParts(t *testing.T) {
	useProcessors(t, 2)
	p := New(2)
	defer p.Close()
	rest := func() {
		for p.team.sleepers.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	require.NoError(t, p.For(2, 1, nap{})) // starts the worker
	rest()
	require.NoError(t, p.For(2, 1, nap{}))
	for range 3 {
		rest()
		m := &meeting{}
		require.NoError(t, p.For(2, 1, m))
		assert.False(t, m.alone.Load(), "one thread did both parts")
	}
}

func TestShare(t *testing.T) {
	for n := range 20 {
		for parts := 1; parts < 9; parts++ {
			assert.Equal(t, 0, Share(n, parts, 0))
			assert.Equal(t, n, Share(n, parts, parts))
			for i := range parts {
				length := Share(n, parts, i+1) - Share(n, parts, i)
				assert.True(t, length == n/parts || length == n/parts+1, "%d of part %d of %d of %d", length, i, parts, n)
			}
		}
	}
	assert.Equal(t, math.MaxInt/3*2, Share(math.MaxInt/3*3, 3, 2))
}

// TestMeter_staysStopped checks that all calls after the one that reports a stop report it too.
func TestMeter_staysStopped(t *testing.T) {
	stop := make(chan struct{})
	meter := Stop(stop).Meter()
	assert.False(t, meter.Spent(10*meterWork))
	close(stop)
	for !meter.Spent(meterWork / 4) {
	}
	for range 10 {
		assert.True(t, meter.Spent(1))
	}
}
