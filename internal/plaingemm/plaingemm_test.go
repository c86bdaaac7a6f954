package plaingemm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// check compares Multiply with the definition, for matrices of small integers, whose sums are
// exact.
func check[T Number](t *testing.T, rng *rand.Rand) {
	for range 300 {
		length := func() int { return []int{1, 2, 3, 4, 5, 9, 40}[rng.IntN(7)] }
		m, n, depth := length(), length(), []int{0, 1, 2, 7, pieceDepth, 2*pieceDepth + 3}[rng.IntN(6)]
		matrix := func(rows, columns int) Matrix[T] {
			x := Matrix[T]{RowStride: columns + rng.IntN(3), ColStride: 1}
			if rng.IntN(2) == 0 {
				x.RowStride, x.ColStride = 1, rows+rng.IntN(3)
			}
			if rows > 0 && columns > 0 {
				x.Data = make([]T, (rows-1)*x.RowStride+(columns-1)*x.ColStride+1)
			}
			for i := range x.Data {
				x.Data[i] = T(rng.IntN(100))
			}
			return x
		}
		a, b, stride := matrix(m, depth), matrix(depth, n), n+rng.IntN(3)
		c := make([]T, (m-1)*stride+n)
		for i := range c {
			c[i] = 77
		}
		Multiply(nil, c, stride, a, b, m, n, depth)
		for at, got := range c {
			i, j := at/stride, at%stride
			want := T(77)
			if j < n {
				want = 0
				for k := range depth {
					want += a.Data[i*a.RowStride+k*a.ColStride] * b.Data[k*b.RowStride+j*b.ColStride]
				}
			}
			require.Equal(t, want, got, "%d,%d of %dx%dx%d", i, j, m, n, depth)
		}
	}
}

func TestMultiply(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check[float64](t, rng)
	check[uint32](t, rng)
	check[uint64](t, rng)
}

// TestMultiply_stop ends before all products have been added.
func TestMultiply_stop(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	const depth = 1 << 20
	a := Matrix[uint32]{Data: make([]uint32, depth), RowStride: depth, ColStride: 1}
	for i := range a.Data {
		a.Data[i] = 1
	}
	b := Matrix[uint32]{Data: a.Data, RowStride: 1, ColStride: depth}
	c := make([]uint32, 1)
	Multiply(nil, c, 1, a, b, 1, 1, depth)
	require.Equal(t, uint32(depth), c[0])
	Multiply(stop, c, 1, a, b, 1, 1, depth)
	require.Less(t, c[0], uint32(depth))
}

func BenchmarkMultiply(b *testing.B) {
	const n = 256
	x := Matrix[float64]{Data: make([]float64, n*n), RowStride: n, ColStride: 1}
	c := make([]float64, n*n)
	for b.Loop() {
		Multiply(nil, c, n, x, x, n, n, n)
	}
	b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
}
