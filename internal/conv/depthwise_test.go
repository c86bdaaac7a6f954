package conv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// naiveDepthwise computes a depthwise convolution by its definition, in float64.
func naiveDepthwise(s *DepthwiseShape, in, weights []float32, e *Epilogue) []float64 {
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
					out = append(out, finishNaive(total, o, e))
				}
			}
		}
	}
	return out
}

// finishNaive applies the bias and the clamp of e to an element of channel o.
func finishNaive(v float64, o int, e *Epilogue) float64 {
	if e.Bias != nil {
		v += float64(e.Bias[o])
	}
	if e.Clamp {
		v = min(max(v, float64(e.Lo)), float64(e.Hi))
	}
	return v
}

// outputs returns the length of the output of an axis with the given padding at the end.
func (a Axis) outputs(padEnd int) int {
	return max((a.Input+a.PadBegin+padEnd-(a.Kernel-1)*a.Dilation-1)/a.Stride+1, 0)
}

// randomAxis returns an axis whose input has up to n elements.
func randomAxis(r *rand.Rand, n, kernel, stride, dilation int) Axis {
	for {
		a := Axis{Input: 1 + r.IntN(n), Kernel: kernel, Stride: stride, Dilation: dilation, PadBegin: r.IntN(kernel*dilation+2) - 1}
		if a.Output = a.outputs(r.IntN(kernel*dilation+2) - 1); a.Output > 0 {
			return a
		}
	}
}

// smallFloats returns small whole numbers: their products and sums are exact.
func smallFloats(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.IntN(15) - 7)
	}
	return list
}

// randomEpilogue returns an epilogue that may have a bias and a clamp.
func randomEpilogue(r *rand.Rand, channels int) *Epilogue {
	e := &Epilogue{}
	if r.IntN(2) == 0 {
		e.Bias = smallFloats(r, channels)
	}
	if r.IntN(2) == 0 {
		e.Clamp, e.Lo, e.Hi = true, -20, 30
	}
	return e
}

// guard is the number of elements before and after a guarded slice.
const guard = 40

// guarded returns middle, n elements of 99, and the slice all, which has guard more elements of 99
// on either side.
func guarded(n int) (all, middle []float32) {
	all = make([]float32, n+2*guard)
	for i := range all {
		all[i] = 99
	}
	return all, all[guard : guard+n : guard+n]
}

// requireGuards fails if the elements around a guarded slice have changed.
func requireGuards(t testing.TB, all []float32) {
	t.Helper()
	for i := range guard {
		require.Equal(t, []float32{99, 99}, []float32{all[i], all[len(all)-1-i]}, "written outside")
	}
}

// checkDepthwise compares a plan with the definition.
func checkDepthwise(t testing.TB, r *rand.Rand, s DepthwiseShape) {
	t.Helper()
	d := NewDepthwise(s)
	require.NotNil(t, d, "%+v", s)
	z, y, x := s.Axes[0], s.Axes[1], s.Axes[2]
	_, in := guarded(s.Batch * s.Channels * z.Input * y.Input * x.Input)
	copy(in, smallFloats(r, len(in)))
	channels := s.Channels * s.Multiplier
	weights := smallFloats(r, channels*z.Kernel*y.Kernel*x.Kernel)
	e := randomEpilogue(r, channels)
	want := naiveDepthwise(&s, in, weights, e)

	all, out := guarded(len(want))
	seen := make([]int, len(want))
	e.Finish = func(x []float32, at int) {
		for i := range x {
			seen[at+i]++
			x[i] *= 2
		}
	}
	scratchAll, scratch := guarded(d.Scratch())
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
	requireGuards(t, all)
	requireGuards(t, scratchAll)
}

// withFeatures runs f with all instruction sets, with AVX2 as the widest, and without assembly.
func withFeatures(t *testing.T, f func(t *testing.T)) {
	t.Run("all", f)
	defer cpu.AVX512.Disable()()
	t.Run("AVX2", f)
	defer cpu.FMA.Disable()()
	t.Run("portable", f)
}

func TestDepthwise(t *testing.T) {
	withFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 250 {
			k, stride, dilation := 1+r.IntN(7), 1+r.IntN(3), 1+r.IntN(2)
			s := DepthwiseShape{Batch: 1 + r.IntN(2), Channels: 1 + r.IntN(3), Multiplier: 1 + r.IntN(2)}
			s.Axes[0] = Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
			s.Axes[1], s.Axes[2] = randomAxis(r, 40, k, stride, dilation), randomAxis(r, 60, k, stride, dilation)
			switch r.IntN(8) {
			case 0:
				s.Axes[0] = randomAxis(r, 5, 1+r.IntN(3), 1+r.IntN(2), 1)
			case 1:
				s.Axes[1] = Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
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
	withFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, k := range []int{3, 5, 7} {
			for _, step := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {1, 3}} {
				stride, dilation := step[0], step[1]
				for n := 1; n < 41; n++ {
					s := DepthwiseShape{Batch: 1, Channels: 2, Multiplier: 1}
					s.Axes[0] = Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
					s.Axes[1] = Axis{Input: n/2 + 1, Kernel: k, Stride: stride, Dilation: dilation, PadBegin: k / 2 * dilation}
					s.Axes[2] = Axis{Input: n, Kernel: k, Stride: stride, Dilation: dilation, PadBegin: k / 2 * dilation}
					s.Axes[1].Output, s.Axes[2].Output = s.Axes[1].outputs(k/2*dilation), s.Axes[2].outputs(k/2*dilation)
					checkDepthwise(t, r, s)
				}
			}
		}
	})
}

// TestDepthwise_bands tests planes that are divided into bands, and planes that are not: planes of
// one row, and planes whose rows are not computed in order.
func TestDepthwise_bands(t *testing.T) {
	withFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		axis := func(n, dilation int) Axis {
			return Axis{Input: n, Output: n, Kernel: 3, Stride: 1, Dilation: dilation, PadBegin: dilation}
		}
		one := Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
		for _, axes := range [][3]Axis{
			{one, axis(70, 1), axis(600, 1)}, {one, axis(600, 1), axis(70, 1)}, {axis(70, 1), axis(70, 1), axis(9, 1)},
			{one, axis(600, 2), axis(70, 2)}, {one, one, axis(70000, 1)},
			{one, axis(2, 1), axis(maxColumns+9, 1)},
		} {
			s := DepthwiseShape{Batch: 1, Channels: 1, Multiplier: 1, Axes: axes}
			if axes[1].Dilation == 1 {
				assert.Equal(t, axes[1].Output > 1, NewDepthwise(s).bands > 1, "%+v", s)
			}
			checkDepthwise(t, r, s)
		}
	})
}

func TestDepthwise_nan(t *testing.T) {
	withFeatures(t, func(t *testing.T) {
		axis := Axis{Input: 9, Output: 9, Kernel: 3, Stride: 1, Dilation: 1, PadBegin: 1}
		d := NewDepthwise(DepthwiseShape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]Axis{{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}, axis, axis}})
		in, out, weights := make([]float32, 81), make([]float32, 81), make([]float32, 9)
		for i := range in {
			in[i] = 1
		}
		weights[4] = 5
		in[40] = float32(math.NaN())
		in[41] = float32(math.Inf(1))
		d.Run(nil, out, in, weights, &Epilogue{Clamp: true, Lo: 2, Hi: 6}, make([]float32, d.Scratch()), 0, 1)
		assert.Equal(t, []float32{2, 2}, []float32{out[40], out[41]}, "infinity times 0 is NaN elsewhere")
		assert.Equal(t, float32(5), out[0])
	})
}

func TestDepthwise_far(t *testing.T) {
	far := Axis{Input: 1 << 30, Output: 1, Kernel: 2, Stride: 1, Dilation: 1<<30 - 1}
	one := Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
	assert.Nil(t, NewDepthwise(DepthwiseShape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]Axis{one, one, far}}))
	far = Axis{Input: 1 << 28, Output: 1, Kernel: 1 << 20, Stride: 1 << 21, Dilation: 3}
	assert.Nil(t, NewDepthwise(DepthwiseShape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]Axis{one, one, far}}), "a phase for each element of the filter")
	far = Axis{Input: 900, Output: 500, Kernel: 2, Stride: 1, Dilation: 400}
	assert.Nil(t, NewDepthwise(DepthwiseShape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]Axis{one, far, far}}), "copies of many rows for one row of outputs")
	far.Output = 0
	assert.Nil(t, NewDepthwise(DepthwiseShape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]Axis{one, one, far}}))
}

func FuzzDepthwise(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(1), uint8(1), uint8(14), uint8(14), int8(1))
	f.Add(uint64(2), uint8(5), uint8(2), uint8(1), uint8(20), uint8(33), int8(2))
	f.Fuzz(func(t *testing.T, seed uint64, kernel, stride, dilation, height, width uint8, pad int8) {
		axis := func(n uint8) Axis {
			a := Axis{Input: int(n)%80 + 1, Kernel: int(kernel)%9 + 1, Stride: int(stride)%5 + 1, Dilation: int(dilation)%4 + 1, PadBegin: int(pad)}
			a.Output = a.outputs(int(pad))
			return a
		}
		s := DepthwiseShape{Batch: 1, Channels: 2, Multiplier: 1 + int(seed%2)}
		s.Axes = [3]Axis{{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}, axis(height), axis(width)}
		if y, x := s.Axes[1].Output, s.Axes[2].Output; y < 1 || x < 1 || y*x > 1<<14 || NewDepthwise(s) == nil {
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
		axis := Axis{Input: c.size, Output: c.size / c.stride, Kernel: c.kernel, Stride: c.stride, Dilation: 1, PadBegin: (c.kernel - c.stride + 1) / 2}
		s := DepthwiseShape{Batch: 1, Channels: c.channels, Multiplier: 1}
		s.Axes = [3]Axis{{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}, axis, axis}
		b.Run(fmt.Sprintf("%dx%dx%d/k%ds%d", c.channels, c.size, c.size, c.kernel, c.stride), func(b *testing.B) {
			d := NewDepthwise(s)
			in, out := make([]float32, c.channels*d.inPlane), make([]float32, c.channels*d.outPlane)
			weights, scratch := make([]float32, c.channels*d.kernel), make([]float32, d.Scratch())
			e := &Epilogue{Bias: make([]float32, c.channels), Clamp: true, Hi: 6}
			b.ReportAllocs()
			for b.Loop() {
				d.Run(nil, out, in, weights, e, scratch, 0, d.Items())
			}
			flops := 2 * float64(d.kernel) * float64(len(out)) * float64(b.N)
			b.ReportMetric(flops/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}
