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
func naive(a, b Matrix[float32], m, n, depth int) []float32 {
	c := make([]float32, m*n)
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
// products and sums are exact in any order.
func random(rng *rand.Rand, rows, columns int) Matrix[float32] {
	m := Matrix[float32]{Data: make([]float32, rows*columns), RowStride: columns, ColStride: 1}
	if rng.IntN(2) == 0 {
		m.RowStride, m.ColStride = 1, rows
	}
	for i := range m.Data {
		m.Data[i] = float32(rng.IntN(9)) - 4
	}
	return m
}

// guard is the value of the elements around a product, which must not change.
const guard = 77

// multiply packs a and b and multiplies them in ranges of panels, as callers do.
func multiply(t *testing.T, rng *rand.Rand, k *FloatKernel, a, b Matrix[float32], m, n, depth, ldc int, e []Step) []float32 {
	all := make([]float32, m*ldc+2)
	for i := range all {
		all[i] = guard
	}
	c := all[1 : len(all)-1]
	packed, left := k.PackAllB(nil, b, n, depth), k.PackAllA(nil, a, m, depth)
	for i := range k.Blocks(depth) {
		panels := make([]float32, k.PanelsA(m)*k.MR*k.Depth(i, depth))
		for i := range panels {
			panels[i] = guard // rows beyond the last are set to 0
		}
		cut := rng.IntN(k.PanelsA(m) + 1)
		k.PackA(panels, a, m, depth, i, cut, k.PanelsA(m))
		k.PackA(panels, a, m, depth, i, 0, cut)
		require.Equal(t, panels, left.Block(i)[:len(panels)])
		mCut, nCut := min(cut*k.MR, m), min(rng.IntN(k.PanelsB(n)+1)*k.NR, n)
		k.Multiply(&FloatProduct{C: c, LDC: ldc, A: panels, B: packed.Block(i), Depth: depth, Block: i, MHi: mCut, NHi: nCut, Steps: e})
		k.Multiply(&FloatProduct{C: c, LDC: ldc, A: panels, B: packed.Block(i), Depth: depth, Block: i, MLo: mCut, MHi: m, NHi: nCut, Steps: e})
		k.Multiply(&FloatProduct{C: c, LDC: ldc, A: panels, B: packed.Block(i), Depth: depth, Block: i, MHi: m, NLo: nCut, NHi: n, Steps: e})
	}
	require.Equal(t, float32(guard), all[0])
	require.Equal(t, float32(guard), all[len(all)-1])
	var product []float32
	for i := range m {
		for _, v := range c[i*ldc+n : (i+1)*ldc] {
			require.Equal(t, float32(guard), v)
		}
		product = append(product, c[i*ldc:][:n]...)
	}
	return product
}

// testKernel compares a kernel with naive.
func testKernel(t *testing.T, k *FloatKernel) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		m, n, depth := 1+rng.IntN(3*k.MR), 1+rng.IntN(3*k.NR), 1+rng.IntN(40)
		if i%6 == 0 {
			depth = k.KC - 1 + rng.IntN(k.KC+3)
		}
		a, b := random(rng, m, depth), random(rng, depth, n)
		e := randomSteps(rng, m, n)
		got := multiply(t, rng, k, a, b, m, n, depth, n+rng.IntN(3), e)
		want := naive(a, b, m, n, depth)
		finish(want, n, e)
		require.Equal(t, want, got, "%dx%dx%d, %+v", m, depth, n, e)
	}
}

// TestTiles tests tiles of every number of rows and columns.
func TestTiles(t *testing.T) {
	eachKernel(t, func(name string, k *FloatKernel) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(9, 10))
			block := *k
			block.KC = 6
			for m := 1; m <= k.MR; m++ {
				for n := 1; n <= k.NR; n++ {
					depth := 1 + rng.IntN(3*block.KC)
					a, b, e := random(rng, m, depth), random(rng, depth, n), randomSteps(rng, m, n)
					want := naive(a, b, m, n, depth)
					finish(want, n, e)
					require.Equal(t, want, multiply(t, rng, &block, a, b, m, n, depth, n+rng.IntN(2), e), "%dx%dx%d", m, depth, n)
				}
			}
		})
	})
}

// randomSteps returns steps that may have biases and a clamp.
func randomSteps(rng *rand.Rand, m, n int) (steps []Step) {
	if rng.IntN(2) == 0 {
		steps = append(steps, Step{Op: AddRows, Values: random(rng, 1, m).Data})
	}
	if rng.IntN(2) == 0 {
		steps = append(steps, Step{Op: AddColumns, Values: random(rng, 1, n).Data})
	}
	if rng.IntN(2) == 0 {
		steps = append(steps, Step{Op: Clamp, Lo: float32(rng.IntN(3)), Hi: float32(3 + rng.IntN(20))})
	}
	return steps
}

// finish applies steps by their definition.
func finish(c []float32, n int, steps []Step) {
	for _, s := range steps {
		for i := range c {
			switch s.Op {
			case AddRows:
				c[i] += s.Values[i/n]
			case AddColumns:
				c[i] += s.Values[i%n]
			case Clamp:
				c[i] = min(max(c[i], s.Lo), s.Hi)
			}
		}
	}
}

// TestSteps_order checks that steps in another order than that of the assembly are refused.
func TestSteps_order(t *testing.T) {
	c, k := make([]float32, 1), New()
	for _, steps := range [][]Step{
		{{Op: Clamp}, {Op: AddRows, Values: []float32{1}}}, {{Op: Clamp}, {Op: Clamp}}, {{Op: AddColumns, Values: []float32{1}}, {Op: AddRows, Values: []float32{1}}},
	} {
		a, b := make([]float32, k.MR), make([]float32, k.NR)
		assert.Panics(t, func() {
			k.Multiply(&FloatProduct{C: c, LDC: 1, A: a, B: b, Depth: 1, MHi: 1, NHi: 1, Steps: steps})
		})
	}
}

// TestSteps_extremes tests the clamp of NaN and of infinities.
func TestSteps_extremes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	eachKernel(t, func(name string, k *FloatKernel) {
		t.Run(name, func(t *testing.T) {
			a, b := Matrix[float32]{[]float32{1}, 1, 1}, Matrix[float32]{[]float32{nan, inf, -inf, 0.5, 7}, 5, 1}
			c := make([]float32, 5)
			e := []Step{{Op: Clamp, Hi: inf}}
			k.Multiply(&FloatProduct{C: c, LDC: 5, A: k.PackAllA(nil, a, 1, 1).Block(0), B: k.PackAllB(nil, b, 5, 1).Block(0), Depth: 1, MHi: 1, NHi: 5, Steps: e})
			assert.Equal(t, []float32{0, inf, 0, 0.5, 7}, c)
		})
	})
}

// eachKernel calls f with every kernel for float32 that this machine supports.
func eachKernel(t testing.TB, f func(name string, k *FloatKernel)) {
	best := New()
	f(best.String(), best)
	defer cpu.AVX512.Disable()()
	if k := New(); k.ISA != best.ISA {
		f(k.String(), k)
	}
	defer cpu.FMA.Disable()()
	defer cpu.NEON.Disable()()
	k := New()
	assert.Equal(t, tile.Portable, k.ISA)
	if k.ISA != best.ISA {
		f(k.String(), k)
	}
}

func TestKernels(t *testing.T) {
	eachKernel(t, func(name string, k *FloatKernel) {
		t.Run(name, func(t *testing.T) { testKernel(t, k) })
	})
}

func TestRow(t *testing.T) {
	t.Run("float32", testRow)
	defer cpu.AVX512.Disable()()
	t.Run("below AVX-512", testRow)
	defer cpu.FMA.Disable()()
	t.Run("portable", testRow)
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
	a, b := make([]float32, depth), Matrix[float32]{Data: make([]float32, columns*depth), RowStride: 1, ColStride: depth}
	want := []float32{7, 0, 7}
	for p := range a {
		a[p] = float32(p%11) - 5
		for j := range columns {
			b.Data[j*depth+p] = float32(p%7 + j)
		}
		want[1] += a[p] * b.Data[depth+p]
	}
	c := []float32{7, 7, 7}
	Row(nil, c, a, b, 1, 2)
	require.Equal(t, want, c)
}

// testRow compares Row with naive.
func testRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n, depth := 1+rng.IntN(80), rng.IntN(80)
		a, b := random(rng, 1, depth), random(rng, depth, n)
		a.RowStride, a.ColStride = depth, 1
		c := make([]float32, n)
		cut := rng.IntN(n + 1)
		Row(nil, c, a.Data, b, cut, n)
		Row(nil, c, a.Data, b, 0, cut)
		require.Equal(t, naive(a, b, 1, n, depth), c, "1x%dx%d", depth, n)
	}
}
