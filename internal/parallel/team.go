package parallel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vinoir/vinoir/internal/subnormal"
)

// team holds the workers of a Pool and the task that they work on.
//
// One word announces a task; the workers wait for it to change. Each thread has a share of the
// parts, and takes them from a slot of its own, then those that are left in others. The shares are
// in the order of the threads, and the caller's is the first: a thread has the same part of every
// task, and what it reads is in its own cache if it wrote that in the task before. Each thread
// counts the parts that it has done, and the caller waits for the sum, so that it does not wait for
// a thread that has no part. The task's fields are only written while no part is being worked on,
// so that a thread that has taken a part can read them.
type team struct {
	announced atomic.Uint64 // an announcement
	task      Task
	size      int  // the least number of items of a part
	larger    int  // the first parts, which have one item more
	flushes   bool // the caller's thread flushes subnormal numbers
	measures  bool // the times of the threads are wanted
	_         [lineBytes - 48]byte

	slots []slot // the caller's, then those of the workers

	failed   sync.Mutex // guards failPart and failure
	failPart int        // the lowest part that failed
	failure  error      // its error

	waiting atomic.Bool   // the caller sleeps until all parts are done
	done    chan struct{} // wakes the caller

	idleAtOnce bool // Options.IdleAtOnce
	closed     atomic.Bool

	sleepers  atomic.Int32 // workers that wait for rest, changed under mu
	mu        sync.Mutex
	rest      sync.Cond // workers without a task wait for it
	dismissed sync.Cond // workers that are more than processors wait for it

	_    [lineBytes]byte
	busy atomic.Bool // a caller has acquired the team
	// The caller that has acquired the team owns the other fields.
	threads       int             // the caller and the workers that take parts
	started       int             // workers that have been started
	refit         bool            // the next run calls fit
	number        uint32          // of the last task
	handed        uint32          // parts of all tasks that the workers have done, modulo 1<<32
	wakeAtOnce    bool            // the last task that began with sleeping workers was long
	unwokenWork   time.Duration   // recent work for which no sleeping worker was woken
	lastUnwokenAt time.Time       // the time of the last such task
	worked        []time.Duration // of each thread in a task that is measured
}

func newTeam(threads int, idleAtOnce bool) *team {
	t := &team{slots: make([]slot, threads), idleAtOnce: idleAtOnce, done: make(chan struct{}, 1), refit: true}
	t.rest.L, t.dismissed.L = &t.mu, &t.mu
	return t
}

// acquire makes the caller the owner of the team, who must call run. It returns false if the
// team is closed or has an owner.
func (t *team) acquire() bool {
	return !t.closed.Load() && !t.busy.Load() && t.busy.CompareAndSwap(false, true)
}

// refitEvery is the number of tasks after which run calls fit.
const refitEvery = 1 << 16

// run runs task on the caller's goroutine and the workers, adds its division to d, if that is not
// nil, and releases the team.
func (t *team) run(task Task, items, parts int, d *Division) error {
	t.number++
	if t.refit || t.number%refitEvery == 0 {
		t.refit = false
		t.fit()
	}
	t.task, t.size, t.larger, t.flushes, t.measures = task, items/parts, items%parts, subnormal.Flushes(), d != nil
	a := announce(t.number, t.threads, parts)
	// A Swap, as qemu 7.2 lets a load pass a Store on arm64.
	t.announced.Swap(uint64(a))
	left := parts
	if t.sleepers.Load() > 0 {
		left -= t.runWithSleepers(a)
	} else {
		left -= t.takeAll(a)
	}
	t.handed += uint32(left)
	t.wait()
	if d != nil {
		t.measure(d)
	}
	err := t.failure
	t.task, t.failure = nil, nil
	t.busy.Store(false)
	return err
}

// measure adds the times that the threads worked on a task to d.
func (t *team) measure(d *Division) {
	if t.worked == nil {
		t.worked = make([]time.Duration, len(t.slots))
	}
	for i := range t.worked {
		t.worked[i] = time.Duration(t.slots[i].worked.Swap(0))
	}
	d.add(t.worked)
}

// fit makes the threads as many as GOMAXPROCS allows, which considers the affinity of the process
// and the quota of its cgroup. More of them would take the processor from each other. It also keeps
// the slots from getting too old.
func (t *team) fit() {
	for i := range t.slots {
		t.slots[i].age(t.number)
	}
	threads := min(len(t.slots), runtime.GOMAXPROCS(0))
	if threads == t.threads {
		return
	}
	more := threads > t.threads
	t.threads = threads
	if !more {
		return // the next announcement dismisses workers
	}
	t.mu.Lock()
	t.announced.Store(uint64(announce(t.number-1, threads, 0)))
	t.dismissed.Broadcast()
	t.mu.Unlock()
	for ; t.started < threads-1; t.started++ {
		go t.work(t.started + 1)
	}
}

// runWithSleepers runs a task while workers sleep. It runs the first part alone, and wakes workers
// if the task, with those before it, is long enough. If the last task that began with sleeping
// workers was long, it wakes them at once: with a few long parts, too much time would be lost by
// the time the length of the first part is known. It returns how many parts the caller has done.
func (t *team) runWithSleepers(a announcement) (parts int) {
	start := time.Now()
	if t.wakeAtOnce {
		t.wake(a.parts() - 1)
		parts = t.takeAll(a)
		t.wakeAtOnce = time.Since(start)*time.Duration(min(a.parts(), t.threads)) > worthWaking
		return parts
	}
	if start.Sub(t.lastUnwokenAt) > forgetAfter {
		t.unwokenWork = 0
	}
	if part, ok := t.slots[0].take(a, 0, true); ok {
		t.runPart(a, 0, part)
		parts = 1
	}
	t.lastUnwokenAt = time.Now()
	work := t.lastUnwokenAt.Sub(start) * time.Duration(a.parts())
	t.wakeAtOnce = work > worthWaking
	if t.unwokenWork += work; t.unwokenWork > worthWaking {
		t.unwokenWork = 0
		t.wake(a.parts() - 1)
	}
	return parts + t.takeAll(a)
}

// takeAll runs parts on the caller's goroutine until none is left, and returns how many.
func (t *team) takeAll(a announcement) (parts int) {
	for i := range a.threads() {
		for part, ok := t.slots[i].take(a, i, i == 0); ok; part, ok = t.slots[i].take(a, i, i == 0) {
			t.runPart(a, 0, part)
			parts++
		}
	}
	return parts
}

// join runs parts on a worker until none is left. Like the caller, it flushes subnormal numbers or
// does not, so that results do not depend on which thread computes what.
func (t *team) join(me int, a announcement) {
	threads := a.threads()
	var mode subnormal.Mode
	flushes := false
	for i := range threads {
		of := (me + i) % threads
		parts := uint32(0)
		for part, ok := t.slots[of].take(a, of, i == 0); ok; part, ok = t.slots[of].take(a, of, i == 0) {
			if t.flushes && !flushes {
				mode, flushes = subnormal.Flush(), true
			}
			t.runPart(a, me, part)
			parts++
		}
		if parts > 0 {
			t.count(me, parts)
		} else if i == 0 {
			// The thread is late or has no share. Those that have one take it soon, unless they
			// sleep.
			pause(lateness)
		}
	}
	mode.Restore()
}

// lateness is the number of pauses before a worker without a share takes parts of others.
const lateness = 16

// runPart runs a part that a thread has taken. The worker is the thread or, if there are no more
// parts than threads, the part: so there are never more workers than parts.
func (t *team) runPart(a announcement, thread, part int) {
	worker := thread
	if a.parts() <= a.threads() {
		worker = part
	}
	var start time.Time
	if t.measures {
		start = time.Now()
	}
	// as Share, without divisions
	lo, hi := part*t.size+min(part, t.larger), (part+1)*t.size+min(part+1, t.larger)
	if err := do(t.task, worker, lo, hi); err != nil {
		t.fail(part, err)
	}
	if t.measures {
		t.slots[thread].worked.Add(int64(max(time.Since(start), 1)))
	}
}

// fail records the error of a part. It keeps the error of the lowest part.
func (t *team) fail(part int, err error) {
	t.failed.Lock()
	defer t.failed.Unlock()
	if t.failure == nil || part < t.failPart {
		t.failPart, t.failure = part, err
	}
}

// count counts parts that a worker has done, and wakes the caller if it sleeps, to look whether
// they were the last.
func (t *team) count(me int, parts uint32) {
	t.slots[me].done.Add(parts)
	if t.waiting.Load() && t.waiting.CompareAndSwap(true, false) {
		select {
		case t.done <- struct{}{}:
		default: // the caller is being woken
		}
	}
}

// finished reports whether the workers have done all parts that they took.
func (t *team) finished() bool {
	left := t.handed
	for i := 1; i <= t.started; i++ {
		left -= t.slots[i].done.Load()
	}
	return left == 0
}

// wait returns when all parts are done. The workers' last parts usually end soon after the
// caller's last part, so that wait rarely sleeps.
func (t *team) wait() {
	if t.finished() || !t.idleAtOnce && spin(t.finished, t.flushes) {
		return
	}
	for {
		// A Swap, as in run: a worker counts before it loads waiting.
		t.waiting.Swap(true)
		if t.finished() {
			t.waiting.Store(false)
			return
		}
		<-t.done // it may be left from an earlier task
	}
}

// wake wakes up to n sleeping workers.
func (t *team) wake(n int) {
	t.refit = true
	t.mu.Lock()
	if n >= t.threads-1 {
		t.rest.Broadcast()
	} else {
		for range n {
			t.rest.Signal()
		}
	}
	t.mu.Unlock()
}

// work is the loop of a worker. It runs parts, spins while there is none, and sleeps if none
// comes for some time. With idleAtOnce it does not spin.
func (t *team) work(me int) {
	// A fault in memory that is mapped from a file becomes a panic, which do returns as
	// an error.
	debug.SetPanicOnFault(true)
	last := announcement(0)
	isNew := func() bool { return announcement(t.announced.Load()) != last }
	for !t.closed.Load() {
		if isNew() {
			last = announcement(t.announced.Load())
			if me < last.threads() {
				t.join(me, last)
				continue
			}
		} else if me < last.threads() && !t.idleAtOnce && spin(isNew, false) {
			// The next kernel of a model usually follows soon, and waking a thread takes longer
			// than a small kernel.
			continue
		}
		t.sleep(me, isNew)
	}
}

// sleep lets a worker sleep until there is a new task or the team is closed. A worker that is more
// than the threads of the last task sleeps until there are more threads.
func (t *team) sleep(me int, isNew func() bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if me >= announcement(t.announced.Load()).threads() {
		if !t.closed.Load() {
			t.dismissed.Wait()
		}
		return
	}
	t.sleepers.Add(1)
	if !isNew() && !t.closed.Load() {
		// This needs no loop: if the task is over when the worker wakes, the worker
		// spins for the next one, or sleeps again.
		t.rest.Wait()
	}
	t.sleepers.Add(-1)
}

// close stops the workers.
func (t *team) close() {
	t.closed.Store(true)
	t.mu.Lock()
	t.rest.Broadcast()
	t.dismissed.Broadcast()
	t.mu.Unlock()
}

// worthWaking is the work for which sleeping workers are woken. Waking takes the caller
// some microseconds and the worker some tens. It can be the sum of several tasks.
const worthWaking = 50 * time.Microsecond

// forgetAfter is the longest time between tasks whose work is added up.
const forgetAfter = time.Millisecond
