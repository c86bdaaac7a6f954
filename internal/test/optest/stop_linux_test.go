package optest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// maxLate is the processor time that a call may take after its context is done.
const maxLate = 20 * time.Millisecond

// exhaustiveVariable is the environment variable that requests more cases than in each test run.
const exhaustiveVariable = "VINOIR_EXHAUSTIVE"

// TestStops ends the context in the middle of an inference, for the first case of each layer type
// with one of the lengths in its shapes many times as long. What the inference does after that is
// measured in the processor time of its thread, so that other programs on the machine do not count.
func TestStops(t *testing.T) {
	l := newLateness(t)
	l.each(t, []int64{1 << 22, 1 << 15}, func(t *testing.T, m *namedModel, shapes []ir.PartialShape) {
		request, done, err := requestOn(l.core, m, shapes)
		if err != nil {
			return
		}
		defer done()
		l.check(t, "infers", shapes, func(ctx context.Context) error { return request.Infer(ctx) })
	})
	require.Positive(t, l.stopped)
}

// TestStops_compile does the same while the model is validated and compiled, with constants in the
// place of its inputs.
func TestStops_compile(t *testing.T) {
	l := newLateness(t)
	l.each(t, []int64{1 << 20}, func(t *testing.T, m *namedModel, shapes []ir.PartialShape) {
		constant, err := l.constants(t.Context(), m, shapes)
		if err != nil {
			return
		}
		l.check(t, "is validated", shapes, func(ctx context.Context) error {
			_, err := validate.Model(ctx, constant, l.registry, nil)
			return err
		})
		l.check(t, "is compiled", shapes, func(ctx context.Context) error {
			compiled, err := l.core.CompileModel(ctx, constant, plugin.CompileOptions{InferenceNumThreads: 1})
			if err == nil {
				compiled.Close()
			}
			return err
		})
	})
	require.Positive(t, l.stopped)
}

// lateness measures calls that are stopped.
type lateness struct {
	registry *plugin.Registry
	core     *plugin.Core
	points   []float64 // where a call is stopped: shares of its processor time
	models   int       // of each layer type
	stopped  int       // the number of calls that were
}

func newLateness(t *testing.T) *lateness {
	if testing.Short() {
		t.Skip("SKIPPED: contexts end in whole test runs only, not with -short")
	}
	registry := optest.Registry(t, builtin.Ops())
	l := &lateness{registry: registry, points: []float64{.5}, models: 1}
	if os.Getenv(exhaustiveVariable) != "" {
		l.points, l.models = []float64{.1, .25, .4, .55, .7, .85, .97}, 6
	}
	l.core = plugin.NewCore(registry, plugin.Options{MaxTotalBytes: 1 << 29, MaxTensorBytes: 1 << 28})
	return l
}

// each calls f with the models, and with shapes of their Parameters that take long: see longest.
func (l *lateness) each(t *testing.T, sizes []int64, f func(t *testing.T, m *namedModel, shapes []ir.PartialShape)) {
	seen := map[string]int{}
	for _, c := range optest.Cases(t, nil, filepath.Join(optest.Root(t), "testdata", "ir")) {
		kind, _, _ := strings.Cut(filepath.ToSlash(c.Name), "/")
		if seen[kind]++; seen[kind] > l.models || strings.HasSuffix(kind, ".reshape") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			model, err := irxml.ReadFile(filepath.Join(c.Folder, "model.xml"), irxml.ReadOptions{})
			if err != nil {
				t.Skip("this case is a model that cannot be read")
			}
			defer model.Close()
			m := &namedModel{model, c.Name, c.Folder}
			for _, shapes := range longest(model, sizes) {
				f(t, m, shapes)
			}
		})
	}
}

// longest returns the shapes of the Parameters with one length, in all inputs that have it, as long
// as no input has more elements than each of sizes.
func longest(m *ir.Model, sizes []int64) (list [][]ir.PartialShape) {
	shapes, _ := staticShapes(m)
	seen := map[int64]bool{}
	for _, shape := range shapes {
		for _, d := range shape.Dims() {
			if seen[d.Min] || d.Min == 0 {
				continue
			}
			seen[d.Min] = true
			for _, most := range sizes {
				list = append(list, stretched(shapes, d.Min, most))
			}
		}
	}
	return list
}

// stretched returns shapes with length n so many times as long that none has more than most
// elements.
func stretched(shapes []ir.PartialShape, n, most int64) (long []ir.PartialShape) {
	for factor := int64(1); factor <= most; factor *= 2 {
		next := slices.Clone(shapes)
		for i := range next {
			next[i] = withLength(next[i], n*factor, func(_ int, d ir.Dimension) bool { return d.Min == n })
			if next[i].Elements().Max > most && factor > 1 {
				return long
			}
		}
		long = next
	}
	return long // an input has no elements
}

// constants returns m with constants of the given shapes in the place of its inputs. Their elements
// repeat those of the case.
func (l *lateness) constants(ctx context.Context, m *namedModel, shapes []ir.PartialShape) (*ir.Model, error) {
	b := edit.Change(ctx, m.Model, l.registry)
	for i, p := range m.Parameters {
		shape, err := shapes[i].Static()
		if err != nil {
			return nil, err
		}
		value, err := ir.NewTensor(ir.AttributesOf(p).ElementType("element_type", ir.Dynamic), shape...)
		if err != nil {
			return nil, err
		}
		fill(value, m.folder, i)
		b.Replace(edit.First(b.Find(p.Name).Layer), b.Constant(value))
	}
	return b.Model()
}

// check calls f with contexts that end at the points. Each must return soon after that, with the
// error of the context.
func (l *lateness) check(t *testing.T, what string, shapes []ir.PartialShape, f func(context.Context) error) {
	const enough, most = 2 * maxLate, 300 * time.Millisecond
	var whole time.Duration
	for range 2 { // the second call finds what the first has prepared
		if _, whole, _ = l.measure(t, most, f); whole < enough {
			return
		}
	}
	for _, point := range l.points {
		at := time.Duration(point * float64(whole))
		late, _, err := l.measure(t, at, f)
		// What else runs on the machine can make the thread slower, never faster.
		for try := 0; try < 5 && late > maxLate; try++ {
			late, _, err = l.measure(t, at, f)
		}
		if err == nil {
			continue // it was done earlier this time
		}
		l.stopped++
		assert.ErrorIs(t, err, context.Canceled, "%s, inputs %v, stopped after %v of %v", what, shapes, at, whole)
		assert.LessOrEqual(t, late, maxLate, "%s, inputs %v, stopped after %v of %v", what, shapes, at, whole)
	}
}

// measure calls f with a context that ends when f has taken some processor time. It returns the
// processor time of f after that, and the whole of it.
func (l *lateness) measure(t *testing.T, at time.Duration, f func(context.Context) error) (late, whole time.Duration, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC() // not while f runs
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	clock := threadClock()
	start := timeOf(clock)
	stopped, ended := make(chan time.Duration, 1), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ended:
				return
			case <-time.After(200 * time.Microsecond):
			}
			if now := timeOf(clock); now-start >= at {
				cancel()
				stopped <- timeOf(clock)
				return
			}
		}
	}()
	err = f(ctx)
	end := timeOf(clock)
	close(ended)
	if from, ok := <-stopped; ok {
		late = end - from
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		err = nil // a limit or a fault of the model
	}
	return late, end - start, err
}

// threadClock returns the number of the clock that counts the processor time of this thread, as
// pthread_getcpuclockid does: other threads can read it.
func threadClock() uintptr { return uintptr(^syscall.Gettid()<<3 | 6) }

// timeOf returns the time of a clock.
func timeOf(clock uintptr) time.Duration {
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		panic("no clock of the thread: " + strconv.Itoa(int(errno)))
	}
	return time.Duration(now.Nano())
}
