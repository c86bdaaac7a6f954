package tile

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/vinoir/vinoir/internal/half"
)

// TestF16Sums_rounding has products whose sum must be rounded once, and sums beyond the largest
// f16.
func TestF16Sums_rounding(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		sum, a, b, want float32
	}{
		{1, 1, 1, 2},
		{2048, 1, 1, 2048},            // a tie, to even
		{2050, 1, 1, 2052},            // a tie, to even
		{2048, 1, 1.0009765625, 2050}, // just above a tie
		// 1 - 2^-20 more, below a tie, which float32 would round it to
		{2050, 1.0009765625, 0.9990234375, 2050},
		{-2050, -1.0009765625, 0.9990234375, -2050},
		{65504, 15, 1, 65504},
		{65504, 16, 1, inf}, // the middle between 65504 and 65536
		{0, 300, 300, inf},
		{0, 0x1p-24, 0.5, 0},
		{0, 0x1p-24, 0.50048828125, 0x1p-24},
		{0x1p-24, 0x1p-24, 0.5, 0x1p-23},
	} {
		got := addF16(c.sum, half.F32ToF16(c.a), half.F32ToF16(c.b))
		assert.Equal(t, c.want, got, "%v + %v*%v", c.sum, c.a, c.b)
	}
}
