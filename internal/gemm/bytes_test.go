package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// randomBytes returns n random elements, the smallest and the largest ones among them.
func randomBytes[T uint8 | int8](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.UintN(256))
		switch rng.IntN(5) {
		case 0:
			x[i] = 127
		case 1:
			x[i] = ^T(127) // 128 or -128
		}
	}
	return x
}

// TestBytes compares with the definition, with and without assembly. Rows of a and c have elements
// between them.
func TestBytes(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AMX}, {cpu.AMX, cpu.AVX512VNNI}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI}, {cpu.DotProd}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			rng := rand.New(rand.NewPCG(1, 2))
			for range 400 {
				checkBytes(t, rng, 1+rng.IntN(40), 4*(1+rng.IntN(20)), 1+rng.IntN(100))
			}
			checkBytes(t, rng, 3, MaxBytesDepth/4*4, 33)
		})
	}
}

func checkBytes(t *testing.T, rng *rand.Rand, m, depth, n int) {
	t.Helper()
	require.True(t, IsBytes(depth))
	stride, ldc := depth+rng.IntN(3), n+rng.IntN(3)
	a, b := randomBytes[uint8](rng, (m-1)*stride+depth), randomBytes[int8](rng, depth*n)
	matrix := Matrix[int8]{b, n, 1}
	if rng.IntN(2) == 0 {
		matrix = Matrix[int8]{b, 1, depth}
	}
	scale, offset := make([]float32, n+BytesColumns), make([]float32, n+BytesColumns)
	for j := range scale {
		scale[j], offset[j] = rng.Float32()/1024, rng.Float32()-0.5
	}
	packed := PackBytes(nil, matrix, n, depth)
	assert.EqualValues(t, packed.Panels(), (n+BytesColumns-1)/BytesColumns)
	lo := rng.IntN(packed.Panels())
	hi := lo + 1 + rng.IntN(packed.Panels()-lo)
	all := make([]float32, (m-1)*ldc+n+2)
	for i := range all {
		all[i] = guard
	}
	c := all[1 : len(all)-1]
	packed.Multiply(&BytesProduct{C: c, LDC: ldc, A: a, Stride: stride, Rows: m, Scale: scale, Offset: offset}, lo, hi)
	for i := range m {
		for j := range min(ldc, len(c)-i*ldc) {
			if j < lo*BytesColumns || j >= min(hi*BytesColumns, n) {
				require.Equal(t, float32(guard), c[i*ldc+j], "%dx%dx%d, row %d, column %d", m, depth, n, i, j)
				continue
			}
			sum := 0
			for p := range depth {
				sum += int(a[i*stride+p]) * int(b[p*matrix.RowStride+j*matrix.ColStride])
			}
			want := float64(sum)*float64(scale[j]) + float64(offset[j])
			// A sum above 2^24 is rounded before it is multiplied.
			require.InDelta(t, want, c[i*ldc+j], 1.2e-7*(abs(float64(sum)*float64(scale[j]))+abs(want)), "%dx%dx%d, row %d, column %d", m, depth, n, i, j)
		}
	}
	require.Equal(t, []float32{guard, guard}, []float32{all[0], all[len(all)-1]})
}

func abs(x float64) float64 { return max(x, -x) }

// TestIsBytes has depths that are not supported: the sums would not fit, or quads would not be
// whole.
func TestIsBytes(t *testing.T) {
	for _, depth := range []int{0, 1, 6, 65793, 65796, 1 << 20} {
		assert.False(t, IsBytes(depth), "%d", depth)
	}
	assert.True(t, IsBytes(4))
	assert.True(t, IsBytes(65792))
}

// TestBounds_bytes gives slices that are one element too short.
func TestBounds_bytes(t *testing.T) {
	if !BytesPay() || pack.HasWords() {
		t.Skip("there is no assembly")
	}
	const m, n, depth = 13, 30, 8
	packed := PackBytes(nil, Matrix[int8]{make([]int8, depth*n), n, 1}, n, depth)
	ones := make([]float32, BytesColumns)
	run := func(a, c int) {
		packed.Multiply(&BytesProduct{C: make([]float32, m*n+64)[:c], LDC: n, A: make([]uint8, m*depth+64)[:a], Stride: depth, Rows: m, Scale: ones, Offset: ones}, 0, 1)
	}
	assert.NotPanics(t, func() { run(m*depth, m*n) })
	assert.Panics(t, func() { run(m*depth-1, m*n) })
	assert.Panics(t, func() { run(m*depth, m*n-1) })
}

// BenchmarkBytes reports the number of multiplications and additions; float32 has a quarter of
// that.
func BenchmarkBytes(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range []struct{ m, depth, n int }{
		{1, 1536, 384}, {4, 384, 384}, {48, 384, 384}, {48, 384, 1536}, {48, 1536, 384}, {197, 192, 768}, {1024, 1024, 1024},
	} {
		b.Run(fmt.Sprintf("%dx%dx%d", s.m, s.depth, s.n), func(b *testing.B) {
			a := randomBytes[uint8](rng, s.m*s.depth)
			zeros := make([]float32, s.n+BytesColumns)
			packed := PackBytes(nil, Matrix[int8]{randomBytes[int8](rng, s.depth*s.n), s.n, 1}, s.n, s.depth)
			c := make([]float32, s.m*s.n)
			for b.Loop() {
				packed.Multiply(&BytesProduct{C: c, LDC: s.n, A: a, Stride: s.depth, Rows: s.m, Scale: zeros, Offset: zeros}, 0, packed.Panels())
			}
			b.ReportMetric(2*float64(s.m*s.depth*s.n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GOP/s")
		})
	}
}
