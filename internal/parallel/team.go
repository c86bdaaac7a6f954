package parallel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// team is the goroutines of a Pool and the one task that they work on.
//
// claim holds, in one word, the number of the task, its number of parts and the
// next part that nobody has taken. A thread takes a part by compare-and-swap of
// the whole word: one that is late finds another task's number or no part left.
// The fields below it are written only while no part is out, so that whoever has
// taken a part may read them.
type team struct {
	claim   atomic.Uint64 // task<<32 | parts<<16 | next part
	pending atomic.Int32  // parts that are not done

	task  Task
	items int

	failed   sync.Mutex // guards the two below
	failPart int
	failure  error

	busy    atomic.Bool // a caller has the team
	waiting atomic.Bool // the caller sleeps until pending is 0
	done    chan struct{}

	workers   int
	started   bool // this and the three below are owned by the caller that has the team
	long      bool // the last task that found workers at rest was worth waking them
	alone     time.Duration
	lastAlone time.Time
	sleepers  atomic.Int32 // workers at rest, changed under rest.L
	rest      sync.Cond
	closed    atomic.Bool
}

const (
	partBits   = 16
	partMask   = 1<<partBits - 1
	maxThreads = partMask / partsPerThread
)

func newTeam(workers int) *team {
	return &team{workers: workers, done: make(chan struct{}, 1), rest: sync.Cond{L: new(sync.Mutex)}}
}

// acquire makes the caller the only one that may call run.
func (t *team) acquire() bool {
	return !t.closed.Load() && !t.busy.Load() && t.busy.CompareAndSwap(false, true)
}

// run works on task with the workers, and gives the team back.
func (t *team) run(task Task, items, parts int) error {
	if !t.started {
		t.started = true
		for range t.workers {
			go t.work()
		}
	}
	t.task, t.items = task, items
	t.pending.Store(int32(parts))
	number := t.claim.Load()>>(2*partBits) + 1
	t.claim.Store(number<<(2*partBits) | uint64(parts)<<partBits)
	if t.sleepers.Load() > 0 {
		t.startWithout(parts)
	} else {
		t.finish()
	}
	err := t.failure
	t.task, t.failure = nil, nil
	t.busy.Store(false)
	return err
}

// finish works on the parts that are left, and waits for those of the workers.
func (t *team) finish() {
	for t.part() {
	}
	t.await()
}

// startWithout works on a task while workers rest. Where the last such task was a
// long one, it wakes them at once: a task of few long parts is over before anybody
// could tell how long they are.
func (t *team) startWithout(parts int) {
	start := time.Now()
	if t.long {
		t.wake(parts - 1)
		t.finish()
		t.long = time.Since(start)*time.Duration(min(parts, t.workers+1)) > worthWaking
		return
	}
	if start.Sub(t.lastAlone) > forgetAlone {
		t.alone = 0
	}
	t.part()
	t.lastAlone = time.Now()
	work := t.lastAlone.Sub(start) * time.Duration(parts)
	t.long = work > worthWaking
	if t.alone += work; t.alone > worthWaking {
		t.alone = 0
		t.wake(parts - 1)
	}
	t.finish()
}

// part takes a part and works on it; false if there was none to take.
func (t *team) part() bool {
	for {
		claim := t.claim.Load()
		i, parts := int(claim&partMask), int(claim>>partBits&partMask)
		if i >= parts {
			return false
		}
		if !t.claim.CompareAndSwap(claim, claim+1) {
			continue
		}
		if err := do(t.task, Share(t.items, parts, i), Share(t.items, parts, i+1)); err != nil {
			t.fail(i, err)
		}
		if t.pending.Add(-1) == 0 && t.waiting.CompareAndSwap(true, false) {
			t.done <- struct{}{}
		}
		return true
	}
}

// Share returns where part i of n items starts, which are cut into parts of equal lengths,
// but that the first ones may have one more.
func Share(n, parts, i int) int { return n/parts*i + min(i, n%parts) }

// fail keeps the error of the lowest part.
func (t *team) fail(part int, err error) {
	t.failed.Lock()
	defer t.failed.Unlock()
	if t.failure == nil || part < t.failPart {
		t.failPart, t.failure = part, err
	}
}

// await returns when every part is done. The parts that others still work on are
// about as long as the caller's last one: mostly it need not sleep.
func (t *team) await() {
	if t.pending.Load() == 0 {
		return
	}
	if look(func() bool { return t.pending.Load() == 0 }) {
		return
	}
	for t.pending.Load() != 0 {
		t.waiting.Store(true)
		if t.pending.Load() == 0 && t.waiting.CompareAndSwap(true, false) {
			return
		}
		<-t.done
	}
}

// wake gets up to n workers out of their rest.
func (t *team) wake(n int) {
	t.rest.L.Lock()
	if n >= t.workers {
		t.rest.Broadcast()
	} else {
		for range n {
			t.rest.Signal()
		}
	}
	t.rest.L.Unlock()
}

// work is a worker's life: it looks out for parts for a while, then rests.
func (t *team) work() {
	// A fault in memory that is mapped from a file becomes a panic, which part
	// hands back as an error.
	debug.SetPanicOnFault(true)
	for !t.closed.Load() {
		// The next kernel of a model mostly follows soon, and waking a thread takes
		// longer than a small one.
		if t.part() || look(t.ready) {
			continue
		}
		t.rest.L.Lock()
		t.sleepers.Add(1)
		if !t.ready() {
			// Whoever wakes a worker has more to do: if this task is over before
			// the worker is there, it looks out for the next.
			t.rest.Wait()
		}
		t.sleepers.Add(-1)
		t.rest.L.Unlock()
	}
}

// ready reports whether there is a part to take, or the team is closed.
func (t *team) ready() bool {
	claim := t.claim.Load()
	return claim&partMask < claim>>partBits&partMask || t.closed.Load()
}

// close ends the workers.
func (t *team) close() {
	t.closed.Store(true)
	t.rest.L.Lock()
	t.rest.Broadcast()
	t.rest.L.Unlock()
}

const (
	// spinLoads is the number of looks between two offers of the processor to
	// other goroutines.
	spinLoads = 64
	// keepFor is how long a thread looks before it offers the processor to other
	// processes too, which get it for milliseconds where they are many: longer than
	// what lies between two kernels of a model.
	keepFor = 30 * time.Microsecond
	// spinFor is how long a thread looks before it rests: a few times what it takes
	// to wake a thread whose processor has gone idle.
	spinFor = 200 * time.Microsecond
	// worthWaking is the work for which resting workers are woken, in one task or in
	// several that follow each other: it takes the caller some microseconds and the
	// worker some tens. Tasks further apart than forgetAlone do not add up.
	worthWaking = 50 * time.Microsecond
	forgetAlone = time.Millisecond
)

// look waits for cond without resting, and reports whether it came true.
func look(cond func() bool) bool {
	for start := time.Now(); ; {
		for range spinLoads {
			if cond() {
				return true
			}
		}
		waited := time.Since(start)
		if waited >= spinFor {
			return false
		}
		runtime.Gosched()
		if waited >= keepFor {
			yield()
		}
	}
}
