package subnormal

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// sum adds subnormal numbers: 24 times 2^-140, or 0 if they are flushed.
func sum(x []float32) float32 {
	s := float32(0)
	for _, v := range x {
		s += v
	}
	return s
}

// tiny returns 24 numbers of 2^-140.
func tiny() []float32 {
	x := make([]float32, 24)
	for i := range x {
		x[i] = math.Float32frombits(1 << 9)
	}
	return x
}

func TestFlush(t *testing.T) {
	x := tiny()
	kept := sum(x)
	assert.Equal(t, float32(24*0x1p-140), kept)
	assert.False(t, Flushes())

	mode := Flush()
	flushed, half, wide := sum(x), x[0]*0x1p120, float64(x[0])
	product := float64(math.Float32frombits(1<<23)) * 0x1p-1000
	inner := Flush()
	inner.Restore()
	nested := Flushes()
	mode.Restore()

	if !Supported {
		assert.Equal(t, kept, flushed)
		return
	}
	assert.True(t, nested)
	assert.Zero(t, flushed)
	assert.Zero(t, half, "an operand")
	assert.Zero(t, wide, "a conversion")
	assert.Zero(t, product, "a result of 64 bits")
	assert.Equal(t, uint32(1<<9), math.Float32bits(x[0]), "a copy")
	assert.False(t, Flushes())
	assert.Equal(t, kept, sum(x))
}

// TestFlush_goroutines lets goroutines with both modes share the processors, with interruptions by
// the garbage collector.
func TestFlush_goroutines(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	x := tiny()
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 200 {
				want := float32(24 * 0x1p-140)
				if g%2 == 0 && Supported {
					want = 0
				}
				func() {
					defer func() { _ = recover() }()
					if g%2 == 0 {
						defer Flush().Restore()
					}
					for range 100 {
						if s := sum(x); s != want || math.Float32bits(s) != math.Float32bits(want) {
							t.Errorf("the sum is %v, not %v", s, want)
							return
						}
					}
					switch i % 8 {
					case 0:
						runtime.Gosched()
					case 1:
						panic("an inference fails")
					case 2:
						if g < 4 {
							runtime.GC()
						}
					case 3:
						wg.Go(func() { // a new goroutine, and perhaps a new thread
							if s := sum(x); math.Float32bits(s) != math.Float32bits(24*0x1p-140) {
								t.Errorf("a goroutine that was started during Flush has the sum %v", s)
							}
						})
					}
				}()
			}
		})
	}
	wg.Wait()
	assert.False(t, Flushes())
}

func TestNext(t *testing.T) {
	for _, flush := range []bool{false, true} {
		var m Mode
		if flush {
			m = Flush()
		}
		ok := true
		for _, x := range []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-126, -0x1p-126, 0x1p-140, 1e38} {
			ok = ok && Next(x, true) > x && Next(x, false) < x
			ok = ok && Next(float64(x), true) > float64(x) && Next(float64(x), false) < float64(x)
		}
		up, down := Next(float32(0), true), Next(float64(0), false)
		m.Restore()
		assert.True(t, ok)
		if flush && Supported {
			assert.Equal(t, float32(0x1p-126), up)
			assert.Equal(t, -0x1p-1022, down)
		} else {
			assert.Equal(t, float32(math.SmallestNonzeroFloat32), up)
			assert.Equal(t, -math.SmallestNonzeroFloat64, down)
		}
	}
	assert.True(t, math.IsNaN(float64(Next(float32(math.NaN()), true))))
	assert.Equal(t, math.Inf(1), Next(math.MaxFloat64, true))
}

func TestFlush_allocations(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(100, func() { Flush().Restore() }))
}

func BenchmarkFlush(b *testing.B) {
	for b.Loop() {
		Flush().Restore()
	}
}

// BenchmarkSum measures a sum of products with subnormal numbers, with and without Flush.
func BenchmarkSum(b *testing.B) {
	x := make([]float32, 4096)
	for i := range x {
		x[i] = 1
		if i%100 == 0 {
			x[i] = 0x1p-130
		}
	}
	for _, flush := range []bool{false, true} {
		name := "keep"
		if flush {
			name = "flush"
		}
		b.Run(name, func(b *testing.B) {
			if flush {
				defer Flush().Restore()
			}
			var s [4]float32
			for b.Loop() {
				for i := 0; i < len(x); i += 4 {
					for k := range s {
						s[k] = s[k]*0.5 + x[i+k]*x[i+k]*0x1p-10
					}
				}
			}
		})
	}
}
