package gatherelements_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/test/kernelcases"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/gatherelements"
)

// TestCorpusKernels compares the Go API with the results of torch and of ONNX's reference
// implementation, bit by bit.
func TestCorpusKernels(t *testing.T) {
	kernelcases.Run(t, []string{"GatherElements", "gather"}, map[string]func(*testing.T, *kernelcases.Case){
		"bool": checkType[bool], "int8": checkType[int8], "int16": checkType[int16], "int32": checkType[int32], "int64": checkType[int64],
		"uint8": checkType[uint8], "uint16": checkType[uint16], "uint32": checkType[uint32], "uint64": checkType[uint64],
		"float16": checkType[float16.Float16], "bfloat16": checkType[ir.BFloat16], "float32": checkType[float32], "float64": checkType[float64],
		"complex64": checkType[complex64], "complex128": checkType[complex128],
		"string": func(t *testing.T, c *kernelcases.Case) { checkElements(t, c, (*ir.Tensor).Strings) },
	})
}

func checkType[T ir.Element](t *testing.T, c *kernelcases.Case) { checkElements(t, c, ir.Data[T]) }

func checkElements[T gatherelements.Element](t *testing.T, c *kernelcases.Case, elements func(*ir.Tensor) []T) {
	data := c.Tensor(t, "data")
	c.Check(t, kernelcases.Equal,
		func(indices []int64, shape ir.Shape) (*ir.Tensor, error) {
			return gather(t, c, data, indices, shape, elements)
		},
		func(indices []int32, shape ir.Shape) (*ir.Tensor, error) {
			return gather(t, c, data, indices, shape, elements)
		})
}

func gather[T gatherelements.Element, I gatherelements.Index](
	t *testing.T, c *kernelcases.Case, data *ir.Tensor, indices []I, shape ir.Shape, elements func(*ir.Tensor) []T,
) (*ir.Tensor, error) {
	out, err := ir.NewTensor(data.ElementType(), shape...)
	require.NoError(t, err)
	if c.System == "torch" {
		return out, gatherelements.TorchGatherInto(elements(out), elements(data), data.Shape(), c.Axis, indices, shape)
	}
	return out, gatherelements.ONNXInto(gatherelements.Options{Version: c.Version, Axis: c.Axis}, elements(out), elements(data), data.Shape(), indices, shape)
}
