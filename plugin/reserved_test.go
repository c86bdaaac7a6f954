package plugin

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// keepingOp is a layer type whose kernel keeps as many bytes as input 0 has elements.
func keepingOp() ops.Op {
	return ops.Op{Type: "Keeping", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				kept := r.Own(func() any { return new(int64) }).(*int64)
				if err := r.Reserve(int64(r.Inputs[0].Len()) - *kept); err != nil {
					return err
				}
				*kept = int64(r.Inputs[0].Len())
				return nil
			}}, nil
		}}
}

// TestReserve has kernels that keep memory, in the model and in a body, for many shapes. It counts
// as long as the plans are bound, and no longer.
func TestReserve(t *testing.T) {
	core := coreWith(t, Options{MaxTotalBytes: 1 << 20, MaxPlans: 3}, keepingOp())
	g := &testGraph{}
	x, cond := g.parameter("x", "i32", "?"), g.parameter("cond", "boolean", "")
	keeping := func(body *testGraph, x []ir.Input) ir.Input { return body.op("Keeping", x[0]) }
	g.result(g.choose(keeping, keeping, cond, g.op("Keeping", x)))
	compiled, err := core.CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(1, boolean(t, true)))
	infer := func(n int) error {
		require.NoError(t, request.SetInput(0, ramp(t, n)))
		return request.Infer(background)
	}
	require.NoError(t, infer(1000))
	first := request.shared.Budget.Used()
	require.NoError(t, infer(1000))
	assert.Equal(t, first, request.shared.Budget.Used(), "a run reserves only what it has not")
	for n := 999; n > 900; n-- {
		require.NoError(t, infer(n))
		require.LessOrEqual(t, request.shared.Budget.Used(), 4*first)
	}
	assert.ErrorContains(t, infer(200_000), "MaxTotalBytes, 1048576")
	require.NoError(t, infer(1000), "the request runs on after the error")
}

// TestCopyOutputs copies outputs within the limit, and one more than it allows.
func TestCopyOutputs(t *testing.T) {
	g := &testGraph{}
	x := g.op("Inc", g.parameter("x", "i32", "1000"))
	for range 10 {
		g.result(x)
	}
	for limit, want := range map[int64]string{44_032: "", 44_031: "copies of the outputs: the tensors need 40000 bytes more than the 4032 in use"} {
		compiled, err := testCore(t, Options{MaxTotalBytes: limit}).CompileModel(background, &g.Model, CompileOptions{})
		require.NoError(t, err)
		request := compiled.NewInferRequest()
		_, err = request.CopyOutputs(background)
		require.EqualError(t, err, "the outputs cannot be copied: no inference has succeeded since the last call of Infer")
		require.NoError(t, request.SetInput(0, ramp(t, 1000)))
		require.NoError(t, request.Infer(background))
		used := request.shared.Budget.Used()
		for range 2 {
			copies, err := request.CopyOutputs(background)
			assert.Equal(t, used, request.shared.Budget.Used())
			if want != "" {
				assert.ErrorContains(t, err, want)
				continue
			}
			require.NoError(t, err)
			require.Len(t, copies, 10)
			ir.Data[int32](copies[0])[0] = -1
			assert.Equal(t, int32(2), ir.Data[int32](copies[1])[0])
		}
		ended, end := context.WithCancel(background)
		end()
		_, err = request.CopyOutputs(ended)
		assert.Error(t, err)
	}
}

// TestMaxModelBytes_bodies has bodies that fit one by one, and not together.
func TestMaxModelBytes_bodies(t *testing.T) {
	g := &testGraph{}
	x, cond := g.parameter("x", "i32", "1000"), g.parameter("cond", "boolean", "")
	sum := func(body *testGraph, x []ir.Input) ir.Input { return body.op("Reverse", body.op("Inc", x[0])) }
	for range 10 {
		g.result(g.choose(sum, sum, cond, x))
	}
	compiled, err := testCore(t, Options{MaxModelBytes: 1 << 30}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	total := compiled.env.Memory.Arenas.With(nil, 0)
	require.Greater(t, total, int64(20*4000), "20 bodies")
	least := compiled.env.Memory.Weights() + total
	_, err = testCore(t, Options{MaxModelBytes: least}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	_, err = testCore(t, Options{MaxModelBytes: least - 1}).CompileModel(background, &g.Model, CompileOptions{})
	var e *MemoryError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, total, e.Arena)
}

// TestMaxModelBytes_late has a shape that depends on data: Infer returns the error.
func TestMaxModelBytes_late(t *testing.T) {
	g := &testGraph{}
	x, n := g.parameter("x", "i32", "?"), g.parameter("len", "i64", "1")
	prefix := g.op("Prefix", x, n)
	g.result(g.op("Sum", g.op("Inc", prefix), prefix))
	compiled, err := testCore(t, Options{MaxModelBytes: 300_000}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInputByName("x", ramp(t, 1000)))
	require.NoError(t, request.SetInputByName("len", ints(t, 500)))
	require.NoError(t, request.Infer(background))
	require.NoError(t, request.SetInputByName("x", ramp(t, 100_000)))
	require.NoError(t, request.SetInputByName("len", ints(t, 90_000)))
	var e *MemoryError
	require.ErrorAs(t, request.Infer(background), &e)
	assert.EqualValues(t, 300_000, e.Limit)
	assert.Greater(t, e.Arena+e.Weights, e.Limit)
}
