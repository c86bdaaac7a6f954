package plugin

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
)

// twoLayers returns a network with two products and a Softmax between them.
func twoLayers(rows string) *network {
	rng := rand.New(rand.NewPCG(1, 2))
	n := &network{}
	x := n.op("MatMul", n.input(rows+",60"), n.random(rng, -1, 1, 60, 500))
	x = n.op(`SoftMax opset1 axis="1"`, n.op("Add", x, n.random(rng, -1, 1, 1, 500)))
	n.result(n.op("MatMul", x, n.random(rng, -1, 1, 500, 30)))
	return n
}

// compileWithin compiles n with a limit.
func compileWithin(t *testing.T, n *network, limit int64) (*CompiledModel, error) {
	t.Helper()
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := NewCore(registry, Options{MaxModelBytes: limit}).CompileModel(background, n.model(t), CompileOptions{InferenceNumThreads: 1})
	if err == nil {
		t.Cleanup(compiled.Close)
	}
	return compiled, err
}

// TestMaxModelBytes finds the least limit, which is what the error says and what the model takes.
func TestMaxModelBytes(t *testing.T) {
	n := twoLayers("100")
	const weights = 4 * (60*500 + 500 + 500*30)
	var e *MemoryError
	_, err := compileWithin(t, n, 1)
	require.ErrorAs(t, err, &e)
	assert.EqualValues(t, -1, e.Scratch)
	assert.EqualValues(t, weights, e.Weights)
	assert.GreaterOrEqual(t, e.Arena, int64(4*100*500))
	assert.ErrorContains(t, err, "and more for scratch memory: more than the limit of 1 (MaxModelBytes)")

	// With the limit that this asks for, the kernels are prepared. What they need is exact.
	compiled, err := compileWithin(t, n, e.Weights+e.Arena)
	if errors.As(err, &e) {
		assert.GreaterOrEqual(t, e.Scratch, int64(0))
		least := e.Weights + e.Arena
		_, err = compileWithin(t, n, least-1)
		require.ErrorAs(t, err, &e)
		assert.Equal(t, least, e.Weights+e.Arena)
		compiled, err = compileWithin(t, n, least)
	}
	require.NoError(t, err)
	taken, ok := compiled.Memory()
	require.True(t, ok)
	assert.LessOrEqual(t, taken.Kept+taken.Arena, compiled.env.Memory.Limits.MaxModelBytes)
	assert.Greater(t, taken.Kept+taken.Arena+weights, compiled.env.Memory.Limits.MaxModelBytes/2)

	_, err = compileWithin(t, n, 0)
	require.NoError(t, err, "without a limit")
}

// TestMaxModelBytes_total has an arena that is larger than MaxTotalBytes too: the error states the
// need if the model is larger than MaxModelBytes.
func TestMaxModelBytes_total(t *testing.T) {
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	model := twoLayers("100").model(t)
	for limit, want := range map[int64]string{
		150e3: "the model needs ",
		10e6:  "the tensors need more memory than MaxTotalBytes, 100000 bytes",
	} {
		core := NewCore(registry, Options{MaxModelBytes: limit, MaxTotalBytes: 100e3, MaxKeptBytes: 10e6})
		_, err := core.CompileModel(background, model, CompileOptions{InferenceNumThreads: 1})
		assert.ErrorContains(t, err, want)
	}
}

// TestMaxModelBytes_unknownShapes gets the error from Infer, for the shapes that are too large.
func TestMaxModelBytes_unknownShapes(t *testing.T) {
	compiled, err := compileWithin(t, twoLayers("-1"), 1<<20)
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	infer := func(rows int) error {
		input, err := ir.NewTensor(ir.F32, rows, 60)
		require.NoError(t, err)
		require.NoError(t, request.SetInput(0, input))
		return request.Infer(background)
	}
	require.NoError(t, infer(10))
	var e *MemoryError
	require.ErrorAs(t, infer(10000), &e)
	assert.EqualValues(t, 1<<20, e.Limit)
	assert.Greater(t, e.Arena, int64(4*10000*500))
	require.NoError(t, infer(20))
}

// TestMaxModelBytes_shared counts a Constant once, whichever kernels read it.
func TestMaxModelBytes_shared(t *testing.T) {
	n := &network{}
	x, table := n.input("4,8"), n.random(rand.New(rand.NewPCG(1, 2)), -1, 1, 1000, 8)
	for range 3 {
		n.result(n.op("Gather opset8", table, n.ints(1, 2, 3, 4), n.ints(0)))
		x = n.op("Add", x, n.op("Gather opset8", table, n.op(`Convert opset1 destination_type="i32"`, n.input("4")), n.ints(0)))
	}
	n.result(x)
	var e *MemoryError
	_, err := compileWithin(t, n, 1)
	require.ErrorAs(t, err, &e)
	assert.Less(t, e.Weights, int64(40_000), "the table has 32000 bytes")
	assert.GreaterOrEqual(t, e.Weights, int64(32_000))
	_, err = compileWithin(t, n, 40_000)
	require.NoError(t, err)
}
