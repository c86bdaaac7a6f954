package parallel

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/subnormal"
)

// TestFor_stress runs tasks of all kinds on 1 to 32 threads and as many or fewer processors,
// several callers at once.
func TestFor_stress(t *testing.T) {
	for _, processors := range []int{1, 2, 5, 32} {
		useProcessors(t, processors)
		for _, threads := range []int{1, 2, 3, 8, 32} {
			p := NewWith(Options{Threads: threads, IdleAtOnce: threads == 3})
			var wg sync.WaitGroup
			for caller := range 3 {
				wg.Go(func() {
					for i := range 60 {
						assert.NoError(t, stress(p, 1+(caller*7+i*13)%130, i))
					}
				})
			}
			wg.Wait()
			p.Close()
		}
	}
}

// stress runs a task of n items, in which a part fails or panics now and then, and checks what For
// returns and that each item was processed once.
func stress(p *Pool, n, i int) error {
	c := &count{seen: make([]atomic.Int32, n)}
	want := ""
	switch i % 5 {
	case 1:
		want = "last"
		c.fail = func(_, hi int) error {
			if hi == n {
				return fmt.Errorf("last")
			}
			return nil
		}
	case 2:
		want = "BUG: panic in a kernel: first"
		c.fail = func(lo, _ int) error {
			if lo == 0 {
				panic("first")
			}
			return nil
		}
	case 3:
		inner := New(2)
		defer inner.Close()
		c.fail = func(int, int) error { // a pool that is busy, and one that is another
			for _, nested := range []*Pool{p, inner} {
				if err := nested.For(9, 1, &count{seen: make([]atomic.Int32, 9)}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	err := p.For(n, 1, c)
	for k := range c.seen {
		if times := c.seen[k].Load(); times != 1 {
			return fmt.Errorf("item %d of %d was worked on %d times", k, n, times)
		}
	}
	switch {
	case want == "":
		return err
	case err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want:
		return fmt.Errorf("error %v, not %s", err, want)
	}
	return nil
}

// TestFor_manyPools runs tasks on many pools at once.
func TestFor_manyPools(t *testing.T) {
	useProcessors(t, 4)
	var wg sync.WaitGroup
	for caller := range 8 {
		wg.Go(func() {
			p := New(2 + caller)
			defer p.Close()
			for i := range 100 {
				assert.NoError(t, stress(p, 1+(caller+i*17)%90, i))
			}
		})
	}
	wg.Wait()
}

// TestFor_samePart checks that a thread has the same part of each task, as long as no other thread
// takes it, and the caller has the first.
func TestFor_samePart(t *testing.T) {
	team := newTeam(3, false)
	for number := uint32(1); number < 5; number++ {
		a := announce(number, 3, 12)
		for i := range 3 {
			for k := range 4 {
				part, ok := team.slots[i].take(a, i, true)
				assert.True(t, ok)
				assert.Equal(t, 4*i+k, part)
			}
			_, ok := team.slots[i].take(a, i, true)
			assert.False(t, ok)
		}
	}
}

func TestSlot_take(t *testing.T) {
	var s slot
	a := announce(7, 2, 7)
	for _, want := range []struct {
		first bool
		part  int
	}{{true, 4}, {false, 6}, {true, 5}} {
		part, ok := s.take(a, 1, want.first)
		assert.True(t, ok)
		assert.Equal(t, want.part, part)
	}
	_, ok := s.take(a, 1, true)
	assert.False(t, ok)
	_, ok = s.take(announce(6, 2, 7), 1, true)
	assert.False(t, ok, "a task that is over")
	_, ok = s.take(announce(8, 4, 2), 2, true)
	assert.False(t, ok, "a thread without a share")
	_, ok = s.take(announce(8, 4, 3), 2, true)
	assert.True(t, ok)
}

// TestFor_numbersWrap runs tasks whose numbers wrap around, on slots that no task has used for
// long.
func TestFor_numbersWrap(t *testing.T) {
	useProcessors(t, 4)
	p := New(4)
	defer p.Close()
	require.NoError(t, stress(p, 100, 0))
	for _, number := range []uint32{1<<31 - 3, 1<<32 - 3, 1<<31 - 2} {
		p.team.number, p.team.refit = number, true
		for i := range 8 {
			require.NoError(t, stress(p, 1+i%3*40, 0))
		}
	}
	before := p.team.number
	for range 2*refitEvery + 9 { // slots 2 and 3 have no share
		require.NoError(t, p.For(2, 1, two{}))
	}
	assert.Equal(t, before+2*refitEvery+9, p.team.number)
	for i := range p.team.slots {
		age := p.team.number - uint32(p.team.slots[i].claim.Load()>>numberAt)
		assert.LessOrEqual(t, age, uint32(refitEvery))
	}
}

// two is a task that does nothing.
type two struct{}

func (two) Do(_, lo, hi int) error { return nil }

// TestFor_processors checks that no more threads work than there are processors, also when their
// number changes, and that the parts remain the same.
func TestFor_processors(t *testing.T) {
	useProcessors(t, 6)
	p := New(6)
	defer p.Close()
	for _, processors := range []int{6, 2, 1, 4, 6} {
		runtime.GOMAXPROCS(processors)
		p.team.refit = true
		parts, working, most := 0, 0, 0
		var mu sync.Mutex
		c := &count{seen: make([]atomic.Int32, 240), fail: func(lo, hi int) error {
			mu.Lock()
			parts, working = parts+1, working+1
			most = max(most, working)
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			working--
			mu.Unlock()
			return nil
		}}
		for range 20 {
			require.NoError(t, p.For(240, 1, c))
		}
		assert.Equal(t, 20*24, parts)
		assert.LessOrEqual(t, most, processors)
		eventually(t, func() bool { return p.team.sleepers.Load() == int32(processors-1) })
	}
}

// TestFor_flushes checks that all threads flush subnormal numbers if the caller does, also after a
// panic, and that their goroutines do not later.
func TestFor_flushes(t *testing.T) {
	useProcessors(t, 4)
	p := New(4)
	defer p.Close()
	for i := range 40 {
		flush, wrong := i%2 == 1 && subnormal.Supported, atomic.Int32{}
		c := &count{seen: make([]atomic.Int32, 64), fail: func(int, int) error {
			if subnormal.Flushes() != flush {
				wrong.Add(1)
			}
			if i%3 == 0 {
				panic("a kernel fails")
			}
			return nil
		}}
		func() {
			if flush {
				defer subnormal.Flush().Restore()
			}
			_ = p.For(64, 1, c)
		}()
		c.check(t)
		assert.Zero(t, wrong.Load(), "parts in the wrong mode")
		assert.False(t, subnormal.Flushes())
	}
}
