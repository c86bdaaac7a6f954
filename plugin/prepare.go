package plugin

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/vinoir/vinoir/ops"
)

// prepareSteps makes the kernels of the steps whose shapes are static, several at
// once: most of the time of compiling is that of packing weights. The error is that
// of the first step at fault.
func (p *planner) prepareSteps() error {
	var next atomic.Int64
	errs := make([]error, len(p.steps))
	work := func() {
		// A fault in memory that is mapped from a file becomes a panic.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for {
			i := int(next.Add(1)) - 1
			if i >= len(p.steps) {
				return
			}
			if s := &p.steps[i]; s.late == nil {
				errs[i] = p.prepare(s)
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
			return atLayer(p.steps[i].layer, err)
		}
	}
	return p.settle()
}

// minSteps is the number of steps below which another goroutine is not worth it.
const minSteps = 4

// prepare makes the kernel of a layer of static shapes.
func (p *planner) prepare(s *step) error {
	inputs := s.inputs[:len(s.layer.Inputs)]
	preparation := ops.Preparation{
		Attributes: p.inferred.Attributes(s.layer), Layer: s.layer,
		Inputs: p.facts(inputs), Outputs: p.facts(s.outputs), Stages: s.stages,
		Threads: p.compiled.threads, Keep: p.compiled.keeper(s.layer), Unread: p.unread(s.layer, len(s.outputs)),
	}
	if len(s.stages) > 0 { // of which the shape may be another
		preparation.Outputs = p.inferred.Outputs(s.layer)
	}
	for _, v := range inputs {
		hold(p.values[v].tensor)
	}
	var err error
	s.kernel, s.scratchBytes, err = p.compiled.core.prepare(s.op, &preparation)
	s.about = infoOf(&preparation)
	for i, v := range inputs {
		value := &p.values[v]
		if value.tensor == nil {
			continue
		}
		value.released = preparation.Released(i) && err == nil
		release(value.tensor, !value.released)
		if value.released && value.tensor.Deferred() == nil {
			p.compiled.model.Discard(value.tensor)
		}
	}
	return err
}

// settle brings the constants that kernels read into memory.
func (p *planner) settle() (err error) {
	for i := range p.values {
		if v := &p.values[i]; v.tensor != nil && !v.released {
			if v.tensor, err = inMemory(v.tensor); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare calls op.Prepare and checks what it returns.
func (c *Core) prepare(op *ops.Op, p *ops.Preparation) (kernel ops.Kernel, scratch int, err error) {
	defer guard(&err)
	kernel, err = op.Prepare(p)
	switch {
	case err != nil:
		return nil, 0, err
	case kernel == nil:
		return nil, 0, errors.New("BUG: Prepare returned no kernel")
	case p.ScratchBytes < 0 || int64(p.ScratchBytes) > c.options.MaxTensorBytes:
		return nil, 0, fmt.Errorf("the kernel needs %d bytes of scratch memory, more than MaxTensorBytes, %d",
			p.ScratchBytes, c.options.MaxTensorBytes)
	}
	return kernel, p.ScratchBytes, nil
}
