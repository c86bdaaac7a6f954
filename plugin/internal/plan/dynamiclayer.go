package plan

import (
	"context"
	"encoding/binary"
	"slices"

	sizes "github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// DynamicLayer is a layer of a plan whose shapes depend on the values of tensors: it is inferred
// and prepared when it runs. The results are cached by the shapes of the inputs and by the values
// of the inputs in Op.Values. For those that come for the first time, an execution can change an
// entry of its own instead, which is faster than to make one.
type DynamicLayer struct {
	Env        *graph.Environment
	layer      *ir.Layer
	op         *ops.Op
	rule       *infer.Rule // of op, without bounds of values, which nothing reads
	attributes any
	constants  []*ir.Tensor  // by input; nil for inputs that are not constant
	values     []int         // the inputs in Op.Values that are not constant
	Planned    []ir.Shape    // by output; nil if the shape is unknown before the run
	View       bool          // output 0 is in the memory of input 0
	Prepared   *memory.Cache // of *DynamicKernel
	shared     bool          // prepared belongs to all plans; else to this one
	prefix     []byte        // of the keys, if it is shared: what differs from plan to plan
}

// DynamicKernel is a DynamicLayer for one set of input shapes and values.
type DynamicKernel struct {
	Types    []ir.ElementType // of the outputs
	Shapes   []ir.Shape       // nil if the kernel sets the shape
	Sizes    []int            // of the outputs, as value.size
	Prepared *ops.Prepared    // nil for a view
	// Refits means that Infer can make it the entry for other inputs. Such an entry belongs to one
	// execution, until Keep puts it into the cache.
	Refits bool
	in     *ops.Inference
	p      *ops.Preparation // of Prepared, and of the next Refit
	// tables also counts the results of Once and the values that the kernel may keep.
	memory.Tables
}

// Memory implements memory.Cached.
func (e *DynamicKernel) Memory() *memory.Tables { return &e.Tables }

// Parts implements memory.Cached.
func (e *DynamicKernel) Parts() []*memory.Cache { return nil }

// kernelBytes is about what a DynamicKernel takes besides its tables, in bytes.
const kernelBytes = 128 * wordBytes

// maxValueBytes is the largest size of an input in Op.Values for which a prepared kernel is cached.
const maxValueBytes = 8 << 10

func (p *planner) newDynamicLayer(s *Step) *DynamicLayer {
	l := &DynamicLayer{
		Env: p.env, layer: s.Layer, op: s.op, rule: s.op.Rule(), attributes: p.inferred.Attributes(s.Layer),
		constants: make([]*ir.Tensor, len(s.Inputs)), Planned: make([]ir.Shape, len(s.Outputs)), shared: true,
	}
	for i, v := range s.Inputs {
		l.constants[i] = p.Values[v].Tensor
		known := byte(0)
		if l.constants[i] != nil {
			// What is computed from the shapes of a plan is constant in this plan only.
			l.shared = l.shared && i < len(s.Layer.Inputs) && s.Layer.Inputs[i].Source.Constant != nil
			known = 1
		} else if slices.Contains(s.op.Values, i) {
			l.values = append(l.values, i)
		}
		l.prefix = append(l.prefix, known)
	}
	for i, v := range s.Outputs {
		known := byte(0)
		if l.Planned[i] = p.Values[v].Shape; l.Planned[i] != nil {
			known = 1
		}
		l.prefix = append(l.prefix, known)
		for _, n := range l.Planned[i] {
			l.prefix = binary.AppendUvarint(l.prefix, uint64(n))
		}
	}
	l.rule.Bounds = nil
	l.View = len(s.Outputs) > 0 && p.Values[s.Outputs[0]].Kind == ofAnother
	if l.shared = l.shared && !l.View; l.shared {
		l.Prepared = p.env.CacheOf(s.Layer)
	} else {
		l.prefix, l.Prepared = nil, p.env.Memory.Caches.NewCache(p.env.Memory.Limits.MaxPlans)
	}
	return l
}

// AppendKey appends the key of the entry for inputs. It returns false if the key would be too
// large.
func (l *DynamicLayer) AppendKey(key []byte, inputs []*ir.Tensor) ([]byte, bool) {
	key = appendInputs(append(key, l.prefix...), inputs, l.constants, nil)
	for _, i := range l.values {
		data, texts := inputs[i].Bytes(), inputs[i].Strings()
		if len(data) > maxValueBytes || len(texts) > maxValueBytes {
			return key, false
		}
		key = append(key, data...)
		for _, s := range texts {
			if len(s) > maxValueBytes || len(key) > maxValueBytes {
				return key, false
			}
			key = append(binary.AppendUvarint(key, uint64(len(s))), s...)
		}
	}
	return key, true
}

// Kept returns the entry of the cache for key; nil if there is none.
func (l *DynamicLayer) Kept(key []byte) *DynamicKernel {
	if found := l.Prepared.Get(key); found != nil {
		return found.(*DynamicKernel)
	}
	return nil
}

// Keep puts e into the cache, unless key has an entry there, and returns the entry for key. It
// cannot become that for other inputs any more.
func (l *DynamicLayer) Keep(key []byte, e *DynamicKernel) *DynamicKernel {
	e.Refits, e.in, e.p = false, nil, nil
	return l.Prepared.Put(string(key), e, kernelBytes).(*DynamicKernel)
}

// Infer infers and prepares the layer for inputs, and returns the entry: e, if that is not nil and
// can become it, or another one. e.Refits must be set; after an error, e must not be used. Infer
// stops when ctx is done.
func (l *DynamicLayer) Infer(ctx context.Context, e *DynamicKernel, inputs []*ir.Tensor, outputs int) (*DynamicKernel, error) {
	if e == nil || !e.hasTypes(inputs) {
		e = &DynamicKernel{
			Types: make([]ir.ElementType, outputs), Shapes: make([]ir.Shape, outputs), Sizes: make([]int, outputs), Refits: l.View,
			in: &ops.Inference{
				Layer: l.layer, Attributes: l.attributes, Inputs: make([]ir.Fact, len(inputs)), Outputs: make([]ir.Fact, outputs),
			},
		}
		e.Init(l.Env.Memory.Caches)
	}
	reading, err := l.setInputs(e, inputs)
	if err == nil {
		err = l.infer(ctx, e)
	}
	if err == nil && !l.View {
		err = l.prepare(e, control.StopOf(ctx))
	}
	if err != nil || e.Refits {
		e.Close()
		return e, err
	}
	e.Add(-reading)
	e.Size = e.Used()
	return e, nil
}

// hasTypes reports whether inputs have the types and ranks of the last ones.
func (e *DynamicKernel) hasTypes(inputs []*ir.Tensor) bool {
	for i, t := range inputs {
		if in := &e.in.Inputs[i]; t.ElementType() != in.Type || len(t.Shape()) != in.Shape.Rank() {
			return false
		}
	}
	return true
}

// prepare sets the kernel for what infer has set: it changes the last one by Refit, if possible, or
// prepares one.
func (l *DynamicLayer) prepare(e *DynamicKernel, stop parallel.Stop) error {
	if e.p != nil {
		e.p.Stop = stop
		if fits, err := e.Prepared.Refit(e.p); fits || err != nil {
			return err
		}
	}
	for _, i := range l.values {
		in := &e.in.Inputs[i]
		err := e.Charge(BytesOf(in.Tensor))
		if err == nil {
			in.Tensor, err = in.Tensor.Clone() // the kernel may keep it
		}
		if err != nil {
			return err
		}
	}
	used := e.Used()
	p := l.Env.Preparation(l.layer, l.attributes, stop)
	p.Inputs, p.Outputs, p.Charge = e.in.Inputs, e.in.Outputs, e.Charge
	// for inputs in Op.Values, which are constant only in this entry
	once := memory.NewOnceStore(&e.Ledger)
	p.Keep = l.Env.Memory.Keep(once, l.layer, l.op, p.Inputs, stop)
	var err error
	if e.Prepared, err = l.op.PrepareKernel(p, l.Env.Memory.Limits.MaxTensorBytes); err != nil {
		return err
	}
	if e.Refits = e.Prepared.Refit != nil && e.Used() == used; e.Refits {
		e.p, p.Keep = p, nil // Refit keeps nothing
	}
	return nil
}

// setInputs sets what the rule reads of inputs. It charges, and returns, the memory that the rule
// and Prepare need for the values: they read them as int64, and the rule can sort them.
func (l *DynamicLayer) setInputs(e *DynamicKernel, inputs []*ir.Tensor) (reading int64, err error) {
	for i, t := range inputs {
		in := &e.in.Inputs[i]
		in.Type, in.Tensor = t.ElementType(), l.constants[i]
		if !isShape(in.Shape, t.Shape()) {
			in.Shape = t.Shape().Partial()
		}
	}
	for _, i := range l.values {
		e.in.Inputs[i].Tensor = inputs[i]
		reading = sizes.Sum(reading, sizes.Size[[2]int64](inputs[i].Len()))
	}
	return reading, e.Charge(reading)
}

// infer runs the shape rule for the inputs of e, and sets the types, shapes and sizes.
func (l *DynamicLayer) infer(ctx context.Context, e *DynamicKernel) error {
	clear(e.in.Outputs)
	e.in.Context = infer.ContextOf(ctx, l.layer, l.Env.Registry)
	if err := l.rule.Run(e.in); err != nil {
		return err
	}
	for i := range e.in.Outputs {
		out := &e.in.Outputs[i]
		if e.Types[i] == out.Type && e.Shapes[i] != nil && isShape(out.Shape, e.Shapes[i]) {
			continue
		}
		e.Types[i], e.Shapes[i] = out.Type, nil
		if !out.Shape.IsStatic() {
			continue
		}
		shape, err := out.Shape.Static()
		if err != nil {
			return err
		}
		if planned := l.Planned[i]; planned != nil && planned.Elements() == shape.Elements() {
			shape = planned // a scalar in a body counts as a vector of one element
		}
		e.Shapes[i] = shape
		if e.Sizes[i], err = l.Env.Memory.Limits.SizeOf(out.Type, shape); err != nil {
			return err
		}
	}
	return nil
}

// isShape reports whether s is the static shape t.
func isShape(s ir.PartialShape, t ir.Shape) bool {
	if s.Rank() != len(t) {
		return false
	}
	for i, d := range s.Dims() {
		if d != ir.Dim(int64(t[i])) {
			return false
		}
	}
	return true
}
