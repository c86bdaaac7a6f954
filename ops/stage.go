package ops

import (
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/ir"
)

// Stage is an elementwise layer that is fused with the layer before it: the kernel of that layer
// applies the stage to pieces of its result while they are in the cache. This saves a pass over
// memory. All elements are float32, except those that Store writes.
type Stage struct {
	// Apply replaces each element of x by the layer's result for it. x holds any contiguous piece
	// of the tensor in row-major order: x[i] is element at+i.
	Apply func(r *Run, x []float32, at int)
	// Store replaces Apply if the layer's output has another element type, as in a conversion or a
	// requantisation. It writes the layer's result for x[i] to element at+i of output 0 of r. Only
	// the last stage can have a Store.
	Store func(r *Run, x []float32, at int)
	// Bias, if not nil, means that Apply only adds Bias[(at+i)/Inner % len(Bias)] to x[i]. A
	// kernel may do this in registers and not call Apply.
	Bias  []float32
	Inner int
	// Adds, if not 0, means that Apply only adds element at+i of input Adds of r to x[i]. A kernel
	// may do this in registers and not call Apply.
	Adds int
	// Clamp means that Apply only sets x[i] to min(max(x[i], Lo), Hi), and NaN to Lo. A kernel may
	// do this in registers and not call Apply.
	Clamp  bool
	Lo, Hi float32
	// HSwish means that Apply only sets x[i] to x[i]*(min(max(x[i]+3, 0), 6)/6), with 1/6 rounded.
	// A kernel may do this in registers and not call Apply.
	HSwish bool
	// Slope, if not nil, means that Apply only multiplies x[i] by Slope[(at+i)/Inner % len(Slope)]
	// if x[i] is negative. A kernel may do this in registers and not call Apply.
	Slope []float32
	// Levels, if not nil, means that Store only writes the levels of x, as uint8. A kernel may do
	// this in registers and not call Store.
	Levels *Levels
}

// Levels are the integers that quantised data consists of. A Stage has none of the activations that
// they can include.
type Levels = levels.Levels

// Finish returns a function that applies all Stages, without a Store, to the elements at, at+1, and
// so on of output 0; nil if there are none.
func (p *Preparation) Finish() func(r *Run, x []float32, at int) {
	stages := p.Stages
	if p.Store() != nil {
		stages = stages[:len(stages)-1]
	}
	return Compose(stages)
}

// Store returns the Store of the last stage. If it is nil, the kernel writes float32 to output 0.
func (p *Preparation) Store() func(r *Run, x []float32, at int) {
	if len(p.Stages) == 0 {
		return nil
	}
	return p.Stages[len(p.Stages)-1].Store
}

// Compose returns a function that applies stages one after the other; nil if there are none. It is
// not inlined: see Run.For.
//
//go:noinline
func Compose(stages []Stage) func(r *Run, x []float32, at int) {
	switch len(stages) {
	case 0:
		return nil
	case 1:
		return stages[0].Apply
	}
	return func(r *Run, x []float32, at int) {
		for i := range stages {
			stages[i].Apply(r, x, at)
		}
	}
}

// Finished returns the kernel that calls kernel, and then applies all Stages, without a Store, to
// output 0, which is float32. It ends early if r.Stop is requested.
func (p *Preparation) Finished(kernel Kernel) Kernel {
	finish := p.Finish()
	if finish == nil {
		return kernel
	}
	return func(r *Run) error {
		if err := kernel(r); err != nil {
			return err
		}
		out := ir.Data[float32](r.Outputs[0])
		for at := 0; at < len(out) && !r.Stop.Requested(); at += stageBlock {
			finish(r, out[at:min(at+stageBlock, len(out))], at)
		}
		return nil
	}
}

// stageBlock is the number of elements that are computed before the stages are applied to them. It
// is small enough that inputs and outputs of a block stay in the first-level cache.
const stageBlock = 1 << 12

// Elementwise returns a kernel that computes the n elements of output 0 independently of each
// other, and applies all Stages of p, including a Store. compute sets x[i] to element at+i, before
// the stages. T is the element type of output 0 before the stages; it must be float32 if there are
// stages. grain is the smallest number of elements that is worth another thread.
func Elementwise[T ir.Element](p *Preparation, n, grain int, compute func(r *Run, x []T, at int) error) *Prepared {
	if len(p.Stages) > 0 {
		return staged(p, n, grain, any(compute).(func(r *Run, x []float32, at int) error))
	}
	part := func(r *Run, lo, hi int) error { return compute(r, ir.Data[T](r.Outputs[0])[lo:hi], lo) }
	return &Prepared{Kernel: func(r *Run) error { return r.For(n, grain, part) }}
}

// staged is Elementwise for stages.
func staged(p *Preparation, n, grain int, compute func(r *Run, x []float32, at int) error) *Prepared {
	finish, store := p.Finish(), p.Store()
	block := func(r *Run, x []float32, at int) error {
		if err := compute(r, x, at); err != nil {
			return err
		}
		if finish != nil {
			finish(r, x, at)
		}
		if store != nil {
			store(r, x, at)
		}
		return nil
	}
	if store == nil {
		part := func(r *Run, lo, hi int) error {
			out := ir.Data[float32](r.Outputs[0])
			for at := lo; at < hi; at += stageBlock {
				if err := block(r, out[at:min(at+stageBlock, hi)], at); err != nil {
					return err
				}
			}
			return nil
		}
		return &Prepared{Kernel: func(r *Run) error { return r.For(n, grain, part) }}
	}
	workers := p.Workers(n, forkWork/float64(grain))
	var s Scratch
	blocks := AreasOf[float32](&s, workers, stageBlock)
	part := func(r *Run, worker, lo, hi int) error {
		x := blocks.Of(r, worker)
		for at := lo; at < hi; at += stageBlock {
			if err := block(r, x[:min(stageBlock, hi-at)], at); err != nil {
				return err
			}
		}
		return nil
	}
	return &Prepared{
		Kernel:       func(r *Run) error { return r.ForWorkers(n, grain, workers, part) },
		ScratchBytes: s.Bytes(),
	}
}
