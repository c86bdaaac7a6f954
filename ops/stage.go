package ops

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// Stage is an elementwise layer that the kernel of the layer before it applies to its result. It
// works on pieces that are still in the cache, and saves a pass over memory. The numbers are
// float32, except for what Store writes.
type Stage struct {
	// Apply sets each element of x to the layer's result for it. x is any piece of the tensor:
	// the elements at, at+1, and so on, in row-major order.
	Apply func(r *Run, x []float32, at int)
	// Store is set instead of Apply for a layer whose output has another element type, such as
	// a conversion or a requantisation. It writes the layer's results for x to output 0 of r,
	// as the elements at, at+1, and so on. Such a stage is the last.
	Store func(r *Run, x []float32, at int)
	// Bias, if not nil, means that all that Apply does is to add Bias[(at+i)/Inner % len(Bias)]
	// to x[i]. A kernel may do that in registers.
	Bias  []float32
	Inner int
	// Clamp means that all that Apply does is to set x[i] to min(max(x[i], Lo), Hi). NaN becomes
	// Lo.
	Clamp  bool
	Lo, Hi float32
}

// Finish returns a function that applies all Stages, without a Store, to a piece of the output;
// nil if there are none.
func (p *Preparation) Finish() func(r *Run, x []float32, at int) {
	stages := p.Stages
	if p.Store() != nil {
		stages = stages[:len(stages)-1]
	}
	return Compose(stages)
}

// Store returns the Store of the last stage; nil if there is none, so that the kernel writes
// float32 to output 0.
func (p *Preparation) Store() func(r *Run, x []float32, at int) {
	if len(p.Stages) == 0 {
		return nil
	}
	return p.Stages[len(p.Stages)-1].Store
}

// Compose returns a function that applies stages one after the other; nil if there are none.
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

// stageBlock is the number of elements that are computed before the stages are applied to them:
// inputs and outputs stay in the nearest cache.
const stageBlock = 1 << 12

// Elementwise returns the kernel of a layer that computes n elements of output 0 each by itself,
// with all Stages of p, a Store included. compute sets x to the elements at, at+1, and so on,
// before the stages. Parts of fewer than grain elements are not worth another thread.
func Elementwise[T ir.Element](p *Preparation, n, grain int, compute func(r *Run, x []T, at int) error) *Prepared {
	if len(p.Stages) == 0 {
		part := func(r *Run, lo, hi int) error { return compute(r, ir.Data[T](r.Outputs[0])[lo:hi], lo) }
		return &Prepared{Kernel: func(r *Run) error { return r.For(n, grain, part) }}
	}
	// T is float32 if there are stages.
	finish, _ := any(p.Finish()).(func(*Run, []T, int))
	store, _ := any(p.Store()).(func(*Run, []T, int))
	block := func(r *Run, x []T, at int) error {
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
			out := ir.Data[T](r.Outputs[0])
			for at := lo; at < hi; at += stageBlock {
				if err := block(r, out[at:min(at+stageBlock, hi)], at); err != nil {
					return err
				}
			}
			return nil
		}
		return &Prepared{Kernel: func(r *Run) error { return r.For(n, grain, part) }}
	}
	// A part is the share of one worker. Each worker has its own block of scratch memory.
	workers := max(min(p.Threads, n/grain), 1)
	part := func(r *Run, lo, hi int) error {
		x := cast.Bytes[T](r.Scratch)[lo*stageBlock : (lo+1)*stageBlock]
		end := parallel.Share(n, workers, hi)
		for at := parallel.Share(n, workers, lo); at < end; at += stageBlock {
			if err := block(r, x[:min(stageBlock, end-at)], at); err != nil {
				return err
			}
		}
		return nil
	}
	return &Prepared{
		Kernel:       func(r *Run) error { return r.For(workers, 1, part) },
		ScratchBytes: workers * stageBlock * ir.F32.Size(),
	}
}
