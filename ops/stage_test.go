package ops

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// TestElementwise computes 2x without stages, with stages that add 1, and with a stage that stores
// int32. It uses several threads and blocks.
func TestElementwise(t *testing.T) {
	const n = 3*stageBlock + 5
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i)
	}
	data, err := ir.TensorOf(ir.F32, ir.Shape{n}, x)
	require.NoError(t, err)
	addOne := Stage{Apply: func(_ *Run, x []float32, _ int) {
		for i := range x {
			x[i]++
		}
	}}
	store := Stage{Store: func(r *Run, x []float32, at int) {
		for i, v := range x {
			ir.Data[int32](r.Outputs[0])[at+i] = int32(v)
		}
	}}
	for _, c := range []struct {
		stages []Stage
		want   func(i int) float64
	}{
		{nil, func(i int) float64 { return float64(2 * i) }},
		{[]Stage{addOne}, func(i int) float64 { return float64(2*i + 1) }},
		{[]Stage{store}, func(i int) float64 { return float64(2 * i) }},
		{[]Stage{addOne, addOne, store}, func(i int) float64 { return float64(2*i + 2) }},
	} {
		for _, threads := range []int{1, 3} {
			p := &Preparation{Threads: threads, Stages: c.stages}
			prepared := Elementwise(p, n, 1000, func(r *Run, x []float32, at int) error {
				for i, v := range ir.Data[float32](r.Inputs[0])[at : at+len(x)] {
					x[i] = 2 * v
				}
				return nil
			})
			elementType := ir.F32
			if p.Store() != nil {
				elementType = ir.I32
				assert.Equal(t, threads*stageBlock*4, prepared.ScratchBytes)
			}
			out, err := ir.NewTensor(elementType, n)
			require.NoError(t, err)
			pool := parallel.New(threads)
			r := &Run{Inputs: []*ir.Tensor{data}, Outputs: []*ir.Tensor{out}, Pool: pool, Scratch: ir.AlignedBytes(prepared.ScratchBytes)}
			require.NoError(t, prepared.Kernel(r))
			pool.Close()
			for i := range n {
				got := float64(ir.Data[int32](out)[i])
				if elementType == ir.F32 {
					got = float64(ir.Data[float32](out)[i])
				}
				require.Equal(t, c.want(i), got, "element %d", i)
			}
		}
	}
	fault := errors.New("element 4100")
	for _, stages := range [][]Stage{nil, {addOne}, {store}} {
		prepared := Elementwise(&Preparation{Threads: 1, Stages: stages}, n, 1000, func(_ *Run, x []float32, at int) error {
			if at <= 4100 && 4100 < at+len(x) {
				return fault
			}
			return nil
		})
		out, err := ir.NewTensor(ir.F32, n)
		require.NoError(t, err)
		r := &Run{Inputs: []*ir.Tensor{data}, Outputs: []*ir.Tensor{out}, Scratch: ir.AlignedBytes(prepared.ScratchBytes)}
		assert.ErrorIs(t, prepared.Kernel(r), fault)
	}
}

// TestFinished calls a kernel that fails or not, and two stages.
func TestPreparation_Finished(t *testing.T) {
	out, err := ir.NewTensor(ir.F32, 2)
	require.NoError(t, err)
	failure := error(nil)
	kernel := func(r *Run) error {
		ir.Data[float32](r.Outputs[0])[1] = 5
		return failure
	}
	stage := func(factor float32) Stage {
		return Stage{Apply: func(_ *Run, x []float32, at int) {
			for i := range x {
				x[i] = x[i]*factor + float32(at+i)
			}
		}}
	}
	p := &Preparation{Stages: []Stage{stage(2), stage(3)}}
	r := &Run{Outputs: []*ir.Tensor{out}}
	require.NoError(t, p.Finished(kernel)(r))
	assert.Equal(t, []float32{0, 34}, ir.Data[float32](out))
	failure = errors.New("no result")
	require.Equal(t, failure, p.Finished(kernel)(r))
	assert.Equal(t, float32(5), ir.Data[float32](out)[1], "there is nothing to finish")
	require.Equal(t, failure, new(Preparation).Finished(kernel)(r))
}
