package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

const (
	maxFailures = 10
	// tooLate is how long a call may take after its context has ended. It is generous, since other
	// programs may use the machine.
	tooLate = time.Minute
	// slack is what the heap may grow by: pools of the runtime and of the standard library.
	slack = 16 << 20
)

// stress is the state that the goroutines share.
type stress struct {
	options  *options
	variants []*variant

	lock     sync.Mutex // protects the fields below
	slots    []*slot
	held     uint64 // the heap before, and the bytes of the variants in slots and in worker.own
	counts   map[string]int
	failures []string
	overrun  time.Duration // the longest time that a call took after its context had ended
	peak     uint64        // of the heap
}

// slot is a compiled model that goroutines share.
type slot struct {
	variant  *variant
	threads  int
	limited  bool // the limits are small, so errors about them are expected
	compiled *plugin.CompiledModel
	request  *plugin.InferRequest // used by several goroutines at once
}

// run runs the goroutines until the time is over, and then looks at what is left.
func (s *stress) run(ctx context.Context) {
	heap, goroutines := heapInUse(), runtime.NumGoroutine()
	// Near the limit, the garbage is collected more often, so that what watch sees is in use.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(s.maxHeap() / 4 * 3))
	running, cancel := context.WithTimeout(ctx, s.options.duration)
	defer cancel()
	s.slots = make([]*slot, max(s.options.goroutines/4, 2))
	s.held = heap
	var workers, watcher sync.WaitGroup
	for g := range s.options.goroutines {
		w := &worker{stress: s, rng: rand.New(rand.NewPCG(s.options.seed, uint64(g)+1)), number: g}
		workers.Go(func() { w.run(running) })
	}
	watcher.Go(func() { s.watch(running) })
	workers.Wait()
	cancel()
	watcher.Wait()
	for _, slot := range s.slots {
		if slot != nil {
			slot.compiled.Close()
		}
	}
	s.slots, s.held = nil, 0
	s.checkRest(heap, goroutines, 10*time.Second)
}

// maxHeap returns the option -memory in bytes.
func (s *stress) maxHeap() int64 { return int64(s.options.megabytes) << 20 }

// hold counts a variant that takes the place of another, which may be nil, in a slot or as the own
// one of a worker. It returns false if the variants that are held would then take more than a half
// of the heap: the rest is for compilations, for requests that others still use, and for garbage.
func (s *stress) hold(next, old *slot) bool {
	held := s.held + next.variant.bytes
	if old != nil {
		held -= old.variant.bytes
	}
	if held > uint64(s.maxHeap())/2 {
		return false
	}
	s.held = held
	return true
}

// heapInUse returns the bytes of the heap that are reachable.
func heapInUse() uint64 {
	// Objects with a cleanup are freed only by the second or third collection.
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// checkRest fails unless the memory and the goroutines are as before, at the latest after wait.
func (s *stress) checkRest(heap uint64, goroutines int, wait time.Duration) {
	end := time.Now().Add(wait)
	for {
		nowHeap, now := heapInUse(), runtime.NumGoroutine()
		if nowHeap <= heap+slack && now <= goroutines {
			return
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			s.fail("left over: a heap of %d bytes, before %d; %d goroutines, before %d\n%s", nowHeap, heap, now, goroutines, stacks)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// watch fails if the heap is too large.
func (s *stress) watch(ctx context.Context) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for ctx.Err() == nil {
		metrics.Read(sample)
		n := sample[0].Value.Uint64()
		s.lock.Lock()
		s.peak = max(s.peak, n)
		s.lock.Unlock()
		if n > uint64(s.maxHeap()) {
			s.fail("the heap has %d bytes, more than -memory allows", n)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *stress) fail(format string, args ...any) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.failures = append(s.failures, fmt.Sprintf(format, args...))
}

func (s *stress) failed() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return len(s.failures) >= maxFailures
}

func (s *stress) count(what string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.counts[what]++
}

// late records how long ago ctx ended.
func (s *stress) late(ctx context.Context, what string) {
	deadline, ok := ctx.Deadline()
	if !ok || ctx.Err() == nil {
		return
	}
	over := time.Since(deadline)
	s.lock.Lock()
	s.overrun = max(s.overrun, over)
	s.lock.Unlock()
	if over > tooLate {
		s.fail("%s returned %v after its deadline", what, over)
	}
}

func (s *stress) print(stdout io.Writer) {
	for _, what := range slices.Sorted(maps.Keys(s.counts)) {
		fmt.Fprintf(stdout, "%8d %s\n", s.counts[what], what)
	}
	fmt.Fprintf(stdout, "heap at most %d MiB; calls ended at most %v after their deadline\n", s.peak>>20, s.overrun.Round(time.Millisecond))
	for _, failure := range s.failures {
		fmt.Fprintf(stdout, "FAILED: %s\n", failure)
	}
}

// worker is one goroutine.
type worker struct {
	*stress
	rng    *rand.Rand
	number int

	own     *slot
	trial   *trial               // the last of own
	request *plugin.InferRequest // of own, used by this goroutine only
}

func (w *worker) run(ctx context.Context) {
	for ctx.Err() == nil && !w.failed() {
		switch w.rng.IntN(10) {
		case 0:
			w.compile()
		case 1:
			w.takeRequest()
		case 2, 3:
			w.useShared()
		case 4:
			w.inferAsync()
		default:
			w.infer()
		}
	}
}

// fail reports a failure with the worker and the variant.
func (w *worker) fail(s *slot, format string, args ...any) {
	w.stress.fail("goroutine %d, %s, %d threads: %s", w.number, s.variant.name, s.threads, fmt.Sprintf(format, args...))
}

// context returns a context that may end at a random time.
func (w *worker) context(expected time.Duration) (context.Context, context.CancelFunc) {
	switch w.rng.IntN(4) {
	case 0:
		return context.WithTimeout(context.Background(), time.Duration(w.rng.Int64N(int64(2*expected)+1)))
	case 1:
		ctx, cancel := context.WithCancel(context.Background())
		timer := time.AfterFunc(time.Duration(w.rng.Int64N(int64(2*expected)+1)), cancel)
		return ctx, func() { timer.Stop(); cancel() }
	}
	return context.WithCancel(context.Background())
}

// compile compiles a variant with random options, and replaces a compiled model, which it closes
// while others use it.
func (w *worker) compile() {
	next := &slot{
		variant: w.variants[w.rng.IntN(len(w.variants))],
		threads: threadNumbers[w.rng.IntN(len(threadNumbers))],
		limited: w.rng.IntN(3) == 0,
	}
	limits := plugin.Options{MaxPlans: w.rng.IntN(3)}
	if next.limited {
		limits.MaxTotalBytes = 1 << (8 + w.rng.IntN(16))
		limits.MaxPlanBytes = 1 << (8 + w.rng.IntN(16))
	}
	core, err := newCore(limits)
	if err != nil {
		w.fail(next, "%v", err)
		return
	}
	// With as many streams as threads, each request has one thread.
	options := plugin.CompileOptions{
		InferenceNumThreads: next.threads, Reshape: next.variant.reshape, Disable: next.variant.disable,
		EnableProfiling: w.rng.IntN(4) == 0,
	}
	if w.rng.IntN(3) == 0 {
		options.NumStreams = next.threads
		next.threads = 1
	}
	ctx, cancel := w.context(10 * time.Millisecond)
	defer cancel()
	next.compiled, err = core.CompileModel(ctx, next.variant.model, options)
	w.late(ctx, "CompileModel")
	if err != nil {
		if kind := w.kind(ctx, next, err); kind != "" {
			w.count("compilations ended by " + kind)
		} else {
			w.fail(next, "CompileModel: %v", err)
		}
		return
	}
	w.count("compilations")
	next.request = next.compiled.NewInferRequest()
	i := w.rng.IntN(len(w.slots))
	w.lock.Lock()
	old := w.slots[i]
	held := w.hold(next, old)
	if held {
		w.slots[i] = next
	}
	w.lock.Unlock()
	if !held {
		next.compiled.Close()
		w.count("compiled models closed for want of memory")
		return
	}
	if old != nil && w.rng.IntN(2) == 0 {
		old.compiled.Close()
		w.count("compiled models closed while in use")
	}
}

// limitName matches the names of the limits in errors.
var limitName = regexp.MustCompile(`Max(Total|Kept|Plan)Bytes`)

// kind says which of the errors that are always allowed err is; "" if it is none.
func (w *worker) kind(ctx context.Context, s *slot, err error) string {
	switch {
	case errors.Is(err, plugin.ErrBusy):
		return "ErrBusy"
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return "the context"
	case s.limited && limitName.MatchString(err.Error()):
		return "a limit"
	}
	return ""
}

// anySlot returns a random compiled model; nil if there is none yet.
func (w *worker) anySlot() *slot {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.slots[w.rng.IntN(len(w.slots))]
}

// takeRequest makes a request that only this goroutine uses.
func (w *worker) takeRequest() {
	s := w.anySlot()
	if s == nil {
		return
	}
	w.lock.Lock()
	held := w.hold(s, w.own)
	w.lock.Unlock()
	if held {
		w.own, w.request = s, s.compiled.NewInferRequest()
	}
}

// check compares the outcome of an inference on the own request with what is expected.
func (w *worker) check(ctx context.Context, err error) {
	if err != nil {
		if kind := w.kind(ctx, w.own, err); kind != "" && kind != "ErrBusy" {
			w.count("inferences ended by " + kind)
			return
		}
	}
	got, want := outcomeOf(w.request, len(w.own.variant.model.Results), err), w.trial.expected[w.own.threads]
	switch {
	case !got.equal(want):
		w.fail(w.own, "%v; alone: %v", got, want)
	case err != nil:
		w.count("inferences with the expected error")
	default:
		w.count("inferences with the expected outputs")
	}
}

// infer infers on the own request.
func (w *worker) infer() {
	if w.request == nil {
		w.takeRequest()
		return
	}
	w.trial = w.own.variant.anyTrial(w.rng)
	ctx, cancel := w.context(w.trial.expected[w.own.threads].took)
	defer cancel()
	err := w.trial.set(w.request)
	if err == nil {
		err = w.request.Infer(ctx)
		w.late(ctx, "Infer")
	}
	w.check(ctx, err)
}

// inferAsync infers on the own request, and uses the request meanwhile.
func (w *worker) inferAsync() {
	if w.request == nil {
		w.takeRequest()
		return
	}
	w.trial = w.own.variant.anyTrial(w.rng)
	ctx, cancel := w.context(w.trial.expected[w.own.threads].took)
	defer cancel()
	if err := w.trial.set(w.request); err != nil {
		w.check(ctx, err)
		return
	}
	if err := w.request.StartAsync(ctx); err != nil {
		w.fail(w.own, "StartAsync: %v", err)
		return
	}
	// The inference may have ended already; then the same inputs are set again.
	if err := w.trial.set(w.request); err != nil {
		if !errors.Is(err, plugin.ErrBusy) {
			w.fail(w.own, "SetInput during an inference: %v", err)
		}
		w.count("setters stopped by ErrBusy")
	}
	short, cancelShort := context.WithTimeout(context.Background(), time.Duration(w.rng.IntN(1000))*time.Microsecond)
	defer cancelShort()
	if err := w.request.Wait(short); err != nil && short.Err() != nil {
		w.count("Wait ended by its context")
	}
	err := w.request.Wait(context.Background())
	w.late(ctx, "the inference of StartAsync")
	w.check(ctx, err)
}

// useShared uses the request of a slot, as other goroutines do at the same time. Its outputs may be
// those of another goroutine, so only the errors are checked.
func (w *worker) useShared() {
	s := w.anySlot()
	if s == nil {
		return
	}
	trial := s.variant.trials[0] // all goroutines set the same inputs
	ctx, cancel := w.context(trial.expected[s.threads].took)
	defer cancel()
	var err error
	what := ""
	switch w.rng.IntN(6) {
	case 0:
		if len(s.variant.model.Results) > 0 {
			what, err = "SetOutput", s.request.SetOutput(0, nil)
		}
	case 1:
		what = "State"
		for _, state := range s.request.QueryState() {
			var t *ir.Tensor
			if t, err = state.Get(); err == nil {
				err = state.Set(t)
			} else if errors.Is(err, plugin.ErrNoValue) {
				err = state.Reset()
			}
		}
	case 2:
		what = "Output"
		s.request.Output(0)
		s.request.Input(0)
	default:
		what = "Infer"
		if err = trial.set(s.request); err == nil {
			err = s.request.Infer(ctx)
		}
	}
	if err == nil {
		w.count("calls on shared requests that succeeded")
		return
	}
	kind := w.kind(ctx, s, err)
	// A state that another goroutine has set may lead to another error.
	if kind == "" && err.Error() != trial.expected[s.threads].err {
		w.fail(s, "%s on a shared request: %v; alone: %v", what, err, trial.expected[s.threads])
	}
	w.count("calls on shared requests ended by " + cmp.Or(kind, "the expected error"))
}
