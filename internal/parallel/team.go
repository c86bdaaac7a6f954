package parallel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// team holds the workers of a Pool and the task that they work on.
//
// claim holds in one word the number of the task, and which parts are not taken: those from next
// to end-1. The caller takes the first of them, and workers the last, so that each of two threads
// has the same half of every task, and what it reads is in its own cache if it wrote that in the
// task before. A thread takes a part by a compare-and-swap of the whole word. If the thread is
// late, the word has the number of another task or no part left. task, items and parts are only
// written while no part is being worked on, so that a thread that has taken a part can read them.
type team struct {
	claim   atomic.Uint64 // task<<32 | end<<16 | next part
	pending atomic.Int32  // parts that are not done

	task         Task
	items, parts int

	failed   sync.Mutex // guards failPart and failure
	failPart int        // the lowest part that failed
	failure  error      // its error

	busy    atomic.Bool   // a caller has acquired the team
	waiting atomic.Bool   // the caller sleeps until pending is 0
	done    chan struct{} // wakes the caller

	workers    int
	idleAtOnce bool // Options.IdleAtOnce
	// The caller that has acquired the team owns the next four fields.
	started       bool          // the workers have been started
	wakeAtOnce    bool          // the last task that began with sleeping workers was long
	unwokenWork   time.Duration // recent work for which no sleeping worker was woken
	lastUnwokenAt time.Time     // the time of the last such task

	sleepers atomic.Int32 // sleeping workers, changed under rest.L
	rest     sync.Cond    // sleeping workers wait for it
	closed   atomic.Bool
}

const (
	partBits   = 16
	partMask   = 1<<partBits - 1
	maxThreads = partMask / partsPerThread
)

func newTeam(workers int, idleAtOnce bool) *team {
	return &team{workers: workers, idleAtOnce: idleAtOnce, done: make(chan struct{}, 1), rest: sync.Cond{L: new(sync.Mutex)}}
}

// acquire makes the caller the owner of the team, who must call run. It returns false if the
// team is closed or has an owner.
func (t *team) acquire() bool {
	return !t.closed.Load() && !t.busy.Load() && t.busy.CompareAndSwap(false, true)
}

// run runs task on the caller's goroutine and the workers, and releases the team.
func (t *team) run(task Task, items, parts int) error {
	if !t.started {
		t.started = true
		for range t.workers {
			go t.work()
		}
	}
	t.task, t.items, t.parts = task, items, parts
	t.pending.Store(int32(parts))
	number := t.claim.Load()>>(2*partBits) + 1
	t.claim.Store(number<<(2*partBits) | uint64(parts)<<partBits)
	if t.sleepers.Load() > 0 {
		t.runWithSleepers(parts)
	} else {
		t.finish()
	}
	err := t.failure
	t.task, t.failure = nil, nil
	t.busy.Store(false)
	return err
}

// finish runs the parts that are not taken, and waits for those of the workers.
func (t *team) finish() {
	for t.runPart(true) {
	}
	t.wait()
}

// runWithSleepers runs a task while workers sleep. It runs the first part alone, and wakes
// workers if the task, with those before it, is long enough. If the last task that began
// with sleeping workers was long, it wakes them at once: with a few long parts, too much
// time would be lost by the time the length of the first part is known.
func (t *team) runWithSleepers(parts int) {
	start := time.Now()
	if t.wakeAtOnce {
		t.wake(parts - 1)
		t.finish()
		t.wakeAtOnce = time.Since(start)*time.Duration(min(parts, t.workers+1)) > worthWaking
		return
	}
	if start.Sub(t.lastUnwokenAt) > forgetAfter {
		t.unwokenWork = 0
	}
	t.runPart(true)
	t.lastUnwokenAt = time.Now()
	work := t.lastUnwokenAt.Sub(start) * time.Duration(parts)
	t.wakeAtOnce = work > worthWaking
	if t.unwokenWork += work; t.unwokenWork > worthWaking {
		t.unwokenWork = 0
		t.wake(parts - 1)
	}
	t.finish()
}

// runPart takes the first part that is left, or the last one, and runs it. It returns false if none was left.
func (t *team) runPart(first bool) bool {
	for {
		claim := t.claim.Load()
		i, end := int(claim&partMask), int(claim>>partBits&partMask)
		if i >= end {
			return false
		}
		left := claim + 1
		if !first {
			i, left = end-1, claim-1<<partBits
		}
		if !t.claim.CompareAndSwap(claim, left) {
			continue
		}
		if err := do(t.task, Share(t.items, t.parts, i), Share(t.items, t.parts, i+1)); err != nil {
			t.fail(i, err)
		}
		if t.pending.Add(-1) == 0 && t.waiting.CompareAndSwap(true, false) {
			t.done <- struct{}{}
		}
		return true
	}
}

// Share returns the first item of part i if n items are split into a number of parts. The
// first n%parts parts have one item more than the other parts. Share(n, parts, parts) is n. It is
// not inlined: its two divisions take longer than a call.
//
//go:noinline
func Share(n, parts, i int) int { return n/parts*i + min(i, n%parts) }

// fail records the error of a part. It keeps the error of the lowest part.
func (t *team) fail(part int, err error) {
	t.failed.Lock()
	defer t.failed.Unlock()
	if t.failure == nil || part < t.failPart {
		t.failPart, t.failure = part, err
	}
}

// wait returns when all parts are done. The workers' last parts usually end soon after the
// caller's last part, so that wait rarely sleeps.
func (t *team) wait() {
	if t.pending.Load() == 0 {
		return
	}
	if !t.idleAtOnce && spin(func() bool { return t.pending.Load() == 0 }) {
		return
	}
	for t.pending.Load() != 0 {
		// A Swap, since qemu 7.2 lets the load of pending pass a Store on arm64, and the last
		// worker would not wake the caller.
		t.waiting.Swap(true)
		if t.pending.Load() == 0 && t.waiting.CompareAndSwap(true, false) {
			return
		}
		<-t.done
	}
}

// wake wakes up to n sleeping workers.
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

// work is the loop of a worker. It runs parts, spins while there is none, and sleeps if none
// comes for some time. With idleAtOnce it does not spin.
func (t *team) work() {
	// A fault in memory that is mapped from a file becomes a panic, which do returns as
	// an error.
	debug.SetPanicOnFault(true)
	for !t.closed.Load() {
		// The next kernel of a model usually follows soon, and waking a thread takes longer
		// than a small kernel.
		if t.runPart(false) || !t.idleAtOnce && spin(t.ready) {
			continue
		}
		t.rest.L.Lock()
		t.sleepers.Add(1)
		if !t.ready() {
			// This needs no loop: if the task is done when the worker wakes, the worker
			// spins for the next one, or sleeps again.
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

// close stops the workers.
func (t *team) close() {
	t.closed.Store(true)
	t.rest.L.Lock()
	t.rest.Broadcast()
	t.rest.L.Unlock()
}

const (
	// spinLoads is the number of checks of a condition before spin lets other goroutines
	// run.
	spinLoads = 64
	// yieldAfter is the time after which spin also lets other processes run. On a busy
	// machine they keep the processor for milliseconds, so yieldAfter is longer than the
	// usual time between two kernels of a model.
	yieldAfter = 30 * time.Microsecond
	// spinFor is the longest time of a spin: a few times the time to wake a thread whose
	// processor is idle.
	spinFor = 200 * time.Microsecond
	// worthWaking is the work for which sleeping workers are woken. Waking takes the caller
	// some microseconds and the worker some tens. It can be the sum of several tasks.
	worthWaking = 50 * time.Microsecond
	// forgetAfter is the longest time between tasks whose work is added up.
	forgetAfter = time.Millisecond
)

// spin waits without sleeping until cond returns true, at most for about spinFor. It reports
// whether cond returned true.
func spin(cond func() bool) bool {
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
		if waited >= yieldAfter {
			yield()
		}
	}
}
