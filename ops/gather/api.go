package gather

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Rules selects the rules for shapes, types and indices.
type Rules uint8

const (
	// OpenVINO8 is Gather-8: for an axis of length d, an index outside of [-d,d-1] yields zero.
	OpenVINO8 Rules = iota
	// OpenVINO7 is Gather-7: an index outside of [0,d-1] yields zero.
	OpenVINO7
	// OpenVINO1 is Gather-1: like OpenVINO7, without batch_dims.
	OpenVINO1
	// ONNX1 is Gather-1 of ONNX: indices in [0,d-1], no batch_dims, no bfloat16.
	ONNX1
	// ONNX11 is Gather-11 of ONNX: like ONNX1, with indices in [-d,d-1].
	ONNX11
	// ONNX13 is Gather-13 of ONNX: like ONNX11, with bfloat16.
	ONNX13
	// Torch is torch.index_select: indices in [0,d-1], no batch_dims. indices is a vector or a
	// scalar. If data is a scalar, indices must have one element.
	Torch
)

// rules holds the differences between the Rules.
var rules = [...]struct {
	name string
	attributes
	batch bool // batch_dims may be set
}{
	OpenVINO8: {"Gather-8 (OpenVINO)", attributes{negative: true}, true},
	OpenVINO7: {"Gather-7 (OpenVINO)", attributes{}, true},
	OpenVINO1: {"Gather-1 (OpenVINO)", attributes{}, false},
	ONNX1:     {"Gather-1 (ONNX)", attributes{strict: true}, false},
	ONNX11:    {"Gather-11 (ONNX)", attributes{strict: true, negative: true}, false},
	ONNX13:    {"Gather-13 (ONNX)", attributes{strict: true, negative: true}, false},
	Torch:     {"torch.index_select", attributes{strict: true}, false},
}

// String returns the name of the operation, such as "Gather-8 (OpenVINO)".
func (r Rules) String() string {
	if int(r) < len(rules) {
		return rules[r].name
	}
	return fmt.Sprintf("Rules(%d)", uint8(r))
}

// Gather returns the slices of data along axis that indices refer to, in row-major order.
// [OutputShape] returns their shape. A negative axis counts from the last axis. batchDims is
// the number of leading axes that data and indices share; a negative batchDims counts from the
// last axis of indices.
//
// # Errors
//
// If the rules do not accept an index, the error is an *ops.IndexError for the first such index
// in row-major order. Other errors report an invalid shape, axis or type.
func Gather[T ir.Scalar, I ops.Index](r Rules, data []T, dataShape []int, indices []I, indicesShape []int, axis, batchDims int) ([]T, error) {
	shape, err := OutputShape(r, dataShape, indicesShape, axis, batchDims)
	if err != nil {
		return nil, err
	}
	if _, err := ir.ByteSize(ir.ElementTypeOf[T](), shape); err != nil {
		return nil, faults.Errorf("output: %w", err)
	}
	out := make([]T, ir.Shape(shape).Elements())
	if err := GatherInto(r, out, data, dataShape, indices, indicesShape, axis, batchDims); err != nil {
		return nil, err
	}
	return out, nil
}

// GatherInto is Gather with the output in out, which must have as many elements as the output
// and must not overlap data or indices. After an error the content of out is undefined.
func GatherInto[T ir.Scalar, I ops.Index](r Rules, out, data []T, dataShape []int, indices []I, indicesShape []int, axis, batchDims int) error {
	shape, err := OutputShape(r, dataShape, indicesShape, axis, batchDims)
	if err != nil {
		return err
	}
	if t := ir.ElementTypeOf[T](); t == ir.BF16 && (r == ONNX1 || r == ONNX11) {
		return faults.Errorf("%v has no bfloat16", r)
	}
	to, err := ops.TensorOf("out", out, shape)
	if err != nil {
		return err
	}
	from, err := ops.TensorOf("data", data, dataShape)
	if err != nil {
		return err
	}
	places, err := ops.TensorOf("indices", indices, indicesShape)
	if err != nil {
		return err
	}
	at, inputs := facts(r, dataShape, indicesShape, axis, batchDims)
	inputs[dataPort].Type, inputs[indicesPort].Type = ir.ElementTypeOf[T](), ir.ElementTypeOf[I]()
	return ops.Call(&Ops[0], at, inputs, []*ir.Tensor{dataPort: from, indicesPort: places}, to)
}

// OutputShape returns the shape of the output for data and indices of the given shapes, or an
// error if the rules do not accept them.
func OutputShape(r Rules, dataShape, indicesShape []int, axis, batchDims int) ([]int, error) {
	if int(r) >= len(rules) {
		return nil, faults.Errorf("%v are no rules of this package", r)
	}
	if batchDims != 0 && !rules[r].batch {
		return nil, faults.Errorf("batch_dims is %d, %v has none", batchDims, r)
	}
	for i, shape := range [][]int{dataShape, indicesShape} {
		if _, err := ir.ByteSize(ir.U8, shape); err != nil {
			return nil, faults.Errorf("%s: %w", []string{"data", "indices"}[i], err)
		}
	}
	if r == Torch && len(indicesShape) > 1 {
		return nil, faults.Errorf("indices of shape %v are not a vector", indicesShape)
	}
	if scalar := len(dataShape) == 0; scalar && r == Torch {
		if n := ir.Shape(indicesShape).Elements(); n != 1 {
			return nil, faults.Errorf("%d elements are taken from a scalar, not one", n)
		}
	} else if scalar {
		return nil, faults.Errorf("data is a scalar, rank 1 or more is needed")
	}
	in := ops.Inference{Outputs: make([]ir.Fact, 1)}
	in.Attributes, in.Inputs = facts(r, dataShape, indicesShape, axis, batchDims)
	if err := infer(&in); err != nil {
		return nil, err
	}
	if r == Torch && len(dataShape) == 0 {
		return []int{}, nil
	}
	return in.Outputs[0].Shape.Static()
}

// facts returns the attributes and inputs of the layer for a call, without element types.
func facts(r Rules, data, indices []int, axis, batchDims int) (attributes, []ir.Fact) {
	at := rules[r].attributes
	at.batchDims = int64(batchDims)
	if r == Torch && len(data) == 0 {
		data = []int{1}
	}
	if r == Torch && len(indices) == 0 {
		indices = []int{1}
	}
	return at, []ir.Fact{
		dataPort:    {Shape: ir.Shape(data).Partial()},
		indicesPort: {Shape: ir.Shape(indices).Partial()},
		axisPort:    {Type: ir.I64, Values: []ir.Interval{{Min: int64(axis), Max: int64(axis)}}},
	}
}
