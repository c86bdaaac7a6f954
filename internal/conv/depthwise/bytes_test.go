package depthwise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/convtest"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/levels"
)

// randomBytesShape returns a depthwise convolution that NewBytes supports.
func randomBytesShape(rng *rand.Rand) *Shape {
	for {
		s := &Shape{Batch: 1 + rng.IntN(2), Channels: 1 + rng.IntN(4), Multiplier: 1 + rng.IntN(2), Axes: [3]conv.Axis{convtest.Axis(1, 1, 1, 1, 1, 0)}}
		kernel, stride := 3+2*rng.IntN(2), 1+rng.IntN(2)
		common := rng.IntN(2) == 0 // windows that all assembly supports
		for i := 1; i < 3; i++ {
			a := conv.Axis{Input: 1 + rng.IntN(70), Kernel: []int{1, 3, 3, 5, 7, 1 + rng.IntN(MaxBytesKernel)}[rng.IntN(6)], Stride: 1 + rng.IntN(3), Dilation: 1 + rng.IntN(3)}
			a.PadBegin = rng.IntN(8) - 2
			if common {
				a.Kernel, a.Stride, a.Dilation, a.PadBegin = kernel, stride, 1, max(a.PadBegin, 0)
			}
			a.Output = (a.Input+a.PadBegin+rng.IntN(6)-1-(a.Kernel-1)*a.Dilation-1)/a.Stride + 1
			s.Axes[i] = a
		}
		if s.Axes[1].Output > 0 && s.Axes[2].Output > 0 {
			return s
		}
	}
}

// TestDepthwiseBytes compares with the definition, bit by bit, with and without assembly.
func TestDepthwiseBytes(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512VNNI}, {cpu.AVX512VNNI, cpu.AVXVNNI, cpu.DotProd}, {cpu.AVX512VNNI, cpu.AVXVNNI, cpu.FMA, cpu.DotProd, cpu.NEON}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			rng := rand.New(rand.NewPCG(1, 2))
			for range 400 {
				checkDepthwiseBytes(t, rng, randomBytesShape(rng))
			}
			one, empty, wide := convtest.Axis(1, 1, 1, 1, 1, 0), convtest.Axis(0, 2, 2, 1, 1, 1), convtest.Axis(maxColumns+2, maxColumns+1, 2, 1, 1, 0)
			for _, axes := range [][3]conv.Axis{{one, empty, one}, {one, one, empty}, {one, one, wide}} {
				checkDepthwiseBytes(t, rng, &Shape{Batch: 1, Channels: 3, Multiplier: 1, Axes: axes})
			}
		})
	}
}

func FuzzDepthwiseBytes(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 3))
		checkDepthwiseBytes(t, rng, randomBytesShape(rng))
	})
}

func checkDepthwiseBytes(t *testing.T, rng *rand.Rand, s *Shape) {
	t.Helper()
	d := NewBytes(s)
	require.NotNil(t, d)
	y, x := &s.Axes[1], &s.Axes[2]
	channels, outPlane := s.Channels*s.Multiplier, y.Output*x.Output
	filters := make([]int8, channels*y.Kernel*x.Kernel)
	for i := range filters {
		filters[i] = int8(rng.UintN(256))
	}
	c := &BytesCall{
		In: make([]uint8, s.Batch*s.Channels*y.Input*x.Input), Filters: d.PackFilters(filters), Outside: make([]uint8, []int{1, s.Channels}[rng.IntN(2)]),
		Scratch: make([]float32, d.Scratch()), Scale: make([]float32, channels), Epilogue: &conv.Epilogue{Bias: make([]float32, channels), Clamp: rng.IntN(2) == 0, Lo: 3, Hi: 200},
	}
	for i := range c.In {
		c.In[i] = uint8(rng.UintN(256))
	}
	for i := range c.Outside {
		c.Outside[i] = []uint8{128, uint8(rng.UintN(256))}[rng.IntN(2)] // some are equal
	}
	for i := range c.Scale {
		c.Scale[i], c.Epilogue.Bias[i] = rng.Float32()/512, rng.Float32()*100
	}
	got := make([]float32, d.Planes()*outPlane)
	mode := rng.IntN(3)
	if gemm.HasLevels() && rng.IntN(3) == 0 {
		mode = 3
	}
	switch mode {
	case 0:
		c.Out = got
	case 1:
		c.Epilogue.Clamp = true
		c.Bytes = make([]uint8, len(got))
	case 3:
		c.Bytes = make([]uint8, len(got))
		c.Epilogue.Lo, c.Epilogue.Hi = -3, 4
		c.Epilogue.Levels = &levels.Levels{HSwish: rng.IntN(2) == 0, Max: float32(100 + rng.IntN(156))}
		sloped := !c.Epilogue.Levels.HSwish && rng.IntN(2) == 0
		for i := range channels {
			if sloped {
				c.Epilogue.Levels.Slope = append(c.Epilogue.Levels.Slope, rng.Float32()-0.25)
			}
			c.Scale[i] /= 64
			c.Epilogue.Bias[i] = rng.Float32() - 0.5
			c.Epilogue.Levels.Scale = append(c.Epilogue.Levels.Scale, 20+20*rng.Float32())
			c.Epilogue.Levels.Shift = append(c.Epilogue.Levels.Shift, 50*rng.Float32())
		}
	case 2:
		c.Plane = make([]float32, d.PlaneLen())
		c.Epilogue.Finish = func(x []float32, _ int) {
			for i := range x {
				x[i]++
			}
		}
		c.Epilogue.Store = func(x []float32, at int) { copy(got[at:], x) }
	}
	cut := rng.IntN(d.Planes() + 1)
	d.Run(nil, c, 0, cut)
	d.Run(nil, c, cut, d.Planes())
	for i, v := range c.Bytes {
		got[i] = float32(v)
	}
	for i, v := range got {
		o := i / outPlane % channels
		in := c.In[i/outPlane/s.Multiplier*y.Input*x.Input:][:y.Input*x.Input]
		sum := 0
		for k := range y.Kernel {
			for l := range x.Kernel {
				element := c.Outside[o/s.Multiplier%len(c.Outside)]
				if r, c := y.At(i%outPlane/x.Output, k), x.At(i%x.Output, l); r >= 0 && r < y.Input && c >= 0 && c < x.Input {
					element = in[r*x.Input+c]
				}
				sum += int(element) * int(filters[(o*y.Kernel+k)*x.Kernel+l])
			}
		}
		want := float32(float32(sum)*c.Scale[o]) + c.Epilogue.Bias[o]
		if c.Epilogue.Clamp {
			want = min(max(want, c.Epilogue.Lo), c.Epilogue.Hi)
		}
		switch mode {
		case 1:
			want = float32(math.RoundToEven(float64(want)))
		case 2:
			want++
		case 3:
			want = float32(math.RoundToEven(float64(c.Epilogue.Levels.Level(want, o))))
		}
		if v != want { // not by require, which takes longer than the layer
			t.Fatalf("%+v, mode %d: element %d is %v, want %v", s, mode, i, v, want)
		}
	}
}

// TestNewDepthwiseBytes_refuses has windows that are not supported.
func TestNewDepthwiseBytes_refuses(t *testing.T) {
	one := convtest.Axis(1, 1, 1, 1, 1, 0)
	for _, axes := range [][3]conv.Axis{
		{convtest.Axis(2, 2, 1, 1, 1, 0), one, one},
		{one, convtest.Axis(1, 0, 2, 1, 1, 0), one},
		{one, one, convtest.Axis(20, 4, 17, 1, 1, 0)},
		{one, convtest.Axis(20, 4, 17, 1, 1, 0), one},
	} {
		assert.Nil(t, NewBytes(&Shape{Batch: 1, Channels: 2, Multiplier: 1, Axes: axes}), "%v", axes)
	}
}

// BenchmarkDepthwiseBytes reports the number of multiplications and additions, with outputs of
// bytes.
func BenchmarkDepthwiseBytes(b *testing.B) {
	for _, a := range []conv.Axis{convtest.Axis(112, 112, 3, 1, 1, 1), convtest.Axis(112, 56, 3, 2, 1, 1), convtest.Axis(14, 14, 3, 1, 1, 1), convtest.Axis(7, 7, 3, 1, 1, 1), convtest.Axis(28, 28, 5, 1, 1, 2)} {
		b.Run(fmt.Sprintf("%d to %d, window %d", a.Input, a.Output, a.Kernel), func(b *testing.B) {
			s := &Shape{Batch: 1, Channels: 96, Multiplier: 1, Axes: [3]conv.Axis{convtest.Axis(1, 1, 1, 1, 1, 0), a, a}}
			d := NewBytes(s)
			n := 96 * a.Output * a.Output
			c := &BytesCall{
				In: make([]uint8, 96*a.Input*a.Input), Filters: d.PackFilters(make([]int8, 96*a.Kernel*a.Kernel)), Outside: make([]uint8, 1),
				Scratch: make([]float32, d.Scratch()), Scale: make([]float32, 96), Epilogue: &conv.Epilogue{Bias: make([]float32, 96), Clamp: true, Hi: 255}, Bytes: make([]uint8, n),
			}
			for b.Loop() {
				d.Run(nil, c, 0, 96)
			}
			b.ReportMetric(2*float64(n*a.Kernel*a.Kernel)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GOP/s")
		})
	}
}
