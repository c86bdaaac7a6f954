package gathernd

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Rules selects the rules for shapes and types. All rules accept the indices [-d,d-1] for an
// axis of length d.
type Rules uint8

const (
	// OpenVINO8 is GatherND-8.
	OpenVINO8 Rules = iota
	// OpenVINO5 is GatherND-5: like OpenVINO8, with the batch axes merged into one axis of the
	// output.
	OpenVINO5
	// ONNX11 is GatherND-11 of ONNX: no batch_dims, no bfloat16.
	ONNX11
	// ONNX12 is GatherND-12 of ONNX: no bfloat16.
	ONNX12
	// ONNX13 is GatherND-13 of ONNX.
	ONNX13
)

var names = [...]string{
	OpenVINO8: "GatherND-8 (OpenVINO)", OpenVINO5: "GatherND-5 (OpenVINO)",
	ONNX11: "GatherND-11 (ONNX)", ONNX12: "GatherND-12 (ONNX)", ONNX13: "GatherND-13 (ONNX)",
}

// String returns the name of the operation, such as "GatherND-8 (OpenVINO)".
func (r Rules) String() string {
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("Rules(%d)", uint8(r))
}

// Gather returns the slices of data that the tuples along the last axis of indices refer to, in
// row-major order. [OutputShape] returns their shape. batchDims is the number of leading axes
// that data and indices share.
//
// # Errors
//
// If an index is out of range, the error is an *ops.IndexError for the first such index in
// row-major order. Other errors report an invalid shape or type.
func Gather[T ir.Scalar, I ops.Index](r Rules, data []T, dataShape []int, indices []I, indicesShape []int, batchDims int) ([]T, error) {
	shape, err := OutputShape(r, dataShape, indicesShape, batchDims)
	if err != nil {
		return nil, err
	}
	if _, err := ir.ByteSize(ir.ElementTypeOf[T](), shape); err != nil {
		return nil, faults.Errorf("output: %w", err)
	}
	out := make([]T, ir.Shape(shape).Elements())
	if err := GatherInto(r, out, data, dataShape, indices, indicesShape, batchDims); err != nil {
		return nil, err
	}
	return out, nil
}

// GatherInto is Gather with the output in out, which must have as many elements as the output
// and must not overlap data or indices. After an error the content of out is undefined.
func GatherInto[T ir.Scalar, I ops.Index](r Rules, out, data []T, dataShape []int, indices []I, indicesShape []int, batchDims int) error {
	shape, err := OutputShape(r, dataShape, indicesShape, batchDims)
	if err != nil {
		return err
	}
	if t := ir.ElementTypeOf[T](); t == ir.BF16 && (r == ONNX11 || r == ONNX12) {
		return faults.Errorf("%v has no bfloat16", r)
	}
	to, err := ops.TensorOf("out", out, shape)
	if err != nil {
		return err
	}
	inputs := make([]*ir.Tensor, 2)
	if inputs[dataPort], err = ops.TensorOf("data", data, dataShape); err != nil {
		return err
	}
	if inputs[indicesPort], err = ops.TensorOf("indices", indices, indicesShape); err != nil {
		return err
	}
	return ops.Call(&Ops[0], r.attributes(batchDims), ops.FactsOf(inputs), inputs, to)
}

// OutputShape returns the shape of the output for data and indices of the given shapes, or an
// error if the rules do not accept them.
func OutputShape(r Rules, dataShape, indicesShape []int, batchDims int) ([]int, error) {
	if int(r) >= len(names) {
		return nil, faults.Errorf("%v are no rules of this package", r)
	}
	if batchDims != 0 && r == ONNX11 {
		return nil, faults.Errorf("batch_dims is %d, %v has none", batchDims, r)
	}
	for i, shape := range [][]int{dataShape, indicesShape} {
		if _, err := ir.ByteSize(ir.U8, shape); err != nil {
			return nil, faults.Errorf("%s: %w", []string{"data", "indices"}[i], err)
		}
		if len(shape) == 0 {
			return nil, faults.Errorf("data %v and indices %v must have rank 1 or more", dataShape, indicesShape)
		}
	}
	shape, err := outputShape(r.attributes(batchDims), ir.Shape(dataShape).Partial(), ir.Shape(indicesShape).Partial())
	if err != nil {
		return nil, err
	}
	return shape.Static()
}

func (r Rules) attributes(batchDims int) attributes {
	return attributes{batchDims: int64(batchDims), flat: r == OpenVINO5}
}
