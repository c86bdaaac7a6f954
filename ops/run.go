package ops

import (
	"errors"
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// Kernel computes the outputs of a layer from its inputs. It must not allocate, and it must be
// safe for concurrent calls with different Runs. If the data is invalid, such as an index out of
// range, it returns an error and does not panic.
type Kernel func(*Run) error

// Run holds the tensors and the memory of one execution of a kernel. The same Run may be used again
// for later executions on other data.
type Run struct {
	// Inputs and Outputs have the types and shapes that the kernel was prepared for. If there are
	// Preparation.Stages, their operands follow the inputs of the layer, and output 0 is that of
	// the last stage: it has the same number of elements, but may have another type and shape.
	Inputs, Outputs []*ir.Tensor
	// Scratch has at least Prepared.ScratchBytes bytes and starts at a cache line. Its content is
	// undefined.
	Scratch []byte
	// Pool runs parts of the kernel in parallel. Kernels use it through For. nil means one thread.
	Pool *parallel.Pool
	// Division, if not nil, gets how the work was divided among the threads of Pool.
	Division *parallel.Division
	// Bodies are the bodies of the layer, in the order of Layer.Bodies.
	Bodies []Body
	// Variables are the variables of the model. Preparation.Variables has their indices.
	Variables []Variable
	// Resize implements SetShape, which kernels call instead. It must not keep shape.
	Resize func(output int, shape ir.Shape) error
	// Share implements ShareOutput, which kernels call instead. If it is nil, ShareOutput copies.
	Share func(output int, t *ir.Tensor) error
	// Charge implements Reserve. A negative number returns what was reserved. If it is nil, Reserve
	// has no limit.
	Charge func(bytes int64) error
	// Stop is the request to stop. For checks it between runs of a few parts. A kernel also checks
	// it, in a Part or outside, wherever it works for more than about a millisecond on one item,
	// and then returns. The outputs are undefined in that case. Whoever runs the kernel checks Stop
	// after it, so that functions inside of a kernel need not return an error.
	Stop parallel.Stop

	part       Part       // of For and Split, nil in ForWorkers
	workerPart WorkerPart // of ForWorkers
	grain      int
	lengths    ir.Shape
	own        any
}

// Own returns the value that make returned at the first call of Own for r. A kernel keeps in it
// what it would otherwise allocate in each run, such as a function that refers to r. The first call
// must not be in a Part. It is not inlined: see For.
//
//go:noinline
func (r *Run) Own(make func() any) any {
	if r.own == nil {
		r.own = make()
	}
	return r.own
}

// Reserve reserves memory that a kernel keeps beside its outputs and Scratch, because only the data
// says how much it needs: in what Own returned, or in the text of strings. The kernel calls it
// before it allocates such memory, with a negative number when it drops some. It returns an error
// if the limits of memory do not allow as much. What a Run has reserved when it is no longer used
// is given back.
func (r *Run) Reserve(bytes int64) error {
	switch {
	case bytes > math.MaxInt:
		return errors.New("the kernel needs more bytes than fit an int")
	case r.Charge == nil || bytes == 0:
		return nil
	}
	return r.Charge(bytes)
}

// SetShape sets the shape of an output whose shape depends on the data, and sets Outputs[output] to
// a tensor of that shape. The kernel must call it before it writes the output. If the shape was
// inferred as static, lengths must equal it. Each further call sets another shape and leaves the
// elements undefined: a kernel that collects an output elsewhere asks the limits of memory in this
// way.
//
// It returns parallel.ErrStopped if r must stop, because the kernel may then have computed lengths
// from memory that it has not filled.
func (r *Run) SetShape(output int, lengths ...int) error {
	if r.Stop.Requested() {
		return parallel.ErrStopped
	}
	// If lengths were passed on, each call would allocate it.
	r.lengths = append(r.lengths[:0], lengths...)
	return r.Resize(output, r.lengths)
}

// ShareOutput sets an output whose shape depends on the data to a tensor over the elements of t,
// which stay as they are until the inference ends. The kernel then neither sets the shape nor
// writes the output. An input is copied: behind the last layer that reads it, its memory is used
// for other tensors.
func (r *Run) ShareOutput(output int, t *ir.Tensor) error {
	if r.Stop.Requested() {
		return parallel.ErrStopped
	}
	if r.Share != nil && !slices.Contains(r.Inputs, t) {
		return r.Share(output, t)
	}
	if err := r.SetShape(output, t.Shape()...); err != nil {
		return err
	}
	r.Copy(r.Outputs[output], t)
	return nil
}

// Copy copies the elements of from to to, which must have the same type and number of elements. It
// ends early if r must stop.
func (r *Run) Copy(to, from *ir.Tensor) {
	parallel.Copy(r.Stop, to.Bytes(), from.Bytes())
	parallel.Copy(r.Stop, to.Strings(), from.Strings())
}

// Part computes the items lo to hi-1 of a kernel.
type Part func(r *Run, lo, hi int) error

// For splits n items into parts of at least grain items, runs part for each of them on the pool,
// and returns the error of the first part, in order of items, that failed, or parallel.ErrStopped
// if r.Stop was requested. part must be created by Prepare, because a closure that the kernel
// creates is an allocation. A Part must not call For.
//
// It is not inlined: the write barrier of the assignment would be in hundreds of kernels. With Own,
// Steps, Compose and the areas of Scratch, its callers would be 40 KiB larger.
//
//go:noinline
func (r *Run) For(n, grain int, part Part) error {
	r.part, r.grain = part, max(grain, 1)
	return r.Pool.ForWorkers(n, grain, parallel.AnyWorkers, r, r.Division)
}

// WorkerPart is a Part whose workers have scratch memory of their own: see AreasOf. Two calls at
// the same time have different workers.
type WorkerPart func(r *Run, worker, lo, hi int) error

// ForWorkers is For for a part whose workers are numbers below the given one, which is at least 1.
func (r *Run) ForWorkers(n, grain, workers int, part WorkerPart) error {
	r.part, r.workerPart, r.grain = nil, part, max(grain, 1)
	return r.Pool.ForWorkers(n, grain, workers, r, r.Division)
}

// Split is For for a part that checks r.Stop itself: it gets all items that one thread computes in
// one call. This is for code that is faster on many items.
func (r *Run) Split(n, grain int, part Part) error {
	r.part, r.grain = part, max(n, 1)
	return r.Pool.ForWorkers(n, grain, parallel.AnyWorkers, r, r.Division)
}

// grainsPerCheck is the number of grains that a thread computes between two checks of Run.Stop. A
// grain takes some microseconds to some tens of them, so that the checks cost nothing.
const grainsPerCheck = 8

// Do runs the items lo to hi-1 of the Part that For was given, unless r must stop. It implements
// parallel.Task.
func (r *Run) Do(worker, lo, hi int) error {
	if r.Stop == nil {
		return r.run(worker, lo, hi)
	}
	for lo < hi {
		if r.Stop.Requested() {
			return parallel.ErrStopped
		}
		end := hi
		// The last run is not shorter than the others.
		if (hi-lo)/2/grainsPerCheck >= r.grain {
			end = lo + grainsPerCheck*r.grain
		}
		if err := r.run(worker, lo, end); err != nil {
			return err
		}
		lo = end
	}
	return r.Stop.Err()
}

func (r *Run) run(worker, lo, hi int) error {
	if r.part == nil {
		return r.workerPart(r, worker, lo, hi)
	}
	return r.part(r, lo, hi)
}
