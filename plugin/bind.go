package plugin

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// memory is what an InferRequest computes in. All plans of the request share it.
type memory struct {
	core *Core
	used int64 // bytes of everything below

	arena   []byte
	strings []string
	slots   []slot
	scratch []byte // for late steps
}

// slot holds a value whose size is known only at run time; it grows.
type slot struct {
	bytes   []byte
	strings []string
}

// reserve counts n more bytes, or refuses.
func (m *memory) reserve(n int) error {
	if limit := m.core.options.MaxTotalBytes; int64(n) > limit-m.used {
		return fmt.Errorf("the tensors need %d bytes more than the %d in use, together more than MaxTotalBytes, %d",
			n, m.used, limit)
	}
	m.used += int64(n)
	return nil
}

// stringBytes is the size that a string of a tensor counts as, beside its text.
const stringBytes = 16

// hold makes the arena large enough for p; moved reports that it is another one.
func (m *memory) hold(p *plan) (moved bool, err error) {
	if n := len(m.arena); p.arena > n {
		if err := m.reserve(p.arena - n); err != nil {
			return false, err
		}
		m.arena, moved = ir.AlignedBytes(p.arena), true
	}
	if n := len(m.strings); p.strings > n {
		if err := m.reserve((p.strings - n) * stringBytes); err != nil {
			return false, err
		}
		m.strings, moved = make([]string, p.strings), true
	}
	for len(m.slots) < p.slots {
		m.slots = append(m.slots, slot{})
	}
	return moved, nil
}

// grown is the size to allocate for n, so that sizes that creep up are not
// allocated each time.
func grown(n, old int) int {
	if old == 0 {
		return n
	}
	return n + n/8
}

// slotFor returns slot i with room for size bytes, or size strings.
func (m *memory) slotFor(i int, t ir.ElementType, size int) (*slot, error) {
	s := &m.slots[i]
	if t == ir.String {
		if old := len(s.strings); size > old {
			if err := m.reserve((grown(size, old) - old) * stringBytes); err != nil {
				return nil, err
			}
			s.strings = make([]string, grown(size, old))
		}
	} else if old := len(s.bytes); size > old {
		if err := m.reserve(grown(size, old) - old); err != nil {
			return nil, err
		}
		s.bytes = ir.AlignedBytes(grown(size, old))
	}
	return s, nil
}

// scratchFor returns n bytes that are free until the next step.
func (m *memory) scratchFor(n int) ([]byte, error) {
	if old := len(m.scratch); n > old {
		if err := m.reserve(n - old); err != nil {
			return nil, err
		}
		m.scratch = ir.AlignedBytes(n)
	}
	return m.scratch[:n:n], nil
}

// bound is a plan with tensors in the memory of one request.
type bound struct {
	plan    *plan
	tensors []*ir.Tensor // by value
	steps   []boundStep
	// views are the values that lie in the caller's tensors.
	views []int
	// moved says of each output that it lies in the tensor that the caller has
	// set for it.
	moved []bool
}

type boundStep struct {
	kernel ops.Kernel
	run    ops.Run
	late   *lateRun // of which kernel is a method, nil of other steps
}

// newBound makes the tensors and runs of p in r's memory, which holds p.
func newBound(p *plan, r *InferRequest) (*bound, error) {
	b := &bound{
		plan: p, tensors: make([]*ir.Tensor, len(p.values)), steps: make([]boundStep, len(p.steps)),
		moved: make([]bool, len(p.results)),
	}
	for v := range p.values {
		if err := b.bindValue(v, &r.memory); err != nil {
			return nil, err
		}
	}
	for i := range p.steps {
		s, to := &p.steps[i], &b.steps[i]
		to.run = ops.Run{Inputs: b.tensorsOf(s.inputs), Outputs: b.tensorsOf(s.outputs), Pool: r.pool}
		if s.late != nil {
			late := &lateRun{layer: s.late, step: s, bound: b, memory: &r.memory, run: &to.run}
			to.kernel, to.run.Resize, to.late = late.kernel, late.resize, late
			continue
		}
		to.kernel = s.kernel
		to.run.Scratch = r.memory.arena[s.scratch : s.scratch+s.scratchBytes : s.scratch+s.scratchBytes]
		to.run.Resize = func(output int, shape ir.Shape) error { return ops.CheckResize(to.run.Outputs[output], shape) }
	}
	return b, nil
}

// bindValue gives value v its tensor. The tensors of the caller and of values of
// unknown shape are filled in when they are known.
func (b *bound) bindValue(v int, m *memory) error {
	value := &b.plan.values[v]
	b.tensors[v] = new(ir.Tensor)
	switch owner := b.plan.owner(v); {
	case value.late() || b.plan.values[owner].kind == inSlot || value.kind == ofCaller:
		return nil
	case value.kind == ofModel:
		b.tensors[v] = value.tensor
		return nil
	case b.plan.values[owner].kind == ofCaller:
		b.views = append(b.views, v)
		return nil
	case b.plan.values[owner].kind == ofModel:
		return b.set(v, b.plan.values[owner].tensor.Bytes(), b.plan.values[owner].tensor.Strings())
	default:
		return b.toArena(v, m)
	}
}

// set makes v lie in the given memory, which is that of its owner.
func (b *bound) set(v int, data []byte, strings []string) error {
	value := &b.plan.values[v]
	if data != nil {
		data = data[b.plan.start(v):]
	}
	return b.tensors[v].Reset(value.elementType, value.shape, data, strings)
}

// toArena makes v lie in its place in the arena.
func (b *bound) toArena(v int, m *memory) error {
	o := &b.plan.values[b.plan.owner(v)]
	if o.elementType == ir.String {
		return b.set(v, nil, m.strings[o.place:o.place+o.size])
	}
	return b.set(v, m.arena[o.place:o.place+o.size], nil)
}

// setOutputs makes outputs lie in the tensors that the caller has set for them,
// where they can; deliver copies the others.
func (b *bound) setOutputs(r *InferRequest) error {
	for i, to := range r.given {
		group := b.plan.group[i]
		if to == nil && !b.moved[i] || group == nil {
			continue
		}
		if to != nil {
			if err := r.checkOutput(i, to, b.tensors[b.plan.results[i]]); err != nil {
				return err
			}
		}
		b.moved[i] = to != nil
		for _, v := range group {
			var err error
			if to != nil {
				err = b.set(v, to.Bytes(), to.Strings())
			} else {
				err = b.toArena(v, &r.memory)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bound) tensorsOf(values []int) []*ir.Tensor {
	tensors := make([]*ir.Tensor, len(values))
	for i, v := range values {
		tensors[i] = b.tensors[v]
	}
	return tensors
}

// fits reports whether b is for tensors of these types and shapes.
func (b *bound) fits(inputs []*ir.Tensor) bool {
	for i, t := range inputs {
		shape := b.plan.shapes[i]
		if t == nil || t.ElementType() != b.plan.types[i] || len(t.Shape()) != len(shape) {
			return false
		}
		for k, n := range t.Shape() {
			if n != shape[k] {
				return false
			}
		}
	}
	return true
}

// setInputs leads the steps that read the inputs to the caller's tensors.
func (b *bound) setInputs(inputs []*ir.Tensor) error {
	for i, v := range b.plan.params {
		*b.tensors[v] = *inputs[i]
	}
	for _, v := range b.views {
		of := b.tensors[b.plan.owner(v)]
		if err := b.set(v, of.Bytes(), of.Strings()); err != nil {
			return err
		}
	}
	return nil
}
