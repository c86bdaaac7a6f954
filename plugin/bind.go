package plugin

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
)

// bound is a plan with its tensors in the memory of one execution.
type bound struct {
	plan    *plan
	tensors []*ir.Tensor // by value
	results []*ir.Tensor
	steps   []boundStep
	// views are the values in the tensors of the caller, other than the inputs. Steps set those of unknown shape.
	views []int
	// moved reports for each result whether it is in the tensor that the caller has set for
	// it.
	moved []bool
	// reserved is the bytes that the kernels have reserved with Run.Reserve.
	reserved int64
}

// boundStep is a step of a bound plan.
type boundStep struct {
	kernel ops.Kernel
	run    ops.Run
	late   *lateRun // kernel is its method; nil if the shapes are known before the run
}

// bind returns p bound to the memory of e, which must be large enough for p.
func (e *execution) bind(p *plan) (*bound, error) {
	b := &bound{
		plan: p, tensors: make([]*ir.Tensor, len(p.values)), steps: make([]boundStep, len(p.steps)),
		moved: make([]bool, len(p.results)),
	}
	for v := range p.values {
		if err := b.bindValue(v, &e.memory); err != nil {
			return nil, err
		}
	}
	b.results = b.tensorsOf(p.results)
	charge := b.charging(e.shared.budget)
	for i := range p.steps {
		s, to := &p.steps[i], &b.steps[i]
		to.run = ops.Run{
			Inputs: b.tensorsOf(s.inputs), Outputs: b.tensorsOf(s.outputs), Pool: e.shared.pool,
			Bodies: e.bodies[s.layer], Variables: e.shared.variables, Charge: charge,
		}
		if s.late != nil {
			late := &lateRun{layer: s.late, step: s, bound: b, execution: e, memory: &e.memory, run: &to.run}
			to.kernel, to.run.Resize, to.run.Share, to.late = late.kernel, late.resize, late.share, late
		} else {
			to.kernel = s.kernel
			to.run.Scratch = e.memory.arena[s.scratch : s.scratch+s.scratchBytes : s.scratch+s.scratchBytes]
			to.run.Resize = func(output int, shape ir.Shape) error { return ops.CheckResize(to.run.Outputs[output], shape) }
		}
		if len(to.run.Bodies) > 0 {
			to.kernel = releasingBodies(to.kernel)
		}
	}
	return b, nil
}

// releasingBodies returns a kernel that calls kernel and then makes the bodies forget the tensors that
// they were given.
func releasingBodies(kernel ops.Kernel) ops.Kernel {
	return func(r *ops.Run) error {
		defer func() {
			for _, body := range r.Bodies {
				if e := body.(*execution); e.running != nil {
					e.running.release()
				}
			}
		}()
		return kernel(r)
	}
}

// release makes b forget the tensors of the caller, so that they do not stay in memory.
func (b *bound) release() {
	for _, v := range b.plan.params {
		b.tensors[v].Release()
	}
	for _, v := range b.views {
		b.tensors[v].Release()
	}
	for i, group := range b.plan.group {
		if !b.moved[i] { // else setOutputs sets the tensors again
			continue
		}
		for _, v := range group {
			b.tensors[v].Release()
		}
	}
}

// tensorsOf returns the tensors of values.
func (b *bound) tensorsOf(values []int) []*ir.Tensor {
	tensors := make([]*ir.Tensor, len(values))
	for i, v := range values {
		tensors[i] = b.tensors[v]
	}
	return tensors
}

// bindValue creates the tensor of value v. The tensors of the caller, and those of unknown shape, are
// set at run time.
func (b *bound) bindValue(v int, m *requestMemory) error {
	value := &b.plan.values[v]
	b.tensors[v] = new(ir.Tensor)
	switch owner := b.plan.owner(v); {
	case value.kind == ofCaller:
		return nil
	case b.plan.values[owner].kind == ofCaller:
		b.views = append(b.views, v)
		return nil
	case value.late() || b.plan.values[owner].kind == inSlot:
		return nil
	case value.kind == ofModel:
		b.tensors[v] = value.tensor
		return nil
	case b.plan.values[owner].kind == ofModel:
		return b.set(v, b.plan.values[owner].tensor.Bytes(), b.plan.values[owner].tensor.Strings())
	default:
		return b.toArena(v, m)
	}
}

// set puts v into the given memory, which is the memory of its owner.
func (b *bound) set(v int, data []byte, strings []string) error {
	value := &b.plan.values[v]
	if data != nil {
		data = data[b.plan.start(v):]
	}
	return b.tensors[v].Reset(value.elementType, value.shape, data, strings)
}

// toArena puts v at its place in the arena.
func (b *bound) toArena(v int, m *requestMemory) error {
	o := &b.plan.values[b.plan.owner(v)]
	if o.elementType == ir.String {
		return b.set(v, nil, m.strings[o.place:o.place+o.size])
	}
	return b.set(v, m.arena[o.place:o.place+o.size], nil)
}

// fits reports whether inputs have the types and shapes of the plan.
func (b *bound) fits(inputs []*ir.Tensor) bool {
	for i, t := range inputs {
		if t == nil || t.ElementType() != b.plan.inputs[i].Type || !contains(b.plan.inputs[i].Shape, t.Shape()) {
			return false
		}
	}
	return true
}

// setInputs sets the inputs, and the views of them, to the tensors of the caller.
func (b *bound) setInputs(inputs []*ir.Tensor) error {
	for i, v := range b.plan.params {
		*b.tensors[v] = *inputs[i]
	}
	for _, v := range b.views {
		if b.plan.values[v].late() {
			continue
		}
		of := b.tensors[b.plan.owner(v)]
		if err := b.set(v, of.Bytes(), of.Strings()); err != nil {
			return err
		}
	}
	return nil
}

// setOutputs puts the results into the tensors that the caller has set for them, if possible. deliver
// copies the other results.
func (b *bound) setOutputs(e *execution, given []*ir.Tensor) error {
	for i, to := range given {
		group := b.plan.group[i]
		if to == nil && !b.moved[i] || group == nil {
			continue
		}
		moved := false
		if to != nil {
			var err error
			if moved, err = e.suits(i, to, b.results[i]); err != nil {
				return err
			}
		}
		b.moved[i] = moved
		for _, v := range group {
			var err error
			if b.moved[i] {
				err = b.set(v, to.Bytes(), to.Strings())
			} else {
				err = b.toArena(v, &e.memory)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// deliver copies the results that are not in the tensors that the caller has set for them. If the context
// of the Infer ends meanwhile, it returns the error of the context.
func (b *bound) deliver(e *execution, given []*ir.Tensor) error {
	for i, t := range b.results {
		if bits := t.ElementType().Bits(); bits%8 != 0 {
			clearPadding(t)
		}
		to := given[i]
		if to == nil || b.moved[i] {
			continue
		}
		if suits, err := e.suits(i, to, t); !suits {
			if err != nil {
				return err
			}
			continue
		}
		stop := control.StopOf(e.shared.ctx)
		parallel.Copy(stop, to.Bytes(), t.Bytes())
		parallel.Copy(stop, to.Strings(), t.Strings())
		if err := stop.Err(); err != nil {
			return control.Stopped(e.shared.ctx, err)
		}
	}
	return nil
}

// clearPadding clears the bits after the last element of a tensor of a sub-byte type. Kernels do not
// set them.
func clearPadding(t *ir.Tensor) {
	group := 8 / t.ElementType().Bits()
	switch t.ElementType() {
	case ir.U3:
		group = 8
	case ir.U6:
		group = 4
	}
	for i := t.Len(); i%group != 0; i++ {
		t.SetPacked(i, 0)
	}
}
