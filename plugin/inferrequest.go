package plugin

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/vinoir/vinoir/ir"
)

// InferRequest runs a CompiledModel in its own memory, one inference at a time. Its methods return
// ErrBusy during an inference.
type InferRequest struct {
	compiled  *CompiledModel
	shared    shared
	main      *execution
	variables []*variableValue

	inputs []*ir.Tensor
	given  []*ir.Tensor // tensors that the caller has set for the outputs, or nil

	busy  atomic.Bool
	async *asyncRun
}

// ErrBusy is the error of using an InferRequest while it runs.
var ErrBusy = errors.New("the InferRequest is busy")

// NewInferRequest returns a request without inputs and without values of variables. The first Infer
// allocates its memory.
func (c *CompiledModel) NewInferRequest() *InferRequest {
	n := int(c.next.Add(1)-1) % len(c.pools)
	r := &InferRequest{
		compiled: c,
		shared:   shared{pool: c.pools[n], budget: budget{limit: c.env.limits.MaxTotalBytes}},
		inputs:   make([]*ir.Tensor, len(c.inputs)),
		given:    make([]*ir.Tensor, len(c.outputs)),
	}
	for i := range c.env.variables {
		v := &variableValue{variable: &c.env.variables[i], budget: &r.shared.budget}
		r.variables = append(r.variables, v)
		r.shared.variables = append(r.shared.variables, v)
	}
	r.main = newExecution(c.program, &r.shared)
	if c.profiling {
		r.shared.timed = r.main
	}
	return r
}

// SetInput sets input i to t for the following calls of Infer. They read t without a copy and never
// write to it. t must not be changed during Infer.
func (r *InferRequest) SetInput(i int, t *ir.Tensor) error {
	if r.busy.Load() {
		return ErrBusy
	}
	if i < 0 || i >= len(r.inputs) {
		return fmt.Errorf("input %d: the model has %d inputs", i, len(r.inputs))
	}
	port := &r.compiled.inputs[i]
	if err := checkTensor(&ir.Fact{Type: port.Type, Shape: port.Shape}, t); err != nil {
		return fmt.Errorf("input %d %q: %w", i, port.Name, err)
	}
	r.inputs[i] = t
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
// shape of the output. If t is nil, they write it to the memory of the request again. t must not share
// memory with an input or with another output.
func (r *InferRequest) SetOutput(i int, t *ir.Tensor) error {
	if r.busy.Load() {
		return ErrBusy
	}
	if i < 0 || i >= len(r.given) {
		return fmt.Errorf("output %d: the model has %d outputs", i, len(r.given))
	}
	port := &r.compiled.outputs[i]
	if t != nil {
		if err := checkTensor(&ir.Fact{Type: port.Type, Shape: port.Shape}, t); err != nil {
			return fmt.Errorf("output %d %q: %w", i, port.Name, err)
		}
	}
	r.given[i] = t
	return nil
}

// Input returns the tensor that input i was set to; nil if it was not set.
func (r *InferRequest) Input(i int) *ir.Tensor {
	if i < 0 || i >= len(r.inputs) {
		return nil
	}
	return r.inputs[i]
}

// Output returns output i of the last Infer; nil if the Infer failed or there is no output i. If SetOutput
// has set a tensor, Output returns it; the next Infer writes to it. Other tensors are valid until the next
// Infer and must not be written to: outputs can share memory.
func (r *InferRequest) Output(i int) *ir.Tensor {
	if r.busy.Load() || r.main.bound == nil || i < 0 || i >= len(r.given) {
		return nil
	}
	if t := r.given[i]; t != nil {
		return t
	}
	return r.main.bound.results[i]
}

// OutputByName is Output for the output with the given name, as CompiledModel.OutputIndex finds it. The
// error is an *ir.NameError, which lists the names there are, ErrBusy, or states that no Infer has
// succeeded.
func (r *InferRequest) OutputByName(name string) (*ir.Tensor, error) {
	i, err := r.compiled.OutputIndex(name)
	if err != nil {
		return nil, err
	}
	if r.busy.Load() {
		return nil, ErrBusy
	}
	t := r.Output(i)
	if t == nil {
		return nil, fmt.Errorf("output %q: no inference has succeeded since the last call of Infer", name)
	}
	return t, nil
}

// Infer computes the outputs from the inputs, which must all be set. The error of a layer is an
// *ir.LayerError; the variables then keep their old values. When ctx is done, Infer returns its error
// after the current layer.
func (r *InferRequest) Infer(ctx context.Context) error {
	if !r.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	err := r.infer(ctx)
	r.busy.Store(false)
	return err
}

// infer runs the model on the inputs.
func (r *InferRequest) infer(ctx context.Context) error {
	// Turn a fault in a file mapping into a panic.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for i, t := range r.inputs {
		if t == nil {
			r.main.bound, r.main.running = nil, nil
			return fmt.Errorf("input %d %q is not set", i, r.compiled.inputs[i].Name)
		}
	}
	r.shared.ctx = ctx
	err := r.main.run(r.inputs, r.given)
	r.shared.ctx = nil
	for _, v := range r.variables {
		v.end(err == nil)
	}
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

// Wait waits for the inference that StartAsync has started, and returns its error. If ctx is done
// earlier, Wait returns the error of ctx, and the inference continues.
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
