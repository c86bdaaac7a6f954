package plugin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
)

func TestProfilingInfo(t *testing.T) {
	request := compile(t, chain("4"), CompileOptions{EnableProfiling: true}).NewInferRequest()
	assert.Nil(t, request.ProfilingInfo())
	require.NoError(t, request.SetInput(0, ramp(t, 4)))
	require.NoError(t, request.Infer(background))
	infos := request.ProfilingInfo()
	require.Len(t, infos, 3)
	end := time.Duration(0)
	for i, want := range []string{"Inc", "Reverse", "Sum"} {
		assert.Equal(t, want, infos[i].NodeType)
		assert.GreaterOrEqual(t, infos[i].Start, end)
		assert.GreaterOrEqual(t, infos[i].RealTime, time.Duration(0))
		end = infos[i].Start + infos[i].RealTime
		assert.Equal(t, []ir.Shape{{4}}, infos[i].Outputs)
	}
	assert.Equal(t, []int64{32, 32, 48}, []int64{infos[0].Bytes, infos[1].Bytes, infos[2].Bytes})

	request = compile(t, chain("4"), CompileOptions{}).NewInferRequest()
	require.NoError(t, request.SetInput(0, ramp(t, 4)))
	require.NoError(t, request.Infer(background))
	assert.Nil(t, request.ProfilingInfo())
}

// TestProfilingInfo_threads runs an addition that is worth several threads, and one that is not.
func TestProfilingInfo_threads(t *testing.T) {
	n := &network{}
	n.result(n.op("Add", n.input("1024,1024"), n.input("1024,1024")))
	n.result(n.op("Add", n.input("2"), n.input("2")))
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	for _, options := range []CompileOptions{
		{InferenceNumThreads: 1}, {InferenceNumThreads: 2}, {InferenceNumThreads: 8, SimulateThreads: true},
	} {
		options.EnableProfiling = true
		compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), options)
		require.NoError(t, err)
		request := compiled.NewInferRequest()
		for i, shape := range []ir.Shape{{1024, 1024}, {1024, 1024}, {2}, {2}} {
			require.NoError(t, request.SetInput(i, f32(t, shape, make([]float32, shape.Elements())...)))
		}
		require.NoError(t, request.Infer(background))
		infos := request.ProfilingInfo()
		require.Len(t, infos, 2)
		large, small := infos[0], infos[1]
		if large.Outputs[0].Elements() == 2 {
			large, small = small, large
		}
		assert.Equal(t, 1, small.Threads)
		assert.Zero(t, small.Longest)
		if options.InferenceNumThreads == 1 {
			assert.Equal(t, 1, large.Threads)
			assert.Zero(t, large.Longest)
			continue
		}
		assert.LessOrEqual(t, large.Mean, large.Longest)
		assert.Positive(t, large.Mean)
		if options.SimulateThreads {
			assert.Equal(t, 8, large.Threads)
			assert.Positive(t, large.Saved)
		} else {
			assert.Zero(t, large.Saved)
		}
		compiled.Close()
	}
}

func TestProfilingInfo_fused(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "f32", "6")
	g.result(g.op("Double", g.op("Plus", g.op("Turn", x), x)))
	compiled, err := fusingCore(t).CompileModel(background, &g.Model, CompileOptions{EnableProfiling: true})
	require.NoError(t, err)
	defer compiled.Close()
	request := compiled.NewInferRequest()
	tensor, err := ir.NewTensor(ir.F32, 6)
	require.NoError(t, err)
	require.NoError(t, request.SetInput(0, tensor))
	require.NoError(t, request.Infer(background))
	infos := request.ProfilingInfo()
	require.Len(t, infos, 1)
	assert.Equal(t, "Turn", infos[0].NodeType)
	assert.Equal(t, []ProfiledNode{{"Plus2", "Plus"}, {"Double3", "Double"}}, infos[0].Fused)
	assert.Equal(t, int64(3*24), infos[0].Bytes, "the operand of Plus counts")
}

// TestProfilingInfo_unread profiles a layer with an output that nothing reads.
func TestProfilingInfo_unread(t *testing.T) {
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(), ops.Op{
		Type: "Twins", Version: 1, Inputs: ops.Exactly(1),
		Infer: func(in *infer.Inference) error {
			in.Outputs[0], in.Outputs[1] = in.Inputs[0], ir.Fact{Type: ir.I64, Shape: in.Inputs[0].Shape}
			return nil
		},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
		},
	})...)
	require.NoError(t, err)
	for index, want := range []int64{20 + 20, 20 + 40} {
		g := &testGraph{}
		g.result(out(g.add(ir.Layer{Type: "Twins"}, 2, g.parameter("x", "i32", "5")), index))
		compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{EnableProfiling: true})
		require.NoError(t, err)
		request := compiled.NewInferRequest()
		require.NoError(t, request.SetInput(0, ramp(t, 5)))
		require.NoError(t, request.Infer(background))
		infos := request.ProfilingInfo()
		require.Len(t, infos, 1)
		assert.Equal(t, want, infos[0].Bytes)
		assert.Equal(t, []ir.Shape{{5}, {5}}, infos[0].Outputs)
		compiled.Close()
	}
}

// TestProfilingInfo_kernel profiles kernels that report their algorithm and cost. One is prepared
// before the run, the other during it.
func TestProfilingInfo_kernel(t *testing.T) {
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(), ops.Op{
		Type: "Weigh", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			shape, err := p.Inputs[0].Shape.Static()
			kernel := func(*ops.Run) error { return nil }
			return &ops.Prepared{Kernel: kernel, Algorithm: "scales", Flops: 2 * float64(shape.Elements()), MovedBytes: 8}, err
		},
	})...)
	require.NoError(t, err)
	g := &testGraph{}
	x := g.parameter("x", "i32", "?")
	g.result(g.op("Weigh", x))
	g.result(g.op("Weigh", g.op("Positive", x)))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{EnableProfiling: true})
	require.NoError(t, err)
	defer compiled.Close()
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, i32(t, ir.Shape{5}, 1, -1, 2, -2, 3)))
	require.NoError(t, request.Infer(background))
	infos := slices.DeleteFunc(request.ProfilingInfo(), func(i ProfilingInfo) bool { return i.NodeType != "Weigh" })
	require.Len(t, infos, 2)
	for i, flops := range []float64{10, 6} {
		assert.Equal(t, "scales", infos[i].Algorithm)
		assert.Equal(t, flops, infos[i].Flops)
		assert.Equal(t, int64(8), infos[i].Bytes)
	}
}

// TestProfilingInfo_precision has products in integers and in floating point, with the reason for
// the second.
func TestProfilingInfo_precision(t *testing.T) {
	n := &network{}
	rng := rand.New(rand.NewPCG(1, 2))
	x := n.quantized(n.input("1,6,6,8"), 0, 2, 0, 2)
	n.result(n.op(paddedConvolution, x, n.weights(rng, "3,6,3,3", n.scalar(0.01))))
	n.result(n.op("Group"+paddedConvolution, x, n.weights(rng, "2,1,3,3,3", n.scalar(0.01))))
	y := n.op("Deformable"+paddedConvolution+` group="1" deformable_group="1"`, x, n.random(rng, -1, 1, 1, 18, 6, 8), n.random(rng, -1, 1, 3, 6, 3, 3))
	n.result(n.op(paddedConvolution, y, n.random(rng, -1, 1, 2, 3, 3, 3)))
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{EnableProfiling: true})
	require.NoError(t, err)
	defer compiled.Close()
	request := compiled.NewInferRequest()
	require.NoError(t, request.SetInput(0, f32(t, ir.Shape{1, 6, 6, 8}, make([]float32, 6*48)...)))
	require.NoError(t, request.Infer(background))
	got := map[string]string{}
	for _, info := range request.ProfilingInfo() {
		got[info.NodeType] = strings.TrimSpace(info.Precision.String() + " " + info.Reason)
	}
	if !gemm.QuadsPay() {
		assert.Equal(t, "f32", got["Convolution"])
		return
	}
	assert.Equal(t, "i8", got["QuantizedConvolution"])
	assert.Equal(t, "f32 layers of this type have no kernel for integers", got["DeformableConvolution"])
	assert.Equal(t, "u8", got["Quantize"])
	assert.Equal(t, fmt.Sprint("f32 the channels of a group are no multiple of ", gemm.QuadSize()), got["GroupConvolution"])
}
