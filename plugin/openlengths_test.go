package plugin

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// growing returns a network with many layers that depend on rows, whose shape is [?,8], and few
// that depend on mask, of shape [1,?]. The mask is multiplied by the given number of weights.
func growing(weights int) *network {
	n := &network{}
	x, mask := n.input("?,8"), n.input("1,?")
	for range 30 {
		x = n.op(`SoftMax opset8 axis="-1"`, x)
	}
	sum := n.op(`ReduceSum opset1 keep_dims="true"`, mask, n.ints(1))
	n.result(n.op("Add", x, sum))
	n.result(n.op("Unsqueeze", n.op("Unsqueeze", mask, n.ints(0)), n.ints(0)))
	n.result(n.op(`MatMul opset1 transpose_a="true"`, mask, n.floats(fmt.Sprint("1,", weights), make([]float32, weights)...)))
	return n
}

// TestOpenLengths infers texts with a mask that is longer in each inference. Three plans are made,
// two for texts of many rows and one for the others, and the outputs are those of a plan for each
// length.
func TestOpenLengths(t *testing.T) {
	got, want := compileNetwork(t, growing(4)), compileNetwork(t, growing(4))
	want.program.Close()
	a, b := got.NewInferRequest(), want.NewInferRequest()
	check := func(rows, length int) {
		t.Helper()
		x, mask := make([]float32, rows*8), make([]float32, length)
		for i := range x {
			x[i] = float32(i % 5)
		}
		for i := range mask {
			mask[i] = float32(i + length)
		}
		for _, r := range []*InferRequest{a, b} {
			inferred(t, r, f32(t, ir.Shape{rows, 8}, x...), f32(t, ir.Shape{1, length}, mask...))
		}
		for i := range got.Outputs() {
			require.Equal(t, b.Output(i).Shape(), a.Output(i).Shape())
			require.Equal(t, b.Output(i).Bytes(), a.Output(i).Bytes(), "output %d", i)
		}
	}
	text := func() {
		check(5, 5)
		for length := 6; length < 20; length++ {
			check(1, length)
		}
	}
	text()
	assert.Equal(t, plan.LengthSet{false, false, false, true}, got.program.Lengths.Current())
	assert.Equal(t, 3, got.program.Plans.Len(), "5 rows, 1 row, and 1 row for any mask")
	check(1, 0)
	check(1, 5000)
	assert.Equal(t, 3, got.program.Plans.Len())
	text()
	check(5, 7)
	assert.Equal(t, 4, got.program.Plans.Len(), "and 5 rows for any mask")
	assert.Equal(t, 18, want.program.Plans.Len())
	other := got.NewInferRequest()
	inferred(t, other, f32(t, ir.Shape{1, 8}, make([]float32, 8)...), f32(t, ir.Shape{1, 3}, 1, 1, 1))
	assert.Equal(t, 4, got.program.Plans.Len(), "requests share the plans")
}

// TestOpenLengths_counted compares MaxPlanBytes with the memory that plans and kernels take when
// there are so many lengths that the first ones are dropped.
func TestOpenLengths_counted(t *testing.T) {
	const limit = 2 << 20
	for _, open := range []bool{false, true} {
		registry, err := NewRegistry(builtin.Ops()...)
		require.NoError(t, err)
		options := Options{MaxPlans: 10000, MaxPlanBytes: limit}
		compiled, err := NewCore(registry, options).CompileModel(background, growing(4).model(t), CompileOptions{InferenceNumThreads: 1})
		require.NoError(t, err)
		t.Cleanup(compiled.Close)
		if !open {
			compiled.program.Close()
		}
		request := compiled.NewInferRequest()
		infer := func(length int) {
			inferred(t, request, f32(t, ir.Shape{1, 8}, make([]float32, 8)...), f32(t, ir.Shape{1, length}, make([]float32, length)...))
		}
		heap := func() float64 {
			runtime.GC()
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			return float64(stats.HeapAlloc)
		}
		infer(1)
		before, length := heap(), 2
		for caches := compiled.program.Env.Memory.Caches; caches.Evictions() < 100; length += 3 {
			for k := range 6 { // each of three lengths twice
				infer(length + k%3)
			}
		}
		share := limit / (heap() - before)
		assert.Greater(t, share, 0.7, "open lengths: %v, %d lengths", open, length)
		assert.Less(t, share, 2.0, "open lengths: %v, %d lengths", open, length)
		runtime.KeepAlive(request)
	}
}

// TestOpenLengths_refused has a layer that would keep its weights twice.
func TestOpenLengths_refused(t *testing.T) {
	compiled := compileNetwork(t, growing(64<<10))
	request := compiled.NewInferRequest()
	for length := 1; length < 9; length++ {
		inferred(t, request, f32(t, ir.Shape{1, 8}, make([]float32, 8)...), f32(t, ir.Shape{1, length}, make([]float32, length)...))
	}
	assert.Equal(t, 8, compiled.program.Plans.Len())
	assert.Nil(t, compiled.program.Lengths.Current())
}

// TestOpenLengths_otherShape has a Squeeze whose output is a scalar where the length is unknown,
// and a vector where it is not 1. Once an inference has shown that, each length has a plan of its
// own.
func TestOpenLengths_otherShape(t *testing.T) {
	n := &network{}
	x, list := n.input("?,8"), n.input("?")
	state := n.input("1")
	for range 30 {
		x = n.op(`SoftMax opset8 axis="-1"`, x)
	}
	n.result(x)
	squeezed := n.op("Squeeze", list, n.ints(0))
	n.result(n.op("Multiply", squeezed, n.scalar(2)))
	n.result(n.op("Add", n.op("Squeeze", n.op("Multiply", list, n.scalar(3)), n.ints(0)), state))
	compiled := compileNetwork(t, n)
	r := compiled.NewInferRequest()
	infer := func(values ...float32) error {
		for i, tensor := range []*ir.Tensor{f32(t, ir.Shape{2, 8}, make([]float32, 16)...), f32(t, ir.Shape{len(values)}, values...), f32(t, ir.Shape{1}, 1)} {
			require.NoError(t, r.SetInput(i, tensor))
		}
		return r.Infer(t.Context())
	}
	check := func(values ...float32) {
		t.Helper()
		require.NoError(t, infer(values...))
		for i, v := range values {
			require.Equal(t, 2*v, ir.Data[float32](r.Output(1))[i])
			require.Equal(t, 3*v+1, ir.Data[float32](r.Output(2))[i])
		}
		require.Equal(t, len(values), r.Output(1).Len())
	}
	check(1)
	require.NoError(t, r.SetInput(0, f32(t, ir.Shape{3, 8}, make([]float32, 24)...)))
	check(1, 2)
	assert.Nil(t, compiled.program.Lengths.Current())
	check(1, 2, 3)
	check(4)
	check()
	assert.Equal(t, 4, compiled.program.Plans.Len(), "one for each length")
}
