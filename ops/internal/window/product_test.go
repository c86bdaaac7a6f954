package window

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestFinished(t *testing.T) {
	out, err := ir.NewTensor(ir.F32, 2)
	require.NoError(t, err)
	failure := error(nil)
	kernel := func(r *ops.Run) error {
		ir.Data[float32](r.Outputs[0])[1] = 5
		return failure
	}
	stage := func(factor float32) ops.Stage {
		return ops.Stage{Apply: func(_ *ops.Run, x []float32, at int) {
			for i := range x {
				x[i] = x[i]*factor + float32(at+i)
			}
		}}
	}
	p := &ops.Preparation{Stages: []ops.Stage{stage(2), stage(3)}}
	r := &ops.Run{Outputs: []*ir.Tensor{out}}
	require.NoError(t, Finished(p, kernel)(r))
	assert.Equal(t, []float32{0, 34}, ir.Data[float32](out))
	failure = errors.New("no result")
	require.Equal(t, failure, Finished(p, kernel)(r))
	assert.Equal(t, float32(5), ir.Data[float32](out)[1], "there is nothing to finish")
	require.Equal(t, failure, Finished(&ops.Preparation{}, kernel)(r))
}
