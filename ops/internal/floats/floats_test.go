package floats

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// sum sets output to a, plus b if there is one.
func sum[T float32 | float64](_ parallel.Stop, output, a, b []T, lo, hi int) {
	for i := lo; i < hi; i++ {
		output[i] = a[i]
		if len(b) > 0 {
			output[i] += b[i]
		}
	}
}

func op(inputs int) *ops.Op {
	return &ops.Op{
		Type: "Sum", Version: 1, Inputs: ops.Exactly(inputs),
		Infer: func(in *ops.Inference) error {
			in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: in.Inputs[0].Shape}
			return nil
		},
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			n := int(p.Inputs[0].Shape.At(0).Min)
			return Kernel(p, inputs, n, 1, sum[float32], sum[float64]), nil
		},
	}
}

func TestKernel(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64} {
		a := layertest.Numbers(t, elementType, ir.Shape{3}, 1, 2, 3)
		b := layertest.Numbers(t, elementType, ir.Shape{3}, 0.5, 20, 30)
		one, err := layertest.Run(op(1), nil, 2, a)
		require.NoError(t, err)
		assert.Equal(t, []float64{1, 2, 3}, layertest.Floats(t, one), "%v", elementType)
		two, err := layertest.Run(op(2), nil, 2, a, b)
		require.NoError(t, err)
		assert.Equal(t, []float64{1.5, 22, 33}, layertest.Floats(t, two), "%v", elementType)
	}
}
