package plugin

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
)

// compileMode compiles n for an execution mode, with profiles.
func compileMode(t *testing.T, n *network, mode ExecutionMode) *CompiledModel {
	t.Helper()
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{
		InferenceNumThreads: 1, ExecutionMode: mode, EnableProfiling: true,
	})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	return compiled
}

// halfFilters adds filters that are random f16, converted to f32. They are so large that they are
// converted when they are read.
func (n *network) halfFilters(rng *rand.Rand) port {
	for range 64 * 64 * 9 {
		bits := half.F32ToF16(rng.Float32() - 0.5)
		n.bin = append(n.bin, byte(bits), byte(bits>>8))
	}
	return n.to("f32", n.constant("f16", "64,64,3,3", 2*64*64*9))
}

// TestExecutionMode compares both modes, for data with a NaN, an infinity and a very large number.
// They must differ only by rounding.
func TestExecutionMode(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := &network{}
	y := n.op("Convolution "+convolution, n.input("1,64,16,16"), n.halfFilters(rng))
	n.result(n.op("Multiply", y, n.random(rng, 0.5, 2, 1, 64, 1, 1)))
	data := make([]float32, 64*16*16)
	for i := range data {
		data[i] = rng.Float32() - 0.5
	}
	data[3*256+2*16+2] = float32(math.NaN())
	data[4*256+8*16+8] = float32(math.Inf(-1))
	data[5*256+13*16+3] = 1e30
	var outputs [2][]float32
	for i, mode := range []ExecutionMode{ExecutionModePerformance, ExecutionModeAccuracy} {
		request := compileMode(t, n, mode).NewInferRequest()
		require.NoError(t, request.SetInput(0, f32(t, ir.Shape{1, 64, 16, 16}, data...)))
		require.NoError(t, request.Infer(background))
		outputs[i] = ir.Data[float32](request.Output(0))
		infos := request.ProfilingInfo()
		assert.Equal(t, "Convolution", infos[0].NodeType)
		assert.Equal(t, []string{"Winograd", "implicit GEMM"}[i], infos[0].Algorithm)
		assert.Len(t, infos[0].Fused, i, "%v: MergeAffine", mode)
	}
	different := 0
	for i, want := range outputs[1] {
		got := outputs[0][i]
		if want != got {
			different++
		}
		switch {
		case want != want:
			require.True(t, got != got, "element %d is %v, want NaN", i, got)
		case math.IsInf(float64(want), 0):
			require.Equal(t, want, got, "element %d", i)
		default:
			require.InDelta(t, want, got, 1e-4*max(1, math.Abs(float64(want))), "element %d", i)
		}
	}
	assert.Greater(t, different, 1000, "the modes round differently")
}

func TestExecutionMode_names(t *testing.T) {
	for _, mode := range []ExecutionMode{ExecutionModePerformance, ExecutionModeAccuracy} {
		got, err := ParseExecutionMode(mode.String())
		require.NoError(t, err)
		assert.Equal(t, mode, got)
	}
	got, err := ParseExecutionMode("accuracy")
	require.NoError(t, err)
	assert.Equal(t, ExecutionModeAccuracy, got)
	_, err = ParseExecutionMode("fast")
	assert.EqualError(t, err, `"fast" is not an execution mode; there are PERFORMANCE and ACCURACY`)
	assert.Equal(t, "ExecutionMode(7)", ExecutionMode(7).String())
}
