package plugin

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/subnormal"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
)

const subnormalLength = 1 << 14

// subnormalNetwork adds 2^-140 to data, twice, and multiplies by 2^20. One of the numbers is the
// product of two constants. The second output is data in another shape.
func subnormalNetwork() *network {
	n := &network{}
	data := n.input("16384")
	folded := n.op("Multiply", n.scalar(0x1p-120), n.scalar(0x1p-20))
	n.result(n.op("Multiply", n.op("Add", n.op("Add", data, n.scalar(0x1p-140)), folded), n.scalar(0x1p20)))
	n.result(n.op(`Reshape opset1 special_zero="false"`, data, n.ints(128, 128)))
	return n
}

// TestSubnormal checks what becomes of subnormal numbers in both modes, on the caller's thread and
// on others.
func TestSubnormal(t *testing.T) {
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	data := make([]float32, subnormalLength)
	for i := range data {
		data[i] = math.Float32frombits(1 << 9) // 2^-140
	}
	for _, mode := range []ExecutionMode{ExecutionModePerformance, ExecutionModeAccuracy} {
		for _, disable := range [][]Optimization{nil, {FoldConstants, FuseStages}} {
			for _, threads := range []int{1, 4} {
				compiled, err := NewCore(registry, Options{}).CompileModel(background, subnormalNetwork().model(t), CompileOptions{
					InferenceNumThreads: threads, ExecutionMode: mode, Disable: disable,
				})
				require.NoError(t, err)
				request := compiled.NewInferRequest()
				require.NoError(t, request.SetInput(0, f32(t, ir.Shape{subnormalLength}, data...)))
				require.NoError(t, request.Infer(background))
				want := float32(0)
				if mode == ExecutionModeAccuracy || !subnormal.Supported {
					want = 3 * 0x1p-120
				}
				for _, got := range ir.Data[float32](request.Output(0)) {
					require.Equal(t, want, got, "%v, %d threads", mode, threads)
				}
				for _, got := range ir.Data[float32](request.Output(1)) {
					require.Equal(t, uint32(1<<9), math.Float32bits(got), "a copy")
				}
				compiled.Close()
			}
		}
	}
}

// canary reports whether this goroutine computes with subnormal numbers. x has 16 times 2^-140.
func canary(x []float32) bool {
	sum := float32(0)
	for _, v := range x {
		sum += v
	}
	return math.Float32bits(sum) == 1<<13
}

// TestSubnormal_otherGoroutines computes with subnormal numbers on many goroutines, while others
// run inferences, which succeed, fail or are stopped.
func TestSubnormal_otherGoroutines(t *testing.T) {
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	n := &network{}
	data, indices := n.op("Add", n.input("16384"), n.scalar(1)), n.input("3000")
	n.result(n.op("ScatterUpdate opset3", data, n.to("i64", indices), indices, n.ints(0)))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{InferenceNumThreads: 3})
	require.NoError(t, err)
	defer compiled.Close()
	stopped, cancel := context.WithCancel(background)
	cancel()
	tiny := make([]float32, 16)
	for i := range tiny {
		tiny[i] = math.Float32frombits(1 << 9)
	}
	var inferring, watching sync.WaitGroup
	over := make(chan struct{})
	for range 4 {
		watching.Go(func() {
			for {
				for range 100 {
					if !canary(tiny) {
						t.Error("a goroutine that runs no inference flushes subnormal numbers")
						return
					}
				}
				select {
				case <-over:
					return
				default:
					runtime.Gosched() // on wasm, nothing else ends a turn
				}
			}
		})
	}
	for g := range 6 {
		inferring.Go(func() {
			request := compiled.NewInferRequest()
			indices := make([]float32, 3000)
			for i := range 60 {
				ctx, fails := background, false
				switch (g + i) % 3 {
				case 1:
					ctx, fails = stopped, true
				case 2:
					indices[2999], fails = 1<<20, true // out of range
				}
				assert.NoError(t, request.SetInput(0, f32(t, ir.Shape{subnormalLength}, make([]float32, subnormalLength)...)))
				assert.NoError(t, request.SetInput(1, f32(t, ir.Shape{3000}, indices...)))
				assert.Equal(t, fails, request.Infer(ctx) != nil)
				assert.True(t, canary(tiny), "after an inference")
				indices[2999] = 0
			}
		})
	}
	inferring.Wait()
	close(over)
	watching.Wait()
}
