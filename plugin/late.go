package plugin

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// lateLayer is a layer of a plan whose shapes depend on the values of tensors: it is inferred and
// prepared when it runs. The results are cached by the shapes of the inputs and by the values of the
// inputs in Op.Values.
type lateLayer struct {
	env        *environment
	layer      *ir.Layer
	op         *ops.Op
	attributes any
	constants  []*ir.Tensor  // by input; nil for inputs that are not constant
	planned    []ir.Shape    // by output; nil if the shape is unknown before the run
	view       bool          // output 0 is in the memory of input 0
	prepared   *memory.Cache // of *lateEntry
	shared     bool          // prepared belongs to all plans; else to this one
	prefix     []byte        // of the keys, if it is shared: what differs from plan to plan
}

// lateEntry is a lateLayer for one set of input shapes and values.
type lateEntry struct {
	types   []ir.ElementType // of the outputs
	shapes  []ir.Shape       // nil if the kernel sets the shape
	sizes   []int            // of the outputs, as value.size
	kernel  ops.Kernel
	scratch int
	about   kernelInfo
	// tables also counts the results of Once and the values that the kernel may keep.
	memory.Tables
}

// Memory implements memory.Cached.
func (e *lateEntry) Memory() *memory.Tables { return &e.Tables }

// Parts implements memory.Cached.
func (e *lateEntry) Parts() []*memory.Cache { return nil }

// maxValueBytes is the largest size of an input in Op.Values for which a prepared kernel is cached.
const maxValueBytes = 8 << 10

func (p *planner) newLateLayer(s *step) *lateLayer {
	l := &lateLayer{
		env: p.env, layer: s.layer, op: s.op, attributes: p.inferred.Attributes(s.layer),
		constants: make([]*ir.Tensor, len(s.inputs)), shared: true,
	}
	for i, v := range s.inputs {
		l.constants[i] = p.values[v].tensor
		if l.constants[i] == nil {
			l.prefix = append(l.prefix, 0)
			continue
		}
		// What is computed from the shapes of a plan is constant in this plan only.
		l.prefix = append(l.prefix, 1)
		l.shared = l.shared && i < len(s.layer.Inputs) && s.layer.Inputs[i].Source.Constant != nil
	}
	for _, v := range s.outputs {
		shape := p.values[v].shape
		l.planned = append(l.planned, shape)
		if shape == nil {
			l.prefix = append(l.prefix, 0)
			continue
		}
		l.prefix = append(l.prefix, 1)
		for _, n := range shape {
			l.prefix = binary.AppendUvarint(l.prefix, uint64(n))
		}
	}
	l.view = len(s.outputs) > 0 && p.values[s.outputs[0]].kind == ofAnother
	if l.shared = l.shared && !l.view; l.shared {
		l.prepared = p.env.lateCache(s.layer)
	} else {
		l.prefix, l.prepared = nil, p.env.memory.Caches.NewCache(p.env.memory.Limits.MaxPlans)
	}
	return l
}

// lateCache returns the cache of a layer that all plans share. Each token of a text model has a plan of its own, as the mask is
// longer, but most of its layers have the same shapes.
func (e *environment) lateCache(layer *ir.Layer) *memory.Cache {
	e.lateLock.Lock()
	defer e.lateLock.Unlock()
	if e.late == nil {
		e.late = map[*ir.Layer]*memory.Cache{}
	}
	if e.late[layer] == nil {
		e.late[layer] = e.memory.Caches.NewCache(e.memory.Limits.MaxPlans)
	}
	return e.late[layer]
}

// appendKey appends the key of the entry for inputs. It returns false if the key would be too large.
func (l *lateLayer) appendKey(key []byte, inputs []*ir.Tensor) ([]byte, bool) {
	key = append(key, l.prefix...)
	for i, t := range inputs {
		if l.constants[i] == nil {
			key = appendShape(key, t)
		}
	}
	for _, i := range l.op.Values {
		if i >= len(inputs) || l.constants[i] != nil {
			continue
		}
		t := inputs[i]
		if len(t.Bytes()) > maxValueBytes || len(t.Strings()) > maxValueBytes {
			return key, false
		}
		key = append(key, t.Bytes()...)
		for _, s := range t.Strings() {
			if len(s) > maxValueBytes || len(key) > maxValueBytes {
				return key, false
			}
			key = append(binary.AppendUvarint(key, uint64(len(s))), s...)
		}
	}
	return key, true
}

// infer infers and prepares the layer for inputs, and returns the entry. It stops when ctx is done.
func (l *lateLayer) infer(ctx context.Context, inputs []*ir.Tensor, outputs int) (made *lateEntry, err error) {
	stop := control.StopOf(ctx)
	e := &lateEntry{
		types: make([]ir.ElementType, outputs), shapes: make([]ir.Shape, outputs), sizes: make([]int, outputs),
	}
	e.Init(l.env.memory.Caches)
	defer func() {
		if made == nil {
			e.Close()
		}
	}()
	facts := make([]ir.Fact, len(inputs))
	for i, t := range inputs {
		facts[i] = ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: l.constants[i]}
		if facts[i].Tensor == nil && slices.Contains(l.op.Values, i) {
			if err := e.Charge(bytesOf(t)); err != nil {
				return nil, err
			}
			if facts[i].Tensor, err = t.Clone(); err != nil { // the kernel may keep it
				return nil, err
			}
		}
	}
	in := &ops.Inference{
		Layer: l.layer, Attributes: l.attributes, Inputs: facts, Outputs: make([]ir.Fact, outputs),
		Context: infer.ContextOf(ctx, l.layer, l.env.registry),
	}
	if err := l.op.Rule().Run(in); err != nil {
		return nil, err
	}
	for i, out := range in.Outputs {
		e.types[i] = out.Type
		if !out.Shape.IsStatic() {
			continue
		}
		shape, err := out.Shape.Static()
		if err != nil {
			return nil, err
		}
		if planned := l.planned[i]; planned != nil && planned.Elements() == shape.Elements() {
			shape = planned // a scalar in a body counts as a vector of one element
		}
		e.shapes[i] = shape
		if e.sizes[i], err = l.env.memory.Limits.SizeOf(out.Type, shape); err != nil {
			return nil, err
		}
	}
	if l.view {
		return e, nil
	}
	p := ops.Preparation{
		Attributes: l.attributes, Layer: l.layer, Inputs: facts, Outputs: in.Outputs,
		Threads: l.env.threads, Accurate: l.env.accurate, QuantizationGroup: l.env.group, Rounded: l.env.rounded, Variables: l.env.variableIndex, Stop: stop, Charge: e.Charge,
	}
	once := memory.NewOnceStore(&e.Ledger) // for inputs in Op.Values, which are constant only in this entry
	p.Keep = l.env.memory.Keep(once, l.layer, l.op, facts, stop)
	prepared, err := l.op.PrepareKernel(&p, l.env.memory.Limits.MaxTensorBytes)
	if err != nil {
		return nil, err
	}
	e.kernel, e.scratch, e.about = prepared.Kernel, prepared.ScratchBytes, infoOf(prepared)
	e.Size = e.Used()
	return e, nil
}

// lateRun is a lateLayer in one execution.
type lateRun struct {
	layer     *lateLayer
	step      *step
	bound     *bound
	execution *execution
	memory    *requestMemory // of execution
	run       *ops.Run

	key, next []byte // key is the key of entry, next a buffer for the key of the next entry
	entry     *lateEntry
	uncached  bool       // entry is for this run only
	runs      bool       // the kernel runs
	about     kernelInfo // of the last run
	resized   []bool     // outputs whose shape the kernel has set
}

// kernel is the kernel of the step.
func (l *lateRun) kernel(r *ops.Run) error {
	if err := l.find(r.Inputs); err != nil {
		return err
	}
	e := l.entry
	l.runs, l.about = true, e.about
	defer l.end()
	if err := l.execution.shared.running.Charge(e.Size); err != nil {
		return err
	}
	defer l.execution.shared.running.Add(-e.Size)
	l.resized = append(l.resized[:0], make([]bool, len(r.Outputs))...)
	for i, shape := range e.shapes {
		if shape == nil && !(l.layer.view && i == 0) {
			continue
		}
		if err := l.allocate(i, shape, e.sizes[i]); err != nil {
			return err
		}
		l.resized[i] = true
	}
	if e.kernel == nil {
		return nil
	}
	var err error
	if r.Scratch, err = l.memory.scratchFor(e.scratch); err != nil {
		return err
	}
	if err := e.kernel(r); err != nil {
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

// find sets l.entry to the entry for inputs: the one of the last run, a cached one or a new one.
func (l *lateRun) find(inputs []*ir.Tensor) error {
	var keep bool
	l.next, keep = l.layer.appendKey(l.next[:0], inputs)
	if keep && l.entry != nil && !l.entry.Evicted() && string(l.key) == string(l.next) {
		return nil
	}
	l.entry, l.key = nil, l.key[:0]
	if keep {
		if found := l.layer.prepared.Get(l.next); found != nil {
			l.entry, l.key, l.next = found.(*lateEntry), l.next, l.key
			return nil
		}
	}
	entry, err := l.layer.infer(l.execution.shared.ctx, inputs, len(l.step.outputs))
	if err != nil {
		return err
	}
	l.execution.shared.dropMany(l.layer.env)
	if !keep {
		l.entry, l.uncached = entry, true
		return nil
	}
	l.entry = l.layer.prepared.Put(string(l.next), entry, 512).(*lateEntry)
	l.key, l.next = l.next, l.key
	return nil
}

// end drops what is for one run only: the scratch memory, which can grow, and an entry that is not in the
// cache.
func (l *lateRun) end() {
	l.run.Scratch, l.runs = nil, false
	if l.uncached {
		l.entry.Close()
		l.entry, l.uncached = nil, false
	}
}

// dropEvicted drops an entry that the cache has dropped, unless it runs.
func (l *lateRun) dropEvicted() {
	if l.entry != nil && !l.runs && l.entry.Evicted() {
		l.entry, l.key = nil, l.key[:0]
	}
}

// allocate sets the type, shape and memory of output i.
func (l *lateRun) allocate(i int, shape ir.Shape, size int) error {
	t, value := l.run.Outputs[i], &l.bound.plan.values[l.step.outputs[i]]
	elementType := l.entry.types[i]
	if l.layer.view && i == 0 {
		in := l.run.Inputs[0]
		if in.ElementType() != elementType || in.Len() != shape.Elements() {
			return faults.Errorf("input %v%v and output %v%v do not hold the same elements",
				in.ElementType(), in.Shape(), elementType, slices.Clone(shape))
		}
		if planned := l.layer.planned[i]; planned != nil && !slices.Equal(planned, shape) {
			return faults.Errorf("the shape of output %d is %v, and %v for other lengths", i, slices.Clone(shape), planned)
		}
		return t.Reset(elementType, shape, in.Bytes(), in.Strings())
	}
	if !value.late() {
		return ops.CheckResize(t, shape)
	}
	s := &l.memory.slots[value.place]
	if s.short(elementType, size) {
		l.execution.releaseSlot(value.place)
	}
	if err := s.grow(elementType, size, l.memory.budget); err != nil {
		return err
	}
	return t.Reset(elementType, shape, s.bytes, s.strings)
}

// resize is Run.Resize for the kernel of a late layer.
func (l *lateRun) resize(output int, shape ir.Shape) error {
	if l.entry.shapes[output] != nil {
		return ops.CheckResize(l.run.Outputs[output], shape)
	}
	size, err := l.layer.env.memory.Limits.SizeOf(l.entry.types[output], shape)
	if err != nil {
		return err
	}
	l.resized[output] = true
	return l.allocate(output, shape, size)
}

// share is Run.Share for the kernel of a late layer.
func (l *lateRun) share(output int, from *ir.Tensor) error {
	if l.entry.shapes[output] != nil || from.ElementType() != l.entry.types[output] {
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
