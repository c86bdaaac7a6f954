package lowbit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/gemm"
)

// large returns a matrix of random codes.
func large(f Format, n, depth, groups int) *Matrix {
	rng := rand.New(rand.NewPCG(5, 5))
	src := make([]byte, n*depth*f.Bits/8)
	for i := range src {
		src[i] = byte(rng.Uint32())
	}
	l := NewLayout(f, n, depth, groups)
	factor := func(int, int) float32 { return float32(rng.IntN(16)) }
	return New(l.Pack(nil, &Source{Bytes: src, Bits: f.Bits, RowStride: 1, ColStride: depth}), l.PackFactors(nil, factor), l.PackFactors(nil, factor))
}

// BenchmarkMultiply multiplies few rows by a matrix of 8 or 16 MB, and reports the bytes of the
// matrix that are read.
func BenchmarkMultiply(b *testing.B) {
	for _, c := range []struct {
		name   string
		f      Format
		groups int
	}{{"u4", Format{Bits: 4}, 64}, {"table", Format{Bits: 4, Table: &table}, 64}, {"u8", Format{Bits: 8}, 1}, {"f8e4m3", Format{Bits: 8, Float: F8E4M3}, 1}} {
		eachISA(b, func(b *testing.B) {
			m := large(c.f, 4096, 4096, c.groups)
			for _, rows := range []int{1, MaxRows} {
				b.Run(fmt.Sprintf("%s/%d", c.name, rows), func(b *testing.B) { benchmarkMultiply(b, m, rows) })
			}
		})
	}
}

func benchmarkMultiply(b *testing.B, m *Matrix, rows int) {
	x, out := make([]float32, rows*m.Padded()), make([]float32, rows*m.n)
	b.SetBytes(int64(len(m.Codes.data) + len(m.Scales.data) + len(m.Zeros.data)))
	for b.Loop() {
		m.Multiply(nil, out, m.n, x, m.Padded(), rows, 0, m.Blocks())
	}
}

// BenchmarkMultiply_memory multiplies a row by matrices that are larger than the caches, of u4 and
// of f32.
func BenchmarkMultiply_memory(b *testing.B) {
	const n, depth = 16384, 8192
	b.Run("u4", func(b *testing.B) { benchmarkMultiply(b, large(Format{Bits: 4}, 2*n, depth, 64), 1) })
	b.Run("f32", func(b *testing.B) {
		a, c, data := make([]float32, depth), make([]float32, n), make([]float32, n*depth)
		for i := range data {
			data[i] = 1 // a page of its own for each part
		}
		b.SetBytes(4 * n * depth)
		for b.Loop() {
			gemm.Row(nil, c, a, gemm.Matrix[float32]{Data: data, RowStride: 1, ColStride: depth}, 0, n)
		}
	})
}

// BenchmarkExpand writes panels that stay in the cache.
func BenchmarkExpand(b *testing.B) {
	for name, f := range map[string]Format{"u4": {Bits: 4}, "u8": {Bits: 8}} {
		eachISA(b, func(b *testing.B) {
			m := large(f, 4096, 4096, 64)
			width := map[isa]int{avx512: 32, avx2: 16, portable: 2}[m.isa]
			dst := make([]float32, (384+7)*width)
			b.Run(name, func(b *testing.B) {
				b.SetBytes(4 * 384 * int64(width))
				for i := 0; b.Loop(); i++ {
					m.Expand(dst, width, 384*(i%10), 384, i%100*width, i%100*width+width)
				}
			})
		})
	}
}

// BenchmarkPack packs codes.
func BenchmarkPack(b *testing.B) {
	const n, depth = 1024, 1024
	for _, bits := range []int{2, 3, 4, 8} {
		l, src := NewLayout(Format{Bits: max(bits, 4)}, n, depth, 16), make([]byte, n*depth*bits/8)
		b.Run(fmt.Sprint(bits, " bits"), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				l.Pack(nil, &Source{Bytes: src, Bits: bits, RowStride: 1, ColStride: depth})
			}
		})
	}
}
