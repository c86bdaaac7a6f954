package plugin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// TestSetOutput_overlap sets outputs over the memory of inputs and of each other.
func TestSetOutput_overlap(t *testing.T) {
	g := &testGraph{}
	x, y := g.parameter("x", "i32", "2"), g.parameter("y", "i32", "2")
	g.result(g.op("Inc", x))
	g.result(g.op("Inc", y))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	memory := ir.AlignedBytes(32)
	at := func(offset int) *ir.Tensor {
		v, err := ir.TensorOfBytes(ir.I32, ir.Shape{2}, memory[offset:][:8])
		require.NoError(t, err)
		return v
	}
	for _, c := range []struct {
		offsets [4]int // of the inputs and the outputs
		want    string
	}{
		{[4]int{0, 8, 16, 24}, ""},
		{[4]int{0, 4, 16, 24}, ""}, // nobody writes to inputs
		{[4]int{16, 24, 0, 8}, ""},
		{[4]int{0, 8, 12, 24}, `output 0 "Inc2" shares memory with that of input 1 "y"`},
		{[4]int{8, 16, 4, 24}, `output 0 "Inc2" shares memory with that of input 0 "x"`},
		{[4]int{0, 0, 24, 0}, `output 1 "Inc4" shares memory with that of input `},
		{[4]int{0, 8, 16, 20}, `output 0 "Inc2" shares memory with that of output 1 "Inc4"`},
	} {
		require.NoError(t, request.SetInput(0, at(c.offsets[0])))
		require.NoError(t, request.SetInput(1, at(c.offsets[1])))
		require.NoError(t, request.SetOutput(0, at(c.offsets[2])))
		require.NoError(t, request.SetOutput(1, at(c.offsets[3])))
		if err := request.Infer(background); c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, request.Output(0))
		}
	}
	require.NoError(t, request.SetOutput(0, nil))
	require.NoError(t, request.SetOutput(1, nil))
	require.NoError(t, request.Infer(background))
}
