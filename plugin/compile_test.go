package plugin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/result"
)

func TestCompileListsAllUnsupportedLayers(t *testing.T) {
	body := &testGraph{}
	body.result(body.op("Third", body.parameter("b", "i32", "1")))
	g := &testGraph{}
	x := g.parameter("x", "i32", "1")
	first := g.op("First", x)
	second := g.add(ir.Layer{Type: "Second", Opset: "opset8", Name: "two", Bodies: []ir.Body{{Model: &body.Model}}}, 1, first)
	g.result(g.op("Inc", out(second, 0)))
	_, err := testCore(t, Options{}).CompileModel(background, &g.Model, CompileOptions{})
	var unsupported *UnsupportedError
	require.ErrorAs(t, err, &unsupported)
	require.Len(t, unsupported.Layers, 3)
	assert.Same(t, second, unsupported.Layers[1].Layer)
	assert.ErrorContains(t, err, "3 layers are not supported:\nlayer 1 \"First1\" (First, opset1), line 11:")
	assert.ErrorContains(t, err, "layer 1 \"Third1\" (Third, opset1)")
	var one *UnsupportedLayerError
	assert.ErrorAs(t, err, &one)
}

// TestCompileWithoutKernel uses a layer type without a kernel. Its shapes can be inferred, even
// from a constant input, but it cannot be compiled.
func TestCompileWithoutKernel(t *testing.T) {
	list := append(slices.Clone(testOps), constant.Ops...)
	list = append(list, result.Ops...)
	list = append(list, ops.Op{Type: "Shaped", Version: 1, Inputs: ops.Exactly(1), Infer: func(in *infer.Inference) error {
		in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: in.Inputs[0].Shape}
		return nil
	}})
	registry, err := NewRegistry(list...)
	require.NoError(t, err)
	g := &testGraph{}
	shaped := g.op("Shaped", g.constant(ints(t, 1, 2)))
	g.result(shaped)
	shapes, err := infer.Propagate(t.Context(), &g.Model, registry, nil)
	require.NoError(t, err)
	fact := shapes.Outputs(shaped.Source)[0]
	assert.Equal(t, "[2]", fact.Shape.String())
	assert.Nil(t, fact.Tensor)
	_, err = NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{})
	assert.ErrorContains(t, err, "1 layer is not supported:")
	assert.ErrorContains(t, err, "Shaped-1 has a shape rule and no kernel")
}

func TestCompileErrors(t *testing.T) {
	core := testCore(t, Options{})
	g := &testGraph{}
	g.result(g.op("Sum", g.parameter("x", "i32", "2"), g.parameter("y", "i32", "3")))
	_, err := core.CompileModel(background, &g.Model, CompileOptions{})
	assert.ErrorContains(t, err, `layer 2 "Sum2" (Sum, opset1): shapes [2] and [3] differ`)

	canceled, cancel := context.WithCancel(background)
	cancel()
	_, err = core.CompileModel(canceled, &chain("4").Model, CompileOptions{})
	assert.ErrorIs(t, err, context.Canceled)

	without := &testGraph{}
	without.result(out(without.add(ir.Layer{Type: "Constant", Data: []ir.Attribute{
		{Name: "element_type", Value: "i32"}, {Name: "shape", Value: "2"}}}, 1), 0))
	_, err = core.CompileModel(background, &without.Model, CompileOptions{})
	assert.ErrorContains(t, err, "the model was read without its .bin")

	untyped := &testGraph{}
	untyped.result(untyped.op("Inc", untyped.parameter("x", "dynamic", "2")))
	_, err = core.CompileModel(background, &untyped.Model, CompileOptions{})
	assert.ErrorContains(t, err, `layer 0 "x" (Parameter, opset1): the element type of the input is not known`)

	for _, c := range []struct {
		options CompileOptions
		want    string
	}{
		{CompileOptions{InferenceNumThreads: -1}, "InferenceNumThreads is -1"},
		{CompileOptions{NumStreams: -1}, "NumStreams is -1"},
		{CompileOptions{PerformanceHint: 9}, "PerformanceHint(9) is not a performance hint"},
		{CompileOptions{ExecutionMode: 9}, "ExecutionMode(9) is not an execution mode"},
		{CompileOptions{Reshape: map[string]ir.PartialShape{"z": {}}}, `input "z"`},
	} {
		_, err := core.CompileModel(background, &chain("4").Model, c.options)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestCompileReshape(t *testing.T) {
	compiled := compile(t, chain("4"), CompileOptions{Reshape: map[string]ir.PartialShape{"x": ir.StaticShape(2)}})
	assert.Equal(t, "[2]", compiled.Inputs()[0].Shape.String())
	request := compiled.NewInferRequest()
	assert.ErrorContains(t, request.SetInput(0, ramp(t, 4)), `input 0 "x": the tensor is i32[4], the model has i32[2]`)
	require.NoError(t, request.SetInput(0, ramp(t, 2)))
	require.NoError(t, request.Infer(background))
	assert.Equal(t, []int32{4, 4}, ir.Data[int32](request.Output(0)))
}

func TestNumStreams(t *testing.T) {
	for _, c := range []struct {
		options        CompileOptions
		pools, threads int
	}{
		{CompileOptions{InferenceNumThreads: 4}, 1, 4},
		{CompileOptions{InferenceNumThreads: 4, NumStreams: 2}, 2, 2},
		{CompileOptions{InferenceNumThreads: 4, PerformanceHint: PerformanceHintThroughput}, 4, 1},
		{CompileOptions{InferenceNumThreads: 2, NumStreams: 5}, 2, 1},
	} {
		compiled := compile(t, chain("4"), c.options)
		assert.Len(t, compiled.pools, c.pools)
		assert.Equal(t, c.threads, compiled.pools[0].Threads())
		a, b := compiled.NewInferRequest(), compiled.NewInferRequest()
		assert.Equal(t, c.pools == 1, a.shared.Pool == b.shared.Pool)
	}
}

func TestCost(t *testing.T) {
	_, ok := compile(t, chain("?"), CompileOptions{}).Cost()
	assert.False(t, ok)
	cost, ok := compile(t, chain("4"), CompileOptions{}).Cost()
	assert.True(t, ok)
	assert.Zero(t, cost.Flops, "the kernels do not report it")
	assert.GreaterOrEqual(t, cost.Bytes, int64(16), "the values between the layers")
}

func TestMemory(t *testing.T) {
	memory, ok := compile(t, chain("?"), CompileOptions{}).Memory()
	assert.False(t, ok)
	assert.Zero(t, memory.Arena)
	compiled := compile(t, chain("4"), CompileOptions{})
	memory, ok = compiled.Memory()
	assert.True(t, ok)
	assert.GreaterOrEqual(t, memory.Arena, int64(16), "the values between the layers")
	assert.LessOrEqual(t, memory.Scratch, memory.Arena)
	assert.Equal(t, compiled.env.Memory.Kept.Used(), memory.Kept)
}

// TestBudgets compiles and runs small models that need more memory than the limits. The limits are
// checked before anything is allocated.
func TestBudgets(t *testing.T) {
	wide := func(shape string) *testGraph {
		g := &testGraph{}
		x := g.parameter("x", "i32", shape)
		g.result(g.op("Sum", g.op("Reverse", x), x))
		return g
	}
	for _, c := range []struct {
		shape   string
		options Options
		want    string
	}{
		{"4294967296,4294967296", Options{}, "int"},
		{"100000000", Options{MaxTensorBytes: 1 << 28}, "more than MaxTensorBytes, 268435456"},
		{"100", Options{MaxTensorBytes: 399}, "layer 1 \"Reverse1\" (Reverse, opset1): i32[100] needs 400 bytes, more than MaxTensorBytes, 399"},
		{"100", Options{MaxTotalBytes: 500}, "more memory than MaxTotalBytes, 500 bytes"},
	} {
		_, err := testCore(t, c.options).CompileModel(background, &wide(c.shape).Model, CompileOptions{})
		assert.ErrorContains(t, err, c.want, c.shape)
	}
	// The same limits hold at run time, if the shapes come from the inputs or from a kernel.
	for _, c := range []struct {
		graph   *testGraph
		options Options
		want    string
	}{
		{wide("?"), Options{MaxTensorBytes: 399}, "more than MaxTensorBytes, 399"},
		{wide("?"), Options{MaxTotalBytes: 500}, "more memory than MaxTotalBytes, 500 bytes"},
		{lateGraph(), Options{MaxTensorBytes: 399}, "more than MaxTensorBytes, 399"},
		{lateGraph(), Options{MaxTotalBytes: 1000}, "together more than MaxTotalBytes, 1000"},
	} {
		compiled, err := testCore(t, c.options).CompileModel(background, &c.graph.Model, CompileOptions{})
		require.NoError(t, err)
		request := compiled.NewInferRequest()
		require.NoError(t, request.SetInput(0, ramp(t, 100)))
		if len(c.graph.Parameters) > 1 {
			require.NoError(t, request.SetInput(1, ints(t, 100)))
		}
		assert.ErrorContains(t, request.Infer(background), c.want)
	}
}

func TestScratchIsBounded(t *testing.T) {
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(), ops.Op{
		Type: "Greedy", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }, ScratchBytes: 1 << 30}, nil
		},
	})...)
	require.NoError(t, err)
	g := &testGraph{}
	g.result(g.op("Greedy", g.parameter("x", "i32", "2")))
	_, err = NewCore(registry, Options{MaxTensorBytes: 1 << 20}).CompileModel(background, &g.Model, CompileOptions{})
	assert.ErrorContains(t, err, "the kernel needs 1073741824 bytes of scratch memory, more than the limit of 1048576")
}

func TestPanicsBecomeErrors(t *testing.T) {
	boom := func(*ops.Run) error { panic("boom") }
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(),
		ops.Op{Type: "Boom", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
			Prepare: func(*ops.Preparation) (*ops.Prepared, error) { return &ops.Prepared{Kernel: boom}, nil }},
		ops.Op{Type: "Bang", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
			Prepare: func(*ops.Preparation) (*ops.Prepared, error) { panic("bang") }})...)
	require.NoError(t, err)
	core := NewCore(registry, Options{})
	g := &testGraph{}
	g.result(g.op("Boom", g.parameter("x", "i32", "2")))
	compiled, err := core.CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, ramp(t, 2)))
	for range 2 { // a request can be used again after a panic
		err := request.Infer(background)
		assert.ErrorContains(t, err, `layer 1 "Boom1" (Boom, opset1): BUG: panic: boom`)
	}
	g = &testGraph{}
	g.result(g.op("Bang", g.parameter("x", "i32", "2")))
	_, err = core.CompileModel(background, &g.Model, CompileOptions{})
	assert.ErrorContains(t, err, `layer 1 "Bang1" (Bang, opset1): BUG: panic while the kernel is prepared: bang`)
}

// TestHammer runs one CompiledModel on many goroutines. They use new and known shapes, more than
// the caches hold.
func TestHammer(t *testing.T) {
	compiled, err := testCore(t, Options{MaxPlans: 3}).CompileModel(background, &lateGraph().Model, CompileOptions{InferenceNumThreads: 2})
	require.NoError(t, err)
	defer compiled.Close()
	loops := 100
	if testing.Short() {
		loops = 20
	}
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			request := compiled.NewInferRequest()
			for i := range loops {
				n := 2 + (g*7+i)%11
				x := ramp(t, n)
				x0 := int32(g + 1)
				ir.Data[int32](x)[0] = x0
				if err := hammerOnce(request, x, n, x0); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, compiled.program.Plans.Len(), 3)
}

// hammerOnce runs lateGraph on a vector x of n elements that begins with x0, and checks the
// outputs.
func hammerOnce(request *InferRequest, x *ir.Tensor, n int, x0 int32) error {
	if err := request.SetInput(0, x); err != nil {
		return err
	}
	if err := request.SetInput(1, mustInts(2)); err != nil {
		return err
	}
	if err := request.Infer(background); err != nil {
		return err
	}
	got := fmt.Sprint(ir.Data[int32](request.Output(0)), ir.Data[int32](request.Output(2)))
	if want := fmt.Sprint([]int32{5, 2*x0 + 1}, []int32{x0, 2}); got != want {
		return fmt.Errorf("%d elements: %s, want %s", n, got, want)
	}
	return nil
}

// TestCancel cancels between two layers. The second layer must not run.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	ran := false
	call := func(name string, f func()) ops.Op {
		return ops.Op{Type: name, Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
			Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
				return &ops.Prepared{Kernel: func(*ops.Run) error { f(); return nil }}, nil
			}}
	}
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(),
		call("Cancel", cancel), call("Never", func() { ran = true }))...)
	require.NoError(t, err)
	g := &testGraph{}
	g.result(g.op("Never", g.op("Cancel", g.parameter("x", "i32", "2"))))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, ramp(t, 2)))
	assert.ErrorIs(t, request.Infer(ctx), context.Canceled)
	assert.False(t, ran)
	assert.Nil(t, request.Output(0))
	require.NoError(t, request.Infer(background), "the request can be used again")
	assert.True(t, ran)
}

func TestBusy(t *testing.T) {
	enter, leave := make(chan bool), make(chan bool)
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(),
		ops.Op{Type: "Hold", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
			Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
				return &ops.Prepared{Kernel: func(*ops.Run) error { enter <- true; <-leave; return nil }}, nil
			}})...)
	require.NoError(t, err)
	g := &testGraph{}
	g.result(g.op("Hold", g.parameter("x", "i32", "2")))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{EnableProfiling: true})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, ramp(t, 2)))
	require.NoError(t, request.StartAsync(background))
	<-enter
	assert.ErrorIs(t, request.Infer(background), ErrBusy)
	assert.ErrorIs(t, request.StartAsync(background), ErrBusy)
	assert.ErrorIs(t, request.SetInput(0, ramp(t, 2)), ErrBusy)
	assert.ErrorIs(t, request.SetOutput(0, nil), ErrBusy)
	_, err = request.OutputByName(request.compiled.Outputs()[0].Name)
	assert.ErrorIs(t, err, ErrBusy)
	assert.Nil(t, request.Output(0))
	assert.Nil(t, request.ProfilingInfo())
	short, cancel := context.WithTimeout(background, time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, request.Wait(short), context.DeadlineExceeded)
	leave <- true
	require.NoError(t, request.Wait(background))
	assert.NotNil(t, request.Output(0))
}

func TestInputAndOutputChecks(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "1..2,3")
	x.Source.Outputs[0].Names = []string{"x:0"}
	inc := g.op("Inc", x)
	inc.Source.Outputs[0].Names = []string{"y:0"}
	g.result(inc)
	g.Results[0].Name = "the result"
	compiled := compile(t, g, CompileOptions{})
	request := compiled.NewInferRequest()
	f32, err := ir.NewTensor(ir.F32, 1, 3)
	require.NoError(t, err)
	for _, c := range []struct {
		err  error
		want string
	}{
		{request.SetInput(1, f32), "input 1: the model has 1 inputs"},
		{request.SetInput(-1, f32), "input -1: the model has 1 inputs"},
		{request.SetInput(0, f32), `input 0 "x": the tensor is f32[1,3], the model has i32[1..2,3]`},
		{request.SetInput(0, ramp(t, 3)), `input 0 "x": the tensor is i32[3], the model has i32[1..2,3]`},
		{request.SetInput(0, i32(t, ir.Shape{3, 3}, make([]int32, 9)...)), "the tensor is i32[3,3]"},
		{request.SetInput(0, nil), "the tensor is nil"},
		{request.SetInputByName("z", f32), `input "z": the model has no input of that name`},
		{request.SetOutput(1, f32), "output 1: the model has 1 outputs"},
		{request.SetOutput(0, f32), `output 0 "Inc1": the tensor is f32[1,3], the model has i32[1..2,3]`},
	} {
		assert.ErrorContains(t, c.err, c.want)
	}
	in := i32(t, ir.Shape{1, 3}, 1, 2, 3)
	for _, name := range []string{"x", "x:0"} {
		assert.NoError(t, request.SetInputByName(name, in), name)
	}
	assert.Same(t, in, request.Input(0))
	require.NoError(t, request.Infer(background))
	for _, name := range []string{"y:0", "Inc1", "the result"} {
		output, err := request.OutputByName(name)
		require.NoError(t, err, name)
		assert.Equal(t, []int32{2, 3, 4}, ir.Data[int32](output), name)
	}
	_, err = request.OutputByName("x")
	assert.EqualError(t, err, `output "x": the model has no output of that name, it has "Inc1" ("y:0")`)
	_, err = compiled.NewInferRequest().OutputByName("y:0")
	assert.ErrorContains(t, err, `output "y:0": no inference has succeeded`)
	assert.Nil(t, request.Output(1))
	assert.Nil(t, request.Output(-1))
	assert.Nil(t, request.Input(1))

	given := i32(t, ir.Shape{1, 3}, 0, 0, 0)
	require.NoError(t, request.SetOutput(0, given))
	require.NoError(t, request.Infer(background))
	assert.Same(t, given, request.Output(0))
	assert.Equal(t, []int32{2, 3, 4}, ir.Data[int32](given))
	require.NoError(t, request.SetInput(0, i32(t, ir.Shape{2, 3}, 1, 2, 3, 4, 5, 6)))
	assert.ErrorContains(t, request.Infer(background), `output 0 "Inc1": the tensor is i32[1,3], the output is i32[2,3]`)
}

// TestOutputsAreTheirOwn compiles a model whose outputs are inputs, constants and views of them. No
// output may be in memory of the caller or of the model.
func TestOutputsAreTheirOwn(t *testing.T) {
	for _, list := range [][]Optimization{nil, Optimizations()} {
		g := &testGraph{}
		x, c := g.parameter("x", "i32", "2"), g.constant(i32(t, ir.Shape{2}, 7, 8))
		shape := g.constant(mustInts(1, 2))
		for _, in := range []ir.Input{x, c, g.op("Reform", x, shape), g.op("Reform", c, shape), x} {
			g.result(in)
		}
		compiled := compile(t, g, CompileOptions{Disable: list})
		request := compiled.NewInferRequest()
		in := ramp(t, 2)
		require.NoError(t, request.SetInput(0, in))
		require.NoError(t, request.Infer(background))
		ir.Data[int32](in)[0] = 99
		for i, want := range []string{"[1 2] [2]", "[7 8] [2]", "[1 2] [1,2]", "[7 8] [1,2]", "[1 2] [2]"} {
			output := request.Output(i)
			assert.Equal(t, want, fmt.Sprint(ir.Data[int32](output), output.Shape()), "output %d", i)
			ir.Data[int32](output)[0] = -1
		}
		assert.Equal(t, []int32{99, 2}, ir.Data[int32](in))
		assert.Equal(t, []int32{7, 8}, ir.Data[int32](g.Layers[1].Constant))
	}
}

func TestSubBytePaddingIsClear(t *testing.T) {
	g := &testGraph{}
	g.result(g.parameter("x", "u4", "3"))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	x, err := ir.TensorOfBytes(ir.U4, ir.Shape{3}, []byte{0x21, 0xf3})
	require.NoError(t, err)
	require.NoError(t, request.SetInput(0, x))
	require.NoError(t, request.Infer(background))
	assert.Equal(t, []byte{0x21, 0x03}, request.Output(0).Bytes())
	assert.Equal(t, []byte{0x21, 0xf3}, x.Bytes())
}

func TestStrings(t *testing.T) {
	g := &testGraph{}
	x, y := g.parameter("x", "string", "?"), g.parameter("y", "string", "1")
	both := g.add(ir.Layer{Type: "Concat", Data: []ir.Attribute{{Name: "axis", Value: "0"}}}, 1, x, y)
	g.result(out(both, 0))
	g.result(g.op("Reform", y, g.constant(mustInts(1, 1))))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	for _, list := range [][]string{{"a"}, {"b", "c"}, {}} {
		tensor, err := ir.StringTensor(ir.Shape{len(list)}, list)
		require.NoError(t, err)
		last, err := ir.StringTensor(ir.Shape{1}, []string{"z"})
		require.NoError(t, err)
		require.NoError(t, request.SetInput(0, tensor))
		require.NoError(t, request.SetInput(1, last))
		require.NoError(t, request.Infer(background))
		assert.Equal(t, strings.Join(list, "")+"z", strings.Join(request.Output(0).Strings(), ""))
		assert.Equal(t, []string{"z"}, request.Output(1).Strings())
		assert.Equal(t, ir.Shape{1, 1}, request.Output(1).Shape())
	}
}

// TestStrings_given sets a tensor for the second of two outputs of the same memory.
func TestStrings_given(t *testing.T) {
	g := &testGraph{}
	half := g.parameter("x", "string", "1")
	both := g.add(ir.Layer{Type: "Concat", Data: []ir.Attribute{{Name: "axis", Value: "0"}}}, 1, half, half)
	g.result(out(both, 0))
	g.result(out(both, 0))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	x, err := ir.StringTensor(ir.Shape{1}, []string{"ab"})
	require.NoError(t, err)
	given, err := ir.StringTensor(ir.Shape{2}, []string{"", ""})
	require.NoError(t, err)
	require.NoError(t, request.SetOutput(1, given))
	inferred(t, request, x)
	assert.Equal(t, []string{"ab", "ab"}, given.Strings())
}

// TestFoldConstants_growth has a constant that is broadcast to more than a model may keep of it.
func TestFoldConstants_growth(t *testing.T) {
	n := &network{}
	n.result(n.op("Relu", n.op("Broadcast opset3", n.scalar(1), n.ints(64<<20/4+1))))
	assert.Equal(t, "Broadcast Relu", typesOf(compileNetwork(t, n).program.Model))
}

// lost is an input whose memory is no longer there.
type lost struct{}

func (lost) Len() int      { return 24 }
func (lost) Bytes() []byte { panic("the memory is lost") }

// TestInfer_lostInput has an input that cannot be read. It is read before the first layer runs, for
// a view.
func TestInfer_lostInput(t *testing.T) {
	g := &testGraph{}
	g.result(g.op("Reform", g.parameter("x", "i32", "6"), g.constant(mustInts(2, 3))))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	x, err := ir.DeferredTensor(ir.I32, ir.Shape{6}, lost{})
	require.NoError(t, err)
	require.NoError(t, request.SetInput(0, x))
	require.ErrorContains(t, request.Infer(background), "BUG: panic: the memory is lost")
	assert.Equal(t, []int32{1, 2, 3, 4, 5, 6}, ir.Data[int32](inferred(t, request, ramp(t, 6))))
}

// TestFoldConstants_unknownSize has an output whose size only a kernel finds: it is not prepared to
// fold it.
func TestFoldConstants_unknownSize(t *testing.T) {
	prepared := 0
	some := ops.Op{Type: "Some", Version: 1, Inputs: ops.Exactly(1), Infer: inferPositive, Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
		prepared++
		return preparePositive(p)
	}}
	g := &testGraph{}
	g.result(g.op("Some", g.constant(i32(t, ir.Shape{3}, 1, -2, 3))))
	compiled, err := coreWith(t, Options{}, some).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	assert.Zero(t, prepared)
	request := compiled.NewInferRequest()
	require.NoError(t, request.Infer(background))
	assert.Equal(t, []int32{1, 3}, ir.Data[int32](request.Output(0)))
	assert.Equal(t, 1, prepared)
}
