package minifloat

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// format is a type with its finite, non-negative values in ascending order.
type format struct {
	name    string
	values  []float64
	decode  func(uint8) float32
	encode  func(float32) uint8
	signBit uint8
	// over is the code of numbers that are too large.
	over uint8
}

// series returns the non-negative values of a type with exp bits of exponent and man bits of
// mantissa, but not those of the last without codes.
func series(exp, man, bias, without int) []float64 {
	var values []float64
	for e := range 1 << exp {
		for m := range 1 << man {
			fraction := float64(m) / float64(int(1)<<man)
			if e == 0 {
				values = append(values, fraction*math.Pow(2, float64(1-bias)))
			} else {
				values = append(values, (1+fraction)*math.Pow(2, float64(e-bias)))
			}
		}
	}
	return values[:len(values)-without]
}

func formats() []format {
	return []format{
		{"f8e4m3", series(4, 3, 7, 1), F8E4M3ToF32, F32ToF8E4M3, 0x80, 0x7f},
		{"f8e5m2", series(5, 2, 15, 4), F8E5M2ToF32, F32ToF8E5M2, 0x80, 0x7c},
		{"f4e2m1", series(2, 1, 1, 0), F4E2M1ToF32, F32ToF4E2M1, 0x08, 0x07},
	}
}

// TestDecode_onnx has types of ONNX alone.
func TestDecode_onnx(t *testing.T) {
	for _, f := range []format{
		{"e4m3fnuz", series(4, 3, 8, 0), F8E4M3FNUZToF32, nil, 0x80, 0},
		{"e5m2fnuz", series(5, 2, 16, 0), F8E5M2FNUZToF32, nil, 0x80, 0},
		{"e2m3", series(2, 3, 1, 0), F6E2M3ToF32, nil, 0x20, 0},
		{"e3m2", series(3, 2, 3, 0), F6E3M2ToF32, nil, 0x20, 0},
	} {
		for c, v := range f.values {
			require.Equal(t, float32(v), f.decode(uint8(c)), "%s %#x", f.name, c)
			if c > 0 {
				require.Equal(t, float32(-v), f.decode(uint8(c)|f.signBit), "%s -%#x", f.name, c)
			}
		}
	}
	assert.Equal(t, []float32{240, 57344, 7.5, 28}, []float32{F8E4M3FNUZToF32(0x7f), F8E5M2FNUZToF32(0x7f), F6E2M3ToF32(0x1f), F6E3M2ToF32(0x1f)})
	assert.True(t, math.IsNaN(float64(F8E4M3FNUZToF32(0x80))) && math.IsNaN(float64(F8E5M2FNUZToF32(0x80))))
	assert.True(t, math.Signbit(float64(F6E2M3ToF32(0x20))) && math.Signbit(float64(F6E3M2ToF32(0x20))))
}

func TestDecode(t *testing.T) {
	for _, f := range formats() {
		for c, v := range f.values {
			require.Equal(t, float32(v), f.decode(uint8(c)), "%s %#x", f.name, c)
			require.Equal(t, float32(-v), f.decode(uint8(c)|f.signBit), "%s -%#x", f.name, c)
			require.Equal(t, uint8(c), f.encode(float32(v)), "%s %v", f.name, v)
			require.Equal(t, uint8(c)|f.signBit, f.encode(float32(math.Copysign(v, -1))), "%s -%v", f.name, v)
		}
	}
	assert.Equal(t, []float32{0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6}, decodeAll(F4E2M1ToF32, 16))
	assert.Equal(t, float32(448), F8E4M3ToF32(0x7e))
	assert.Equal(t, float32(57344), F8E5M2ToF32(0x7b))
	for _, c := range []uint8{0x7f, 0xff} {
		assert.True(t, math.IsNaN(float64(F8E4M3ToF32(c))))
		assert.True(t, math.IsNaN(float64(F8E5M2ToF32(c))))
	}
	assert.True(t, math.IsInf(float64(F8E5M2ToF32(0x7c)), 1))
	assert.True(t, math.IsInf(float64(F8E5M2ToF32(0xfc)), -1))
}

func decodeAll(decode func(uint8) float32, n int) []float32 {
	values := make([]float32, n)
	for c := range values {
		values[c] = decode(uint8(c))
	}
	return values
}

// TestNearest compares results with a search of the nearest among all values.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range formats() {
		last := len(f.values) - 1
		for range 20_000 {
			v := float32(math.Ldexp(rng.Float64(), rng.IntN(40)-22))
			if f.signBit == 0x80 {
				v = throughF16(v)
			}
			best := 0
			for c, w := range f.values {
				d := math.Abs(float64(v)-w) - math.Abs(float64(v)-f.values[best])
				if d < 0 || d == 0 && c%2 == 0 {
					best = c
				}
			}
			want := uint8(best)
			// The value after the last one would be the nearest.
			step := f.values[last] - f.values[last-1]
			if over := float64(v) - f.values[last]; over > step/2 || over == step/2 && last%2 == 1 {
				want = f.over
			}
			require.Equal(t, want, f.encode(v), "%s %v", f.name, v)
			require.Equal(t, want|f.signBit, f.encode(-v), "%s %v", f.name, -v)
		}
	}
}

func TestEnds(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		encode func(float32) uint8
		in     float32
		want   uint8
	}{
		{F32ToF8E4M3, 464, 0x7e}, {F32ToF8E4M3, 465, 0x7f}, {F32ToF8E4M3, inf, 0x7f}, {F32ToF8E4M3, nan, 0x7f},
		{F32ToF8E5M2, 61439, 0x7c}, {F32ToF8E5M2, 61400, 0x7b}, {F32ToF8E5M2, -inf, 0xfc}, {F32ToF8E5M2, nan, 0x7e},
		{F32ToF4E2M1, inf, 7}, {F32ToF4E2M1, -inf, 15}, {F32ToF4E2M1, nan, 7}, {F32ToF4E2M1, 2.5, 4},
		{F32ToF8E8M0, 0, 0}, {F32ToF8E8M0, -3, 0}, {F32ToF8E8M0, 1, 127}, {F32ToF8E8M0, 1.5, 128}, {F32ToF8E8M0, 3, 128},
		{F32ToF8E8M0, math.MaxFloat32, 254}, {F32ToF8E8M0, inf, 254}, {F32ToF8E8M0, nan, 255}, {F32ToF8E8M0, 1e-45, 0},
		{F32ToNF4, -5, 0}, {F32ToNF4, nan, 0}, {F32ToNF4, 0, 7}, {F32ToNF4, 5, 15}, {F32ToNF4, inf, 15},
	} {
		assert.Equal(t, c.want, c.encode(c.in), "%v", c.in)
	}
	assert.True(t, math.IsNaN(float64(F8E8M0ToF32(255))))
	assert.Equal(t, float32(0x1p127), F8E8M0ToF32(254))
	assert.Equal(t, float32(0x1p-127), F8E8M0ToF32(0))
}

func TestRoundTrip(t *testing.T) {
	for c := range 255 {
		require.Equal(t, uint8(c), F32ToF8E8M0(F8E8M0ToF32(uint8(c))))
	}
	for c := range 16 {
		require.Equal(t, uint8(c), F32ToNF4(NF4ToF32(uint8(c))))
	}
}
