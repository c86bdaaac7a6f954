// Package run runs plans in the memory of a request: it binds their values to tensors, calls the
// kernels of the steps, prepares those whose shapes are known only then, and keeps the values of
// variables.
package run

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
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// Execution is a program with memory to run it. An InferRequest has one for the model and one for
// each body.
type Execution struct {
	program *plan.Program
	shared  *Shared
	Memory  requestMemory
	Bodies  map[*ir.Layer][]ops.Body
	none    []*ir.Tensor // a nil for each result
	isBody  bool

	Bounds []*bound // the plans that are bound to the memory, the last used first
	Bound  *bound   // the plan of the last run; nil unless the run succeeded
	// Running is the plan of the last run, whether it succeeded or not.
	Running *bound
	runs    bool // run has been called and has not returned
	exact   bool // the plan must not leave lengths open
	step    int  // the step that runs; -1 before the first
	times   []stepTime
}

// Shared is what all executions of an InferRequest share.
type Shared struct {
	Pool      *parallel.Pool
	Division  *parallel.Division // of the step of Timed that runs; nil if times are not measured
	Budget    *memory.Ledger     // of the tensors, MaxTotalBytes
	Running   *memory.Ledger     // of the tables of the plans that run
	Variables []ops.Variable
	Timed     *Execution // the execution to measure the times of; may be nil
	Main      *Execution // of the model
	evictions int64      // Caches.Evictions when the plans were last looked through
	// sharing lists the tensors over the memory of variables, which the end of the Infer releases.
	sharing []*ir.Tensor
	// Context is the context of the current Infer. It is kept here because the kernels of layers
	// with bodies do not have it.
	Context context.Context
}

func New(p *plan.Program, s *Shared) *Execution {
	e := &Execution{
		program: p, shared: s, Memory: requestMemory{budget: s.Budget}, none: make([]*ir.Tensor, len(p.Model.Results)),
	}
	for layer, bodies := range p.Bodies {
		if e.Bodies == nil {
			e.Bodies = make(map[*ir.Layer][]ops.Body, len(p.Bodies))
		}
		for _, body := range bodies {
			inner := New(body, s)
			inner.isBody = true
			e.Bodies[layer] = append(e.Bodies[layer], inner)
		}
	}
	return e
}

// Infer implements ops.Body.
func (e *Execution) Infer(inputs, outputs []*ir.Tensor) ([]*ir.Tensor, error) {
	if len(inputs) != len(e.program.Inputs) {
		return nil, faults.Errorf("BUG: %d inputs are given to a body of %d", len(inputs), len(e.program.Inputs))
	}
	if outputs == nil {
		outputs = e.none
	}
	if err := e.Run(inputs, outputs); err != nil {
		return nil, err
	}
	return e.Bound.Results, nil
}

// Run runs the program. given has, for each result, the tensor that the caller has set for it, or
// nil.
func (e *Execution) Run(inputs, given []*ir.Tensor) (err error) {
	b, last := e.Bound, e.Running
	e.Bound, e.Running, e.runs, e.step, e.times = nil, nil, true, -1, e.times[:0]
	defer e.recovered(&err)
	if b == nil || b.Plan.Evicted() || !e.fits(b, inputs) {
		if last != nil {
			last.release()
		}
		if b, err = e.ready(inputs); err != nil {
			return err
		}
	}
	e.Running = b
	if err := e.shared.Running.Charge(b.Plan.Size); err != nil {
		return err
	}
	defer e.shared.Running.Add(-b.Plan.Size)
	if err := b.setInputs(inputs); err != nil {
		return err
	}
	if err := b.setOutputs(e, given); err != nil {
		return err
	}
	if e.shared.Timed == e {
		err = e.runTimed(b)
	} else {
		err = e.runSteps(b)
	}
	if err != nil {
		return err
	}
	if err := b.Deliver(e, given); err != nil {
		return err
	}
	e.Bound = b
	return nil
}

// recovered ends a run, and turns a panic into an error that names the layer.
func (e *Execution) recovered(err *error) {
	e.runs = false
	if p := recover(); p != nil {
		*err = control.Bug(p)
		if e.Running != nil && e.step >= 0 {
			*err = control.AtLayer(e.Running.Plan.Steps[e.step].Layer, *err)
		}
	}
}

// ReleaseShared makes the tensors over the memory of variables forget it: a variable that grows
// gets other memory, and the tensors, which plans keep, would keep the old one.
func (s *Shared) ReleaseShared() {
	for _, t := range s.sharing {
		t.Release()
	}
	clear(s.sharing)
	s.sharing = s.sharing[:0]
}

// DropEvicted drops the plans of the request that a cache has dropped, except those that run.
func (s *Shared) DropEvicted(env *graph.Environment) {
	if n := env.Memory.Caches.Evictions(); n != s.evictions {
		s.evictions = n
		s.Main.dropEvicted()
	}
}

// dropMany is DropEvicted if the caches have dropped so many entries that looking for them pays
// before the run ends.
func (s *Shared) dropMany(env *graph.Environment) {
	const many = 64
	if env.Memory.Caches.Evictions() >= s.evictions+many {
		s.DropEvicted(env)
	}
}

// dropEvicted drops the plans that a cache has dropped, and those of the bodies. A plan that runs
// stays until its end.
func (e *Execution) dropEvicted() {
	e.dropBounds(func(b *bound) bool { return isEvicted(b) && !(e.runs && b == e.Running) })
	if e.Bound != nil && isEvicted(e.Bound) {
		e.Bound = nil
	}
	if e.Running != nil && !e.runs && isEvicted(e.Running) {
		e.Running = nil
	}
	for _, b := range e.Bounds {
		for i := range b.Steps {
			if dynamic := b.Steps[i].dynamic; dynamic != nil {
				dynamic.dropEvicted()
			}
		}
	}
	for _, bodies := range e.Bodies {
		for _, body := range bodies {
			body.(*Execution).dropEvicted()
		}
	}
}

// releaseSlot makes all tensors in a slot forget its memory, which is about to be allocated again.
func (e *Execution) releaseSlot(slot int) {
	for _, b := range e.Bounds {
		if slot >= len(b.Plan.InSlots) {
			continue
		}
		for _, v := range b.Plan.InSlots[slot] {
			b.Tensors[v].Release()
		}
	}
}

// fits reports whether b is a plan for inputs.
func (e *Execution) fits(b *bound, inputs []*ir.Tensor) bool {
	return b.fits(inputs) && !(e.exact && b.Plan.IsOpen())
}

// IsOpen reports whether the last run had a plan that leaves lengths open.
func (e *Execution) IsOpen() bool { return e.Running != nil && e.Running.Plan.IsOpen() }

// RunExact is run with a plan that leaves no length open, after a run with one that does has
// failed.
func (e *Execution) RunExact(inputs, given []*ir.Tensor) error {
	e.exact = true
	defer func() { e.exact = false }()
	err := e.Run(inputs, given)
	if err == nil {
		e.program.Close()
	}
	return err
}

// ready returns the bound plan for inputs.
func (e *Execution) ready(inputs []*ir.Tensor) (*bound, error) {
	e.dropBounds(isEvicted)
	for i, b := range e.Bounds {
		if e.fits(b, inputs) {
			if i > 0 {
				copy(e.Bounds[1:i+1], e.Bounds[:i])
				e.Bounds[0] = b
			}
			return b, nil
		}
	}
	for i, t := range inputs {
		if err := CheckTensor(&e.program.Inputs[i], t); err != nil {
			return nil, faults.Errorf("input %d %q: %w", i, e.program.Model.Parameters[i].Name, err)
		}
	}
	p, err := e.program.Plan(e.shared.Context, inputs, e.exact)
	if err != nil {
		return nil, err
	}
	e.shared.DropEvicted(e.program.Env) // the new plan can have taken the place of others
	if !e.Memory.fits(p) {
		e.dropBounds(all) // they are bound to the memory before it grows
	}
	if err := e.Memory.hold(p); err != nil {
		return nil, err
	}
	b, err := e.bind(p)
	if err != nil {
		return nil, err
	}
	e.Bounds = append([]*bound{b}, e.Bounds...)
	if most := e.program.Env.Memory.Limits.MaxPlans; len(e.Bounds) > most {
		oldest := e.Bounds[most]
		e.dropBounds(func(b *bound) bool { return b == oldest })
	}
	return b, nil
}

// runSteps runs the steps of b.
func (e *Execution) runSteps(b *bound) error {
	stop := control.StopOf(e.shared.Context)
	for i := range b.Steps {
		s := &b.Steps[i]
		e.step = i
		if stop.Requested() {
			return e.shared.Context.Err()
		}
		s.Run.Stop = stop
		if err := s.kernel(&s.Run); err != nil {
			return e.failed(err)
		}
	}
	if stop.Requested() { // the last kernel can have returned early
		return e.shared.Context.Err()
	}
	return nil
}

// runTimed is runSteps and measures the time of each step.
func (e *Execution) runTimed(b *bound) error {
	e.times = slices.Grow(e.times[:0], len(b.Steps))[:len(b.Steps)]
	clear(e.times)
	begun, saved, stop := time.Now(), time.Duration(0), control.StopOf(e.shared.Context)
	for i := range b.Steps {
		s := &b.Steps[i]
		e.step = i
		if stop.Requested() {
			return e.shared.Context.Err()
		}
		s.Run.Stop = stop
		*e.shared.Division = parallel.Division{}
		start := time.Since(begun)
		err := s.kernel(&s.Run)
		took, division := time.Since(begun)-start, *e.shared.Division
		e.times[i] = stepTime{start - saved, max(took-division.Saved, 0), division}
		saved += division.Saved
		if err != nil {
			return e.failed(err)
		}
	}
	if stop.Requested() {
		return e.shared.Context.Err()
	}
	return nil
}

// failed returns err, the error of the current step, with the identity of the layer. If err already
// names a layer in a body, failed does not add it. If the context has ended, failed returns its
// error whatever err is: a kernel that was stopped may have read memory that it has not filled.
func (e *Execution) failed(err error) error {
	if ended := e.shared.Context.Err(); ended != nil {
		return ended
	}
	if inner := (*ir.LayerError)(nil); errors.As(err, &inner) {
		return inner
	}
	return control.AtLayer(e.Running.Plan.Steps[e.step].Layer, err)
}

// suits reports whether result i, which is t, has the type and shape of to, a tensor of the caller.
// If not, suits returns an error, except in a body: the kernel of a layer with bodies may not know
// the types and shapes of the results.
func (e *Execution) suits(i int, to, t *ir.Tensor) (bool, error) {
	if to.ElementType() == t.ElementType() && slices.Equal(to.Shape(), t.Shape()) {
		return true, nil
	}
	if e.isBody {
		return false, nil
	}
	return false, faults.Errorf("output %d %q: the tensor is %v%v, the output is %v%v", i, e.program.Outputs[i],
		to.ElementType(), to.Shape(), t.ElementType(), t.Shape())
}

// CheckTensor returns an error unless t has the type and shape of an input or output.
func CheckTensor(fact *ir.Fact, t *ir.Tensor) error {
	if t == nil {
		return errors.New("the tensor is nil")
	}
	return checkFact(fact, t.ElementType(), t.Shape())
}

// checkFact is CheckTensor for a tensor of the given type and shape.
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
