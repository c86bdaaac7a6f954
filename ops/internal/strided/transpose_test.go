package strided

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// TestTranspose_matrix transposes matrices between rows that are longer than they are.
func TestTranspose_matrix(t *testing.T) {
	check := func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for range 300 {
			rows, columns := rng.IntN(40), rng.IntN(40)
			dstStride, srcStride := rows+rng.IntN(3), columns+rng.IntN(3)
			checkMatrix[uint16](t, rows, columns, dstStride, srcStride)
			checkMatrix[float32](t, rows, columns, dstStride, srcStride)
			checkMatrix[float64](t, rows, columns, dstStride, srcStride)
		}
	}
	t.Run("vectors", check)
	defer cpu.AVX2.Disable()()
	t.Run("words", check)
}

func checkMatrix[T uint16 | float32 | float64](t *testing.T, rows, columns, dstStride, srcStride int) {
	src, dst, want := make([]T, rows*srcStride), make([]T, columns*dstStride), make([]T, columns*dstStride)
	for i := range src {
		src[i] = T(i)
	}
	for i := range dst {
		dst[i], want[i] = 60000, 60000
	}
	for i := range rows {
		for j := range columns {
			want[j*dstStride+i] = src[i*srcStride+j]
		}
	}
	Transpose(dst, src, rows, columns, dstStride, srcStride)
	require.Equal(t, want, dst, "%T: %d rows of %d", src, rows, columns)
}
