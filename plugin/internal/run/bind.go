package run

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// bound is a plan with its tensors in the memory of one execution.
type bound struct {
	Plan    *plan.Plan
	Tensors []*ir.Tensor // by value
	Results []*ir.Tensor
	Steps   []boundStep
	// views are the values in the tensors of the caller, other than the inputs. Steps set those of
	// unknown shape.
	views []int
	// moved reports for each result whether it is in the tensor that the caller has set for it.
	moved []bool
	// reserved is the bytes that the kernels have reserved with Run.Reserve.
	reserved int64
}

// boundStep is a step of a bound plan.
type boundStep struct {
	kernel  ops.Kernel
	Run     ops.Run
	dynamic *dynamicStep // kernel is its method; nil if the shapes are known before the run
}

// bind returns p bound to the memory of e, which must be large enough for p.
func (e *Execution) bind(p *plan.Plan) (*bound, error) {
	b := &bound{
		Plan: p, Tensors: make([]*ir.Tensor, len(p.Values)), Steps: make([]boundStep, len(p.Steps)),
		moved: make([]bool, len(p.Results)),
	}
	for v := range p.Values {
		if err := b.bindValue(v, &e.Memory); err != nil {
			return nil, err
		}
	}
	b.Results = b.tensorsOf(p.Results)
	charge := b.charging(e.shared.Budget)
	for i := range p.Steps {
		s, to := &p.Steps[i], &b.Steps[i]
		to.Run = ops.Run{
			Inputs: b.tensorsOf(s.Inputs), Outputs: b.tensorsOf(s.Outputs), Pool: e.shared.Pool, Division: e.shared.Division,
			Bodies: e.Bodies[s.Layer], Variables: e.shared.Variables, Charge: charge,
		}
		if s.Dynamic != nil {
			dynamic := &dynamicStep{
				layer: s.Dynamic, step: s, bound: b, execution: e, memory: &e.Memory, run: &to.Run, resized: make([]bool, len(s.Outputs)),
			}
			to.kernel, to.Run.Resize, to.Run.Share, to.dynamic = dynamic.kernel, dynamic.resize, dynamic.share, dynamic
		} else {
			to.kernel = s.Kernel
			to.Run.Scratch = e.Memory.Arena[s.Scratch : s.Scratch+s.ScratchBytes : s.Scratch+s.ScratchBytes]
			to.Run.Resize = func(output int, shape ir.Shape) error { return ops.CheckResize(to.Run.Outputs[output], shape) }
		}
		if len(to.Run.Bodies) > 0 {
			to.kernel = releasingBodies(to.kernel)
		}
	}
	return b, nil
}

// releasingBodies returns a kernel that calls kernel and then makes the bodies forget the tensors
// that they were given.
func releasingBodies(kernel ops.Kernel) ops.Kernel {
	return func(r *ops.Run) error {
		defer func() {
			for _, body := range r.Bodies {
				if e := body.(*Execution); e.Running != nil {
					e.Running.release()
				}
			}
		}()
		return kernel(r)
	}
}

// release makes b forget the tensors of the caller, so that they do not stay in memory.
func (b *bound) release() {
	for _, v := range b.Plan.Params {
		b.Tensors[v].Release()
	}
	for _, v := range b.views {
		b.Tensors[v].Release()
	}
	for i, group := range b.Plan.Group {
		if !b.moved[i] { // else setOutputs sets the tensors again
			continue
		}
		for _, v := range group {
			b.Tensors[v].Release()
		}
	}
}

// tensorsOf returns the tensors of values.
func (b *bound) tensorsOf(values []int) []*ir.Tensor {
	tensors := make([]*ir.Tensor, len(values))
	for i, v := range values {
		tensors[i] = b.Tensors[v]
	}
	return tensors
}

// bindValue creates the tensor of value v. The tensors of the caller, and those of unknown shape,
// are set at run time.
func (b *bound) bindValue(v int, m *requestMemory) error {
	value := &b.Plan.Values[v]
	b.Tensors[v] = new(ir.Tensor)
	switch owner := b.Plan.Owner(v); {
	case value.Kind == plan.OfCaller:
		return nil
	case b.Plan.Values[owner].Kind == plan.OfCaller:
		b.views = append(b.views, v)
		return nil
	case value.IsDynamic() || b.Plan.Values[owner].Kind == plan.InSlot:
		return nil
	case value.Kind == plan.OfModel:
		b.Tensors[v] = value.Tensor
		return nil
	case b.Plan.Values[owner].Kind == plan.OfModel:
		return b.set(v, b.Plan.Values[owner].Tensor.Bytes(), b.Plan.Values[owner].Tensor.Strings())
	default:
		return b.toArena(v, m)
	}
}

// set puts v into the given memory, which is the memory of its owner.
func (b *bound) set(v int, data []byte, strings []string) error {
	value := &b.Plan.Values[v]
	if data != nil {
		data = data[b.Plan.Start(v):]
	}
	return b.Tensors[v].Reset(value.ElementType, value.Shape, data, strings)
}

// toArena puts v at its place in the arena.
func (b *bound) toArena(v int, m *requestMemory) error {
	o := &b.Plan.Values[b.Plan.Owner(v)]
	if o.ElementType == ir.String {
		return b.set(v, nil, m.strings[o.Place:o.Place+o.Size])
	}
	return b.set(v, m.Arena[o.Place:o.Place+o.Size], nil)
}

// fits reports whether inputs have the types and shapes of the plan.
func (b *bound) fits(inputs []*ir.Tensor) bool {
	for i, t := range inputs {
		if t == nil || t.ElementType() != b.Plan.Inputs[i].Type || !contains(b.Plan.Inputs[i].Shape, t.Shape()) {
			return false
		}
	}
	return true
}

// setInputs sets the inputs, and the views of them, to the tensors of the caller.
func (b *bound) setInputs(inputs []*ir.Tensor) error {
	for i, v := range b.Plan.Params {
		*b.Tensors[v] = *inputs[i]
	}
	for _, v := range b.views {
		if b.Plan.Values[v].IsDynamic() {
			continue
		}
		of := b.Tensors[b.Plan.Owner(v)]
		if err := b.set(v, of.Bytes(), of.Strings()); err != nil {
			return err
		}
	}
	return nil
}

// setOutputs puts the results into the tensors that the caller has set for them, if possible.
// deliver copies the other results.
func (b *bound) setOutputs(e *Execution, given []*ir.Tensor) error {
	for i, to := range given {
		group := b.Plan.Group[i]
		if to == nil && !b.moved[i] || group == nil {
			continue
		}
		moved := false
		if to != nil {
			var err error
			if moved, err = e.suits(i, to, b.Results[i]); err != nil {
				return err
			}
		}
		b.moved[i] = moved
		for _, v := range group {
			var err error
			if b.moved[i] {
				err = b.set(v, to.Bytes(), to.Strings())
			} else {
				err = b.toArena(v, &e.Memory)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Deliver copies the results that are not in the tensors that the caller has set for them. If the
// context of the Infer ends meanwhile, it returns the error of the context.
func (b *bound) Deliver(e *Execution, given []*ir.Tensor) error {
	for i, t := range b.Results {
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
		stop := control.StopOf(e.shared.Context)
		parallel.Copy(stop, to.Bytes(), t.Bytes())
		parallel.Copy(stop, to.Strings(), t.Strings())
		if err := stop.Err(); err != nil {
			return control.Stopped(e.shared.Context, err)
		}
	}
	return nil
}

// clearPadding clears the bits after the last element of a tensor of a sub-byte type. Kernels do
// not set them.
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
