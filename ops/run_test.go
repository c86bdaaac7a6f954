package ops

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// TestShareOutput shares a tensor that lives on, and copies an input, whose memory does not.
func TestShareOutput(t *testing.T) {
	of := func(values ...int64) *ir.Tensor {
		tensor, err := ir.TensorOfInts(ir.I32, ir.Shape{len(values)}, values)
		require.NoError(t, err)
		return tensor
	}
	input, kept := of(1, 2), of(3)
	r := &Run{Inputs: []*ir.Tensor{input}, Outputs: []*ir.Tensor{nil}}
	r.Resize = func(output int, shape ir.Shape) (err error) {
		r.Outputs[output], err = ir.NewTensor(ir.I32, slices.Clone(shape)...)
		return err
	}
	r.Share = func(output int, tensor *ir.Tensor) error { r.Outputs[output] = tensor; return nil }
	require.NoError(t, r.ShareOutput(0, kept))
	assert.Same(t, kept, r.Outputs[0])
	require.NoError(t, r.ShareOutput(0, input))
	assert.NotSame(t, input, r.Outputs[0])
	assert.Equal(t, []int32{1, 2}, ir.Data[int32](r.Outputs[0]))
	r.Share = nil
	require.NoError(t, r.ShareOutput(0, kept))
	assert.Equal(t, []int32{3}, ir.Data[int32](r.Outputs[0]))
	stopped := make(chan struct{})
	close(stopped)
	r.Stop = stopped
	assert.Equal(t, parallel.ErrStopped, r.ShareOutput(0, kept))
}
