package scatterelements_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/test/kernelcases"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/scatterelements"
)

// TestCorpusKernels compares the Go API with the results of torch and of ONNX's reference
// implementation.
func TestCorpusKernels(t *testing.T) {
	operators := []string{"Scatter", "ScatterElements", "scatter_", "scatter_add_", "scatter_reduce_"}
	kernelcases.Run(t, operators, map[string]func(*testing.T, *kernelcases.Case){
		"bool": checkType[bool], "int8": checkType[int8], "int16": checkType[int16], "int32": checkType[int32], "int64": checkType[int64],
		"uint8": checkType[uint8], "uint16": checkType[uint16], "uint32": checkType[uint32], "uint64": checkType[uint64],
		"float16": checkType[float16.Float16], "bfloat16": checkType[ir.BFloat16], "float32": checkType[float32], "float64": checkType[float64],
		"complex64": checkType[complex64], "complex128": checkType[complex128],
		"string": func(t *testing.T, c *kernelcases.Case) { checkElements(t, c, (*ir.Tensor).Strings) },
	})
}

type number interface {
	ir.Element
	scatterelements.Element
}

func checkType[T number](t *testing.T, c *kernelcases.Case) { checkElements(t, c, ir.Data[T]) }

// checkElements runs a case into new memory with indices of int64, and in place with indices
// of int32.
func checkElements[T scatterelements.Element](t *testing.T, c *kernelcases.Case, elements func(*ir.Tensor) []T) {
	data, self, out := c.Tensor(t, "data"), c.Tensor(t, "data"), c.Tensor(t, "data")
	clear(elements(out))
	var a arguments[T]
	if c.Value == nil {
		updates := c.Tensor(t, "updates")
		a.updates, a.updatesShape = elements(updates), updates.Shape()
	} else {
		a.value = elements(valueOf(t, c, data.ElementType()))[0]
	}
	c.Check(t, c.Near,
		func(indices []int64, shape ir.Shape) (*ir.Tensor, error) {
			err := scatter(t, c, &a, elements(out), elements(self), self.Shape(), indices, shape)
			if err == nil {
				assert.Equal(t, elements(data), elements(self), "data is not changed")
			}
			return out, err
		},
		func(indices []int32, shape ir.Shape) (*ir.Tensor, error) {
			return self, scatter(t, c, &a, elements(self), elements(self), self.Shape(), indices, shape)
		})
}

// arguments are the updates of a call: a tensor, or a value for all indices.
type arguments[T scatterelements.Element] struct {
	updates      []T
	updatesShape []int
	value        T
}

// valueOf returns the scalar of a case.
func valueOf(t *testing.T, c *kernelcases.Case, elementType ir.ElementType) *ir.Tensor {
	number := 1.0
	if v, ok := c.Value.(float64); ok {
		number = v
	} else {
		require.Equal(t, true, c.Value)
	}
	tensor, err := ir.NewTensor(elementType)
	require.NoError(t, err)
	switch elementType {
	case ir.Complex64:
		ir.Data[complex64](tensor)[0] = complex(float32(number), 0)
	case ir.Complex128:
		ir.Data[complex128](tensor)[0] = complex(number, 0)
	default:
		return layertest.Numbers(t, elementType, nil, number)
	}
	return tensor
}

func scatter[T scatterelements.Element, I scatterelements.Index](
	t *testing.T, c *kernelcases.Case, a *arguments[T], out, self []T, shape ir.Shape, indices []I, indicesShape ir.Shape,
) error {
	switch c.Op {
	case "scatter_":
		if c.Value != nil {
			return scatterelements.TorchScatterValue(out, self, shape, c.Axis, indices, indicesShape, a.value, c.Reduce)
		}
		return scatterelements.TorchScatter(out, self, shape, c.Axis, indices, indicesShape, a.updates, a.updatesShape, c.Reduce)
	case "scatter_add_":
		return scatterelements.TorchScatterAdd(out, self, shape, c.Axis, indices, indicesShape, a.updates, a.updatesShape)
	case "scatter_reduce_":
		return scatterelements.TorchScatterReduce(out, self, shape, c.Axis, indices, indicesShape, a.updates, a.updatesShape, c.Reduce, c.IncludeSelf)
	}
	require.Equal(t, "onnx", c.System)
	o := scatterelements.Options{Version: c.Version, Axis: c.Axis, Reduction: c.Reduction}
	return scatterelements.ONNXInto(o, out, self, shape, indices, indicesShape, a.updates, a.updatesShape)
}
