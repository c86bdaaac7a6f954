package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// reportSpeed reports the speed of a benchmark that multiplies matrices of the given sizes.
func reportSpeed(b *testing.B, m, n, depth int) {
	b.ReportMetric(2*float64(m)*float64(n)*float64(depth)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// BenchmarkMultiply packs both matrices and multiplies them, as a layer without constant weights
// does on one thread.
func BenchmarkMultiply(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range []struct{ m, depth, n int }{
		{1024, 1024, 1024}, {197, 192, 768}, {197, 768, 192}, {96, 384, 1536}, {8, 512, 512}, {64, 576, 49}, {200, 4, 200},
	} {
		x, y, c := random(rng, s.m, s.depth), random(rng, s.depth, s.n), make([]float32, s.m*s.n)
		x.RowStride, x.ColStride, y.RowStride, y.ColStride = s.depth, 1, s.n, 1
		eachKernel(b, func(name string, k *FloatKernel) {
			b.Run(fmt.Sprintf("%dx%dx%d/%s", s.m, s.depth, s.n, name), func(b *testing.B) {
				const block = 240 // rows
				panelsA := make([]float32, k.PanelsA(block)*k.MR*k.KC)
				panelsB := make([]float32, k.PanelsB(s.n)*k.NR*k.KC)
				for b.Loop() {
					for i := range k.Blocks(s.depth) {
						k.PackB(panelsB, y, s.n, s.depth, i, 0, k.PanelsB(s.n))
						for m := 0; m < s.m; m += block {
							rows := min(block, s.m-m)
							k.PackA(panelsA, Matrix[float32]{x.Data[m*s.depth:], s.depth, 1}, rows, s.depth, i, 0, k.PanelsA(rows))
							k.Multiply(&FloatProduct{C: c[m*s.n:], LDC: s.n, A: panelsA, B: panelsB, Depth: s.depth, Block: i, MHi: rows, NHi: s.n})
						}
					}
				}
				reportSpeed(b, s.m, s.n, s.depth)
			})
		})
	}
}

// BenchmarkTile runs only the micro-kernel, for all rows and for fewer.
func BenchmarkTile(b *testing.B) {
	eachKernel(b, func(name string, k *FloatKernel) {
		for _, rows := range []int{k.MR, k.MR/2 + 1, 1} {
			b.Run(fmt.Sprint(name, "/", rows), func(b *testing.B) {
				x, y := make([]float32, k.MR*k.KC), make([]float32, k.NR*k.KC)
				c := make([]float32, k.MR*k.NR)
				for b.Loop() {
					k.Multiply(&FloatProduct{C: c, LDC: k.NR, A: x, B: y, Depth: 2 * k.KC, Block: 1, MHi: rows, NHi: k.NR})
				}
				reportSpeed(b, rows, k.NR, k.KC)
			})
		}
	})
}

// BenchmarkPack packs a and b, each in row-major and in column-major order.
func BenchmarkPack(b *testing.B) {
	const lines, depth = 256, 384
	src := make([]float32, lines*depth)
	eachKernel(b, func(name string, k *FloatKernel) {
		dst := make([]float32, (lines+k.NR+k.MR)*depth)
		for _, p := range []struct {
			name string
			pack func()
		}{
			{"A", func() { k.PackA(dst, Matrix[float32]{src, depth, 1}, lines, depth, 0, 0, k.PanelsA(lines)) }},
			{"A transposed", func() { k.PackA(dst, Matrix[float32]{src, 1, lines}, lines, depth, 0, 0, k.PanelsA(lines)) }},
			{"B", func() { k.PackB(dst, Matrix[float32]{src, lines, 1}, lines, depth, 0, 0, k.PanelsB(lines)) }},
			{"B transposed", func() { k.PackB(dst, Matrix[float32]{src, 1, depth}, lines, depth, 0, 0, k.PanelsB(lines)) }},
		} {
			b.Run(name+"/"+p.name, func(b *testing.B) {
				b.SetBytes(4 * lines * depth)
				for b.Loop() {
					p.pack()
				}
			})
		}
	})
}

// BenchmarkRow_narrow multiplies the weights of one query of attention by the values of 144 tokens.
func BenchmarkRow_narrow(b *testing.B) {
	const n, depth = 64, 144
	a, c, data := make([]float32, depth), make([]float32, n), make([]float32, n*depth)
	for b.Loop() {
		Row(nil, c, a, Matrix[float32]{data, n, 1}, 0, n)
	}
	reportSpeed(b, 1, n, depth)
}

// BenchmarkRow multiplies one row by a matrix in row-major and in column-major order.
func BenchmarkRow(b *testing.B) {
	const n, depth = 1000, 512
	a, c, data := make([]float32, depth), make([]float32, n), make([]float32, n*depth)
	for name, m := range map[string]Matrix[float32]{"rows": {data, n, 1}, "columns": {data, 1, depth}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4 * n * depth)
			for b.Loop() {
				Row(nil, c, a, m, 0, n)
			}
			reportSpeed(b, 1, n, depth)
		})
	}
}
