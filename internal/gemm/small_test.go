package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// TestMultiplySmall compares with naive for all numbers of columns. Rows of a and b have elements
// between them that are not part of the product.
func TestMultiplySmall(t *testing.T) {
	eachKernel(t, func(name string, k *FloatKernel) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 12))
			count := 0
			for n := 1; n <= 80; n++ {
				for range 20 {
					m, depth, gap := 1+rng.IntN(40), rng.IntN(14), rng.IntN(3)
					a, b := Matrix[float32]{nil, depth + gap, 1}, Matrix[float32]{nil, n + gap, 1}
					if !IsSmall(&k.Tiling, a, b, m, n, depth) {
						continue
					}
					count++
					for _, x := range []*Matrix[float32]{&a, &b} {
						for range max(m, depth) * x.RowStride {
							x.Data = append(x.Data, float32(rng.IntN(9)-4))
						}
					}
					a.Data, b.Data = a.Data[:(m-1)*a.RowStride+depth], b.Data[:(depth-1)*b.RowStride+n]
					all := make([]float32, m*n+2)
					all[0], all[m*n+1] = guard, guard
					e := randomSteps(rng, m, n)
					MultiplySmall(all[1:m*n+1], a, b, m, n, depth, e)
					want := naive(a, b, m, n, depth)
					finish(want, n, e)
					require.Equal(t, want, all[1:m*n+1], "%dx%dx%d", m, depth, n)
					require.Equal(t, []float32{guard, guard}, []float32{all[0], all[m*n+1]}, "%dx%dx%d", m, depth, n)
				}
			}
			assert.Equal(t, k.ISA == tile.AVX512, count > 500, "%d products", count)
		})
	})
	k := New()
	rows, columns := Matrix[float32]{nil, 49, 1}, Matrix[float32]{nil, 1, 49}
	assert.False(t, IsSmall(&k.Tiling, columns, rows, 49, 49, 49))
	assert.False(t, IsSmall(&k.Tiling, rows, columns, 49, 49, 49))
}

// TestBounds_small gives slices that are one element too short.
func TestBounds_small(t *testing.T) {
	const m, n, depth = 13, 30, 5
	k := New()
	if !IsSmall(&k.Tiling, Matrix[float32]{nil, depth, 1}, Matrix[float32]{nil, n, 1}, m, n, depth) {
		t.Skip("there is no assembly")
	}
	run := func(a, b, c int) {
		x, y := Matrix[float32]{make([]float32, m*depth+64)[:a], depth, 1}, Matrix[float32]{make([]float32, depth*n+64)[:b], n, 1}
		MultiplySmall(make([]float32, m*n+64)[:c], x, y, m, n, depth, nil)
	}
	assert.NotPanics(t, func() { run(m*depth, depth*n, m*n) })
	assert.Panics(t, func() { run(m*depth-1, depth*n, m*n) })
	assert.Panics(t, func() { run(m*depth, depth*n-1, m*n) })
	assert.Panics(t, func() { run(m*depth, depth*n, m*n-1) })
}

// BenchmarkSmall compares products in place with packed ones.
func BenchmarkSmall(b *testing.B) {
	k := New()
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range []struct{ m, depth, n int }{
		{13, 16, 32}, {49, 32, 49}, {49, 49, 32}, {64, 64, 64}, {64, 128, 64}, {197, 64, 64}, {197, 197, 64},
	} {
		x, y, c := random(rng, s.m, s.depth), random(rng, s.depth, s.n), make([]float32, s.m*s.n)
		x.RowStride, x.ColStride, y.RowStride, y.ColStride = s.depth, 1, s.n, 1
		if !IsSmall(&k.Tiling, x, y, s.m, s.n, s.depth) {
			continue
		}
		b.Run(fmt.Sprintf("%dx%dx%d/packed", s.m, s.depth, s.n), func(b *testing.B) {
			panelsA, panelsB := make([]float32, k.PackedLenA(s.m, s.depth)), make([]float32, k.PackedLenB(s.n, s.depth))
			for b.Loop() {
				k.PackB(panelsB, y, s.n, s.depth, 0, 0, k.PanelsB(s.n))
				k.PackA(panelsA, x, s.m, s.depth, 0, 0, k.PanelsA(s.m))
				k.Multiply(&FloatProduct{C: c, LDC: s.n, A: panelsA, B: panelsB, Depth: s.depth, MHi: s.m, NHi: s.n})
			}
			reportSpeed(b, s.m, s.n, s.depth)
		})
		b.Run(fmt.Sprintf("%dx%dx%d/in place", s.m, s.depth, s.n), func(b *testing.B) {
			for b.Loop() {
				MultiplySmall(c, x, y, s.m, s.n, s.depth, nil)
			}
			reportSpeed(b, s.m, s.n, s.depth)
		})
	}
}
