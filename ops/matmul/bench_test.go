package matmul

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkKernels has square products, the layers of small transformers, many products of small
// matrices, and products with few rows or columns, on one thread and two.
func BenchmarkKernels(b *testing.B) {
	for _, c := range []trial{
		{elementType: ir.F32, a: shaped(b, ir.F32, 1024, 1024), b: shaped(b, ir.F32, 1024, 1024)},
		{elementType: ir.F32, a: shaped(b, ir.F32, 197, 192), b: shaped(b, ir.F32, 768, 192), transposeB: true, constB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 197, 768), b: shaped(b, ir.F32, 192, 768), transposeB: true, constB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 96, 384), b: shaped(b, ir.F32, 384, 384), transposeB: true, constB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 96, 384), b: shaped(b, ir.F32, 1536, 384), transposeB: true, constB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 3, 197, 64), b: shaped(b, ir.F32, 3, 197, 64), transposeB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 12, 128, 32), b: shaped(b, ir.F32, 12, 32, 128)},
		{elementType: ir.F32, a: shaped(b, ir.F32, 1, 512), b: shaped(b, ir.F32, 1000, 512), transposeB: true, constB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 1, 1024), b: shaped(b, ir.F32, 1024, 1024), constB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 8, 2048), b: shaped(b, ir.F32, 2048, 2048), constB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 1024, 512), b: shaped(b, ir.F32, 512, 10), constB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 1024, 4), b: shaped(b, ir.F32, 4, 64), constB: true},
		{elementType: ir.F32, a: shaped(b, ir.F32, 4, 4), b: shaped(b, ir.F32, 4, 4)},
		{elementType: ir.F16, a: shaped(b, ir.F16, 128, 384), b: shaped(b, ir.F16, 384, 384), constB: true},
		{elementType: ir.I32, a: shaped(b, ir.I32, 128, 384), b: shaped(b, ir.I32, 384, 384)},
	} {
		for _, c.threads = range []int{1, 2} {
			b.Run(fmt.Sprintf("%v%v%v/%d", c.elementType, c.a.Shape(), c.b.Shape(), c.threads), func(b *testing.B) {
				kernel, r := c.prepare(b)
				r.Pool = parallel.New(c.threads)
				defer r.Pool.Close()
				b.ReportAllocs()
				for b.Loop() {
					if err := kernel(r); err != nil {
						b.Fatal(err)
					}
				}
				shape := c.a.Shape()
				flops := 2 * float64(r.Outputs[0].Len()) * float64(shape[len(shape)-1])
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func shaped(b *testing.B, elementType ir.ElementType, lengths ...int) *ir.Tensor {
	b.Helper()
	return randomTensor(b, rand.New(rand.NewPCG(4, 4)), elementType, lengths)
}

// BenchmarkCompressed multiplies by the weights of a layer of a text model, for one token and for
// prompts, and by the same weights in f32.
func BenchmarkCompressed(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, depth, groups = 2816, 1024, 16
	transposed := layertest.Attributes{"transpose_b", "true"}
	rows := shaped(b, ir.F32, n, depth)
	u4 := []*ir.Tensor{randomBits(b, rng, ir.U4, ir.Shape{n, groups, depth / groups}), shaped(b, ir.F32, n, groups, 1), randomBits(b, rng, ir.U4, ir.Shape{n, groups, 1})}
	u8 := []*ir.Tensor{randomBits(b, rng, ir.U8, ir.Shape{n, depth}), shaped(b, ir.F32, n, 1), randomBits(b, rng, ir.U8, ir.Shape{n, 1})}
	for _, m := range []int{1, 2, 4, 8, 12, 16, 32, 128} {
		a := shaped(b, ir.F32, m, depth)
		c := trial{elementType: ir.F32, a: a, b: rows, transposeB: true, constB: true, threads: 1}
		b.Run(fmt.Sprint(m, " rows/f32"), func(b *testing.B) {
			kernel, r := c.prepare(b)
			r.Pool = parallel.New(1)
			defer r.Pool.Close()
			for b.Loop() {
				if err := kernel(r); err != nil {
					b.Fatal(err)
				}
			}
		})
		layertest.Benchmark(b, fmt.Sprint(m, " rows/u4"), compressedOp, transposed, append([]*ir.Tensor{a}, u4...)...)
		layertest.Benchmark(b, fmt.Sprint(m, " rows/u8"), compressedOp, transposed, append([]*ir.Tensor{a}, u8...)...)
	}
}

// BenchmarkLevels multiplies the levels of two activations, and the same numbers in f32: products
// of attention, and a large one.
func BenchmarkLevels(b *testing.B) {
	for _, c := range []struct {
		a, b       ir.Shape
		transposeB string
	}{
		{ir.Shape{12, 197, 64}, ir.Shape{12, 197, 64}, "true"},
		{ir.Shape{12, 197, 197}, ir.Shape{12, 197, 64}, "false"},
		{ir.Shape{12, 128, 128}, ir.Shape{12, 128, 64}, "false"},
		{ir.Shape{24, 49, 32}, ir.Shape{24, 49, 32}, "true"},
		{ir.Shape{24, 49, 49}, ir.Shape{24, 49, 32}, "false"},
		{ir.Shape{8, 512, 512}, ir.Shape{8, 512, 512}, "false"},
	} {
		at := layertest.Attributes{"transpose_a", "false", "transpose_b", c.transposeB}
		inputs := []*ir.Tensor{layertest.Numbers(b, ir.U8, c.a), layertest.Numbers(b, ir.U8, c.b)}
		for range 3 {
			number := shaped(b, ir.F32, 1)
			ir.Data[float32](number)[0] = 128
			inputs = append(inputs, number)
		}
		layertest.Benchmark(b, fmt.Sprint(c.a, c.b, "/u8"), productOp, at, inputs...)
		layertest.Benchmark(b, fmt.Sprint(c.a, c.b, "/f32"), &Ops[0], at, shaped(b, ir.F32, c.a...), shaped(b, ir.F32, c.b...))
	}
}
