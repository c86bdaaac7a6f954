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
)

// naiveDepthwise computes a depthwise convolution by its definition, in float64.
func naiveDepthwise(s *Shape, in, weights []float32, e *conv.Epilogue) []float64 {
	var out []float64
	z, y, x := &s.Axes[0], &s.Axes[1], &s.Axes[2]
	channels := s.Channels * s.Multiplier
	for plane := range s.Batch * channels {
		o := plane % channels
		from := in[plane/s.Multiplier*z.Input*y.Input*x.Input:]
		for oz := range z.Output {
			for oy := range y.Output {
				for ox := range x.Output {
					total := 0.0
					for kz := range z.Kernel {
						for ky := range y.Kernel {
							for kx := range x.Kernel {
								iz, iy, ix := z.At(oz, kz), y.At(oy, ky), x.At(ox, kx)
								if iz < 0 || iz >= z.Input || iy < 0 || iy >= y.Input || ix < 0 || ix >= x.Input {
									continue
								}
								w := weights[((o*z.Kernel+kz)*y.Kernel+ky)*x.Kernel+kx]
								total += float64(w) * float64(from[(iz*y.Input+iy)*x.Input+ix])
							}
						}
					}
					out = append(out, convtest.Finish(total, o, e))
				}
			}
		}
	}
	return out
}

// randomAxis returns an axis whose input has up to n elements.
func randomAxis(r *rand.Rand, n, kernel, stride, dilation int) conv.Axis {
	for {
		a := conv.Axis{Input: 1 + r.IntN(n), Kernel: kernel, Stride: stride, Dilation: dilation, PadBegin: r.IntN(kernel*dilation+2) - 1}
		if a.Output = convtest.Outputs(a, r.IntN(kernel*dilation+2)-1); a.Output > 0 {
			return a
		}
	}
}

// checkDepthwise compares a plan with the definition.
func checkDepthwise(t testing.TB, r *rand.Rand, s Shape) {
	t.Helper()
	d := New(s)
	require.NotNil(t, d, "%+v", s)
	z, y, x := s.Axes[0], s.Axes[1], s.Axes[2]
	_, in := convtest.Guarded(s.Batch * s.Channels * z.Input * y.Input * x.Input)
	copy(in, convtest.SmallFloats(r, len(in)))
	channels := s.Channels * s.Multiplier
	weights := convtest.SmallFloats(r, channels*z.Kernel*y.Kernel*x.Kernel)
	e := convtest.RandomEpilogue(r, channels)
	want := naiveDepthwise(&s, in, weights, e)

	all, out := convtest.Guarded(len(want))
	seen := make([]int, len(want))
	e.Finish = func(x []float32, at int) {
		for i := range x {
			seen[at+i]++
			x[i] *= 2
		}
	}
	scratchAll, scratch := convtest.Guarded(d.Scratch())
	for i := range scratch {
		scratch[i] = float32(math.NaN())
	}
	cut := r.IntN(d.Items() + 1)
	d.Run(nil, out, in, weights, e, scratch, cut, d.Items())
	d.Run(nil, out, in, weights, e, scratch, 0, cut)
	for i, v := range want {
		require.Equal(t, 1, seen[i], "finish of element %d: %+v", i, s)
		if 2*v != float64(out[i]) {
			require.Equal(t, 2*v, float64(out[i]), "element %d: %+v", i, s)
		}
	}
	convtest.RequireGuards(t, all)
	convtest.RequireGuards(t, scratchAll)
}

func TestDepthwise(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 250 {
			k, stride, dilation := 1+r.IntN(7), 1+r.IntN(3), 1+r.IntN(2)
			s := Shape{Batch: 1 + r.IntN(2), Channels: 1 + r.IntN(3), Multiplier: 1 + r.IntN(2)}
			s.Axes[0] = conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
			s.Axes[1], s.Axes[2] = randomAxis(r, 40, k, stride, dilation), randomAxis(r, 60, k, stride, dilation)
			switch r.IntN(8) {
			case 0:
				s.Axes[0] = randomAxis(r, 5, 1+r.IntN(3), 1+r.IntN(2), 1)
			case 1:
				s.Axes[1] = conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
			case 2:
				s.Axes[1] = randomAxis(r, 30, 1+r.IntN(4), 1+r.IntN(4), 1)
			}
			checkDepthwise(t, r, s)
		}
	})
}

// TestDepthwise_kernels tests the windows that the assembly supports, with all lengths around those
// of tiles.
func TestDepthwise_kernels(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, k := range []int{3, 5, 7} {
			for _, step := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {1, 3}} {
				stride, dilation := step[0], step[1]
				for n := 1; n < 41; n++ {
					s := Shape{Batch: 1, Channels: 2, Multiplier: 1}
					s.Axes[0] = conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
					s.Axes[1] = conv.Axis{Input: n/2 + 1, Kernel: k, Stride: stride, Dilation: dilation, PadBegin: k / 2 * dilation}
					s.Axes[2] = conv.Axis{Input: n, Kernel: k, Stride: stride, Dilation: dilation, PadBegin: k / 2 * dilation}
					s.Axes[1].Output, s.Axes[2].Output = convtest.Outputs(s.Axes[1], k/2*dilation), convtest.Outputs(s.Axes[2], k/2*dilation)
					checkDepthwise(t, r, s)
				}
			}
		}
	})
}

// TestDepthwise_bands tests planes that are divided into bands, and planes that are not: planes of
// one row, and planes whose rows are not computed in order.
func TestDepthwise_bands(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		axis := func(n, dilation int) conv.Axis {
			return conv.Axis{Input: n, Output: n, Kernel: 3, Stride: 1, Dilation: dilation, PadBegin: dilation}
		}
		one := conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
		for _, axes := range [][3]conv.Axis{
			{one, axis(70, 1), axis(600, 1)}, {one, axis(600, 1), axis(70, 1)}, {axis(70, 1), axis(70, 1), axis(9, 1)},
			{one, axis(600, 2), axis(70, 2)}, {one, one, axis(70000, 1)},
			{one, axis(2, 1), axis(maxColumns+9, 1)},
		} {
			s := Shape{Batch: 1, Channels: 1, Multiplier: 1, Axes: axes}
			if axes[1].Dilation == 1 {
				assert.Equal(t, axes[1].Output > 1, New(s).bands > 1, "%+v", s)
			}
			checkDepthwise(t, r, s)
		}
	})
}

func TestDepthwise_nan(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		axis := conv.Axis{Input: 9, Output: 9, Kernel: 3, Stride: 1, Dilation: 1, PadBegin: 1}
		d := New(Shape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]conv.Axis{{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}, axis, axis}})
		in, out, weights := make([]float32, 81), make([]float32, 81), make([]float32, 9)
		for i := range in {
			in[i] = 1
		}
		weights[4] = 5
		in[40] = float32(math.NaN())
		in[41] = float32(math.Inf(1))
		d.Run(nil, out, in, weights, &conv.Epilogue{Clamp: true, Lo: 2, Hi: 6}, make([]float32, d.Scratch()), 0, 1)
		assert.Equal(t, []float32{2, 2}, []float32{out[40], out[41]}, "infinity times 0 is NaN elsewhere")
		assert.Equal(t, float32(5), out[0])
	})
}

func TestDepthwise_far(t *testing.T) {
	far := conv.Axis{Input: 1 << 30, Output: 1, Kernel: 2, Stride: 1, Dilation: 1<<30 - 1}
	one := conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
	assert.Nil(t, New(Shape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]conv.Axis{one, one, far}}))
	far = conv.Axis{Input: 1 << 28, Output: 1, Kernel: 1 << 20, Stride: 1 << 21, Dilation: 3}
	assert.Nil(t, New(Shape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]conv.Axis{one, one, far}}), "a phase for each element of the filter")
	far = conv.Axis{Input: 900, Output: 500, Kernel: 2, Stride: 1, Dilation: 400}
	assert.Nil(t, New(Shape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]conv.Axis{one, far, far}}), "copies of many rows for one row of outputs")
	far.Output = 0
	assert.Nil(t, New(Shape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]conv.Axis{one, one, far}}))
}

func FuzzDepthwise(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(1), uint8(1), uint8(14), uint8(14), int8(1))
	f.Add(uint64(2), uint8(5), uint8(2), uint8(1), uint8(20), uint8(33), int8(2))
	f.Fuzz(func(t *testing.T, seed uint64, kernel, stride, dilation, height, width uint8, pad int8) {
		axis := func(n uint8) conv.Axis {
			a := conv.Axis{Input: int(n)%80 + 1, Kernel: int(kernel)%9 + 1, Stride: int(stride)%5 + 1, Dilation: int(dilation)%4 + 1, PadBegin: int(pad)}
			a.Output = convtest.Outputs(a, int(pad))
			return a
		}
		s := Shape{Batch: 1, Channels: 2, Multiplier: 1 + int(seed%2)}
		s.Axes = [3]conv.Axis{{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}, axis(height), axis(width)}
		if y, x := s.Axes[1].Output, s.Axes[2].Output; y < 1 || x < 1 || y*x > 1<<14 || New(s) == nil {
			t.Skip()
		}
		checkDepthwise(t, rand.New(rand.NewPCG(seed, 0)), s)
	})
}

// BenchmarkDepthwise runs the layers of mobilenet_v2 and efficientnet_b0.
func BenchmarkDepthwise(b *testing.B) {
	for _, c := range []struct{ channels, size, kernel, stride int }{
		{32, 112, 3, 1}, {96, 112, 3, 2}, {144, 56, 3, 1}, {144, 56, 3, 2}, {192, 28, 3, 1}, {192, 28, 3, 2},
		{384, 14, 3, 1}, {576, 14, 3, 1}, {576, 14, 3, 2}, {960, 7, 3, 1},
		{144, 56, 5, 2}, {240, 28, 5, 1}, {240, 28, 3, 2}, {480, 14, 5, 1}, {672, 14, 5, 1}, {672, 14, 5, 2}, {1152, 7, 5, 1},
		{192, 28, 7, 1},
	} {
		axis := conv.Axis{Input: c.size, Output: c.size / c.stride, Kernel: c.kernel, Stride: c.stride, Dilation: 1, PadBegin: (c.kernel - c.stride + 1) / 2}
		s := Shape{Batch: 1, Channels: c.channels, Multiplier: 1}
		s.Axes = [3]conv.Axis{{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}, axis, axis}
		b.Run(fmt.Sprintf("%dx%dx%d/k%ds%d", c.channels, c.size, c.size, c.kernel, c.stride), func(b *testing.B) {
			d := New(s)
			in, out := make([]float32, c.channels*d.inPlane), make([]float32, c.channels*d.outPlane)
			weights, scratch := make([]float32, c.channels*d.kernel), make([]float32, d.Scratch())
			e := &conv.Epilogue{Bias: make([]float32, c.channels), Clamp: true, Hi: 6}
			b.ReportAllocs()
			for b.Loop() {
				d.Run(nil, out, in, weights, e, scratch, 0, d.Items())
			}
			flops := 2 * float64(d.kernel) * float64(len(out)) * float64(b.N)
			b.ReportMetric(flops/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}
