package lowbit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/minifloat"
)

// table has numbers like those of nf4, and both zeros.
var table = [16]float32{-1, -0.7, -0.5, -0.4, -0.3, -0.2, -0.1, 0, float32(math.Copysign(0, -1)), 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 1}

var formats = map[string]Format{
	"u4": {Bits: 4}, "i4": {Bits: 4, Signed: true}, "table": {Bits: 4, Table: &table}, "u8": {Bits: 8}, "i8": {Bits: 8, Signed: true},
	"f8e4m3": {Bits: 8, Float: F8E4M3}, "f8e5m2": {Bits: 8, Float: F8E5M2},
}

// eachISA runs f with each instruction set of this machine.
func eachISA[T interface{ Run(string, func(T)) bool }](t T, f func(T)) {
	for _, disable := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512}, {cpu.AVX512, cpu.FMA, cpu.NEON}}) {
		var restore []func()
		for _, feature := range disable {
			restore = append(restore, feature.Disable())
		}
		t.Run(bestISA().String(), f)
		for _, f := range restore {
			f()
		}
	}
}

// trial is a matrix and its elements in float64.
type trial struct {
	*Matrix
	name       string
	n, depth   int
	want       []float64 // element k*n + j is row k, column j
	transposed bool
}

// newTrial returns a random matrix. Scales are f16 or not, and there are zero points or not.
func newTrial(rng *rand.Rand, name string, n, depth, groups int) *trial {
	f := formats[name]
	c := &trial{n: n, depth: depth, want: make([]float64, n*depth), transposed: rng.IntN(2) == 0}
	half, zeros := rng.IntN(2) == 0, rng.IntN(3) > 0
	from := &Source{Bits: f.Bits, First: rng.IntN(2) * rng.IntN(20), RowStride: 1, ColStride: depth}
	if f.Bits == 4 && !f.Signed {
		from.Bits = []int{2, 3, 4, 4}[rng.IntN(4)]
	}
	if c.transposed {
		from.RowStride, from.ColStride = n, 1
	}
	size := ((from.First+n*depth)*from.Bits + 7) / 8
	if from.Bits == 3 {
		size = (size + 2) / 3 * 3
	}
	src := make([]byte, size)
	for i := range src {
		src[i] = byte(rng.Uint32())
		// numbers up to 15, so that sums have no large terms; subnormal ones too
		if f.Float != Integer {
			src[i] &= 0x8f | map[Float]byte{F8E4M3: 0x50, F8E5M2: 0x40}[f.Float]
		}
	}
	from.Bytes = src
	codeOf := func(i int) uint8 {
		switch from.Bits {
		case 2:
			return src[i/4] >> (i % 4 * 2) & 3
		case 3: // the low bits of four codes in a byte, and the high bits of eight
			group := src[i/8*3:]
			return group[i%8/4]>>(6-i%4*2)&3 | group[2]>>(7-i%8)&1<<2
		case 4:
			return src[i/2] >> (i % 2 * 4) & 15
		}
		return src[i]
	}
	scale, zero := make([]float32, groups*n), make([]float32, groups*n)
	for i := range scale {
		scale[i] = float32(1+rng.IntN(1000)) / 1024
		if !half {
			scale[i] += rng.Float32()
		}
		if zeros && f.Float == Integer {
			zero[i] = float32(rng.IntN(1<<f.Bits)) - f.Offset()
		}
	}
	c.name = fmt.Sprintf("%s %dx%d, %d groups, transposed %v, f16 %v, zeros %v, from %d, %d bits",
		name, depth, n, groups, c.transposed, half, zeros, from.First, from.Bits)
	l := NewLayout(f, n, depth, groups)
	factor := func(list []float32, plus float32) func(int, int) float32 {
		return func(g, j int) float32 { return list[g*n+j] + plus }
	}
	c.Matrix = New(l.Pack(nil, from), l.PackFactors(nil, func(g, j int) float32 { return scale[g*n+j] * f.Factor() }), Same(f.Offset()))
	if zeros {
		c.Zeros = l.PackFactors(nil, factor(zero, f.Offset()))
	}
	for k := range depth {
		for j := range n {
			code := int(codeOf(from.First + k*from.RowStride + j*from.ColStride))
			v := float64(code)
			if f.Signed && code >= 1<<(f.Bits-1) {
				v -= float64(int(1) << f.Bits)
			}
			switch {
			case f.Table != nil:
				v = float64(f.Table[code])
			case f.Float == F8E4M3:
				v = float64(minifloat.F8E4M3ToF32(uint8(code)))
			case f.Float == F8E5M2:
				v = float64(minifloat.F8E5M2ToF32(uint8(code)))
			}
			g := k / (depth / groups)
			// What the layers of the model compute, in float32.
			c.want[k*n+j] = float64((float32(v) - zero[g*n+j]) * scale[g*n+j])
		}
	}
	return c
}

// randomTrials calls f with matrices of random formats and sizes.
func randomTrials(t *testing.T, seed uint64, f func(t *testing.T, rng *rand.Rand, c *trial)) {
	for name := range formats {
		rng := rand.New(rand.NewPCG(seed, 1))
		for range 60 {
			groups := 1 + rng.IntN(4)*rng.IntN(3)
			length := []int{1, 3, 8, 16, 20, 64, 97, 300, 700}[rng.IntN(9)]
			f(t, rng, newTrial(rng, name, 1+rng.IntN(100), groups*length, groups))
		}
	}
}

const guard = 12345

func TestMultiply(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		randomTrials(t, 1, func(t *testing.T, rng *rand.Rand, c *trial) {
			rows := 1 + rng.IntN(MaxRows)
			x, padded := make([]float32, rows*c.depth), make([]float32, rows*c.Padded())
			for i := range x {
				x[i] = 2*rng.Float32() - 1
			}
			for i := range rows {
				for k := range c.Padded() {
					padded[i*c.Padded()+k] = guard
				}
				c.Pad(padded[i*c.Padded():][:c.Padded()], x[i*c.depth:][:c.depth])
			}
			ldc := c.n + 3
			out := make([]float32, rows*ldc)
			for i := range out {
				out[i] = guard
			}
			middle := rng.IntN(c.Blocks() + 1)
			c.Multiply(nil, out, ldc, padded, c.Padded(), rows, 0, middle)
			c.Multiply(nil, out, ldc, padded, c.Padded(), rows, middle, c.Blocks())
			for i := range rows {
				for j := range c.n {
					sum, size := 0.0, 0.0
					for k := range c.depth {
						product := float64(x[i*c.depth+k]) * c.want[k*c.n+j]
						sum, size = sum+product, size+math.Abs(product)
					}
					require.InDelta(t, sum, out[i*ldc+j], 1e-6*size+1e-30, "%s, row %d of %d, column %d", c.name, i, rows, j)
				}
				for _, v := range out[i*ldc+c.n:][:3] {
					require.Equal(t, float32(guard), v, c.name)
				}
			}
		})
	})
}

// TestExpand requires the numbers that the layers of a model compute, bit for bit.
func TestExpand(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, width := range []int{32, 16, 12, 2} {
			randomTrials(t, 2, func(t *testing.T, rng *rand.Rand, c *trial) {
				first := rng.IntN((c.depth+c.Length()-1)/c.Length()) * c.Length()
				depth := min(c.Length()*(1+rng.IntN(4)), c.depth-first)
				panels := (c.n + width - 1) / width
				lo := rng.IntN(panels)
				hi := lo + 1 + rng.IntN(panels-lo)
				dst := make([]float32, ((hi-lo)*depth+7)*width+1)
				for i := range dst {
					dst[i] = guard
				}
				c.Expand(dst[:len(dst)-1], width, first, depth, lo*width, min(hi*width, c.n))
				for p := lo; p < hi; p++ {
					for k := range depth {
						for j := range width {
							want := float32(0)
							if column := p*width + j; column < c.n {
								want = float32(c.want[(first+k)*c.n+column])
							}
							// require.Equal takes a microsecond
							if got := dst[((p-lo)*depth+k)*width+j]; got != want {
								require.Equal(t, want, got, "%s, row %d, column %d", c.name, first+k, p*width+j)
							}
						}
					}
				}
				require.Equal(t, float32(guard), dst[len(dst)-1], c.name)
			})
		}
	})
}

// TestMultiply_long has so many rows that Multiply checks for a request to stop.
func TestMultiply_long(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	c := newTrial(rng, "u4", 3, 40000, 1)
	x, out := make([]float32, c.Padded()), make([]float32, 3)
	for i := range c.depth {
		x[i] = rng.Float32()
	}
	c.Multiply(nil, out, 3, x, len(x), 1, 0, c.Blocks())
	for j := range out {
		sum, size := 0.0, 0.0
		for k := range c.depth {
			sum, size = sum+float64(x[k])*c.want[k*3+j], size+math.Abs(float64(x[k])*c.want[k*3+j])
		}
		// 157 parts are added, each with an error of up to 6e-8 of the sum
		assert.InDelta(t, sum, out[j], 1e-6*size)
	}
	stop := make(chan struct{})
	close(stop)
	clear(out)
	c.Multiply(stop, out, 3, x, len(x), 1, 0, c.Blocks())
	assert.Equal(t, make([]float32, 3), out)
}

// TestBounds gives the assembly slices that are one element too short.
func TestBounds(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		c := newTrial(rand.New(rand.NewPCG(4, 4)), "u4", 40, 128, 2)
		multiply := func(out, x int) func() {
			return func() { c.Multiply(nil, make([]float32, 200)[:out], 40, make([]float32, 300)[:x], 128, 2, 0, 2) }
		}
		assert.NotPanics(t, multiply(80, 256))
		assert.Panics(t, multiply(80, 255))
		assert.Panics(t, multiply(79, 256))
		assert.Panics(t, func() { c.Expand(make([]float32, 64*48-1), 16, 0, 64, 0, 40) })
	})
}

func TestMatrix_String(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 4))
		assert.Equal(t, bestISA().String()+" 4 bits", newTrial(rng, "i4", 1, 1, 1).String())
		assert.Equal(t, bestISA().String()+" 8 bits", newTrial(rng, "u8", 1, 1, 1).String())
	})
}

// TestFloats has all codes in one column: normal and subnormal numbers, zeros, and in f8e5m2
// infinities and NaN.
func TestFloats(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for f, number := range map[Float]func(uint8) float32{F8E4M3: minifloat.F8E4M3ToF32, F8E5M2: minifloat.F8E5M2ToF32} {
			l, codes := NewLayout(Format{Bits: 8, Float: f}, Columns, 8, 1), make([]byte, 8*Columns)
			for i := range codes {
				codes[i] = byte(i)
			}
			m := New(l.Pack(nil, &Source{Bytes: codes, Bits: 8, RowStride: Columns, ColStride: 1}), Same(l.Factor()), Same(0))
			for k := range 8 {
				x, out := make([]float32, 8), make([]float32, Columns)
				x[k] = 1
				m.Multiply(nil, out, Columns, x, 8, 1, 0, 1)
				panel := make([]float32, (8+7)*Columns)
				m.Expand(panel, Columns/2, 0, 8, 0, Columns)
				for j := range Columns {
					code := uint8(k*Columns + j)
					want := number(code)
					if f == F8E4M3 && code&0x7f == 0x7f {
						want = float32(math.Copysign(480, float64(int8(code))))
					}
					got := panel[(j/16*8+k)*16+j%16]
					assert.True(t, want == got || want != want && got != got, "%v: code %x is %v, expected %v", f, code, got, want)
					if f == F8E4M3 { // in f8e5m2, 0 times an infinity is NaN
						assert.Equal(t, want, out[j])
					}
				}
			}
		}
	})
}
