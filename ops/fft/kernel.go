package fft

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/fft"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// kind is the kind of the transform along an axis.
type kind int

const (
	complexForward kind = iota
	complexInverse
	realForward // from real numbers
	realInverse // to real numbers
)

// problem is a transform of a tensor: passes along one axis each.
type problem struct {
	passes []pass
	output int // number of elements of the output; numbers of pairs count twice
}

// pass transforms along one axis.
type pass struct {
	kind        kind
	n           int // the length of the transform
	index.Lines     // of the data
	to          int // the length of the axis after the transform
	result      int // the number of elements of the result, where pairs count twice
}

// newProblem returns the passes. The transform from real numbers is the first of them, that to real
// numbers is the last.
func newProblem(p *ops.Preparation, each, last kind) (*problem, error) {
	data := p.InputShape(0)
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	q := &problem{output: output.Elements()}
	if last != realForward {
		data = data[:len(data)-1]
	}
	values, known := p.Inputs[1].Ints()
	if !known {
		return nil, errors.New("axes is not known")
	}
	sizes, err := readSizes(p)
	if err != nil {
		return nil, err
	}
	axes := make([]int, len(values))
	for i, v := range values {
		if axes[i], err = index.Axis(v, len(data)); err != nil {
			return nil, err
		}
	}
	shape := append(ir.Shape(nil), data...)
	add := func(i int, kind kind) error {
		axis := axes[i]
		x := pass{kind: kind, Lines: index.Along(shape, axis), to: output[axis], n: output[axis]}
		if kind == realForward {
			x.n = realLen(sizes, shape[axis])
		}
		shape[axis] = x.to
		size, err := ir.ByteSize(ir.F32, shape)
		if err != nil || size > math.MaxInt/2 {
			return faults.Errorf("the transform along axis %d gives shape %v, which is too large", axis, shape)
		}
		x.result = 2 * shape.Elements()
		if kind == realInverse {
			x.result /= 2
		}
		q.passes = append(q.passes, x)
		return nil
	}
	n := len(axes) - 1
	if last == realForward && n >= 0 {
		if err := add(n, last); err != nil {
			return nil, err
		}
	}
	for i := range axes {
		if i < n || last == each {
			if err := add(i, each); err != nil {
				return nil, err
			}
		}
	}
	if last == realInverse && n >= 0 {
		if err := add(n, last); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// realLen returns the number of real numbers that RDFT transforms along the last of the axes. sizes
// is nil if there is no signal_size.
func realLen(sizes []int64, length int) int {
	if n := len(sizes); n > 0 && sizes[n-1] >= 0 {
		return int(sizes[n-1])
	}
	return length
}

// readSizes returns signal_size, or nil if there is none.
func readSizes(p *ops.Preparation) ([]int64, error) {
	if len(p.Inputs) < 3 {
		return nil, nil
	}
	sizes, known := p.Inputs[2].Ints()
	if !known {
		return nil, errors.New("signal_size is not known")
	}
	for _, n := range sizes {
		if n < -1 || n > math.MaxInt {
			return nil, faults.Errorf("signal_size is %v, expected lengths or -1", sizes)
		}
	}
	return sizes, nil
}

// prepareWith returns Op.Prepare for a transform that is of one kind along the last of the axes,
// and of another along each of the others.
func prepareWith(each, last kind) func(*ops.Preparation) (*ops.Prepared, error) {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		q, err := newProblem(p, each, last)
		switch {
		case err != nil:
			return nil, err
		case q.output == 0:
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
		case len(q.passes) == 0:
			return ops.PrepareView(p)
		}
		return widened.Prepare(widened.Halves, q.float32s, 0)(p)
	}
}

// float32s returns the kernel of f32.
func (q *problem) float32s(p *ops.Preparation) (*ops.Prepared, error) {
	k := &kernel{}
	if err := k.prepare(p, q); err != nil {
		return nil, err
	}
	k.reserve()
	return &ops.Prepared{Kernel: k.run, ScratchBytes: k.scratch.Bytes(), Flops: k.flops}, nil
}

// kernel computes in float32. Each pass reads the result of the one before.
type kernel struct {
	passes  []*transform
	scratch ops.Scratch
	own     [2]ops.Area[float32]
	flops   float64
}

// prepare makes the tables of all passes. Passes of the same length and kind share them.
func (k *kernel) prepare(p *ops.Preparation, q *problem) error {
	for i := range q.passes {
		x := &transform{pass: q.passes[i]}
		if x.Outer*x.Inner == 0 {
			continue // a later pass pads what is empty here
		}
		real := x.kind == realForward || x.kind == realInverse
		for _, other := range k.passes {
			if other.n == x.n && !real && other.plan != nil {
				x.plan = other.plan
			}
		}
		var err error
		switch {
		case x.plan != nil:
		case real:
			if err = p.Reserve(fft.RealBytes[float32](x.n)); err == nil {
				x.real, err = fft.NewReal[float32](p.Stop, x.n)
			}
		default:
			if err = p.Reserve(fft.PlanBytes[float32](x.n)); err == nil {
				x.plan, err = fft.New[float32](p.Stop, x.n)
			}
		}
		if err != nil {
			return err
		}
		if err := k.add(p, x); err != nil {
			return err
		}
	}
	return nil
}

// maxElements is the number of elements in the lanes that are transformed at a time: they stay in
// the cache. Rows of fewer than minLanes elements are slow.
const maxElements, minLanes, maxLanes = 1 << 13, 8, 64

// add divides the lanes of a pass among the threads.
func (k *kernel) add(p *ops.Preparation, x *transform) error {
	count := x.Outer * x.Inner
	x.lanes = min(max(maxElements/max(x.n, 1), minLanes), maxLanes)
	if x.n > maxElements*2 {
		x.lanes = 1 // the rows of all steps but the first are long anyway
	}
	x.lanes = min(x.lanes, count)
	x.blocks = 1 // of the elements before the axis
	items := (count + x.lanes - 1) / x.lanes
	if x.Inner >= minLanes || x.Inner > 1 && x.lanes == 1 {
		x.lanes = min(x.lanes, x.Inner)
		x.blocks = (x.Inner + x.lanes - 1) / x.lanes
		items = x.Outer * x.blocks
		x.adjacent = true
	}
	workLen, each := 0, 0.0
	if x.real != nil {
		x.rows, workLen, each = x.real.Rows(), x.real.WorkLen(x.lanes), x.real.Flops()
	} else {
		x.rows, workLen, each = x.n, x.plan.WorkLen(x.lanes), x.plan.Flops()
	}
	k.flops += each * float64(count)
	cost := each * float64(x.lanes) / operationsPerCost
	workers := p.Workers(items, cost)
	if workLen < 0 {
		return errors.New("the transforms need more elements of memory than fit an int")
	}
	x.scale = 1
	if x.kind == complexInverse || x.kind == realInverse {
		x.scale = 1 / float32(x.n)
	}
	x.planes = ops.AreasOf[float32](&k.scratch, workers, 2, x.rows, x.lanes)
	x.work = ops.AreasOf[float32](&k.scratch, workers, workLen)
	x.step = ops.Step{N: items, Grain: ops.Grain(cost), WorkerPart: x.run, Workers: workers}
	k.passes = append(k.passes, x)
	return nil
}

// operationsPerCost is the number of operations that take about as long as a simple one on an
// element: vector instructions compute them.
const operationsPerCost = 4

// reserve chooses where each pass reads and writes: the results of all passes but the last are in
// two areas of the scratch memory, in turns.
func (k *kernel) reserve() {
	data := func(r *ops.Run) []float32 { return ir.Data[float32](r.Inputs[0]) }
	output := func(r *ops.Run) []float32 { return ir.Data[float32](r.Outputs[0]) }
	last := len(k.passes) - 1
	for i := range 2 {
		size := 0
		for j := i; j < last; j += 2 {
			size = max(size, k.passes[j].result)
		}
		k.own[i] = ops.AreaOf[float32](&k.scratch, size)
	}
	for i, x := range k.passes {
		x.src, x.dst = data, output
		if i > 0 {
			x.src = k.passes[i-1].dst
		}
		if i < last {
			x.dst = k.own[i%2].In
		}
	}
}

func (k *kernel) run(r *ops.Run) error {
	for _, x := range k.passes {
		if err := x.step.Run(r); err != nil {
			return err
		}
	}
	return nil
}
