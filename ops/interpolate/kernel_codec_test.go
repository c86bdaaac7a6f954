package interpolate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// TestU8Codec compares vector code with the portable one.
func TestU8Codec(t *testing.T) {
	values := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 1e-45, -1e-45, math.MaxFloat32, -math.MaxFloat32, 1 << 31, -1 << 31}
	for v := float32(-3); v < 260; v += 0.25 {
		values = append(values, v, math.Nextafter32(v, 300), math.Nextafter32(v, -300))
	}
	for len(values) < 2*roundPiece {
		values = append(values, values...)
	}
	for _, truncate := range []bool{false, true} {
		want, got := integerCodec[uint8, float32](truncate, 0, math.MaxUint8), u8Codec(truncate)
		for _, n := range []int{0, 1, 9, roundPiece, roundPiece + 3, len(values)} {
			a, b := append([]float32(nil), values[:n]...), append([]float32(nil), values[:n]...)
			want.round(a)
			got.round(b)
			require.Equal(t, a, b)
			x, err := ir.NewTensor(ir.U8, n)
			require.NoError(t, err)
			y, err := ir.NewTensor(ir.U8, n)
			require.NoError(t, err)
			want.store(nil, x, append([]float32(nil), values[:n]...), 0)
			got.store(nil, y, append([]float32(nil), values[:n]...), 0)
			assert.Equal(t, ir.Data[uint8](x), ir.Data[uint8](y), "truncate %v", truncate)
		}
	}
}
