package plugin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
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
	runs    bool // run has been called and has not returned
	exact   bool // the plan must not leave lengths open
	step    int  // the step that runs; -1 before the first
	times   []stepTime
}

// shared is what all executions of an InferRequest share.
type shared struct {
	pool      *parallel.Pool
	budget    *memory.Ledger // of the tensors, MaxTotalBytes
	running   *memory.Ledger // of the tables of the plans that run
	variables []ops.Variable
	timed     *execution // the execution to measure the times of; may be nil
	main      *execution // of the model
	evictions int64      // Caches.Evictions when the plans were last looked through
	// sharing lists the tensors over the memory of variables, which the end of the Infer releases.
	sharing []*ir.Tensor
	// ctx is the context of the current Infer. It is kept here because the kernels of layers
	// with bodies do not have it.
	ctx context.Context
}

func newExecution(p *program, s *shared) *execution {
	e := &execution{
		program: p, shared: s, memory: requestMemory{budget: s.budget}, none: make([]*ir.Tensor, len(p.model.Results)),
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
		return nil, faults.Errorf("BUG: %d inputs are given to a body of %d", len(inputs), len(e.program.inputs))
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
	b, last := e.bound, e.running
	e.bound, e.running, e.runs, e.step, e.times = nil, nil, true, -1, e.times[:0]
	defer e.recovered(&err)
	if b == nil || b.plan.Evicted() || !e.fits(b, inputs) {
		if last != nil {
			last.release()
		}
		if b, err = e.ready(inputs); err != nil {
			return err
		}
	}
	e.running = b
	if err := e.shared.running.Charge(b.plan.Size); err != nil {
		return err
	}
	defer e.shared.running.Add(-b.plan.Size)
	if err := b.setInputs(inputs); err != nil {
		return err
	}
	if err := b.setOutputs(e, given); err != nil {
		return err
	}
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

// recovered ends a run, and turns a panic into an error that names the layer.
func (e *execution) recovered(err *error) {
	e.runs = false
	if p := recover(); p != nil {
		*err = control.Bug(p)
		if e.running != nil && e.step >= 0 {
			*err = control.AtLayer(e.running.plan.steps[e.step].layer, *err)
		}
	}
}

// releaseShared makes the tensors over the memory of variables forget it: a variable that grows gets other
// memory, and the tensors, which plans keep, would keep the old one.
func (s *shared) releaseShared() {
	for _, t := range s.sharing {
		t.Release()
	}
	clear(s.sharing)
	s.sharing = s.sharing[:0]
}

// dropEvicted drops the plans of the request that a cache has dropped, except those that run.
func (s *shared) dropEvicted(env *environment) {
	if n := env.memory.Caches.Evictions(); n != s.evictions {
		s.evictions = n
		s.main.dropEvicted()
	}
}

// dropMany is dropEvicted if the caches have dropped so many entries that looking for them pays before the run ends.
func (s *shared) dropMany(env *environment) {
	const many = 64
	if env.memory.Caches.Evictions() >= s.evictions+many {
		s.dropEvicted(env)
	}
}

// dropEvicted drops the plans that a cache has dropped, and those of the bodies. A plan that runs stays
// until its end.
func (e *execution) dropEvicted() {
	e.dropBounds(func(b *bound) bool { return isEvicted(b) && !(e.runs && b == e.running) })
	if e.bound != nil && isEvicted(e.bound) {
		e.bound = nil
	}
	if e.running != nil && !e.runs && isEvicted(e.running) {
		e.running = nil
	}
	for _, b := range e.bounds {
		for i := range b.steps {
			if late := b.steps[i].late; late != nil {
				late.dropEvicted()
			}
		}
	}
	for _, bodies := range e.bodies {
		for _, body := range bodies {
			body.(*execution).dropEvicted()
		}
	}
}

// releaseSlot makes all tensors in a slot forget its memory, which is about to be allocated again.
func (e *execution) releaseSlot(slot int) {
	for _, b := range e.bounds {
		if slot >= len(b.plan.inSlots) {
			continue
		}
		for _, v := range b.plan.inSlots[slot] {
			b.tensors[v].Release()
		}
	}
}

// fits reports whether b is a plan for inputs.
func (e *execution) fits(b *bound, inputs []*ir.Tensor) bool {
	return b.fits(inputs) && !(e.exact && b.plan.isOpen())
}

// isOpen reports whether the last run had a plan that leaves lengths open.
func (e *execution) isOpen() bool { return e.running != nil && e.running.plan.isOpen() }

// runExact is run with a plan that leaves no length open, after a run with one that does has failed.
func (e *execution) runExact(inputs, given []*ir.Tensor) error {
	e.exact = true
	defer func() { e.exact = false }()
	err := e.run(inputs, given)
	if err == nil {
		e.program.close()
	}
	return err
}

// ready returns the bound plan for inputs.
func (e *execution) ready(inputs []*ir.Tensor) (*bound, error) {
	e.dropBounds(isEvicted)
	for i, b := range e.bounds {
		if e.fits(b, inputs) {
			if i > 0 {
				copy(e.bounds[1:i+1], e.bounds[:i])
				e.bounds[0] = b
			}
			return b, nil
		}
	}
	for i, t := range inputs {
		if err := checkTensor(&e.program.inputs[i], t); err != nil {
			return nil, faults.Errorf("input %d %q: %w", i, e.program.model.Parameters[i].Name, err)
		}
	}
	p, err := e.program.plan(e.shared.ctx, inputs, e.exact)
	if err != nil {
		return nil, err
	}
	e.shared.dropEvicted(e.program.env) // the new plan can have taken the place of others
	if !e.memory.fits(p) {
		e.dropBounds(all) // they are bound to the memory before it grows
	}
	if err := e.memory.hold(p); err != nil {
		return nil, err
	}
	b, err := e.bind(p)
	if err != nil {
		return nil, err
	}
	e.bounds = slices.Insert(e.bounds, 0, b)
	if most := e.program.env.memory.Limits.MaxPlans; len(e.bounds) > most {
		oldest := e.bounds[most]
		e.dropBounds(func(b *bound) bool { return b == oldest })
	}
	return b, nil
}

// runSteps runs the steps of b.
func (e *execution) runSteps(b *bound) error {
	stop := control.StopOf(e.shared.ctx)
	for i := range b.steps {
		s := &b.steps[i]
		e.step = i
		if stop.Requested() {
			return e.shared.ctx.Err()
		}
		s.run.Stop = stop
		if err := s.kernel(&s.run); err != nil {
			return e.failed(err)
		}
	}
	if stop.Requested() { // the last kernel can have returned early
		return e.shared.ctx.Err()
	}
	return nil
}

// runTimed is runSteps and measures the time of each step.
func (e *execution) runTimed(b *bound) error {
	e.times = slices.Grow(e.times[:0], len(b.steps))[:len(b.steps)]
	clear(e.times)
	begun, stop := time.Now(), control.StopOf(e.shared.ctx)
	for i := range b.steps {
		s := &b.steps[i]
		e.step = i
		if stop.Requested() {
			return e.shared.ctx.Err()
		}
		s.run.Stop = stop
		start := time.Since(begun)
		err := s.kernel(&s.run)
		e.times[i] = stepTime{start, time.Since(begun) - start}
		if err != nil {
			return e.failed(err)
		}
	}
	if stop.Requested() {
		return e.shared.ctx.Err()
	}
	return nil
}

// failed returns err, the error of the current step, with the identity of the layer. If err already
// names a layer in a body, failed does not add it. If the context has ended, failed returns its error
// whatever err is: a kernel that was stopped may have read memory that it has not filled.
func (e *execution) failed(err error) error {
	if ended := e.shared.ctx.Err(); ended != nil {
		return ended
	}
	if inner := (*ir.LayerError)(nil); errors.As(err, &inner) {
		return inner
	}
	return control.AtLayer(e.running.plan.steps[e.step].layer, err)
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
	return false, faults.Errorf("output %d %q: the tensor is %v%v, the output is %v%v", i, e.program.outputs[i],
		to.ElementType(), to.Shape(), t.ElementType(), t.Shape())
}

// checkTensor returns an error unless t has the type and shape of an input or output.
func checkTensor(fact *ir.Fact, t *ir.Tensor) error {
	if t == nil {
		return errors.New("the tensor is nil")
	}
	return checkFact(fact, t.ElementType(), t.Shape())
}

// checkFact is checkTensor for a tensor of the given type and shape.
func checkFact(fact *ir.Fact, t ir.ElementType, shape ir.Shape) error {
	_, typeFits := ir.MergeElementTypes(fact.Type, t) // fact.Type can be Dynamic
	if !typeFits || !contains(fact.Shape, shape) {
		return faults.Errorf("the tensor is %v%v, the model has %v%v", t, slices.Clone(shape), fact.Type, fact.Shape)
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
