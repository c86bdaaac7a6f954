package plan

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

// prepareSteps prepares the kernels of the steps whose shapes are static, in parallel: packing
// weights takes most of the time of compiling. The error is the one of the first step that has one.
func (p *planner) prepareSteps() error {
	order := p.preparationOrder()
	var next atomic.Int64
	errs := make([]error, len(p.Steps))
	work := func() {
		// Turn a fault in a file mapping into a panic.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for {
			i := int(next.Add(1)) - 1
			if i >= len(order) {
				return
			}
			if errs[order[i]] = p.stop.Err(); errs[order[i]] == nil {
				errs[order[i]] = p.prepare(&p.Steps[order[i]])
			}
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(p.Steps)/minSteps) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	for i, err := range errs {
		if err != nil {
			return control.AtLayer(p.Steps[i].Layer, err)
		}
	}
	return p.settle()
}

// preparationOrder returns the steps that have a kernel. Those with the largest constants come
// first: the others can reuse the memory of deferred ones, and the pages of a file that are read to
// be packed take memory until then.
func (p *planner) preparationOrder() []int {
	order := make([]int, 0, len(p.Steps))
	sizes := make([]int, len(p.Steps))
	for i := range p.Steps {
		if p.Steps[i].Dynamic != nil {
			continue
		}
		order = append(order, i)
		for _, v := range p.Steps[i].Inputs {
			if t := p.Values[v].Tensor; t != nil {
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
func (p *planner) prepare(s *Step) error {
	inputs := s.Inputs[:len(s.Layer.Inputs)]
	preparation := p.preparation(s)
	preparation.Keep = p.env.Memory.Keep(p.once, s.Layer, s.op, preparation.Inputs, p.stop)
	preparation.Charge = p.Charge
	preparation.Unread = p.unread(s.Layer, len(s.Outputs))
	for i, v := range inputs {
		err := memory.Acquire(p.Values[v].Tensor)
		if err == nil {
			preparation.Inputs[i].Tensor, err = memory.BeginRead(preparation.Inputs[i].Tensor, p.stop)
		}
		if err != nil {
			for _, v := range inputs[:i] {
				memory.Release(p.Values[v].Tensor, false)
			}
			return err
		}
	}
	prepared, err := s.op.PrepareKernel(preparation, p.env.Memory.Limits.MaxTensorBytes)
	if err == nil {
		s.Kernel, s.ScratchBytes, s.About = prepared.Kernel, prepared.ScratchBytes, InfoOf(prepared)
	}
	for i, v := range inputs {
		value := &p.Values[v]
		if value.Tensor == nil {
			continue
		}
		if unread := memory.EndRead(preparation.Inputs[i].Tensor); err == nil {
			err = unread
		}
		value.released = err == nil && slices.Contains(prepared.Released, i)
		memory.Release(value.Tensor, !value.released && !slices.Contains(s.op.Memory.Unaligned, i))
		if value.released && value.Tensor.Deferred() == nil {
			p.env.Memory.Discard(value.Tensor)
		}
	}
	return err
}

// preparation returns the Preparation of a step of static shapes.
func (p *planner) preparation(s *Step) *ops.Preparation {
	preparation := p.env.Preparation(s.Layer, p.inferred.Attributes(s.Layer), p.stop)
	preparation.Inputs, preparation.Outputs, preparation.Stages = p.facts(s.Inputs[:len(s.Layer.Inputs)]), p.facts(s.Outputs), s.stages
	if len(s.stages) > 0 { // s.outputs is the output of the last stage
		preparation.Outputs = p.inferred.Outputs(s.Layer)
	}
	return preparation
}

// settle loads the constants that kernels read into memory.
func (p *planner) settle() error {
	for i := range p.Steps {
		s := &p.Steps[i]
		for k, v := range s.Inputs {
			t := p.Values[v].Tensor
			if t == nil || t.Deferred() == nil || p.Values[v].released {
				continue
			}
			var err error
			if unaligned := memory.Unaligned(t); unaligned != nil && slices.Contains(s.op.Memory.Unaligned, k) && s.Dynamic == nil {
				p.Values[v].Tensor, err = ir.UnalignedTensor(t.ElementType(), t.Shape(), unaligned)
			} else {
				p.Values[v].Tensor, err = memory.InMemory(t, p.stop)
			}
			if err != nil {
				return control.AtLayer(s.Layer, err)
			}
		}
	}
	return nil
}
