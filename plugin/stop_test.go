package plugin

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// endless is a layer type whose kernel runs until it is stopped, if input 0 begins with 1.
// Otherwise the output is input 0.
func endless(prepare func(*ops.Preparation) error) ops.Op {
	return ops.Op{
		Type: "Endless", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			if prepare != nil {
				if err := prepare(p); err != nil {
					return nil, err
				}
			}
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				for ir.Data[int32](r.Inputs[0])[0] == 1 {
					if err := r.Stop.Err(); err != nil {
						return err
					}
				}
				r.Copy(r.Outputs[0], r.Inputs[0])
				return nil
			}}, nil
		},
	}
}

// untilStopped waits for the stop of p.
func untilStopped(p *ops.Preparation) error {
	<-p.Stop
	return p.Stop.Err()
}

// coreOf returns a Core with the layer types of the tests and one more.
func coreOf(t *testing.T, op ops.Op) *Core {
	t.Helper()
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(), op)...)
	require.NoError(t, err)
	return NewCore(registry, Options{})
}

func endlessGraph(shape string) *testGraph {
	g := &testGraph{}
	g.result(g.op("Endless", g.parameter("x", "i32", shape)))
	return g
}

// numbers returns a vector.
func numbers(t *testing.T, values ...int32) *ir.Tensor {
	t.Helper()
	x, err := ir.TensorOf(ir.I32, ir.Shape{len(values)}, values)
	require.NoError(t, err)
	return x
}

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(background, 5*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func TestInfer_stops(t *testing.T) {
	compiled, err := coreOf(t, endless(nil)).CompileModel(background, &endlessGraph("2").Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	for range 2 {
		require.NoError(t, request.SetInput(0, numbers(t, 1, 0)))
		require.Equal(t, context.DeadlineExceeded, request.Infer(soon(t)))
		assert.Nil(t, request.Output(0))
		canceled, cancel := context.WithCancel(background)
		cancel()
		require.Equal(t, context.Canceled, request.Infer(canceled))
		require.NoError(t, request.SetInput(0, numbers(t, 0, 7)))
		require.NoError(t, request.Infer(background))
		assert.Equal(t, []int32{0, 7}, ir.Data[int32](request.Output(0)))
	}
}

func TestCompile_stops(t *testing.T) {
	core := coreOf(t, endless(untilStopped))
	_, err := core.CompileModel(soon(t), &endlessGraph("2").Model, CompileOptions{})
	require.Equal(t, context.DeadlineExceeded, err)

	folded := &testGraph{}
	folded.result(folded.op("Endless", folded.constant(ramp(t, 1000))))
	// A smaller constant would be folded by shape inference.
	_, err = core.CompileModel(soon(t), &folded.Model, CompileOptions{})
	require.Equal(t, context.DeadlineExceeded, err)
}

// TestPrepare_stops has a kernel whose preparation reads a constant that takes forever to compute.
func TestPrepare_stops(t *testing.T) {
	constant := endless(nil)
	constant.Traits.Deferrable = true
	read := ops.Op{
		Type: "Read", Version: 1, Inputs: ops.Exactly(2), Infer: likeInput,
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			p.Inputs[1].Tensor.Bytes()
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
		},
	}
	g := &testGraph{}
	x := g.parameter("x", "i32", "20000")
	g.result(g.op("Read", x, g.op("Endless", g.constant(ramp(t, 20_000)))))
	_, err := coreWith(t, Options{}, constant, read).CompileModel(soon(t), &g.Model, CompileOptions{})
	require.Equal(t, context.DeadlineExceeded, err)
}

// TestPlan_stops has a request that waits for the plan of another one beyond its own deadline.
func TestPlan_stops(t *testing.T) {
	entered := make(chan struct{})
	var once sync.Once
	core := coreOf(t, endless(func(p *ops.Preparation) error {
		once.Do(func() { close(entered) })
		return untilStopped(p)
	}))
	compiled, err := core.CompileModel(background, &endlessGraph("?").Model, CompileOptions{})
	require.NoError(t, err)
	long, cancel := context.WithCancel(background)
	first, second := compiled.NewInferRequest(), compiled.NewInferRequest()
	for _, r := range []*InferRequest{first, second} {
		require.NoError(t, r.SetInput(0, numbers(t, 0, 1)))
	}
	require.NoError(t, first.StartAsync(long))
	<-entered
	require.Equal(t, context.DeadlineExceeded, second.Infer(soon(t)))
	cancel()
	require.Equal(t, context.Canceled, first.Wait(background))
}

// TestInferRequest_concurrent calls all methods of a request at the same time. The race detector
// checks them. Each Infer must run with the shapes that it has checked.
func TestInferRequest_concurrent(t *testing.T) {
	g := &testGraph{}
	g.result(g.op("Inc", g.op("Reverse", g.parameter("x", "i32", "?"))))
	request := compile(t, g, CompileOptions{EnableProfiling: true}).NewInferRequest()
	require.NoError(t, request.SetInput(0, ramp(t, 3)))
	allowed := func(err error) {
		if err != nil && !errors.Is(err, ErrBusy) {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	for i, call := range []func(){
		func() { allowed(request.SetInput(0, ramp(t, 300))) },
		func() { allowed(request.SetInputByName("x", ramp(t, 2))) },
		func() { allowed(request.SetOutput(0, nil)) },
		func() { request.Output(0) },
		func() { request.Input(0) },
		func() { request.ProfilingInfo() },
		func() { allowed(request.Infer(background)) },
		func() { allowed(request.Infer(background)) },
		func() {
			if err := request.StartAsync(background); err == nil {
				allowed(request.Wait(background))
			}
		},
	} {
		wg.Go(func() {
			for range 200 + i {
				call()
			}
		})
	}
	wg.Wait()
}

// TestInfer_resetTensors changes the tensors of the caller after they were set.
func TestInfer_resetTensors(t *testing.T) {
	g := &testGraph{}
	g.result(g.op("Inc", g.op("Reverse", g.parameter("x", "i32", "..4"))))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	x := numbers(t, 1, 2, 3)
	require.NoError(t, request.SetInput(0, x))
	require.NoError(t, request.Infer(background))
	out := request.Output(0)
	require.NoError(t, out.Reset(ir.I8, ir.Shape{1}, []byte{1}, nil))
	require.NoError(t, request.Infer(background))
	assert.Equal(t, []int32{4, 3, 2}, ir.Data[int32](request.Output(0)))

	long := ramp(t, 9)
	require.NoError(t, x.Reset(ir.I32, long.Shape(), long.Bytes(), nil))
	require.ErrorContains(t, request.Infer(background), "the tensor is i32[9]")
	require.NoError(t, x.Reset(ir.I8, ir.Shape{1}, []byte{1}, nil))
	require.ErrorContains(t, request.Infer(background), "the tensor is i8[1]")
	require.Nil(t, request.Output(0))
}

// TestLateLayer_stops has a shape rule that waits for the end of the context while the layer runs.
func TestLateLayer_stops(t *testing.T) {
	wait := ops.Op{
		Type: "Wait", Version: 1, Inputs: ops.Exactly(1), Values: []int{0},
		Infer: func(in *ops.Inference) error {
			if in.Inputs[0].Tensor != nil {
				if in.Done == nil {
					return errors.New("the rule has no context")
				}
				<-in.Done
				return parallel.ErrStopped
			}
			return likeInput(in)
		},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return nil, errors.New("the rule did not stop the run")
		},
	}
	g := &testGraph{}
	g.result(g.op("Wait", g.parameter("x", "i32", "2")))
	compiled, err := coreOf(t, wait).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, numbers(t, 1, 0)))
	require.Equal(t, context.DeadlineExceeded, request.Infer(soon(t)))
}

// TestInfer_stoppedVariables checks that an Infer that is stopped leaves the variables at their
// values, although it has assigned them.
func TestInfer_stoppedVariables(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "2")
	g.assign("v", x)
	g.result(g.op("Endless", x))
	g.result(g.variable("v", "2"))
	compiled, err := coreOf(t, endless(nil)).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, numbers(t, 0, 7)))
	require.NoError(t, request.Infer(background))
	require.NoError(t, request.SetInput(0, numbers(t, 1, 8)))
	require.Equal(t, context.DeadlineExceeded, request.Infer(soon(t)))
	value, err := request.QueryState()[0].Get()
	require.NoError(t, err)
	assert.Equal(t, []int32{0, 7}, ir.Data[int32](value))
	require.NoError(t, request.SetInput(0, numbers(t, 0, 9)))
	require.NoError(t, request.Infer(background))
	assert.Equal(t, []int32{0, 7}, ir.Data[int32](request.Output(1)))
}

// TestDeliver_stops ends the context when all kernels have run, before the result is copied to the
// tensor of the caller.
func TestDeliver_stops(t *testing.T) {
	g := &testGraph{}
	y := g.op("Inc", g.parameter("x", "i32", "2"))
	g.result(y)
	g.result(y) // the same memory, which is copied
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	require.NoError(t, request.SetInput(0, numbers(t, 1, 2)))
	out := numbers(t, 0, 0)
	require.NoError(t, request.SetOutput(1, out))
	require.NoError(t, request.Infer(background))
	assert.Equal(t, []int32{2, 3}, ir.Data[int32](out))
	canceled, cancel := context.WithCancel(background)
	cancel()
	request.shared.Context = canceled
	assert.Equal(t, context.Canceled, request.main.Bound.Deliver(request.main, []*ir.Tensor{nil, out}))
}
