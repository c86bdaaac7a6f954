package plugin

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestLateLayer_keptValue has a kernel that keeps the tensor of a value, as Preparation allows. The
// kernel is cached by the value. It must not see what later inferences write to the tensor that the
// value came from.
func TestLateLayer_keptValue(t *testing.T) {
	prepared := 0
	keep := ops.Op{
		Type: "Keep", Version: 1, Inputs: ops.Exactly(2), Values: []int{1}, Infer: inferShift,
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			prepared++
			kept := p.Inputs[1].Tensor
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				out := ir.Data[int32](r.Outputs[0])
				for i, v := range ir.Data[int32](r.Inputs[0]) {
					out[i] = v + int32(ir.Data[int64](kept)[0])
				}
				return nil
			}}, nil
		},
	}
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(), keep)...)
	require.NoError(t, err)
	g := &testGraph{}
	x, by := g.parameter("x", "i32", "2"), g.parameter("by", "i64", "1")
	g.result(g.op("Keep", x, by))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	request := compiled.NewInferRequest()
	one, ten := ints(t, 1), ints(t, 10)
	check := func(by *ir.Tensor, want ...int32) {
		t.Helper()
		assert.Equal(t, want, ir.Data[int32](inferred(t, request, ramp(t, 2), by)))
	}
	check(one, 2, 3)
	check(ten, 11, 12)
	ir.Data[int64](one)[0], ir.Data[int64](ten)[0] = 10, 1
	check(ten, 2, 3)
	check(one, 11, 12)
	other := compiled.NewInferRequest()
	assert.Equal(t, []int32{2, 3}, ir.Data[int32](inferred(t, other, ramp(t, 2), ints(t, 1))))
	assert.LessOrEqual(t, prepared, 4, "the kernel is cached by the value, as this test needs")
}

// TestLate_output sets tensors for outputs whose shapes only a kernel knows. One of another shape
// is an error, whichever output it is for.
func TestLate_output(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "?")
	g.result(g.op("Positive", x))
	g.result(g.op("Positive", x))
	compiled := compile(t, g, CompileOptions{})
	for wrong := range 2 {
		request := compiled.NewInferRequest()
		require.NoError(t, request.SetInput(0, i32(t, ir.Shape{3}, 5, -1, 7)))
		given := []*ir.Tensor{i32(t, ir.Shape{2}, 0, 0), i32(t, ir.Shape{2}, 0, 0)}
		for i, to := range given {
			require.NoError(t, request.SetOutput(i, to))
		}
		require.NoError(t, request.Infer(background))
		for _, to := range given {
			assert.Equal(t, []int32{5, 7}, ir.Data[int32](to))
		}
		require.NoError(t, request.SetOutput(wrong, i32(t, ir.Shape{3}, 0, 0, 0)))
		assert.ErrorContains(t, request.Infer(background), "the tensor is i32[3], the output is i32[2]")
	}
}

// TestLate_values has a layer with the values of two inputs, of which the first is constant.
func TestLate_values(t *testing.T) {
	n := &network{}
	n.result(n.op(`StridedSlice opset1 begin_mask="0" end_mask="0"`, n.input("?"), n.ints(1), n.typed("i64", "1"), n.ints(1)))
	request := compileNetwork(t, n).NewInferRequest()
	for _, end := range []int64{2, 3, 2} {
		got := inferred(t, request, f32(t, ir.Shape{4}, 0, 1, 2, 3), mustInts(end))
		assert.Equal(t, []float32{1, 2}[:end-1], ir.Data[float32](got))
	}
}

// TestLate_view has a view whose rule does not find the shape.
func TestLate_view(t *testing.T) {
	loose := ops.Op{
		Type: "Loose", Version: 1, Inputs: ops.Exactly(1), Memory: ops.Memory{View: true},
		Infer: func(in *ops.Inference) error {
			in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: ir.ShapeOf(ir.AnyDim)}
			return nil
		},
		Prepare: ops.PrepareView,
	}
	g := &testGraph{}
	g.result(g.op("Loose", g.parameter("x", "i32", "2")))
	compiled, err := coreWith(t, Options{}, loose).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, ramp(t, 2)))
	assert.ErrorContains(t, request.Infer(background), "do not hold the same elements")
}

// TestLate_limit has an output of unknown size that is too large.
func TestLate_limit(t *testing.T) {
	g := &testGraph{}
	g.result(g.op("Positive", g.parameter("x", "i32", "?")))
	compiled, err := testCore(t, Options{MaxTotalBytes: 2000}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, ramp(t, 1000)))
	assert.ErrorContains(t, request.Infer(background), "together more than MaxTotalBytes, 2000")
}

// TestLateLayer_shared has a layer of the same shapes in plans of different input shapes: it is
// prepared once.
func TestLateLayer_shared(t *testing.T) {
	prepared := 0
	next := ops.Op{Type: "Next", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput, Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
		prepared++
		return prepareInc(p)
	}}
	g := &testGraph{}
	g.result(g.op("Next", g.op("Positive", g.parameter("x", "i32", "3"))))
	g.result(g.op("Inc", g.parameter("mask", "i32", "?")))
	compiled, err := coreWith(t, Options{}, next).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	request := compiled.NewInferRequest()
	for n := range 5 {
		assert.Equal(t, []int32{2, 4}, ir.Data[int32](inferred(t, request, i32(t, ir.Shape{3}, 1, -2, 3), ramp(t, n+1))))
	}
	assert.Equal(t, 1, prepared)
	assert.Equal(t, []int32{2, 3, 4}, ir.Data[int32](inferred(t, request, i32(t, ir.Shape{3}, 1, 2, 3), ramp(t, 9))))
	assert.Equal(t, 2, prepared)
}

// TestLateLayer_notShared has a layer whose constant input is computed from the shapes of a plan.
func TestLateLayer_notShared(t *testing.T) {
	g := &testGraph{}
	x, mask := g.parameter("x", "i32", "3"), g.parameter("mask", "i32", "?")
	g.result(g.op("Shift", g.op("Positive", x), g.op("ShapeOf", mask)))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	for n := range 5 {
		want := int32(n + 1)
		assert.Equal(t, []int32{1 + want, 3 + want}, ir.Data[int32](inferred(t, request, i32(t, ir.Shape{3}, 1, -2, 3), ramp(t, n+1))))
	}
}

// TestDynamicLayer_refitted has a layer whose lengths change. A length that comes for the first
// time changes the kernel of the request, one that comes again has a kernel of its own, which all
// requests share.
func TestDynamicLayer_refitted(t *testing.T) {
	prepared, refitted := 0, 0
	double := ops.Op{Type: "Double", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput, Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
		prepared++
		n := p.InputShape(0).Elements()
		return &ops.Prepared{Kernel: func(r *ops.Run) error {
			for i, v := range ir.Data[int32](r.Inputs[0])[:n] {
				ir.Data[int32](r.Outputs[0])[i] = 2 * v
			}
			return nil
		}, Refit: func(p *ops.Preparation) (bool, error) {
			refitted++
			n = p.InputShape(0).Elements()
			return n != 9, nil
		}}, nil
	}}
	g := &testGraph{}
	g.result(g.op("Double", g.op("Positive", g.parameter("x", "i32", "?"))))
	compiled, err := coreWith(t, Options{}, double).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	request := compiled.NewInferRequest()
	infer := func(n int) {
		t.Helper()
		got := ir.Data[int32](inferred(t, request, ramp(t, n)))
		require.Len(t, got, n)
		for i, v := range got {
			require.EqualValues(t, 2*(i+1), v)
		}
	}
	check := func(wantPrepared, wantRefitted int) {
		t.Helper()
		for n := 2; n < 6; n++ {
			infer(n)
		}
		assert.Equal(t, [2]int{wantPrepared, wantRefitted}, [2]int{prepared, refitted})
	}
	check(2, 2) // the first plan has no open lengths
	check(4, 4) // the lengths that a kernel was prepared for have changed none before
	check(6, 4)
	request = compiled.NewInferRequest()
	check(6, 4)
	inputs := []*ir.Tensor{ramp(t, 2), ramp(t, 3)}
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		for _, in := range inputs {
			if err := errors.Join(request.SetInput(0, in), request.Infer(background)); err != nil {
				t.Error(err)
			}
		}
	}))
	infer(7)
	infer(8)
	assert.Equal(t, [2]int{7, 5}, [2]int{prepared, refitted})
	infer(9)
	assert.Equal(t, [2]int{8, 6}, [2]int{prepared, refitted}, "the kernel cannot be changed")
	infer(11)
	check(8, 7)
	infer(11)
	assert.Equal(t, [2]int{9, 7}, [2]int{prepared, refitted})
}
