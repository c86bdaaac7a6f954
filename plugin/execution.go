package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// execution is a program with memory to run it. An InferRequest has one for the model and one for
// each body.
type execution struct {
	program *program
	shared  *shared
	memory  requestMemory
	bodies  map[*ir.Layer][]ops.Body
	none    []*ir.Tensor // a nil for each result
	isBody  bool

	bounds []*bound // the plans that are bound to the memory, the last used first
	bound  *bound   // the plan of the last run; nil unless the run succeeded
	// running is the plan of the last run, whether it succeeded or not.
	running *bound
	step    int // the step that runs; -1 before the first
	times   []stepTime
}

// shared is what all executions of an InferRequest share.
type shared struct {
	pool      *parallel.Pool
	budget    budget
	variables []ops.Variable
	timed     *execution // the execution to measure the times of; may be nil
	// ctx is the context of the current Infer. It is kept here because the kernels of layers
	// with bodies do not have it.
	ctx context.Context
}

func newExecution(p *program, s *shared) *execution {
	e := &execution{
		program: p, shared: s, memory: requestMemory{budget: &s.budget}, none: make([]*ir.Tensor, len(p.model.Results)),
	}
	for layer, bodies := range p.bodies {
		if e.bodies == nil {
			e.bodies = make(map[*ir.Layer][]ops.Body, len(p.bodies))
		}
		for _, body := range bodies {
			inner := newExecution(body, s)
			inner.isBody = true
			e.bodies[layer] = append(e.bodies[layer], inner)
		}
	}
	return e
}

// Infer implements ops.Body.
func (e *execution) Infer(inputs, outputs []*ir.Tensor) ([]*ir.Tensor, error) {
	if len(inputs) != len(e.program.inputs) {
		return nil, fmt.Errorf("BUG: %d inputs are given to a body of %d", len(inputs), len(e.program.inputs))
	}
	if outputs == nil {
		outputs = e.none
	}
	if err := e.run(inputs, outputs); err != nil {
		return nil, err
	}
	return e.bound.results, nil
}

// run runs the program. given has, for each result, the tensor that the caller has set for it, or nil.
func (e *execution) run(inputs, given []*ir.Tensor) (err error) {
	b := e.bound
	e.bound, e.running, e.step = nil, nil, -1
	defer e.recovered(&err)
	if b == nil || !b.fits(inputs) {
		if b, err = e.ready(inputs); err != nil {
			return err
		}
	}
	if err := b.setInputs(inputs); err != nil {
		return err
	}
	if err := b.setOutputs(e, given); err != nil {
		return err
	}
	e.running = b
	if e.shared.timed == e {
		err = e.runTimed(b)
	} else {
		err = e.runSteps(b)
	}
	if err != nil {
		return err
	}
	if err := b.deliver(e, given); err != nil {
		return err
	}
	e.bound = b
	return nil
}

// recovered turns a panic into an error that names the layer.
func (e *execution) recovered(err *error) {
	if p := recover(); p != nil {
		*err = bug(p)
		if e.running != nil && e.step >= 0 {
			*err = atLayer(e.running.plan.steps[e.step].layer, *err)
		}
	}
}

// ready returns the bound plan for inputs.
func (e *execution) ready(inputs []*ir.Tensor) (*bound, error) {
	for i, b := range e.bounds {
		if b.fits(inputs) {
			if i > 0 {
				copy(e.bounds[1:i+1], e.bounds[:i])
				e.bounds[0] = b
			}
			return b, nil
		}
	}
	for i, t := range inputs {
		if err := checkTensor(&e.program.inputs[i], t); err != nil {
			return nil, fmt.Errorf("input %d %q: %w", i, e.program.model.Parameters[i].Name, err)
		}
	}
	p, err := e.program.plan(inputs)
	if err != nil {
		return nil, err
	}
	moved, err := e.memory.hold(p)
	if moved {
		e.bounds = nil // they are bound to the old memory
	}
	if err != nil {
		return nil, err
	}
	b, err := e.bind(p)
	if err != nil {
		return nil, err
	}
	e.bounds = slices.Insert(e.bounds, 0, b)
	e.bounds = e.bounds[:min(len(e.bounds), e.program.env.limits.MaxPlans)]
	return b, nil
}

// runSteps runs the steps of b.
func (e *execution) runSteps(b *bound) error {
	ctx := e.shared.ctx
	done := ctx.Done()
	for i := range b.steps {
		s := &b.steps[i]
		e.step = i
		if done != nil {
			select {
			case <-done:
				return ctx.Err()
			default:
			}
		}
		if err := s.kernel(&s.run); err != nil {
			return e.failed(err)
		}
	}
	return nil
}

// runTimed is runSteps and measures the time of each step.
func (e *execution) runTimed(b *bound) error {
	e.times = slices.Grow(e.times[:0], len(b.steps))[:len(b.steps)]
	clear(e.times)
	begun := time.Now()
	for i := range b.steps {
		s := &b.steps[i]
		e.step = i
		if err := e.shared.ctx.Err(); err != nil {
			return err
		}
		start := time.Since(begun)
		err := s.kernel(&s.run)
		e.times[i] = stepTime{start, time.Since(begun) - start}
		if err != nil {
			return e.failed(err)
		}
	}
	return nil
}

// failed returns err, the error of the current step, with the identity of the layer. If err already
// names a layer in a body, or the context has ended, failed does not add it.
func (e *execution) failed(err error) error {
	if ended := e.shared.ctx.Err(); ended != nil && errors.Is(err, ended) {
		return ended
	}
	if inner := (*ir.LayerError)(nil); errors.As(err, &inner) {
		return inner
	}
	return atLayer(e.running.plan.steps[e.step].layer, err)
}

// suits reports whether result i, which is t, has the type and shape of to, a tensor of the caller. If
// not, suits returns an error, except in a body: the kernel of a layer with bodies may not know the
// types and shapes of the results.
func (e *execution) suits(i int, to, t *ir.Tensor) (bool, error) {
	if to.ElementType() == t.ElementType() && slices.Equal(to.Shape(), t.Shape()) {
		return true, nil
	}
	if e.isBody {
		return false, nil
	}
	return false, fmt.Errorf("output %d %q: the tensor is %v%v, the output is %v%v", i, e.program.outputs[i],
		to.ElementType(), to.Shape(), t.ElementType(), t.Shape())
}

// checkTensor returns an error unless t has the type and shape of an input or output.
func checkTensor(fact *ir.Fact, t *ir.Tensor) error {
	if t == nil {
		return errors.New("the tensor is nil")
	}
	_, typeFits := ir.MergeElementTypes(fact.Type, t.ElementType()) // fact.Type can be Dynamic
	if !typeFits || !contains(fact.Shape, t.Shape()) {
		return fmt.Errorf("the tensor is %v%v, the model has %v%v", t.ElementType(), t.Shape(), fact.Type, fact.Shape)
	}
	return nil
}

// contains reports whether s contains t. It does not allocate.
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
