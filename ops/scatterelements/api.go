package scatterelements

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Element lists the types of elements: every element type of ONNX and of torch.
type Element interface{ ir.Scalar }

// Index lists the types of indices.
type Index interface{ int32 | int64 }

// operands holds the checked arguments of a call of the Go API.
type operands struct {
	out, data, indices, updates *ir.Tensor
}

// operandsOf returns the arguments as tensors, or an error if a slice does not have the length
// of its shape.
func operandsOf[T Element, I Index](out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) (o operands, err error) {
	if o.data, err = ops.TensorOf("data", data, dataShape); err != nil {
		return o, err
	}
	if o.out, err = ops.TensorOf("out", out, dataShape); err != nil {
		return o, err
	}
	if o.indices, err = ops.TensorOf("indices", indices, indicesShape); err != nil {
		return o, err
	}
	o.updates, err = ops.TensorOf("updates", updates, updatesShape)
	return o, err
}

// run computes c on the operands, whose shapes and types it sets in c.
func (o *operands) run(c call, axis int) error {
	c.data, c.indices = o.data.Shape(), o.indices.Shape()
	c.element, c.index = o.data.ElementType(), o.indices.ElementType()
	if c.repeat {
		c.updates = c.indices
	} else {
		c.updates = o.updates.Shape()
	}
	if len(c.indices) != len(c.data) {
		return faults.Errorf("indices %v and data %v differ in rank", c.indices, c.data)
	}
	if len(c.updates) != len(c.indices) {
		return faults.Errorf("updates %v and indices %v differ in rank", c.updates, c.indices)
	}
	var err error
	if c.axis, err = index.Axis(int64(axis), len(c.data)); err != nil {
		return err
	}
	kernel, scratch, err := c.kernel()
	if err != nil {
		return err
	}
	return kernel(&ops.Run{
		Inputs: []*ir.Tensor{o.data, o.indices, o.updates}, Outputs: []*ir.Tensor{o.out},
		Scratch: ir.AlignedBytes(scratch),
	})
}
