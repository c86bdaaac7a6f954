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
// of the inputs in Op.Values.
type DynamicLayer struct {
	Env        *graph.Environment
	layer      *ir.Layer
	op         *ops.Op
	attributes any
	constants  []*ir.Tensor  // by input; nil for inputs that are not constant
	Planned    []ir.Shape    // by output; nil if the shape is unknown before the run
	View       bool          // output 0 is in the memory of input 0
	Prepared   *memory.Cache // of *DynamicKernel
	shared     bool          // prepared belongs to all plans; else to this one
	prefix     []byte        // of the keys, if it is shared: what differs from plan to plan
}

// DynamicKernel is a DynamicLayer for one set of input shapes and values.
type DynamicKernel struct {
	Types   []ir.ElementType // of the outputs
	Shapes  []ir.Shape       // nil if the kernel sets the shape
	Sizes   []int            // of the outputs, as value.size
	Kernel  ops.Kernel
	Scratch int
	About   KernelInfo
	// tables also counts the results of Once and the values that the kernel may keep.
	memory.Tables
}

// Memory implements memory.Cached.
func (e *DynamicKernel) Memory() *memory.Tables { return &e.Tables }

// Parts implements memory.Cached.
func (e *DynamicKernel) Parts() []*memory.Cache { return nil }

// maxValueBytes is the largest size of an input in Op.Values for which a prepared kernel is cached.
const maxValueBytes = 8 << 10

func (p *planner) newDynamicLayer(s *Step) *DynamicLayer {
	l := &DynamicLayer{
		Env: p.env, layer: s.Layer, op: s.op, attributes: p.inferred.Attributes(s.Layer),
		constants: make([]*ir.Tensor, len(s.Inputs)), shared: true,
	}
	for i, v := range s.Inputs {
		l.constants[i] = p.Values[v].Tensor
		if l.constants[i] == nil {
			l.prefix = append(l.prefix, 0)
			continue
		}
		// What is computed from the shapes of a plan is constant in this plan only.
		l.prefix = append(l.prefix, 1)
		l.shared = l.shared && i < len(s.Layer.Inputs) && s.Layer.Inputs[i].Source.Constant != nil
	}
	for _, v := range s.Outputs {
		shape := p.Values[v].Shape
		l.Planned = append(l.Planned, shape)
		if shape == nil {
			l.prefix = append(l.prefix, 0)
			continue
		}
		l.prefix = append(l.prefix, 1)
		for _, n := range shape {
			l.prefix = binary.AppendUvarint(l.prefix, uint64(n))
		}
	}
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

// Infer infers and prepares the layer for inputs, and returns the entry. It stops when ctx is done.
func (l *DynamicLayer) Infer(ctx context.Context, inputs []*ir.Tensor, outputs int) (made *DynamicKernel, err error) {
	stop := control.StopOf(ctx)
	e := &DynamicKernel{
		Types: make([]ir.ElementType, outputs), Shapes: make([]ir.Shape, outputs), Sizes: make([]int, outputs),
	}
	e.Init(l.Env.Memory.Caches)
	defer func() {
		if made == nil {
			e.Close()
		}
	}()
	facts, reading := make([]ir.Fact, len(inputs)), int64(0)
	for i, t := range inputs {
		facts[i] = ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: l.constants[i]}
		if facts[i].Tensor == nil && slices.Contains(l.op.Values, i) {
			if err := e.Charge(BytesOf(t)); err != nil {
				return nil, err
			}
			if facts[i].Tensor, err = t.Clone(); err != nil { // the kernel may keep it
				return nil, err
			}
			reading = sizes.Sum(reading, sizes.Size[[2]int64](t.Len()))
		}
	}
	// The rule and Prepare read these values as int64, and the rule can sort them.
	if err := e.Charge(reading); err != nil {
		return nil, err
	}
	defer func() {
		if made != nil {
			_ = e.Charge(-reading)
		}
	}()
	in := &ops.Inference{
		Layer: l.layer, Attributes: l.attributes, Inputs: facts, Outputs: make([]ir.Fact, outputs),
		Context: infer.ContextOf(ctx, l.layer, l.Env.Registry),
	}
	if err := l.op.Rule().Run(in); err != nil {
		return nil, err
	}
	for i, out := range in.Outputs {
		e.Types[i] = out.Type
		if !out.Shape.IsStatic() {
			continue
		}
		shape, err := out.Shape.Static()
		if err != nil {
			return nil, err
		}
		if planned := l.Planned[i]; planned != nil && planned.Elements() == shape.Elements() {
			shape = planned // a scalar in a body counts as a vector of one element
		}
		e.Shapes[i] = shape
		if e.Sizes[i], err = l.Env.Memory.Limits.SizeOf(out.Type, shape); err != nil {
			return nil, err
		}
	}
	if l.View {
		return e, nil
	}
	p := l.Env.Preparation(l.layer, l.attributes, stop)
	p.Inputs, p.Outputs, p.Charge = facts, in.Outputs, e.Charge
	// for inputs in Op.Values, which are constant only in this entry
	once := memory.NewOnceStore(&e.Ledger)
	p.Keep = l.Env.Memory.Keep(once, l.layer, l.op, facts, stop)
	prepared, err := l.op.PrepareKernel(p, l.Env.Memory.Limits.MaxTensorBytes)
	if err != nil {
		return nil, err
	}
	e.Kernel, e.Scratch, e.About = prepared.Kernel, prepared.ScratchBytes, infoOf(prepared)
	e.Size = e.Used() - reading
	return e, nil
}
