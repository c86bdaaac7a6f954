package plugin

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
	"github.com/vinoir/vinoir/plugin/internal/run"
)

// InferRequest runs a CompiledModel in its own memory, one inference at a time. It is safe for
// concurrent use. During an inference, its methods return ErrBusy.
type InferRequest struct {
	compiled  *CompiledModel
	shared    run.Shared
	main      *run.Execution
	variables []*run.Variable

	// use is the use that is made of the request: only that uses the other fields, except that
	// Input reads inputs at any time. mu guards async and the changes of inputs.
	use     atomic.Int32
	mu      sync.Mutex
	async   *asyncRun
	inputs  []*ir.Tensor
	given   []*ir.Tensor // tensors that the caller has set for the outputs, or nil
	extents extents      // memory for checkMemory
	results []ir.Tensor  // of the last inference that succeeded, in memory of r or of the caller

	inArguments, outArguments arguments // inputs and given, as the inference uses them
}

// arguments are tensors of the caller as an inference uses them: copies that share the elements. So
// the inference runs on the types and shapes that it has checked, whatever the caller does to a
// Tensor meanwhile.
type arguments struct {
	list    []*ir.Tensor // of tensors; nil if there is none
	tensors []ir.Tensor
}

func newArguments(n int) arguments {
	return arguments{list: make([]*ir.Tensor, n), tensors: make([]ir.Tensor, n)}
}

// set sets the arguments to copies of tensors, which can be nil.
func (a *arguments) set(tensors []*ir.Tensor) {
	for i, t := range tensors {
		a.list[i] = nil
		if t != nil {
			a.list[i] = &a.tensors[i]
			a.tensors[i].Share(t)
		}
	}
}

// ErrBusy is the error of using an InferRequest while it runs.
var ErrBusy = errors.New("the InferRequest is busy")

// NewInferRequest returns a request without inputs and without values of variables. The first Infer
// allocates its memory.
func (c *CompiledModel) NewInferRequest() *InferRequest { return c.newInferRequests(1)[0] }

// newInferRequests returns n requests, which use the thread pools in turn.
func (c *CompiledModel) newInferRequests(n int) []*InferRequest {
	requests := make([]*InferRequest, n)
	next := c.next.Add(uint32(n)) - uint32(n)
	for i := range requests {
		requests[i] = c.newInferRequest(c.pools[(next+uint32(i))%uint32(len(c.pools))])
	}
	return requests
}

func (c *CompiledModel) newInferRequest(pool *parallel.Pool) *InferRequest {
	r := &InferRequest{
		compiled: c,
		shared:   run.Shared{Pool: pool, Budget: memory.NewRequest(&c.env.Memory.Limits, c.env.CheckRequest), Running: memory.NewRunning(&c.env.Memory.Limits)},
		inputs:   make([]*ir.Tensor, len(c.inputs)),
		given:    make([]*ir.Tensor, len(c.outputs)),
		results:  make([]ir.Tensor, len(c.outputs)),

		inArguments: newArguments(len(c.inputs)), outArguments: newArguments(len(c.outputs)),
	}
	for i := range c.env.Variables {
		v := &run.Variable{Of: &c.env.Variables[i], Budget: r.shared.Budget}
		r.variables = append(r.variables, v)
		r.shared.Variables = append(r.shared.Variables, v)
	}
	r.main = run.New(c.program, &r.shared)
	r.shared.Main = r.main
	if c.profiling {
		r.shared.Timed, r.shared.Division = r.main, new(parallel.Division)
	}
	return r
}

// The uses of a request.
const (
	unused    = iota
	accessing // by a method that sets or returns something, which ends soon
	running   // by an inference
)

// take begins a use of r, unless an inference runs: then it returns ErrBusy. release ends it. An
// atomic number costs half as much as a mutex, which counts for models of a few microseconds.
func (r *InferRequest) take(use int32) error {
	for !r.use.CompareAndSwap(unused, use) {
		if r.use.Load() == running {
			return ErrBusy
		}
		runtime.Gosched()
	}
	return nil
}

// release ends a use of r.
func (r *InferRequest) release() { r.use.Store(unused) }

// SetInput sets input i to t for the following calls of Infer. They read t without a copy and never
// write to it. The elements of t must not be changed during Infer.
func (r *InferRequest) SetInput(i int, t *ir.Tensor) error {
	if err := r.take(accessing); err != nil {
		return err
	}
	defer r.release()
	if i < 0 || i >= len(r.inputs) {
		return faults.Errorf("input %d: the model has %d inputs", i, len(r.inputs))
	}
	port := &r.compiled.inputs[i]
	if err := run.CheckTensor(&ir.Fact{Type: port.Type, Shape: port.Shape}, t); err != nil {
		return faults.Errorf("input %d %q: %w", i, port.Name, err)
	}
	r.mu.Lock()
	r.inputs[i] = t
	r.mu.Unlock()
	return nil
}

// SetInputByName is SetInput for the input with the given tensor name or friendly name. If there is
// none, the error is an *ir.NameError, which lists the names there are.
func (r *InferRequest) SetInputByName(name string, t *ir.Tensor) error {
	i, err := r.compiled.InputIndex(name)
	if err != nil {
		return err
	}
	return r.SetInput(i, t)
}

// SetOutput makes the following calls of Infer write output i to t, which must have the type and
// shape of the output. If t is nil, they write it to the memory of the request again. If t shares
// memory with an input or with the tensor of another output, Infer returns an error.
func (r *InferRequest) SetOutput(i int, t *ir.Tensor) error {
	if err := r.take(accessing); err != nil {
		return err
	}
	defer r.release()
	if i < 0 || i >= len(r.given) {
		return faults.Errorf("output %d: the model has %d outputs", i, len(r.given))
	}
	port := &r.compiled.outputs[i]
	if t != nil {
		if err := run.CheckTensor(&ir.Fact{Type: port.Type, Shape: port.Shape}, t); err != nil {
			return faults.Errorf("output %d %q: %w", i, port.Name, err)
		}
	}
	r.given[i] = t
	return nil
}

// Input returns the tensor that input i was set to; nil if it was not set. It can be called during
// an inference.
func (r *InferRequest) Input(i int) *ir.Tensor {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i < 0 || i >= len(r.inputs) {
		return nil
	}
	return r.inputs[i]
}

// Output returns output i of the last Infer; nil if the Infer failed or is running, or there is no
// output i. If SetOutput has set a tensor, Output returns it; the next Infer writes to it. Other
// tensors are valid until the next Infer and must not be written to: outputs can share memory.
func (r *InferRequest) Output(i int) *ir.Tensor {
	t, _ := r.output(i)
	return t
}

// output is Output. The error is ErrBusy.
func (r *InferRequest) output(i int) (*ir.Tensor, error) {
	if err := r.take(accessing); err != nil {
		return nil, err
	}
	defer r.release()
	if r.main.Bound == nil || i < 0 || i >= len(r.given) {
		return nil, nil
	}
	if t := r.given[i]; t != nil {
		return t, nil
	}
	return &r.results[i], nil
}

// OutputByName is Output for the output with the given name, as CompiledModel.OutputIndex finds it.
// The error is an *ir.NameError, which lists the names there are, ErrBusy, or states that no Infer
// has succeeded.
func (r *InferRequest) OutputByName(name string) (*ir.Tensor, error) {
	i, err := r.compiled.OutputIndex(name)
	if err != nil {
		return nil, err
	}
	t, err := r.output(i)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, faults.Errorf("output %q: no inference has succeeded since the last call of Infer", name)
	}
	return t, nil
}

// Infer computes the outputs from the inputs, which must all be set. The error of a layer is an
// *ir.LayerError; the variables then keep their old values. When ctx is done, Infer stops within a
// few milliseconds, in the middle of a layer too, and returns the error of ctx.
func (r *InferRequest) Infer(ctx context.Context) error {
	if err := r.take(running); err != nil {
		return err
	}
	defer r.release()
	return r.infer(ctx)
}

// infer runs the model on the inputs.
func (r *InferRequest) infer(ctx context.Context) (err error) {
	// Turn a fault in a file mapping into a panic.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer control.Guard(&err)
	defer r.compiled.env.Flush().Restore()
	for i, t := range r.inputs {
		if t == nil {
			r.main.Bound, r.main.Running = nil, nil
			return faults.Errorf("input %d %q is not set", i, r.compiled.inputs[i].Name)
		}
	}
	r.inArguments.set(r.inputs)
	r.outArguments.set(r.given)
	if err := r.checkMemory(r.inArguments.list, r.outArguments.list); err != nil {
		r.main.Bound, r.main.Running = nil, nil
		return err
	}
	r.shared.Context = ctx
	r.shared.DropEvicted(r.compiled.env)
	if err = r.main.Run(r.inArguments.list, r.outArguments.list); err != nil && r.main.IsOpen() && ctx.Err() == nil {
		r.endVariables(false)
		err = r.main.RunExact(r.inArguments.list, r.outArguments.list)
	}
	r.shared.Context = nil
	if err == nil {
		for i, t := range r.main.Bound.Results {
			r.results[i].Share(t)
		}
	}
	r.endVariables(err == nil)
	return err
}

// endVariables ends an Infer for the variables.
func (r *InferRequest) endVariables(succeeded bool) {
	r.shared.ReleaseShared()
	for _, v := range r.variables {
		v.End(succeeded)
	}
}

// asyncRun is an inference that StartAsync started.
type asyncRun struct {
	done chan struct{}
	err  error
}

// StartAsync starts Infer on a goroutine of its own. Wait returns its error.
func (r *InferRequest) StartAsync(ctx context.Context) error {
	if err := r.take(running); err != nil {
		return err
	}
	run := &asyncRun{done: make(chan struct{})}
	r.mu.Lock()
	r.async = run
	r.mu.Unlock()
	go func() {
		defer close(run.done)
		defer r.release()
		run.err = r.infer(ctx)
	}()
	return nil
}

// Wait waits for the inference that StartAsync has started, and returns its error. If ctx is done
// earlier, Wait returns the error of ctx, and the inference continues.
func (r *InferRequest) Wait(ctx context.Context) error {
	r.mu.Lock()
	run := r.async
	r.mu.Unlock()
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
