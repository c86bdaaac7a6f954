package plugin

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// prepareSteps prepares the kernels of the steps whose shapes are static, in parallel: packing weights
// takes most of the time of compiling. The error is the one of the first step that has one.
func (p *planner) prepareSteps() error {
	order := p.preparationOrder()
	var next atomic.Int64
	errs := make([]error, len(p.steps))
	work := func() {
		// Turn a fault in a file mapping into a panic.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for {
			i := int(next.Add(1)) - 1
			if i >= len(order) {
				return
			}
			if errs[order[i]] = p.stop.Err(); errs[order[i]] == nil {
				errs[order[i]] = p.prepare(&p.steps[order[i]])
			}
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(p.steps)/minSteps) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	for i, err := range errs {
		if err != nil {
			return control.AtLayer(p.steps[i].layer, err)
		}
	}
	return p.settle()
}

// preparationOrder returns the steps that have a kernel. Those with the largest constants come first: the others can reuse
// the memory of deferred ones, and the pages of a file that are read to be packed take memory until then.
func (p *planner) preparationOrder() []int {
	order := make([]int, 0, len(p.steps))
	sizes := make([]int, len(p.steps))
	for i := range p.steps {
		if p.steps[i].late != nil {
			continue
		}
		order = append(order, i)
		for _, v := range p.steps[i].inputs {
			if t := p.values[v].tensor; t != nil {
				size, _ := ir.ByteSize(t.ElementType(), t.Shape())
				sizes[i] = max(sizes[i], size)
			}
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return sizes[order[i]] > sizes[order[j]] })
	return order
}

// minSteps is the least number of steps for which another goroutine is worthwhile.
const minSteps = 4

// prepare prepares the kernel of a step of static shapes.
func (p *planner) prepare(s *step) error {
	inputs := s.inputs[:len(s.layer.Inputs)]
	preparation := p.preparation(s)
	preparation.Keep = p.env.memory.Keep(p.once, s.layer, s.op, preparation.Inputs, p.stop)
	preparation.Charge = p.Charge
	preparation.Unread = p.unread(s.layer, len(s.outputs))
	for i, v := range inputs {
		err := memory.Acquire(p.values[v].tensor)
		if err == nil {
			preparation.Inputs[i].Tensor, err = memory.BeginRead(preparation.Inputs[i].Tensor, p.stop)
		}
		if err != nil {
			for _, v := range inputs[:i] {
				memory.Release(p.values[v].tensor, false)
			}
			return err
		}
	}
	prepared, err := s.op.PrepareKernel(preparation, p.env.memory.Limits.MaxTensorBytes)
	if err == nil {
		s.kernel, s.scratchBytes, s.about = prepared.Kernel, prepared.ScratchBytes, infoOf(prepared)
	}
	for i, v := range inputs {
		value := &p.values[v]
		if value.tensor == nil {
			continue
		}
		if unread := memory.EndRead(preparation.Inputs[i].Tensor); err == nil {
			err = unread
		}
		value.released = err == nil && slices.Contains(prepared.Released, i)
		memory.Release(value.tensor, !value.released && !slices.Contains(s.op.Memory.Unaligned, i))
		if value.released && value.tensor.Deferred() == nil {
			p.env.memory.Discard(value.tensor)
		}
	}
	return err
}

// preparation returns the Preparation of a step of static shapes.
func (p *planner) preparation(s *step) *ops.Preparation {
	preparation := &ops.Preparation{
		Attributes: p.inferred.Attributes(s.layer), Layer: s.layer,
		Inputs: p.facts(s.inputs[:len(s.layer.Inputs)]), Outputs: p.facts(s.outputs), Stages: s.stages,
		Threads: p.env.threads, Accurate: p.env.accurate, QuantizationGroup: p.env.group, Rounded: p.env.rounded, Variables: p.env.variableIndex, Stop: p.stop,
	}
	if len(s.stages) > 0 { // s.outputs is the output of the last stage
		preparation.Outputs = p.inferred.Outputs(s.layer)
	}
	return preparation
}

// settle loads the constants that kernels read into memory.
func (p *planner) settle() error {
	for i := range p.steps {
		s := &p.steps[i]
		for k, v := range s.inputs {
			t := p.values[v].tensor
			if t == nil || t.Deferred() == nil || p.values[v].released {
				continue
			}
			var err error
			if unaligned := memory.Unaligned(t); unaligned != nil && slices.Contains(s.op.Memory.Unaligned, k) && s.late == nil {
				p.values[v].tensor, err = ir.UnalignedTensor(t.ElementType(), t.Shape(), unaligned)
			} else {
				p.values[v].tensor, err = memory.InMemory(t, p.stop)
			}
			if err != nil {
				return control.AtLayer(s.layer, err)
			}
		}
	}
	return nil
}
