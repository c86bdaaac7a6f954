package plan

import (
	"context"
	"encoding/binary"
	"slices"

	sizes "github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// DynamicLayer is a layer of a plan whose shapes depend on the values of tensors: it is inferred
// and prepared when it runs. The results are cached by the shapes of the inputs and by the values
// of the inputs in Op.Values, except those that Refit changes faster than a cache finds them.
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
	// Refits means that Refit makes it the kernel of other shapes and values. Such a kernel belongs
	// to one execution, and is not cached.
	Refits bool
	in     ops.Inference
	p      *ops.Preparation // of Prepared, and of the next Refit
	// tables also counts the results of Once and the values that the kernel may keep.
	memory.Tables
}

// Memory implements memory.Cached.
func (e *DynamicKernel) Memory() *memory.Tables { return &e.Tables }

// Parts implements memory.Cached.
func (e *DynamicKernel) Parts() []*memory.Cache { return nil }

// KernelBytes is about what a DynamicKernel takes besides its tables, in bytes.
const KernelBytes = 256 * wordBytes

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
		shape := p.Values[v].Shape
		l.Planned[i] = shape
		known := byte(0)
		if shape != nil {
			known = 1
		}
		l.prefix = append(l.prefix, known)
		for _, n := range shape {
			l.prefix = binary.AppendUvarint(l.prefix, uint64(n))
		}
	}
	l.rule.Bounds = nil
	l.View = len(s.Outputs) > 0 && p.Values[s.Outputs[0]].Kind == OfAnother
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
	key = append(key, l.prefix...)
	for i, t := range inputs {
		if l.constants[i] == nil {
			key = appendShape(key, t)
		}
	}
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

// Infer infers and prepares the layer for inputs, and returns the entry. It stops when ctx is done.
func (l *DynamicLayer) Infer(ctx context.Context, inputs []*ir.Tensor, outputs int) (made *DynamicKernel, err error) {
	e := &DynamicKernel{
		Types: make([]ir.ElementType, outputs), Shapes: make([]ir.Shape, outputs), Sizes: make([]int, outputs),
		in: ops.Inference{
			Layer: l.layer, Attributes: l.attributes, Inputs: make([]ir.Fact, len(inputs)), Outputs: make([]ir.Fact, outputs),
		},
	}
	e.Init(l.Env.Memory.Caches)
	defer func() {
		if made == nil {
			e.Close()
		}
	}()
	reading, kept := l.setInputs(e, inputs), int64(0)
	if !l.View {
		for _, i := range l.values {
			bytes := BytesOf(inputs[i])
			if err := e.Charge(bytes); err != nil {
				return nil, err
			}
			// the kernel may keep it
			if e.in.Inputs[i].Tensor, err = inputs[i].Clone(); err != nil {
				return nil, err
			}
			kept += bytes
		}
	}
	if err := e.Charge(reading); err != nil {
		return nil, err
	}
	if err := l.infer(ctx, e); err != nil {
		return nil, err
	}
	e.Refits = l.View
	if !l.View {
		p := l.Env.Preparation(l.layer, l.attributes, control.StopOf(ctx))
		p.Inputs, p.Outputs, p.Charge = e.in.Inputs, e.in.Outputs, e.Charge
		// for inputs in Op.Values, which are constant only in this entry
		once := memory.NewOnceStore(&e.Ledger)
		p.Keep = l.Env.Memory.Keep(once, l.layer, l.op, p.Inputs, p.Stop)
		if e.Prepared, err = l.op.PrepareKernel(p, l.Env.Memory.Limits.MaxTensorBytes); err != nil {
			return nil, err
		}
		if e.Refits = e.Prepared.Refit != nil && e.Used() == reading+kept; e.Refits {
			reading += kept // Refit keeps no values
			e.p, p.Keep = p, nil
		}
	}
	_ = e.Charge(-reading)
	e.Size = e.Used()
	return e, nil
}

// Refit makes e the entry for inputs. It returns false if e cannot become that. If so, or if there
// is an error, e is the entry for no inputs.
func (l *DynamicLayer) Refit(ctx context.Context, e *DynamicKernel, inputs []*ir.Tensor) (bool, error) {
	for i, t := range inputs {
		if in := &e.in.Inputs[i]; t.ElementType() != in.Type || len(t.Shape()) != in.Shape.Rank() {
			return false, nil
		}
	}
	reading := l.setInputs(e, inputs)
	if err := e.Charge(reading); err != nil {
		return false, err
	}
	defer e.Close()
	if err := l.infer(ctx, e); err != nil || l.View {
		return err == nil, err
	}
	e.p.Stop = control.StopOf(ctx)
	return e.Prepared.Refit(e.p)
}

// setInputs sets what the rule reads of inputs. It returns the memory that the rule and Prepare
// need for the values: they read them as int64, and the rule can sort them.
func (l *DynamicLayer) setInputs(e *DynamicKernel, inputs []*ir.Tensor) (reading int64) {
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
	return reading
}

// infer runs the shape rule for the inputs of e, and sets the types, shapes and sizes.
func (l *DynamicLayer) infer(ctx context.Context, e *DynamicKernel) error {
	clear(e.in.Outputs)
	e.in.Context = infer.ContextOf(ctx, l.layer, l.Env.Registry)
	if err := l.rule.Run(&e.in); err != nil {
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
