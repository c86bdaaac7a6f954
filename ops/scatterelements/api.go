package scatterelements

import (
	"fmt"
	"unsafe"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Element lists the types of elements: every type of ONNX's tensors and of
// torch's.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		float16.Float16 | ops.BFloat16 | float32 | float64 | complex64 | complex128 | string
}

// Index lists the types of indices.
type Index interface{ int32 | int64 }

// typeOf returns the element type of T.
func typeOf[T Element]() ir.ElementType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return ir.Boolean
	case int8:
		return ir.I8
	case int16:
		return ir.I16
	case int32:
		return ir.I32
	case int64:
		return ir.I64
	case uint8:
		return ir.U8
	case uint16:
		return ir.U16
	case uint32:
		return ir.U32
	case uint64:
		return ir.U64
	case float16.Float16:
		return ir.F16
	case ops.BFloat16:
		return ir.BF16
	case float32:
		return ir.F32
	case float64:
		return ir.F64
	case complex64:
		return ir.Complex64
	case complex128:
		return ir.Complex128
	}
	return ir.String
}

// tensorOf returns a tensor over data. name is what errors call it.
func tensorOf[T Element](name string, data []T, shape []int) (*ir.Tensor, error) {
	t, err := untyped(typeOf[T](), data, shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func untyped[T Element](t ir.ElementType, data []T, shape []int) (*ir.Tensor, error) {
	switch t.Size() {
	case 1:
		return ir.TensorOf(t, shape, as[uint8](data))
	case 2:
		return ir.TensorOf(t, shape, as[uint16](data))
	case 4:
		return ir.TensorOf(t, shape, as[uint32](data))
	case 8:
		return ir.TensorOf(t, shape, as[uint64](data))
	case 16:
		return ir.TensorOf(t, shape, as[complex128](data))
	}
	return ir.StringTensor(shape, as[string](data))
}

// as returns s as elements of another type of the same size.
func as[T, S any](s []S) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// operands are the checked arguments of a use without a model.
type operands struct {
	out, data, indices, updates *ir.Tensor
}

// operandsOf checks that every slice holds a tensor of its shape.
func operandsOf[T Element, I Index](out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) (o operands, err error) {
	if o.data, err = tensorOf("data", data, dataShape); err != nil {
		return o, err
	}
	if o.out, err = tensorOf("out", out, dataShape); err != nil {
		return o, err
	}
	if o.indices, err = tensorOf("indices", indices, indicesShape); err != nil {
		return o, err
	}
	o.updates, err = tensorOf("updates", updates, updatesShape)
	return o, err
}

// run computes c, of which the shapes and types are set here.
func (o *operands) run(c call, axis int) error {
	c.data, c.indices = o.data.Shape(), o.indices.Shape()
	c.element, c.index = o.data.ElementType(), o.indices.ElementType()
	if c.repeat {
		c.updates = c.indices
	} else {
		c.updates = o.updates.Shape()
	}
	if len(c.indices) != len(c.data) {
		return fmt.Errorf("indices %v and data %v differ in rank", c.indices, c.data)
	}
	if len(c.updates) != len(c.indices) {
		return fmt.Errorf("updates %v and indices %v differ in rank", c.updates, c.indices)
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
