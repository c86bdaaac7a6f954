package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// InferRequest runs a CompiledModel in memory of its own. It is for one
// inference at a time; a method that is called during one returns ErrBusy.
type InferRequest struct {
	compiled *CompiledModel
	pool     *parallel.Pool
	memory   memory

	inputs []*ir.Tensor
	given  []*ir.Tensor // outputs that the caller has set

	bounds []*bound // the plans that the memory holds, the last used first
	bound  *bound   // that of the last Infer, nil unless it succeeded
	// running is that of the last Infer, whether it succeeded or not.
	running *bound

	busy  atomic.Bool
	step  int // that runs
	times []stepTime
	async *asyncRun
}

// ErrBusy is the error of using an InferRequest while it runs.
var ErrBusy = errors.New("the InferRequest is busy")

// NewInferRequest returns a request without inputs. Its memory is allocated by
// the first Infer.
func (c *CompiledModel) NewInferRequest() *InferRequest {
	n := int(c.next.Add(1)-1) % len(c.pools)
	return &InferRequest{
		compiled: c, pool: c.pools[n],
		memory: memory{core: c.core},
		inputs: make([]*ir.Tensor, len(c.inputs)),
		given:  make([]*ir.Tensor, len(c.outputs)),
	}
}

// SetInput sets input i to t, which is used as it is, without a copy, by every
// Infer that follows, and never written to. It must not change during Infer.
func (r *InferRequest) SetInput(i int, t *ir.Tensor) error {
	if r.busy.Load() {
		return ErrBusy
	}
	if i < 0 || i >= len(r.inputs) {
		return fmt.Errorf("input %d: the model has %d inputs", i, len(r.inputs))
	}
	if err := checkTensor(&r.compiled.inputs[i], t); err != nil {
		return fmt.Errorf("input %d %q: %w", i, r.compiled.inputs[i].Name, err)
	}
	r.inputs[i] = t
	return nil
}

// SetInputByName is SetInput for the input with the given tensor name or friendly
// name.
func (r *InferRequest) SetInputByName(name string, t *ir.Tensor) error {
	i := r.compiled.inputIndex(name)
	if i < 0 {
		return fmt.Errorf("input %q: the model has no input of that name", name)
	}
	return r.SetInput(i, t)
}

// SetOutput makes every Infer that follows write output i to t, whose type and
// shape must be those of the output; nil ends that. t must not share memory with
// an input or another output.
func (r *InferRequest) SetOutput(i int, t *ir.Tensor) error {
	if r.busy.Load() {
		return ErrBusy
	}
	if i < 0 || i >= len(r.given) {
		return fmt.Errorf("output %d: the model has %d outputs", i, len(r.given))
	}
	if t != nil {
		if err := checkTensor(&r.compiled.outputs[i], t); err != nil {
			return fmt.Errorf("output %d %q: %w", i, r.compiled.outputs[i].Name, err)
		}
	}
	r.given[i] = t
	return nil
}

// checkTensor compares the type and shape of a caller's tensor with a port's.
func checkTensor(p *Port, t *ir.Tensor) error {
	if t == nil {
		return errors.New("the tensor is nil")
	}
	_, typeFits := ir.MergeElementTypes(p.Type, t.ElementType()) // an output's may be known only later
	if !typeFits || !contains(p.Shape, t.Shape()) {
		return fmt.Errorf("the tensor is %v%v, the model has %v%v", t.ElementType(), t.Shape(), p.Type, p.Shape)
	}
	return nil
}

// contains reports whether t fits s, without an allocation.
func contains(s ir.PartialShape, t ir.Shape) bool {
	if !s.RankKnown() {
		return true
	}
	if s.Rank() != len(t) {
		return false
	}
	for i, n := range t {
		if !s.At(i).Contains(int64(n)) {
			return false
		}
	}
	return true
}

// Input returns the tensor that input i was set to, nil before that.
func (r *InferRequest) Input(i int) *ir.Tensor {
	if i < 0 || i >= len(r.inputs) {
		return nil
	}
	return r.inputs[i]
}

// Output returns output i of the last Infer, nil unless that succeeded and the
// model has an output i. Unless SetOutput has set it, the tensor is valid until the
// next Infer, and must not be written to: outputs can share memory with each other.
func (r *InferRequest) Output(i int) *ir.Tensor {
	if r.busy.Load() || r.bound == nil || i < 0 || i >= len(r.given) {
		return nil
	}
	if t := r.given[i]; t != nil {
		return t
	}
	return r.bound.tensors[r.bound.plan.results[i]]
}

// OutputByName is Output for the output with the given tensor name or friendly
// name; nil if there is none.
func (r *InferRequest) OutputByName(name string) *ir.Tensor {
	i := r.compiled.outputIndex(name)
	if i < 0 {
		return nil
	}
	return r.Output(i)
}

// Infer computes the outputs from the inputs, which must all be set. An error at
// run time is an *ir.LayerError. When ctx is done, Infer returns its error after
// the layer that runs.
func (r *InferRequest) Infer(ctx context.Context) error {
	if !r.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	err := r.infer(ctx)
	r.busy.Store(false)
	return err
}

// asyncRun is an inference that StartAsync started.
type asyncRun struct {
	done chan struct{}
	err  error
}

// StartAsync starts Infer on a goroutine of its own. Wait returns its error.
func (r *InferRequest) StartAsync(ctx context.Context) error {
	if !r.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	run := &asyncRun{done: make(chan struct{})}
	r.async = run
	go func() {
		run.err = r.infer(ctx)
		r.busy.Store(false)
		close(run.done)
	}()
	return nil
}

// Wait waits for the inference that StartAsync has started, and returns its
// error; ctx's error if that is done first, which does not stop the inference.
func (r *InferRequest) Wait(ctx context.Context) error {
	run := r.async
	if run == nil {
		return errors.New("no inference was started")
	}
	select {
	case <-run.done:
		return run.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ready returns the bound plan for the inputs.
func (r *InferRequest) ready() (*bound, error) {
	for i, b := range r.bounds {
		if b.fits(r.inputs) {
			if i > 0 {
				copy(r.bounds[1:i+1], r.bounds[:i])
				r.bounds[0] = b
			}
			return b, nil
		}
	}
	for i, t := range r.inputs {
		if t == nil {
			return nil, fmt.Errorf("input %d %q is not set", i, r.compiled.inputs[i].Name)
		}
		if err := checkTensor(&r.compiled.inputs[i], t); err != nil {
			return nil, fmt.Errorf("input %d %q: %w", i, r.compiled.inputs[i].Name, err)
		}
	}
	p, err := r.compiled.plan(r.inputs)
	if err != nil {
		return nil, err
	}
	moved, err := r.memory.hold(p)
	if err != nil {
		return nil, err
	}
	if moved {
		r.bounds = nil // they lie in the memory before
	}
	b, err := newBound(p, r)
	if err != nil {
		return nil, err
	}
	r.bounds = slices.Insert(r.bounds, 0, b)
	r.bounds = r.bounds[:min(len(r.bounds), r.compiled.core.options.MaxPlans)]
	return b, nil
}
