package plugin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// TestInfer_weightsFromShapes multiplies by weights that are computed from the shape of an input,
// so that they are constant for one shape only.
func TestInfer_weightsFromShapes(t *testing.T) {
	n := &network{}
	x, y := n.input("?,16"), n.input("3,2")
	lengths := n.op(`Reshape opset1 special_zero="false"`, n.to("f32", n.op(`ShapeOf opset3 output_type="i64"`, x)), n.ints(2, 1))
	ones := make([]float32, 64)
	for i := range ones {
		ones[i] = 1
	}
	n.result(n.op("MatMul", y, n.op("Multiply", lengths, n.floats("1,64", ones...))))
	compiled := compileNetwork(t, n)
	request := compiled.NewInferRequest()
	data := f32(t, ir.Shape{3, 2}, 1, 0, 0, 1, 1, 1)
	for _, batch := range []int{1, 3, 2, 1} {
		x, err := ir.NewTensor(ir.F32, batch, 16)
		require.NoError(t, err)
		got := ir.Data[float32](inferred(t, request, x, data))
		assert.Equal(t, []float32{float32(batch), 16, float32(batch) + 16}, []float32{got[0], got[64], got[128]}, "batch %d", batch)
	}
}

// TestInfer_viewOfLateView reshapes a tensor whose length is known only at run time to a static
// shape, and that again.
func TestInfer_viewOfLateView(t *testing.T) {
	n := &network{}
	x := n.input("4")
	four := n.op(`Reshape opset1 special_zero="false"`, n.op(`NonZero opset3 output_type="i64"`, x), n.ints(4))
	square := n.op(`Reshape opset1 special_zero="false"`, four, n.ints(2, 2))
	n.result(square)
	n.result(n.op("Add", square, square))
	request := compileNetwork(t, n).NewInferRequest()
	for range 2 {
		got := inferred(t, request, f32(t, ir.Shape{4}, 1, 2, 3, 4))
		assert.Equal(t, ir.Shape{2, 2}, got.Shape())
		assert.Equal(t, []int64{0, 1, 2, 3}, ir.Data[int64](got))
		assert.Equal(t, []int64{0, 2, 4, 6}, ir.Data[int64](request.Output(1)))
	}
}
