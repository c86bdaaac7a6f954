package layertest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// CheckStages compares a layer that applies stages to its float32 output with the same layer
// followed by the stages, bit by bit. The results of the stages depend on the position of an
// element, so that an element that is skipped, processed twice or confused with another one is
// noticed.
func CheckStages(t testing.TB, op *ops.Op, attributes Attributes, threads int, inputs ...*ir.Tensor) {
	t.Helper()
	require.True(t, op.Fusion.Applies)
	want, err := Run(op, attributes, threads, inputs...)
	require.NoError(t, err)
	operand, err := ir.NewTensor(ir.F32, want.Shape()...)
	require.NoError(t, err)
	for i := range ir.Data[float32](operand) {
		ir.Data[float32](operand)[i] = float32(i%1021) / 8
	}
	port := len(inputs)
	stages := []ops.Stage{
		{Apply: func(r *ops.Run, x []float32, at int) {
			for i, v := range ir.Data[float32](r.Inputs[port])[at:][:len(x)] {
				x[i] = x[i]/2 + v
			}
		}},
		{Apply: func(_ *ops.Run, x []float32, at int) {
			for i := range x {
				x[i] += float32((at + i) % 7)
			}
		}, Bias: []float32{0, 1, 2, 3, 4, 5, 6}, Inner: 1},
		{Apply: func(_ *ops.Run, x []float32, _ int) {
			for i, v := range x {
				x[i] = min(max(v, 0), 100)
			}
		}, Clamp: true, Lo: 0, Hi: 100},
	}
	kernel, r, err := prepareStages(op, attributes, threads, 1, inputs, stages)
	require.NoError(t, err)
	defer r.Pool.Close()
	r.Inputs = append(r.Inputs[:port:port], operand)
	require.NoError(t, kernel(r))
	expected := ir.Data[float32](want)
	ops.Compose(stages)(r, expected, 0)
	for i, got := range ir.Data[float32](r.Outputs[0]) {
		if got != expected[i] && (got == got || expected[i] == expected[i]) {
			t.Fatalf("element %d of %v: %v with the stages in the kernel, %v after it", i, want.Shape(), got, expected[i])
		}
	}
}
