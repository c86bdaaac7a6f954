package plugin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
)

// TestWide compiles and runs a layer that 20,000 layers read, which a Concat joins. That takes a
// fraction of a second, unless something is done for each pair of layers.
func TestWide(t *testing.T) {
	const n = 20_000
	g := &testGraph{}
	x := g.parameter("x", "i32", "2")
	inputs := make([]ir.Input, n)
	for i := range inputs {
		inputs[i] = g.op("Inc", x)
	}
	g.result(out(g.add(ir.Layer{Type: "Concat", Data: []ir.Attribute{{Name: "axis", Value: "0"}}}, 1, inputs...), 0))
	request := compile(t, g, CompileOptions{}).NewInferRequest()
	got := ir.Data[int32](inferred(t, request, i32(t, ir.Shape{2}, 3, 4)))
	require.Len(t, got, 2*n)
	assert.Equal(t, []int32{4, 5}, got[2*n-2:])
}

func TestArenaReusesMemory(t *testing.T) {
	g := &testGraph{}
	v := g.parameter("x", "i32", "1000")
	for range 50 {
		v = g.op("Reverse", v)
	}
	g.result(v)
	// At any time, two tensors and the scratch memory of Reverse are needed.
	assert.LessOrEqual(t, compile(t, g, CompileOptions{}).program.Static.Arena, 3*4032)
	g = &testGraph{}
	v = g.op("Reverse", g.parameter("x", "i32", "1000"))
	for range 50 {
		v = g.op("Inc", v)
	}
	g.result(v)
	assert.LessOrEqual(t, compile(t, g, CompileOptions{}).program.Static.Arena, 2*4032, "in place")
}

// TestShorten compiles nested Concats. The owner of all values is the output of the last Concat.
func TestShorten(t *testing.T) {
	n := &network{}
	x := n.input("2,3")
	y := n.op("Relu", x)
	for range 3 {
		y = n.op(`Concat opset1 axis="0"`, n.op("Relu", x), y)
	}
	n.result(y)
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{Disable: Optimizations()})
	require.NoError(t, err)
	p := compiled.program.Static
	last, starts := p.Results[0], []int(nil)
	for v := range p.Values {
		if v != last && p.Owner(v) != v {
			assert.Equal(t, last, p.Owner(v))
			starts = append(starts, p.Start(v))
		}
	}
	assert.ElementsMatch(t, []int{72, 48, 48, 24, 24, 0}, starts)
}

// TestOnce prepares three layers for many shapes, some before each run and one during it. Once must
// call its function once for each constant, even if two layers read it.
func TestOnce(t *testing.T) {
	made := 0
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(), ops.Op{
		Type: "Weigh", Version: 1, Inputs: ops.Exactly(2),
		Infer: func(in *infer.Inference) error { in.Outputs[0] = in.Inputs[0]; return nil },
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			_, err := p.Once(p.Inputs[1].Tensor, "weights", 8, func() (any, error) { made++; return made, nil })
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, err
		},
	})...)
	require.NoError(t, err)
	g := &testGraph{}
	x := g.parameter("x", "i32", "?")
	one, other := ints(t, 1, 2, 3), ints(t, 1, 2, 3)
	alias, err := ir.TensorOfBytes(one.ElementType(), one.Shape(), one.Bytes())
	require.NoError(t, err)
	shorter, err := ir.TensorOfBytes(one.ElementType(), ir.Shape{2}, one.Bytes())
	require.NoError(t, err)
	g.result(g.op("Weigh", x, g.constant(one)))
	g.result(g.op("Weigh", x, g.constant(alias)))
	g.result(g.op("Weigh", g.op("Positive", x), g.constant(one)))
	g.result(g.op("Weigh", x, g.constant(shorter)))
	g.result(g.op("Weigh", x, g.constant(other)))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{Disable: []Optimization{MergeEqual}})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	for n := range 5 {
		require.NoError(t, request.SetInput(0, ramp(t, n)))
		require.NoError(t, request.Infer(background))
	}
	assert.Equal(t, 3, made, "once for each constant")
	assert.EqualValues(t, 24, compiled.env.Memory.Kept.Used())
}
