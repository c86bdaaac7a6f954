package plugin

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// TestShareWeights compiles two models of the same constants, one of them at an unaligned address.
// What kernels make of each is made and counted once.
func TestShareWeights(t *testing.T) {
	var made atomic.Int64
	core := coreWith(t, Options{}, weighOp(&made))
	unaligned, err := ir.DeferredTensor(ir.I32, ir.Shape{3}, ir.UnalignedBytes(ir.AlignedBytes(16)[1:13]))
	require.NoError(t, err)
	aligned, other := i32(t, ir.Shape{3}, 1, 2, 3), i32(t, ir.Shape{3}, 4, 5, 6)
	// Shapes are not known, so that kernels are prepared by the first inference.
	model := func(constants ...*ir.Tensor) *ir.Model {
		g := &testGraph{}
		x := g.parameter("x", "i32", "?")
		for _, c := range constants {
			x = g.op("Weigh", x, g.constant(c))
		}
		g.result(x)
		return &g.Model
	}
	compile := func(m *ir.Model, options CompileOptions) *CompiledModel {
		options.InferenceNumThreads = max(options.InferenceNumThreads, 1)
		compiled, err := core.CompileModel(background, m, options)
		require.NoError(t, err)
		return compiled
	}
	infer := func(c *CompiledModel) {
		r := c.NewInferRequest()
		assert.NoError(t, r.SetInput(0, ramp(t, 3)))
		assert.NoError(t, r.Infer(background))
	}
	first := compile(model(aligned, unaligned), CompileOptions{})
	second := compile(model(unaligned, other, aligned), CompileOptions{ShareWeights: first})
	third := compile(model(other), CompileOptions{ShareWeights: second})
	before := first.env.Memory.Kept.Used()
	var wait sync.WaitGroup
	for _, c := range []*CompiledModel{second, first, third} {
		wait.Go(func() { infer(c) })
	}
	wait.Wait()
	assert.EqualValues(t, 3, made.Load())
	assert.GreaterOrEqual(t, first.env.Memory.Kept.Used()-before, int64(900), "the first model counts them")
	infer(compile(model(aligned), CompileOptions{ShareWeights: third}))
	assert.EqualValues(t, 3, made.Load())
	for i, differs := range []CompileOptions{{}, {InferenceNumThreads: 2, ShareWeights: first}, {ExecutionMode: ExecutionModeAccuracy, ShareWeights: first}} {
		infer(compile(model(aligned), differs))
		assert.EqualValues(t, 4+i, made.Load())
	}
}

// TestShareWeights_madeByPasses has a constant that is computed when the model is compiled. It
// belongs to one model, and is kept no longer than that.
func TestShareWeights_madeByPasses(t *testing.T) {
	var made atomic.Int64
	core := coreWith(t, Options{}, weighOp(&made))
	g := &testGraph{}
	g.result(g.op("Weigh", g.parameter("x", "i32", "3"), g.op("Inc", g.constant(i32(t, ir.Shape{3}, 1, 2, 3)))))
	first, err := core.CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	kept := first.env.Memory.Kept.Used()
	_, err = core.CompileModel(background, &g.Model, CompileOptions{ShareWeights: first})
	require.NoError(t, err)
	assert.EqualValues(t, 2, made.Load())
	assert.Equal(t, kept, first.env.Memory.Kept.Used())
}
