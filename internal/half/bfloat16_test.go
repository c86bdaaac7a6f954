package half

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBFloat16(t *testing.T) {
	for _, c := range []struct {
		in   float32
		want BFloat16
	}{
		{0, 0}, {1, 0x3f80}, {-2, 0xc000},
		{math.Float32frombits(0x80000000), 0x8000},
		{math.Float32frombits(0x3f808000), 0x3f80}, // halfway, down to even
		{math.Float32frombits(0x3f818000), 0x3f82}, // halfway, up to even
		{math.Float32frombits(0x3f808001), 0x3f81},
		{math.MaxFloat32, 0x7f80},
		{float32(math.Inf(-1)), 0xff80},
	} {
		assert.Equal(t, c.want, BFloat16Of(c.in), "%v", c.in)
	}
	for _, bits := range []uint32{0x7f800001, 0x7fffffff, 0xff800001} {
		got := BFloat16Of(math.Float32frombits(bits)).Float32()
		assert.True(t, got != got, "%#x", bits)
	}
	for i := range 1 << 16 {
		if f := BFloat16(i).Float32(); f == f {
			assert.Equal(t, BFloat16(i), BFloat16Of(f))
		}
	}
}
