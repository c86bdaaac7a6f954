package plugin

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin/internal/run"
)

// twice adds a body that returns x + 2.
func twice(g *testGraph, x []ir.Input) ir.Input { return g.op("Inc", g.op("Inc", x[0])) }

// positive adds a body that returns the elements of x above 0.
func positive(g *testGraph, x []ir.Input) ir.Input { return g.op("Positive", x[0]) }

// TestIf runs both bodies in turns on one request, for static and dynamic shapes.
func TestIf(t *testing.T) {
	for _, shape := range []string{"4", "?"} {
		for _, disable := range [][]Optimization{nil, Optimizations()} {
			g := &testGraph{}
			cond, x := g.parameter("cond", "boolean", ""), g.parameter("x", "i32", shape)
			g.result(g.op("Inc", g.choose(twice, positive, cond, x)))
			request := compile(t, g, CompileOptions{Disable: disable}).NewInferRequest()
			lengths := []int{4, 4}
			if shape == "?" {
				lengths = []int{4, 6, 0}
			}
			for range 2 {
				for _, n := range lengths {
					in := ramp(t, n)
					for i := range min(n, 2) {
						ir.Data[int32](in)[i] = -5
					}
					then, other := []int32{-2, -2, 6, 7, 8, 9}[:n], []int32{4, 5, 6, 7}[:max(n-2, 0)]
					got := ir.Data[int32](inferred(t, request, boolean(t, true), in))
					assert.Equal(t, fmt.Sprint(then), fmt.Sprint(got), "%s of %d", shape, n)
					got = ir.Data[int32](inferred(t, request, boolean(t, false), in))
					assert.Equal(t, fmt.Sprint(other), fmt.Sprint(got), "%s of %d", shape, n)
				}
			}
			assert.Zero(t, testing.AllocsPerRun(10, func() {
				if err := request.Infer(background); err != nil {
					t.Error(err)
				}
			}))
		}
	}
}

// TestIf_constant compiles a model with a constant cond.
func TestIf_constant(t *testing.T) {
	for cond, want := range map[bool][]int32{true: {1, 0, 5}, false: {3}} {
		g := &testGraph{}
		x := g.parameter("x", "i32", "3")
		g.result(g.choose(twice, positive, g.constant(boolean(t, cond)), x))
		compiled := compile(t, g, CompileOptions{})
		request := compiled.NewInferRequest()
		got := inferred(t, request, i32(t, ir.Shape{3}, -1, -2, 3))
		assert.Equal(t, want, ir.Data[int32](got))
		if cond {
			assert.Nil(t, compiled.program.Static.Steps[0].Dynamic)
			given := i32(t, ir.Shape{3}, 0, 0, 0)
			require.NoError(t, request.SetOutput(0, given))
			require.NoError(t, request.Infer(background))
			assert.Equal(t, want, ir.Data[int32](given))
			body := request.main.Bodies[compiled.program.Static.Steps[0].Layer][0].(*run.Execution)
			assert.Nil(t, body.Bound.Results[0].Bytes(), "the body computes in the tensor of the caller, and does not keep it")
		}
	}
}

// TestIf_scalar runs an If with a body that returns a scalar and one that returns a vector of one
// element. The output of the layer is a vector.
func TestIf_scalar(t *testing.T) {
	g := &testGraph{}
	cond, x := g.parameter("cond", "boolean", ""), g.parameter("x", "i32", "1")
	scalar := func(g *testGraph, x []ir.Input) ir.Input { return g.constant(i32(t, ir.Shape{}, 7)) }
	g.result(g.choose(scalar, func(g *testGraph, x []ir.Input) ir.Input { return x[0] }, cond, x))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	for range 2 {
		for cond, want := range map[bool]int32{true: 7, false: 1} {
			got := inferred(t, request, boolean(t, cond), ramp(t, 1))
			assert.Equal(t, ir.Shape{1}, got.Shape())
			assert.Equal(t, []int32{want}, ir.Data[int32](got))
		}
	}
}

// TestIf_nested runs an If whose bodies contain an If. The inner bodies return their input, a
// constant, or the value of a variable.
func TestIf_nested(t *testing.T) {
	g := &testGraph{}
	outer, x := g.parameter("outer", "boolean", ""), g.parameter("x", "i32", "?")
	same := func(_ *testGraph, x []ir.Input) ir.Input { return x[0] }
	seven := func(g *testGraph, _ []ir.Input) ir.Input { return g.constant(i32(t, ir.Shape{1}, 7)) }
	count := func(g *testGraph, x []ir.Input) ir.Input {
		sum := g.op("Sum", g.variable("v", "2", g.constant(i32(t, ir.Shape{2}, 0, 0))), g.constant(i32(t, ir.Shape{2}, 1, 10)))
		g.assign("v", sum)
		return sum
	}
	g.result(g.choose(
		func(g *testGraph, x []ir.Input) ir.Input {
			return g.choose(same, seven, g.constant(boolean(t, true)), x...)
		},
		func(g *testGraph, x []ir.Input) ir.Input {
			return g.choose(seven, count, g.constant(boolean(t, false)), x...)
		}, outer, x))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	assert.Equal(t, []int32{1, 2, 3}, ir.Data[int32](inferred(t, request, boolean(t, true), ramp(t, 3))))
	assert.Equal(t, []int32{1, 10}, ir.Data[int32](inferred(t, request, boolean(t, false), ramp(t, 3))))
	assert.Equal(t, []int32{1, 2}, ir.Data[int32](inferred(t, request, boolean(t, true), ramp(t, 2))))
	assert.Equal(t, []int32{2, 20}, ir.Data[int32](inferred(t, request, boolean(t, false), ramp(t, 3))))
}

// TestIf_goroutines runs one CompiledModel on many requests at once.
func TestIf_goroutines(t *testing.T) {
	g := &testGraph{}
	cond, x := g.parameter("cond", "boolean", ""), g.parameter("x", "i32", "?")
	g.result(g.choose(twice, positive, cond, x))
	compiled := compile(t, g, CompileOptions{InferenceNumThreads: 2})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			request := compiled.NewInferRequest()
			for k := range 50 {
				n := 1 + (i+k)%5
				want := ir.Data[int32](ramp(t, n+2))[2:]
				if k%2 == 1 {
					want = ir.Data[int32](ramp(t, n))
				}
				got := inferred(t, request, boolean(t, k%2 == 0), ramp(t, n))
				assert.Equal(t, want, ir.Data[int32](got))
			}
		})
	}
	group.Wait()
}

// TestIf_errors runs bodies that fail. The error names the layer in the body.
func TestIf_errors(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	call := func(name string, f func()) ops.Op {
		return ops.Op{Type: name, Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
			Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
				return ops.Only(func(*ops.Run) error { f(); return nil }, nil)
			}}
	}
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(), call("Cancel", cancel), call("Panic", func() { panic("oh") }))...)
	require.NoError(t, err)
	for _, c := range []struct{ layer, want string }{
		{"Fail", `layer 1 "Fail1" (Fail, opset1) in body 0 of layer 2 "If2" (If, opset8): index 7 at position [1] is outside [-2,1]`},
		{"Panic", `layer 1 "Panic1" (Panic, opset1) in body 0 of layer 2 "If2" (If, opset8): BUG: panic: oh`},
		{"Cancel", "context canceled"},
	} {
		g := &testGraph{}
		cond, x := g.parameter("cond", "boolean", ""), g.parameter("x", "i32", "?")
		g.result(g.choose(func(g *testGraph, x []ir.Input) ir.Input { return g.op("Inc", g.op(c.layer, x[0])) }, twice, cond, x))
		compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{})
		require.NoError(t, err)
		request := compiled.NewInferRequest()
		assert.Equal(t, []int32{3, 4}, ir.Data[int32](inferred(t, request, boolean(t, false), ramp(t, 2))))
		require.NoError(t, request.SetInput(0, boolean(t, true)))
		err = request.Infer(ctx)
		require.Error(t, err)
		assert.True(t, strings.HasPrefix(err.Error(), c.want), err)
		assert.Equal(t, c.layer == "Cancel", err == context.Canceled)
		assert.Equal(t, []int32{3, 4}, ir.Data[int32](inferred(t, request, boolean(t, false), ramp(t, 2))), "the request can be used again")
	}
}

// TestIf_compile checks that bodies are optimized, that bodies of static shapes are planned, and
// that errors in a body are reported.
func TestIf_compile(t *testing.T) {
	build := func(layer string) *testGraph {
		g := &testGraph{}
		cond, x := g.parameter("cond", "boolean", ""), g.parameter("x", "i32", "3")
		g.result(g.choose(func(g *testGraph, x []ir.Input) ir.Input {
			two := g.op("Inc", g.constant(i32(t, ir.Shape{3}, 1, 1, 1)))
			return g.op(layer, x[0], two)
		}, twice, cond, x))
		return g
	}
	compiled := compile(t, build("Sum"), CompileOptions{})
	for _, bodies := range compiled.program.Bodies {
		require.NotNil(t, bodies[0].Static)
		assert.Len(t, bodies[0].Static.Steps, 1, "Sum: Inc is of constants")
	}
	_, err := testCore(t, Options{}).CompileModel(background, &build("Odd").Model, CompileOptions{})
	assert.ErrorContains(t, err, `layer 3 "Odd3" (Odd, opset1) in body 0 of layer 2 "If2" (If, opset8), line 13: layer type Odd of opset1 is not supported`)
	_, err = testCore(t, Options{}).CompileModel(background, &build("Inc").Model, CompileOptions{})
	assert.ErrorContains(t, err, `layer 3 "Inc3" (Inc, opset1) in body 0 of layer 2 "If2" (If, opset8): 2 inputs are connected, expected 1`)
	core := testCore(t, Options{MaxTotalBytes: 128})
	compiled, err = core.CompileModel(background, &build("Sum").Model, CompileOptions{})
	require.NoError(t, err, "the model and each body have one cache line")
	request := compiled.NewInferRequest()
	inferred(t, request, boolean(t, true), ramp(t, 3))
	require.NoError(t, request.SetInput(0, boolean(t, false)))
	err = request.Infer(background)
	require.Error(t, err)
	assert.Contains(t, fmt.Sprint(err), "else_body: the tensors need 64 bytes more than the 128 in use, together more than MaxTotalBytes, 128")
}

// TestIf_unfit has a branch with axes that only folding computes, and that no tensor has: it is an
// error only if the branch is taken.
func TestIf_unfit(t *testing.T) {
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	g := &testGraph{}
	cond, x := g.parameter("cond", "boolean", ""), g.parameter("x", "i32", "3")
	unfit := func(g *testGraph, x []ir.Input) ir.Input {
		bound := func(v int32) ir.Input { return g.constant(i32(t, ir.Shape{}, v)) }
		axes := out(g.add(ir.Layer{Type: "Range", Opset: "opset4", Data: edit.Attributes("output_type", "i32")}, 1, bound(-300_000), bound(300_000), bound(1)), 0)
		return out(g.add(ir.Layer{Type: "ReduceMax", Opset: "opset1", Data: edit.Attributes("keep_dims", "true")}, 1, x[0], axes), 0)
	}
	negative := func(g *testGraph, x []ir.Input) ir.Input {
		return out(g.add(ir.Layer{Type: "Negative", Opset: "opset1"}, 1, x[0]), 0)
	}
	g.result(g.choose(unfit, negative, cond, x))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	for range 2 {
		assert.Equal(t, []int32{-1, -2, -3}, ir.Data[int32](inferred(t, request, boolean(t, false), i32(t, ir.Shape{3}, 1, 2, 3))))
		require.NoError(t, request.SetInput(0, boolean(t, true)))
		err = request.Infer(background)
		require.ErrorContains(t, err, "(ReduceMax, opset1) in body 0")
		require.ErrorContains(t, err, "axis -300000 is outside [-1,0]")
		assert.NotContains(t, err.Error(), "BUG")
	}
}

// TestIf_notTaken has branches for different ranks, which an inner If chooses: the lengths of an
// input make the branch that is not taken wrong.
func TestIf_notTaken(t *testing.T) {
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	g := &testGraph{}
	cond, x := g.parameter("cond", "boolean", ""), g.parameter("x", "i32", "?")
	reshaped := func(n int32) func(*testGraph, []ir.Input) ir.Input {
		return func(g *testGraph, x []ir.Input) ir.Input {
			shape := g.constant(i32(t, ir.Shape{2}, n, 2))
			return out(g.add(ir.Layer{Type: "Reshape", Opset: "opset1", Data: edit.Attributes("special_zero", "false")}, 1, x[0], shape), 0)
		}
	}
	inner := func(g *testGraph, x []ir.Input) ir.Input {
		return g.choose(reshaped(1), reshaped(2), g.constant(boolean(t, true)), x[0])
	}
	g.result(g.choose(inner, reshaped(3), cond, x))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	for range 2 {
		got := inferred(t, request, boolean(t, true), ramp(t, 2))
		assert.Equal(t, ir.Shape{1, 2}, got.Shape())
		assert.Equal(t, ir.Data[int32](ramp(t, 2)), ir.Data[int32](got))
		assert.Equal(t, ir.Shape{3, 2}, inferred(t, request, boolean(t, false), ramp(t, 6)).Shape())
		require.NoError(t, request.SetInput(1, ramp(t, 2)))
		require.ErrorContains(t, request.Infer(background), "data of shape [2] cannot become [3,2]")
	}
}
