package run

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// dynamicStep is a DynamicLayer in one execution.
type dynamicStep struct {
	layer     *plan.DynamicLayer
	step      *plan.Step
	bound     *bound
	execution *Execution
	memory    *requestMemory // of execution
	run       *ops.Run

	key, next []byte // key is the key of entry, next a buffer for the key of the next entry
	entry     *plan.DynamicKernel
	refitted  *plan.DynamicKernel // can become the entry for other inputs; may be nil
	uncached  bool                // entry is for this run only
	runs      bool                // the kernel runs
	about     plan.KernelInfo     // of the last run
	resized   []bool              // outputs whose shape the kernel has set
}

// kernel is the kernel of the step.
func (l *dynamicStep) kernel(r *ops.Run) error {
	if err := l.find(r.Inputs); err != nil {
		return err
	}
	e := l.entry
	l.runs, l.about = true, plan.InfoOf(e.Prepared)
	defer l.end()
	if err := l.execution.shared.Running.Charge(e.Size); err != nil {
		return err
	}
	defer l.execution.shared.Running.Add(-e.Size)
	clear(l.resized)
	for i, shape := range e.Shapes {
		if shape == nil && !(l.layer.View && i == 0) {
			continue
		}
		if err := l.allocate(i, shape, e.Sizes[i]); err != nil {
			return err
		}
		l.resized[i] = true
	}
	if e.Prepared == nil {
		return nil
	}
	var err error
	if r.Scratch, err = l.memory.scratchFor(e.Prepared.ScratchBytes); err != nil {
		return err
	}
	if err := e.Prepared.Kernel(r); err != nil {
		return err
	}
	if err := r.Stop.Err(); err != nil {
		return err
	}
	if i := slices.Index(l.resized, false); i >= 0 {
		return faults.Errorf("BUG: the kernel has not set the shape of output %d", i)
	}
	return nil
}

// find sets l.entry to the entry for inputs.
func (l *dynamicStep) find(inputs []*ir.Tensor) error {
	var keep bool
	l.next, keep = l.layer.AppendKey(l.next[:0], inputs)
	if keep && l.entry != nil && !l.entry.Evicted() && string(l.key) == string(l.next) {
		return nil
	}
	l.entry, l.key = nil, l.key[:0]
	var err error
	if keep {
		l.entry = l.layer.Kept(l.next)
	}
	if l.entry == nil {
		l.entry, err = l.infer(inputs, keep)
	}
	if err == nil && keep {
		l.key, l.next = l.next, l.key
	}
	return err
}

// infer infers the layer for inputs and returns the entry. keep means that l.next is its key;
// otherwise it has none.
//
// To make an entry takes longer than to change the one that the step refits, and inputs that come
// for the first time, such as the lengths of a text, may not come again. So the cache gets an entry
// when they do.
func (l *dynamicStep) infer(inputs []*ir.Tensor, keep bool) (*plan.DynamicKernel, error) {
	refitted := l.refitted
	if l.refitted = nil; refitted != nil && keep && l.layer.Prepared.Again(l.next) {
		l.refitted, refitted = refitted, nil
	}
	e, err := l.layer.Infer(l.execution.shared.Context, refitted, inputs, len(l.step.Outputs))
	if err != nil {
		return nil, err
	}
	l.execution.shared.dropMany(l.layer.Env)
	switch {
	case e.Refits && l.refitted == nil:
		l.refitted = e
	case keep:
		e = l.layer.Keep(l.next, e)
	default:
		l.uncached = true
	}
	return e, nil
}

// end drops what is for one run only: the scratch memory, which can grow, and an entry that is not
// in the cache.
func (l *dynamicStep) end() {
	l.run.Scratch, l.runs = nil, false
	if l.uncached {
		l.entry.Close()
		l.entry, l.uncached = nil, false
	}
}

// DropEvicted drops an entry that the cache has dropped, unless it runs.
func (l *dynamicStep) dropEvicted() {
	if l.entry != nil && !l.runs && l.entry.Evicted() {
		l.entry, l.key = nil, l.key[:0]
	}
}

// allocate sets the type, shape and memory of output i.
func (l *dynamicStep) allocate(i int, shape ir.Shape, size int) error {
	t, value := l.run.Outputs[i], &l.bound.Plan.Values[l.step.Outputs[i]]
	elementType := l.entry.Types[i]
	if l.layer.View && i == 0 {
		in := l.run.Inputs[0]
		if in.ElementType() != elementType || in.Len() != shape.Elements() {
			return faults.Errorf("input %v%v and output %v%v do not hold the same elements",
				in.ElementType(), in.Shape(), elementType, slices.Clone(shape))
		}
		if planned := l.layer.Planned[i]; planned != nil && !slices.Equal(planned, shape) {
			return faults.Errorf("the shape of output %d is %v, and %v for other lengths", i, slices.Clone(shape), planned)
		}
		return t.Reset(elementType, shape, in.Bytes(), in.Strings())
	}
	if !value.IsDynamic() {
		return ops.CheckResize(t, shape)
	}
	s := &l.memory.Slots[value.Place]
	if s.short(elementType, size) {
		l.execution.releaseSlot(value.Place)
	}
	if err := s.grow(elementType, size, l.memory.budget); err != nil {
		return err
	}
	return t.Reset(elementType, shape, s.Bytes, s.strings)
}

// resize is Run.Resize for the kernel of a dynamic layer.
func (l *dynamicStep) resize(output int, shape ir.Shape) error {
	if l.entry.Shapes[output] != nil {
		return ops.CheckResize(l.run.Outputs[output], shape)
	}
	size, err := l.layer.Env.Memory.Limits.SizeOf(l.entry.Types[output], shape)
	if err != nil {
		return err
	}
	l.resized[output] = true
	return l.allocate(output, shape, size)
}

// share is Run.Share for the kernel of a dynamic layer.
func (l *dynamicStep) share(output int, from *ir.Tensor) error {
	if l.entry.Shapes[output] != nil || from.ElementType() != l.entry.Types[output] {
		return faults.Errorf("BUG: output %d cannot share %v%v", output, from.ElementType(), slices.Clone(from.Shape()))
	}
	t := l.run.Outputs[output]
	t.Share(from)
	l.resized[output] = true
	// In the body of a Loop, the same tensor is shared in each iteration.
	if sharing := &l.execution.shared.sharing; !slices.Contains(*sharing, t) {
		*sharing = append(*sharing, t)
	}
	return nil
}
