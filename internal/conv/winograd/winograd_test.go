package winograd

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

// naiveConvolution computes a convolution with windows of 3 by 3 by its definition, in float64.
func naiveConvolution(s *Shape, in, weights []float32, e *conv.Epilogue) []float64 {
	out := make([]float64, 0, s.Batch*s.Out*s.Y.Output*s.X.Output)
	for image := range s.Batch {
		for o := range s.Out {
			for y := range s.Y.Output {
				for x := range s.X.Output {
					total := 0.0
					for c := range s.In {
						plane := in[(image*s.In+c)*s.Y.Input*s.X.Input:]
						filter := weights[(o*s.In+c)*9:][:9]
						for k, weight := range filter {
							iy, ix := s.Y.At(y, k/3), s.X.At(x, k%3)
							if iy >= 0 && iy < s.Y.Input && ix >= 0 && ix < s.X.Input {
								total += float64(weight) * float64(plane[iy*s.X.Input+ix])
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

// winogradAxis returns an axis of a window of 3 elements.
func winogradAxis(input, padBegin, padEnd int) conv.Axis {
	a := conv.Axis{Input: input, Kernel: 3, Stride: 1, Dilation: 1, PadBegin: padBegin}
	a.Output = convtest.Outputs(a, padEnd)
	return a
}

// runWinograd runs w in pieces, as threads would, and checks that it writes only to its slices.
func runWinograd(t testing.TB, r *rand.Rand, w *Plan, in, weights []float32, e *conv.Epilogue) []float32 {
	t.Helper()
	s := &w.shape
	packed := make([]float32, w.PackedSize())
	cut := r.IntN(w.PackItems() + 1)
	w.Pack(packed, weights, cut, w.PackItems())
	w.Pack(packed, weights, 0, cut)
	all, out := convtest.Guarded(s.Batch * s.Out * s.Y.Output * s.X.Output)
	sharedAll, shared := convtest.Guarded(w.SharedScratch())
	scratchAll, scratch := convtest.Guarded(w.Scratch())
	for _, list := range [][]float32{out, shared, scratch} {
		for i := range list {
			list[i] = float32(math.NaN())
		}
	}
	cut = r.IntN(w.TransformItems() + 1)
	w.Transform(nil, in, shared, scratch, cut, w.TransformItems())
	w.Transform(nil, in, shared, scratch, 0, cut)
	cut = r.IntN(w.Items() + 1)
	filters := Filters{Packed: packed, Direct: func() []float32 { return weights }, Largest: w.LargestInput(nil, weights)}
	require.NotZero(t, filters.Largest)
	w.Run(nil, out, in, filters, e, shared, scratch, cut, w.Items())
	w.Run(nil, out, in, filters, e, shared, scratch, 0, cut)
	convtest.RequireGuards(t, all)
	convtest.RequireGuards(t, sharedAll)
	convtest.RequireGuards(t, scratchAll)
	return out
}

// winogradErrors returns the root mean square of the errors and the largest error, both relative to
// the root mean square of the output.
func winogradErrors(got []float32, want []float64) (rms, largest float64) {
	squares, errors := 0.0, 0.0
	for i, v := range want {
		d := math.Abs(v - float64(got[i]))
		squares += v * v
		errors += d * d
		if !(d <= largest) {
			largest = d
		}
	}
	scale := math.Sqrt(squares / float64(len(want)))
	return math.Sqrt(errors/float64(len(want))) / scale, largest / scale
}

// checkWinograd compares a plan with the definition.
func checkWinograd(t testing.TB, r *rand.Rand, s Shape, threads int) {
	t.Helper()
	w := New(s, threads)
	require.NotNil(t, w, "%+v", s)
	_, in := convtest.Guarded(s.Batch * s.In * s.Y.Input * s.X.Input)
	copy(in, convtest.NormalFloats(r, len(in)))
	weights := convtest.NormalFloats(r, s.Out*s.In*9)
	e := convtest.RandomEpilogue(r, s.Out)
	want := naiveConvolution(&s, in, weights, e)
	seen := make([]int, len(want))
	e.Finish = func(x []float32, at int) {
		for i := range x {
			seen[at+i]++
			x[i] *= 2
		}
	}
	out := runWinograd(t, r, w, in, weights, e)
	scale := math.Sqrt(float64(9 * s.In))
	for i, v := range want {
		require.Equal(t, 1, seen[i], "finish of element %d: %+v", i, s)
		if !(math.Abs(v-float64(out[i]/2)) <= 2e-5*scale) {
			require.Equal(t, v, float64(out[i]/2), "element %d: %+v", i, s)
		}
	}
}

func TestWinograd(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 40 {
			s := Shape{Batch: 1 + r.IntN(3), In: 1 + r.IntN(8), Out: 1 + r.IntN(40)}
			s.Y = winogradAxis(5+r.IntN(20), r.IntN(4)-1, r.IntN(4)-1)
			s.X = winogradAxis(5+r.IntN(40), r.IntN(4)-1, r.IntN(4)-1)
			checkWinograd(t, r, s, 1+r.IntN(4))
		}
	})
}

// TestWinograd_lengths tests both tile sizes with all lengths around those of vectors.
func TestWinograd_lengths(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := 1; n < 80; n++ {
			checkWinograd(t, r, Shape{Batch: 1, In: 2, Out: 3, Y: winogradAxis(6, 1, 1), X: winogradAxis(n, 1, 1)}, 1)
		}
	})
}

// TestWinograd_columns tests images of several blocks of columns, whose rows are stored and
// finished piece by piece.
func TestWinograd_columns(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		s := Shape{Batch: 2, In: 3, Out: 2, Y: winogradAxis(7, 1, 1)}
		blocks := 1
		for width := 100; blocks < 3; width += 51 {
			s.X = winogradAxis(width, 1, 1)
			if n := New(s, 1).columnBlocks; n > blocks {
				blocks = n
				checkWinograd(t, r, s, 1)
				checkWinograd(t, r, s, 4)
			}
		}
	})
}

// TestWinograd_padding tests images with so much padding that whole blocks have no input.
func TestWinograd_padding(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, pad := range [][4]int{{1, 1, 1, 600}, {1, 1, 600, 1}, {40, 0, 60, 60}, {0, 60, 60, 0}} {
		s := Shape{Batch: 2, In: 1, Out: 2, Y: winogradAxis(5, pad[0], pad[1]), X: winogradAxis(4, pad[2], pad[3])}
		checkWinograd(t, r, s, 1)
	}
}

func TestWinograd_refused(t *testing.T) {
	good := Shape{Batch: 1, In: 1, Out: 1, Y: winogradAxis(6, 1, 1), X: winogradAxis(6, 1, 1)}
	require.NotNil(t, New(good, 1))
	for _, change := range []func(s *Shape){
		func(s *Shape) { s.Y.Kernel = 5 }, func(s *Shape) { s.X.Stride = 2 },
		func(s *Shape) { s.X.Dilation = 2 }, func(s *Shape) { s.Y.Output = 0 },
		func(s *Shape) { s.Batch = 0 }, func(s *Shape) { s.In = 0 },
	} {
		s := good
		change(&s)
		assert.Nil(t, New(s, 1), "%+v", s)
	}
}

// TestWinograd_errors checks that the root mean square of the rounding errors and the largest error
// are below four times those of the direct sum.
func TestWinograd_errors(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		channels, size, tile int
	}{{64, 16, 4}, {256, 8, 4}, {64, 4, 2}, {256, 4, 2}} {
		s := Shape{Batch: 1, In: c.channels, Out: 16, Y: winogradAxis(c.size, 1, 1), X: winogradAxis(c.size, 1, 1)}
		if c.tile == 4 {
			s.Batch = 4
		}
		in, weights := convtest.NormalFloats(r, s.Batch*s.In*c.size*c.size), convtest.NormalFloats(r, s.Out*s.In*9)
		want := naiveConvolution(&s, in, weights, &conv.Epilogue{})
		w := New(s, 1)
		require.Equal(t, c.tile, w.tile)
		rms, largest := winogradErrors(runWinograd(t, r, w, in, weights, &conv.Epilogue{}), want)
		directRMS, directLargest := winogradErrors(directSum(&s, in, weights), want)
		t.Logf("%d channels, m %d: %.2g, largest %.2g; direct %.2g, %.2g", c.channels, c.tile, rms, largest, directRMS, directLargest)
		assert.Less(t, rms, 4*directRMS)
		assert.Less(t, largest, 4*directLargest)
	}
}

// directSum computes a convolution by its definition, adding one product after another in float32.
func directSum(s *Shape, in, weights []float32) []float32 {
	var out []float32
	for i := range s.Batch * s.Out * s.Y.Output * s.X.Output {
		x, y := i%s.X.Output, i/s.X.Output%s.Y.Output
		o := i / (s.X.Output * s.Y.Output)
		total := float32(0)
		for c := range s.In {
			plane := in[(o/s.Out*s.In+c)*s.Y.Input*s.X.Input:]
			for k, weight := range weights[(o%s.Out*s.In+c)*9:][:9] {
				iy, ix := s.Y.At(y, k/3), s.X.At(x, k%3)
				if iy >= 0 && iy < s.Y.Input && ix >= 0 && ix < s.X.Input {
					total += weight * plane[iy*s.X.Input+ix]
				}
			}
		}
		out = append(out, total)
	}
	return out
}

// TestWinograd_threads gives each item to the thread that is idle first, and checks that no thread
// waits for long at the end.
func TestWinograd_threads(t *testing.T) {
	for _, c := range [][3]int{{64, 64, 56}, {128, 128, 28}, {256, 256, 14}, {512, 512, 7}, {16, 16, 128}, {128, 32, 14}} {
		s := Shape{Batch: 1, In: c[0], Out: c[1], Y: winogradAxis(c[2], 1, 1), X: winogradAxis(c[2], 1, 1)}
		w := New(s, 2)
		var busy [2]int
		for i := range w.Items() {
			b, panels := i, w.panels
			if w.shared {
				b = i / w.groups()
				panels = min(w.group, w.panels-i%w.groups()*w.group)
			}
			least := 0
			if busy[1] < busy[0] {
				least = 1
			}
			busy[least] += w.block(b).rows * w.block(b).columns * panels
		}
		assert.LessOrEqual(t, float64(max(busy[0], busy[1])), 1.15*float64(busy[0]+busy[1])/2, "%v: %v", c, busy)
	}
}

func TestWinogradPays(t *testing.T) {
	square := func(in, out, size int) Shape {
		return Shape{Batch: 1, In: in, Out: out, Y: winogradAxis(size, 1, 1), X: winogradAxis(size, 1, 1)}
	}
	for _, s := range []Shape{square(64, 64, 56), square(512, 512, 7), square(16, 16, 128), square(128, 32, 14)} {
		assert.True(t, Pays(s), "%+v", s)
	}
	for _, s := range []Shape{square(3, 64, 112), square(512, 512, 1), square(4, 4, 8)} {
		assert.False(t, Pays(s), "%+v", s)
	}
}

func FuzzWinograd(f *testing.F) {
	f.Add(uint64(1), uint8(14), uint8(14), uint8(8), uint8(33), int8(1), uint8(2))
	f.Add(uint64(2), uint8(30), uint8(70), uint8(1), uint8(1), int8(-1), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, height, width, in, out uint8, pad int8, threads uint8) {
		s := Shape{Batch: 1 + int(seed%3), In: int(in)%8 + 1, Out: int(out)%40 + 1}
		s.Y, s.X = winogradAxis(int(height)%40+1, int(pad), int(pad)), winogradAxis(int(width)%80+1, int(pad), 1)
		if y, x := s.Y.Output, s.X.Output; y < 1 || x < 1 || y*x > 1<<12 {
			t.Skip()
		}
		checkWinograd(t, rand.New(rand.NewPCG(seed, 0)), s, int(threads)%4+1)
	})
}

// BenchmarkWinograd runs the layers of resnet18.
func BenchmarkWinograd(b *testing.B) {
	for _, c := range []struct{ channels, size int }{{64, 56}, {128, 28}, {256, 14}, {512, 7}} {
		s := Shape{Batch: 1, In: c.channels, Out: c.channels, Y: winogradAxis(c.size, 1, 1), X: winogradAxis(c.size, 1, 1)}
		b.Run(fmt.Sprintf("%dx%dx%d", c.channels, c.size, c.size), func(b *testing.B) {
			w := New(s, 1)
			r := rand.New(rand.NewPCG(1, 2))
			in, filters := convtest.NormalFloats(r, c.channels*c.size*c.size), convtest.NormalFloats(r, c.channels*c.channels*9)
			f := Filters{Packed: make([]float32, w.PackedSize()), Direct: func() []float32 { return filters }, Largest: w.LargestInput(nil, filters)}
			w.Pack(f.Packed, filters, 0, w.PackItems())
			out := make([]float32, len(in))
			shared, scratch := make([]float32, w.SharedScratch()), make([]float32, w.Scratch())
			e := &conv.Epilogue{Bias: make([]float32, c.channels), Clamp: true, Hi: math.MaxFloat32}
			b.ReportAllocs()
			for b.Loop() {
				w.Transform(nil, in, shared, scratch, 0, w.TransformItems())
				w.Run(nil, out, in, f, e, shared, scratch, 0, w.Items())
			}
			flops := 18 * float64(c.channels) * float64(len(out)) * float64(b.N)
			b.ReportMetric(flops/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}
