package plugin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestState adds the input of each inference to a variable. Each request has its own sum.
func TestState(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "2")
	sum := g.op("Sum", g.variable("sum", "2", g.constant(i32(t, ir.Shape{2}, 0, 100))), x)
	g.assign("sum", sum)
	g.result(sum)
	compiled := compile(t, g, CompileOptions{})
	request, other := compiled.NewInferRequest(), compiled.NewInferRequest()
	states := request.QueryState()
	require.Len(t, states, 1)
	state := states[0]
	assert.Equal(t, "sum", state.Name())
	assert.Equal(t, ir.I32, state.Type())
	assert.Equal(t, ir.StaticShape(2), state.Shape())
	_, err := state.Get()
	assert.ErrorIs(t, err, ErrNoValue)
	for _, want := range [][]int32{{1, 102}, {2, 104}, {3, 106}} {
		assert.Equal(t, want, ir.Data[int32](inferred(t, request, ramp(t, 2))))
	}
	assert.Equal(t, []int32{1, 102}, ir.Data[int32](inferred(t, other, ramp(t, 2))))
	got, err := state.Get()
	require.NoError(t, err)
	assert.Equal(t, []int32{3, 106}, ir.Data[int32](got))
	ir.Data[int32](got)[0] = 50
	assert.Equal(t, []int32{4, 108}, ir.Data[int32](inferred(t, request, ramp(t, 2))), "Get returns a copy")
	require.NoError(t, state.Set(got))
	assert.Equal(t, []int32{51, 108}, ir.Data[int32](inferred(t, request, ramp(t, 2))))
	require.NoError(t, state.Reset())
	assert.Equal(t, []int32{1, 102}, ir.Data[int32](inferred(t, request, ramp(t, 2))))
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		if err := request.Infer(background); err != nil {
			t.Error(err)
		}
	}))
	assert.ErrorContains(t, state.Set(ramp(t, 3)), `variable "sum": the tensor is i32[3], the model has i32[2]`)
	assert.ErrorContains(t, state.Set(nil), `variable "sum": the tensor is nil`)
}

// TestState_readsFirst runs a model whose Assign comes before the ReadValue. The ReadValue returns
// the value that the previous inference assigned.
func TestState_readsFirst(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "2")
	g.assign("v", g.op("Inc", x))
	g.result(g.op("Inc", g.variable("v", "2")))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	assert.Equal(t, []int32{1, 1}, ir.Data[int32](inferred(t, request, i32(t, ir.Shape{2}, 4, 5))), "zeros at first")
	assert.Equal(t, []int32{6, 7}, ir.Data[int32](inferred(t, request, i32(t, ir.Shape{2}, 7, 8))))
	assert.Equal(t, []int32{9, 10}, ir.Data[int32](inferred(t, request, i32(t, ir.Shape{2}, 0, 0))))
}

// TestState_grows concatenates the inputs of all inferences in a variable, as text models do in
// their caches.
func TestState_grows(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "?")
	joined := out(g.add(ir.Layer{Type: "Concat", Data: []ir.Attribute{{Name: "axis", Value: "0"}}}, 1, g.variable("v", "?"), x), 0)
	g.assign("v", joined)
	g.result(g.op("Reverse", joined))
	core := testCore(t, Options{MaxTotalBytes: 4096})
	compiled, err := core.CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	assert.Equal(t, []int32{2, 1}, ir.Data[int32](inferred(t, request, ramp(t, 2))))
	assert.Equal(t, []int32{1, 2, 1}, ir.Data[int32](inferred(t, request, ramp(t, 1))))
	assert.Equal(t, []int32{3, 2, 1, 1, 2, 1}, ir.Data[int32](inferred(t, request, ramp(t, 3))))
	require.NoError(t, request.QueryState()[0].Reset())
	assert.Equal(t, []int32{3, 2, 1}, ir.Data[int32](inferred(t, request, ramp(t, 3))))
	// The memory of a request is bounded. An Infer that fails does not assign.
	var last int
	for err == nil {
		last = request.Output(0).Len() // a copy of the state could be more than the limit
		err = request.Infer(background)
	}
	assert.ErrorContains(t, err, "more than MaxTotalBytes, 4096")
	assert.Equal(t, last, request.QueryState()[0].value.Shape().Elements())
}

// TestState_fails runs an inference that assigns a variable and then fails. The variable is
// unchanged.
func TestState_fails(t *testing.T) {
	fail := true
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(),
		ops.Op{Type: "Maybe", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
			Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
				return ops.Only(func(r *ops.Run) error {
					if fail {
						return assert.AnError
					}
					return nil
				}, nil)
			}})...)
	require.NoError(t, err)
	g := &testGraph{}
	x := g.parameter("x", "i32", "2")
	g.assign("v", x)
	g.result(g.op("Maybe", g.variable("v", "2")))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, ramp(t, 2)))
	require.ErrorIs(t, request.Infer(background), assert.AnError)
	_, err = request.QueryState()[0].Get()
	assert.ErrorIs(t, err, ErrNoValue)
	fail = false
	require.NoError(t, request.Infer(background))
	got, err := request.QueryState()[0].Get()
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 2}, ir.Data[int32](got))
}

func TestState_errors(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "?")
	g.assign("v", x)
	g.result(g.variable("v", "2..3"))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	require.NoError(t, request.SetInput(0, ramp(t, 4)))
	assert.ErrorContains(t, request.Infer(background), `layer 1 "Assign1" (Assign, opset6): variable "v": the tensor is i32[4], the model has i32[2..3]`)
	g = &testGraph{}
	g.result(g.variable("v", "2"))
	g.result(g.variable("v", "3"))
	_, err := testCore(t, Options{}).CompileModel(background, &g.Model, CompileOptions{})
	assert.ErrorContains(t, err, `layer 2 "ReadValue2" (ReadValue, opset6): variable "v" is i32[3] here, and i32[2] in a layer before`)
}

// TestInfer_lateAssign assigns a tensor whose shape depends on the value of an input, by the first
// version of Assign, whose rule looks for the ReadValue.
func TestInfer_lateAssign(t *testing.T) {
	n := &network{}
	target := n.typed("i64", "1")
	v := n.op(`ReadValue opset3 variable_id="v"`, n.floats("2", 1, 2))
	sum := n.op("Add", v, n.scalar(1))
	n.layer("Assign", "opset3", `variable_id="v"`, 1, n.op(`Reshape opset1 special_zero="false"`, sum, target))
	n.result(sum)
	request := compileNetwork(t, n).NewInferRequest()
	for i := range 3 {
		got := inferred(t, request, mustInts(2))
		assert.Equal(t, []float32{2 + float32(i), 3 + float32(i)}, ir.Data[float32](got))
	}
}

// TestState_GetCounts gets a value whose copy the limit does not allow beside the memory of the
// request, and one that it allows, as often as anybody likes.
func TestState_GetCounts(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "1000")
	g.assign("v", x)
	g.result(g.op("Inc", g.variable("v", "1000")))
	get := func(limit int64) error {
		compiled, err := testCore(t, Options{MaxTotalBytes: limit}).CompileModel(background, &g.Model, CompileOptions{})
		require.NoError(t, err)
		request := compiled.NewInferRequest()
		inferred(t, request, ramp(t, 1000))
		for range 5 {
			value, err := request.QueryState()[0].Get()
			if err != nil {
				return err
			}
			assert.Equal(t, ramp(t, 1000).Bytes(), value.Bytes())
		}
		return nil
	}
	require.NoError(t, get(20_000))
	require.ErrorContains(t, get(11_000), `a copy of variable "v": the tensors need 4000 bytes more`)
}

// TestState_Truncate keeps the first rows, of a value that was assigned and of one that was
// appended to.
func TestState_Truncate(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "2,3")
	g.assign("v", x)
	g.result(g.variable("v", "2,?"))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	state := request.QueryState()[0]
	assert.ErrorIs(t, state.Truncate(0, 0), ErrNoValue)
	inferred(t, request, i32(t, ir.Shape{2, 3}, 1, 2, 3, 4, 5, 6))
	get := func() *ir.Tensor {
		got, err := state.Get()
		require.NoError(t, err)
		return got
	}
	require.NoError(t, state.Truncate(1, 3))
	assert.Equal(t, []int32{1, 2, 3, 4, 5, 6}, ir.Data[int32](get()))
	require.NoError(t, state.Truncate(1, 2))
	assert.Equal(t, []int32{1, 2, 4, 5}, ir.Data[int32](get()))
	assert.Equal(t, []int32{1, 2, 4, 5}, ir.Data[int32](inferred(t, request, i32(t, ir.Shape{2, 3}, 1, 2, 3, 4, 5, 6))))
	require.NoError(t, state.Truncate(1, 1))
	require.NoError(t, state.Truncate(0, 1))
	assert.Equal(t, []int32{1}, ir.Data[int32](get()), "along another axis")
	assert.EqualError(t, state.Truncate(2, 0), `variable "v": i32[1,1] has no axis 2`)
	assert.EqualError(t, state.Truncate(1, 2), `variable "v": i32[1,1] does not have 2 rows along axis 1`)
	assert.EqualError(t, state.Truncate(1, -1), `variable "v": i32[1,1] does not have -1 rows along axis 1`)
	require.NoError(t, state.Truncate(0, 0))
	assert.Equal(t, ir.Shape{0, 1}, get().Shape())
}
