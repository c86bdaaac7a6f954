package plugin

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

var background = context.Background()

// chain returns a graph of the sum of x and of x+1 reversed. Its layers differ in which inputs
// their outputs can share memory with.
func chain(shape string) *testGraph {
	g := &testGraph{}
	x := g.parameter("x", "i32", shape)
	inc := g.op("Inc", x)
	g.result(g.op("Sum", g.op("Reverse", inc), x))
	return g
}

func TestInferStatic(t *testing.T) {
	request := compile(t, chain("4"), CompileOptions{}).NewInferRequest()
	assert.Nil(t, request.Output(0))
	x := ramp(t, 4)
	require.NoError(t, request.SetInput(0, x))
	require.NoError(t, request.Infer(background))
	assert.Equal(t, []int32{6, 6, 6, 6}, ir.Data[int32](request.Output(0)))
	assert.Equal(t, []int32{1, 2, 3, 4}, ir.Data[int32](x), "the caller's tensor")
}

func TestInferDynamic(t *testing.T) {
	compiled := compile(t, chain("?"), CompileOptions{})
	request := compiled.NewInferRequest()
	for _, n := range []int{3, 1000, 0, 3, 2000} {
		require.NoError(t, request.SetInput(0, ramp(t, n)))
		require.NoError(t, request.Infer(background))
		require.Equal(t, ir.Shape{n}, request.Output(0).Shape())
		for _, v := range ir.Data[int32](request.Output(0)) {
			require.Equal(t, int32(n+2), v)
		}
	}
	assert.Equal(t, 4, compiled.program.Plans.Len())
}

// lateGraph returns a graph with shapes that depend on data: on the value of len and on the signs
// of the elements of x.
func lateGraph() *testGraph {
	g := &testGraph{}
	x, n := g.parameter("x", "i32", "?"), g.parameter("len", "i64", "1")
	prefix := g.op("Prefix", x, n)
	positive := g.op("Positive", g.op("Reverse", prefix))
	g.result(g.op("Sum", g.op("Inc", positive), positive))
	g.result(g.op("ShapeOf", positive))
	g.result(g.op("Reform", prefix, g.constant(mustInts(1, 1, 2))))
	return g
}

// mustInts is ints without a testing.TB.
func mustInts(values ...int64) *ir.Tensor {
	t, err := ir.TensorOf(ir.I64, ir.Shape{len(values)}, values)
	if err != nil {
		panic(err)
	}
	return t
}

func TestInferLate(t *testing.T) {
	g := lateGraph()
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	require.NoError(t, request.SetInputByName("x", i32(t, ir.Shape{5}, 3, -2, 9, 4, 5)))
	require.NoError(t, request.SetInputByName("len", ints(t, 2)))
	for range 3 {
		require.NoError(t, request.Infer(background))
		assert.Equal(t, []int32{7}, ir.Data[int32](request.Output(0)))
		assert.Equal(t, []int64{1}, ir.Data[int64](request.Output(1)))
		assert.Equal(t, ir.Shape{1, 1, 2}, request.Output(2).Shape())
		assert.Equal(t, []int32{3, -2}, ir.Data[int32](request.Output(2)))
	}
	require.NoError(t, request.SetInput(0, i32(t, ir.Shape{2}, 8, 9)))
	require.NoError(t, request.Infer(background))
	assert.Equal(t, []int32{19, 17}, ir.Data[int32](request.Output(0)))
	require.NoError(t, request.SetInput(1, ints(t, 1)))
	err := request.Infer(background)
	var layerError *ir.LayerError
	require.ErrorAs(t, err, &layerError)
	assert.Equal(t, "Reform", layerError.Layer.Type)
	assert.ErrorContains(t, err, "1 elements cannot have shape [1,1,2]")
	assert.Nil(t, request.Output(0))
}

func TestInferErrors(t *testing.T) {
	g := &testGraph{}
	g.result(g.op("Fail", g.parameter("x", "i32", "2")))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	assert.ErrorContains(t, request.Infer(background), `input 0 "x" is not set`)
	require.NoError(t, request.SetInput(0, ramp(t, 2)))
	err := request.Infer(background)
	var index *ops.IndexError
	require.ErrorAs(t, err, &index)
	assert.Equal(t, int64(7), index.Value)
	assert.ErrorContains(t, err, `layer 1 "Fail1" (Fail, opset1): index 7 at position [1] is outside [-2,1]`)
}

func TestAsync(t *testing.T) {
	request := compile(t, chain("4"), CompileOptions{}).NewInferRequest()
	assert.ErrorContains(t, request.Wait(background), "no inference was started")
	require.NoError(t, request.SetInput(0, ramp(t, 4)))
	require.NoError(t, request.StartAsync(background))
	require.NoError(t, request.Wait(background))
	assert.Equal(t, []int32{6, 6, 6, 6}, ir.Data[int32](request.Output(0)))

	canceled, cancel := context.WithCancel(background)
	cancel()
	require.NoError(t, request.StartAsync(canceled))
	assert.ErrorIs(t, request.Wait(background), context.Canceled)
	assert.Nil(t, request.Output(0))
}

func TestInferAllocates(t *testing.T) {
	for _, threads := range []int{1, 2} {
		options := CompileOptions{InferenceNumThreads: threads}
		static := compile(t, chain("64"), options).NewInferRequest()
		require.NoError(t, static.SetInput(0, ramp(t, 64)))
		dynamic := compile(t, chain("?"), options).NewInferRequest()
		late := compile(t, lateGraph(), options).NewInferRequest()
		inputs := []*ir.Tensor{ramp(t, 64), ramp(t, 8)}
		lengths := []*ir.Tensor{ints(t, 2), ints(t, 2)}
		for range 2 {
			for i, x := range inputs {
				require.NoError(t, dynamic.SetInput(0, x))
				require.NoError(t, dynamic.Infer(background))
				require.NoError(t, late.SetInput(0, x))
				require.NoError(t, late.SetInput(1, lengths[i]))
				require.NoError(t, late.Infer(background))
			}
		}
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		failed := 0
		check := func(err error) {
			if err != nil {
				failed++
			}
		}
		allocs := testing.AllocsPerRun(100, func() {
			check(static.Infer(ctx))
			for i, x := range inputs {
				check(dynamic.SetInput(0, x))
				check(dynamic.Infer(ctx))
				check(late.SetInput(0, x))
				check(late.SetInput(1, lengths[i]))
				check(late.Infer(ctx))
			}
		})
		assert.Zero(t, allocs, "%d threads", threads)
		assert.Zero(t, failed)
	}
}

// TestScalarsAreNotLate checks that the shapes of scalar inputs and constants count as static.
func TestScalarsAreNotLate(t *testing.T) {
	scalar, err := ir.NewTensor(ir.I32)
	require.NoError(t, err)
	g := &testGraph{}
	g.result(g.op("Sum", g.parameter("x", "i32", ""), g.constant(scalar)))
	compiled := compile(t, g, CompileOptions{})
	assert.Nil(t, compiled.program.Static.Steps[0].Dynamic)
	request := compiled.NewInferRequest()
	ir.Data[int32](scalar)[0] = 3
	require.NoError(t, request.SetInput(0, scalar))
	require.NoError(t, request.Infer(background))
	assert.Equal(t, []int32{6}, ir.Data[int32](request.Output(0)))
}

// TestSetOutput_afterError takes back a tensor for the output after an Infer that it did not fit.
func TestSetOutput_afterError(t *testing.T) {
	n := &network{}
	n.result(n.op("Relu", n.input("?")))
	request := compileNetwork(t, n).NewInferRequest()
	four, five := f32(t, ir.Shape{4}, make([]float32, 4)...), f32(t, ir.Shape{5}, make([]float32, 5)...)
	require.NoError(t, request.SetOutput(0, four))
	inferred(t, request, f32(t, ir.Shape{4}, 1, 2, 3, 4))
	require.NoError(t, request.SetOutput(0, five))
	require.ErrorContains(t, request.Infer(background), "output 0")
	require.NoError(t, request.SetOutput(0, nil))
	got := inferred(t, request, f32(t, ir.Shape{4}, 5, 6, 7, 8))
	assert.Equal(t, []float32{5, 6, 7, 8}, ir.Data[float32](got))
	assert.Equal(t, []float32{1, 2, 3, 4}, ir.Data[float32](four), "the request has no right to write to it")
}
