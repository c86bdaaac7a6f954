package scatterelements

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	var shapes [axisInput + 1]ir.Shape
	for i := range shapes {
		shapes[i] = p.InputShape(i)
	}
	if n := shapes[axisInput].Elements(); n != 1 {
		return nil, faults.Errorf("axis has %d elements, not one", n)
	}
	rank := len(shapes[dataInput])
	if rank == 0 {
		return nil, faults.Errorf("data is a scalar, rank 1 or more is needed")
	}
	at := p.Attributes.(attributes)
	c := call{
		data: shapes[dataInput], indices: shapes[indicesInput], updates: shapes[updatesInput],
		element: p.Inputs[dataInput].Type, index: p.Inputs[indicesInput].Type,
		reduction: at.reduction, useInitVal: at.useInitVal, negative: true, threads: p.Threads,
	}
	l, err := locatorFor(p.Inputs[axisInput].Type)
	if err != nil {
		return nil, faults.Errorf("axis: %w", err)
	}
	if p.Inputs[axisInput].Tensor == nil {
		return prepareAxes(l, c)
	}
	axis, err := axisOf(l, p.Inputs[axisInput].Tensor, rank)
	if err != nil {
		return nil, err
	}
	c.axis = axis
	kernel, scratch, err := c.kernel()
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: kernel, ScratchBytes: scratch}, nil
}

// prepareAxes prepares a kernel for each axis. The run selects one of them.
func prepareAxes(l locator, c call) (*ops.Prepared, error) {
	type result struct {
		kernel ops.Kernel
		err    error
	}
	axes := make([]result, len(c.data))
	scratchBytes := 0
	for i := range axes {
		c.axis = i
		k, scratch, err := c.kernel()
		axes[i] = result{k, err}
		scratchBytes = max(scratchBytes, scratch)
	}
	return &ops.Prepared{ScratchBytes: scratchBytes, Kernel: func(r *ops.Run) error {
		axis, err := axisOf(l, r.Inputs[axisInput], len(axes))
		if err != nil {
			return err
		}
		if axes[axis].err != nil {
			return axes[axis].err
		}
		return axes[axis].kernel(r)
	}}, nil
}

// axisOf returns the value of the input axis, whose type must be that of l.
func axisOf(l locator, t *ir.Tensor, rank int) (int, error) {
	axis, unsigned := l.value(indicesOf(t), 0)
	if unsigned {
		return 0, faults.Errorf("axis %d is beyond int64", uint64(axis))
	}
	return index.Axis(axis, rank)
}

// call is the common form of a layer and a call of the Go API, without memory.
type call struct {
	data, indices, updates ir.Shape
	element, index         ir.ElementType
	axis                   int
	reduction              reduction
	useInitVal             bool
	negative               bool // negative indices are valid
	repeat                 bool // one block of updates is used for every row
	threads                int
}

// kernel returns the kernel and its scratch memory in bytes. The inputs are those of the layer,
// in the same order.
func (c *call) kernel() (ops.Kernel, int, error) {
	p, err := newPlan(c.data, c.indices, c.updates, c.axis, c.negative)
	if err != nil {
		return nil, 0, err
	}
	if c.repeat {
		p.repeat()
	}
	l, err := locatorFor(c.index)
	if err != nil {
		return nil, 0, faults.Errorf("indices: %w", err)
	}
	k, err := c.tiler()
	if err != nil {
		return nil, 0, err
	}
	if k == nil {
		return c.singly(p, l)
	}
	return c.kernelOf(p, l, k)
}

// undefined returns the error for a reduction that the element type does not have.
func (c *call) undefined() error {
	return faults.Errorf("reduction %v is not defined for %v", c.reduction, c.element)
}
