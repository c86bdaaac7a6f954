package gemm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// naive computes the product by its definition.
func naive[T Number](a, b Matrix[T], m, n, depth int) []T {
	c := make([]T, m*n)
	for i := range m {
		for j := range n {
			for p := range depth {
				c[i*n+j] += a.Data[i*a.RowStride+p*a.ColStride] * b.Data[p*b.RowStride+j*b.ColStride]
			}
		}
	}
	return c
}

// random returns a matrix of small whole numbers, in row-major or column-major order. Their
// products and sums are exact in every type and in any order.
func random[T Number](rng *rand.Rand, rows, columns int) Matrix[T] {
	m := Matrix[T]{Data: make([]T, rows*columns), RowStride: columns, ColStride: 1}
	if rng.IntN(2) == 0 {
		m.RowStride, m.ColStride = 1, rows
	}
	for i := range m.Data {
		m.Data[i] = T(rng.IntN(9)) - 4
	}
	return m
}

// guard is the value of the elements around a product, which must not change.
const guard = 77

// multiply packs a and b and multiplies them in ranges of panels, as callers do.
func multiply[T Number](t *testing.T, rng *rand.Rand, k *Kernel[T], a, b Matrix[T], m, n, depth, ldc int, e *Epilogue[T]) []T {
	all := make([]T, m*ldc+2)
	for i := range all {
		all[i] = guard
	}
	c := all[1 : len(all)-1]
	packed, left := k.PackAllB(nil, b, n, depth), k.PackAllA(nil, a, m, depth)
	for i := range k.Blocks(depth) {
		panels := make([]T, k.PanelsA(m)*k.MR*k.Depth(i, depth))
		for i := range panels {
			panels[i] = guard // rows beyond the last are set to 0
		}
		cut := rng.IntN(k.PanelsA(m) + 1)
		k.PackA(panels, a, m, depth, i, cut, k.PanelsA(m))
		k.PackA(panels, a, m, depth, i, 0, cut)
		require.Equal(t, panels, left.Block(i)[:len(panels)])
		mCut, nCut := min(cut*k.MR, m), min(rng.IntN(k.PanelsB(n)+1)*k.NR, n)
		k.MultiplyThen(c, ldc, panels, packed.Block(i), depth, i, 0, mCut, 0, nCut, e)
		k.MultiplyThen(c, ldc, panels, packed.Block(i), depth, i, mCut, m, 0, nCut, e)
		k.MultiplyThen(c, ldc, panels, packed.Block(i), depth, i, 0, m, nCut, n, e)
	}
	require.Equal(t, T(guard), all[0])
	require.Equal(t, T(guard), all[len(all)-1])
	var product []T
	for i := range m {
		for _, v := range c[i*ldc+n : (i+1)*ldc] {
			require.Equal(t, T(guard), v)
		}
		product = append(product, c[i*ldc:][:n]...)
	}
	return product
}

// testKernel compares a kernel with naive.
func testKernel[T Number](t *testing.T, k *Kernel[T]) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		m, n, depth := 1+rng.IntN(3*k.MR), 1+rng.IntN(3*k.NR), 1+rng.IntN(40)
		if i%6 == 0 {
			depth = k.KC - 1 + rng.IntN(k.KC+3)
		}
		a, b := random[T](rng, m, depth), random[T](rng, depth, n)
		e := randomEpilogue[T](rng, m, n)
		got := multiply(t, rng, k, a, b, m, n, depth, n+rng.IntN(3), e)
		want := naive(a, b, m, n, depth)
		finish(want, n, e)
		require.Equal(t, want, got, "%dx%dx%d, %+v", m, depth, n, e)
	}
}

// TestTiles tests tiles of every number of rows and columns.
func TestTiles(t *testing.T) {
	eachKernel(t, func(name string, k *Kernel[float32]) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(9, 10))
			block := *k
			block.KC = 6
			for m := 1; m <= k.MR; m++ {
				for n := 1; n <= k.NR; n++ {
					depth := 1 + rng.IntN(3*block.KC)
					a, b, e := random[float32](rng, m, depth), random[float32](rng, depth, n), randomEpilogue[float32](rng, m, n)
					want := naive(a, b, m, n, depth)
					finish(want, n, e)
					require.Equal(t, want, multiply(t, rng, &block, a, b, m, n, depth, n+rng.IntN(2), e), "%dx%dx%d", m, depth, n)
				}
			}
		})
	})
}

// randomEpilogue returns an epilogue that may have biases and a clamp, or nil.
func randomEpilogue[T Number](rng *rand.Rand, m, n int) *Epilogue[T] {
	if rng.IntN(4) == 0 {
		return nil
	}
	e := &Epilogue[T]{Clamp: rng.IntN(2) == 0, Lo: T(rng.IntN(3)), Hi: T(3 + rng.IntN(20))}
	if rng.IntN(2) == 0 {
		e.RowBias = random[T](rng, 1, m).Data
	}
	if rng.IntN(2) == 0 {
		e.ColumnBias = random[T](rng, 1, n).Data
	}
	return e
}

// finish applies an epilogue by its definition.
func finish[T Number](c []T, n int, e *Epilogue[T]) {
	for i := range c {
		switch {
		case e == nil:
			return
		case e.RowBias != nil && e.ColumnBias != nil:
			c[i] += e.RowBias[i/n] + e.ColumnBias[i%n]
		case e.RowBias != nil:
			c[i] += e.RowBias[i/n]
		case e.ColumnBias != nil:
			c[i] += e.ColumnBias[i%n]
		}
		if e.Clamp {
			c[i] = min(max(c[i], e.Lo), e.Hi)
		}
	}
}

// TestEpilogue_extremes tests the clamp of NaN and of infinities.
func TestEpilogue_extremes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	eachKernel(t, func(name string, k *Kernel[float32]) {
		t.Run(name, func(t *testing.T) {
			a, b := Matrix[float32]{[]float32{1}, 1, 1}, Matrix[float32]{[]float32{nan, inf, -inf, 0.5, 7}, 5, 1}
			c := make([]float32, 5)
			e := &Epilogue[float32]{Clamp: true, Lo: 0, Hi: inf}
			k.MultiplyThen(c, 5, k.PackAllA(nil, a, 1, 1).Block(0), k.PackAllB(nil, b, 5, 1).Block(0), 1, 0, 0, 1, 0, 5, e)
			assert.Equal(t, []float32{0, inf, 0, 0.5, 7}, c)
		})
	})
}

// eachKernel calls f with every kernel for float32 that this machine supports.
func eachKernel(t testing.TB, f func(name string, k *Kernel[float32])) {
	best := New[float32]()
	f(best.String(), best)
	defer cpu.AVX512.Disable()()
	if k := New[float32](); k.ISA != best.ISA {
		f(k.String(), k)
	}
	defer cpu.FMA.Disable()()
	defer cpu.NEON.Disable()()
	k := New[float32]()
	assert.Equal(t, tile.Portable, k.ISA)
	if k.ISA != best.ISA {
		f(k.String(), k)
	}
}

func TestKernels(t *testing.T) {
	eachKernel(t, func(name string, k *Kernel[float32]) {
		t.Run(name, func(t *testing.T) { testKernel(t, k) })
	})
	t.Run("float64", func(t *testing.T) { testKernel(t, New[float64]()) })
	t.Run("uint8", func(t *testing.T) { testKernel(t, New[uint8]()) })
	t.Run("int64", func(t *testing.T) { testKernel(t, New[int64]()) })
}

func TestRow(t *testing.T) {
	t.Run("float32", testRow[float32])
	t.Run("int16", testRow[int16])
	defer cpu.AVX512.Disable()()
	t.Run("below AVX-512", testRow[float32])
	defer cpu.FMA.Disable()()
	t.Run("portable", testRow[float32])
}

// TestRow_cuts checks that no bit of the result depends on the ranges of columns, be they narrow or
// not.
func TestRow_cuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n, depth = 205, 45 // more columns than any function keeps in registers
	for _, b := range []Matrix[float32]{{RowStride: n, ColStride: 1}, {RowStride: 1, ColStride: depth}} {
		b.Data = make([]float32, n*depth)
		a := make([]float32, depth)
		for _, x := range [][]float32{a, b.Data} {
			for i := range x {
				x[i] = rng.Float32() - 0.5
			}
		}
		want, got := make([]float32, n), make([]float32, n)
		Row(nil, want, a, b, 0, n)
		for cut := range n {
			Row(nil, got, a, b, 0, cut)
			Row(nil, got, a, b, cut, n)
			require.Equal(t, want, got, "cut at %d", cut)
		}
	}
}

// TestRow_long has rows that are longer than one dot product, and columns before and behind those
// that are computed.
func TestRow_long(t *testing.T) {
	const depth, columns = maxRowDepth + 37, 3
	a, b := make([]int64, depth), Matrix[int64]{Data: make([]int64, columns*depth), RowStride: 1, ColStride: depth}
	want := []int64{7, 0, 7}
	for p := range a {
		a[p] = int64(p%11) - 5
		for j := range columns {
			b.Data[j*depth+p] = int64(p%7 + j)
		}
		want[1] += a[p] * b.Data[depth+p]
	}
	c := []int64{7, 7, 7}
	Row(nil, c, a, b, 1, 2)
	require.Equal(t, want, c)
}

// testRow compares Row with naive.
func testRow[T Number](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n, depth := 1+rng.IntN(80), rng.IntN(80)
		a, b := random[T](rng, 1, depth), random[T](rng, depth, n)
		a.RowStride, a.ColStride = depth, 1
		c := make([]T, n)
		cut := rng.IntN(n + 1)
		Row(nil, c, a.Data, b, cut, n)
		Row(nil, c, a.Data, b, 0, cut)
		require.Equal(t, naive(a, b, 1, n, depth), c, "1x%dx%d", depth, n)
	}
}
