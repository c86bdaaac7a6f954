package plugin

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// BenchmarkInferTiny measures the cost of an Infer of one small layer, without and with a context
// that can end.
func BenchmarkInferTiny(b *testing.B) {
	g := &testGraph{}
	g.result(g.op("Inc", g.parameter("x", "i32", "1")))
	request := compile(b, g, CompileOptions{InferenceNumThreads: 2}).NewInferRequest()
	require.NoError(b, request.SetInput(0, ramp(b, 1)))
	for name, ctx := range map[string]context.Context{"background": background, "cancellable": b.Context()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := request.Infer(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkInferManyLayers measures the cost of the executor for each layer. The layers compute
// little. Some models have static shapes, others shapes that depend on data. Large shapes make the
// kernels use threads.
func BenchmarkInferManyLayers(b *testing.B) {
	const layers = 500
	for _, shape := range []string{"1", "64", "late"} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("shape=%s/threads=%d", shape, threads), func(b *testing.B) {
				g := &testGraph{}
				x := g.parameter("x", "i32", "64")
				if shape == "late" {
					x = g.op("Positive", x)
				}
				if shape == "1" {
					x = g.op("Prefix", x, g.constant(mustInts(1)))
				}
				v := x
				for range layers {
					v = g.op("Sum", v, x)
				}
				g.result(v)
				request := compile(b, g, CompileOptions{InferenceNumThreads: threads}).NewInferRequest()
				require.NoError(b, request.SetInput(0, ramp(b, 64)))
				for b.Loop() {
					if err := request.Infer(background); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/layers, "ns/layer")
			})
		}
	}
}

// BenchmarkInferOtherShapes measures the cost of a change of input shapes: to shapes that the
// request has seen before, to shapes that only the CompiledModel has seen, and to new shapes.
func BenchmarkInferOtherShapes(b *testing.B) {
	const layers = 500
	g := &testGraph{}
	v := g.parameter("x", "i32", "?")
	for range layers {
		v = g.op("Inc", v)
	}
	g.result(v)
	compiled := compile(b, g, CompileOptions{InferenceNumThreads: 1})
	inputs := []*ir.Tensor{ramp(b, 3), ramp(b, 5)}
	infer := func(request *InferRequest, i int) {
		if err := request.SetInput(0, inputs[i%2]); err != nil {
			b.Fatal(err)
		}
		if err := request.Infer(background); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("seen", func(b *testing.B) {
		request := compiled.NewInferRequest()
		for i := 0; b.Loop(); i++ {
			infer(request, i)
		}
	})
	b.Run("same", func(b *testing.B) {
		request := compiled.NewInferRequest()
		for b.Loop() {
			infer(request, 0)
		}
	})
	b.Run("new request", func(b *testing.B) {
		for b.Loop() {
			infer(compiled.NewInferRequest(), 0)
		}
	})
	b.Run("unseen", func(b *testing.B) {
		request := compiled.NewInferRequest()
		for i := 0; b.Loop(); i++ {
			inputs[0] = ramp(b, 1+i%1000)
			infer(request, 0)
		}
	})
}
