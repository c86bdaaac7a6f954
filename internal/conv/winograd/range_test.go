package winograd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/convtest"
)

// winogradShapes are shapes of both tile sizes, with padding that covers whole windows, with
// several images in a block, and with several blocks of columns.
func winogradShapes() map[string]Shape {
	return map[string]Shape{
		"tiles of 4":   {Batch: 1, In: 5, Out: 6, Y: winogradAxis(13, 1, 1), X: winogradAxis(15, 1, 1)},
		"tiles of 2":   {Batch: 1, In: 18, Out: 5, Y: winogradAxis(4, 1, 1), X: winogradAxis(6, 1, 1)},
		"images":       {Batch: 3, In: 4, Out: 5, Y: winogradAxis(6, 0, 2), X: winogradAxis(7, 2, 0)},
		"much padding": {Batch: 1, In: 4, Out: 5, Y: winogradAxis(6, 5, 4), X: winogradAxis(7, 3, 6)},
		"cut off":      {Batch: 1, In: 4, Out: 5, Y: winogradAxis(12, -2, -3), X: winogradAxis(13, -1, -4)},
		"columns":      {Batch: 1, In: 2, Out: 3, Y: winogradAxis(5, 1, 1), X: winogradAxis(470, 1, 1)},
	}
}

// windowMaximum returns the largest absolute value of the inputs of each output.
func windowMaximum(s *Shape, in []float32) []float64 {
	absolute, ones := make([]float32, len(in)), make([]float32, s.Out*s.In*9)
	for i, v := range in {
		absolute[i] = float32(math.Abs(float64(v)))
	}
	for i := range ones {
		ones[i] = 1
	}
	var list []float64
	for image := range s.Batch {
		for o := 0; o < s.Out; o++ {
			for y := range s.Y.Output {
				for x := range s.X.Output {
					most := 0.0
					for c := range s.In {
						for k := range 9 {
							iy, ix := s.Y.At(y, k/3), s.X.At(x, k%3)
							if iy >= 0 && iy < s.Y.Input && ix >= 0 && ix < s.X.Input {
								most = max(most, float64(absolute[((image*s.In+c)*s.Y.Input+iy)*s.X.Input+ix]))
							}
						}
					}
					list = append(list, most)
				}
			}
		}
	}
	return list
}

// winogradBound is the bound of the errors in RATIONALE.md: relative to the largest input of an
// output's window times the sum of the absolute values of its filter.
const winogradBound = 1.0 / (1 << 16)

// requireBound checks that each output is inside the bound of the errors.
func requireBound(t *testing.T, s *Shape, in, weights, got []float32) (worst float64) {
	t.Helper()
	want, most := naiveConvolution(s, in, weights, &conv.Epilogue{}), windowMaximum(s, in)
	for i, v := range want {
		sum := 0.0
		for _, w := range weights[i/(s.Y.Output*s.X.Output)%s.Out*s.In*9:][:s.In*9] {
			sum += math.Abs(float64(w))
		}
		scale := most[i] * sum
		if scale >= math.MaxFloat32 {
			continue
		}
		// Products below the smallest normal number have errors of their own.
		bound := scale*winogradBound + float64(s.In)*0x1p-142
		if d := math.Abs(v - float64(got[i])); !(d <= bound) {
			require.Failf(t, "error", "element %d of %+v: %v, want %v: the error is %.3g of the scale", i, *s, got[i], v, d/scale)
		} else if scale > 0 && bound == scale*winogradBound {
			worst = max(worst, d/scale)
		}
	}
	return worst
}

// TestWinograd_range checks the bound of the errors for inputs whose magnitudes differ as much as
// possible.
func TestWinograd_range(t *testing.T) {
	fills := map[string]func(r *rand.Rand, s *Shape, in []float32){
		"all magnitudes": func(r *rand.Rand, _ *Shape, in []float32) {
			for i := range in {
				in[i] *= float32(math.Pow(10, 40*r.Float64()-20))
			}
		},
		"all magnitudes of float32": func(r *rand.Rand, _ *Shape, in []float32) {
			for i := range in {
				in[i] = float32(math.Copysign(math.Pow(10, 80*r.Float64()-45), r.Float64()-0.5))
			}
		},
		"one large input for each tile": func(r *rand.Rand, s *Shape, in []float32) {
			for plane := range len(in) / (s.Y.Input * s.X.Input) {
				for y := range conv.CeilDiv(s.Y.Input, 4) {
					for x := range conv.CeilDiv(s.X.Input, 4) {
						row, column := min(4*y+r.IntN(4), s.Y.Input-1), min(4*x+r.IntN(4), s.X.Input-1)
						in[(plane*s.Y.Input+row)*s.X.Input+column] = float32(math.Pow(10, 40*r.Float64()))
					}
				}
			}
		},
		"large columns": func(_ *rand.Rand, s *Shape, in []float32) {
			for i := range in {
				if x := i % s.X.Input; x%5 == 0 {
					in[i] *= float32(math.Pow(10, float64(x%7)))
				}
			}
		},
		"denormal numbers": func(_ *rand.Rand, _ *Shape, in []float32) {
			for i := range in {
				in[i] *= 1e-42
			}
		},
		"small numbers": func(_ *rand.Rand, _ *Shape, in []float32) {
			for i := range in {
				in[i] *= 0x1p-112
			}
		},
		"large numbers": func(_ *rand.Rand, _ *Shape, in []float32) {
			for i := range in {
				in[i] *= 1e36
			}
		},
		"mostly zeros": func(r *rand.Rand, _ *Shape, in []float32) {
			for i := range in {
				if r.IntN(12) > 0 {
					in[i] = 0
				}
			}
		},
		"a step": func(_ *rand.Rand, s *Shape, in []float32) {
			for i := range in {
				if i/s.X.Input%s.Y.Input >= s.Y.Input/2 {
					in[i] *= 1 << (windowBits - 3)
				}
			}
		},
	}
	convtest.WithFeatures(t, func(t *testing.T) {
		for name, s := range winogradShapes() {
			for fill, f := range fills {
				t.Run(name+", "+fill, func(t *testing.T) {
					r := rand.New(rand.NewPCG(7, 8))
					worst := 0.0
					for round := range 4 {
						in, weights := convtest.NormalFloats(r, s.Batch*s.In*s.Y.Input*s.X.Input), convtest.NormalFloats(r, s.Out*s.In*9)
						f(r, &s, in)
						got := runWinograd(t, r, New(s, 1+round%2*7), in, weights, &conv.Epilogue{})
						worst = max(worst, requireBound(t, &s, in, weights, got))
					}
					t.Logf("largest error %.3g of the scale, 2^%.1f", worst, math.Log2(worst))
				})
			}
		}
	})
}

// TestWinograd_outlier sets each input of a tile to a value that is not finite or very large.
// Outputs whose windows have it must be what the direct sum gives. All others must not change by
// more than rounding errors.
func TestWinograd_outlier(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for name, s := range winogradShapes() {
			in, weights := convtest.NormalFloats(r, s.Batch*s.In*s.Y.Input*s.X.Input), convtest.NormalFloats(r, s.Out*s.In*9)
			weights[4] = 0 // infinity times 0 is NaN
			plain := naiveConvolution(&s, in, weights, &conv.Epilogue{})
			plans := []*Plan{New(s, 1), New(s, 8)}
			for round, place := range outlierPlaces(r, &s) {
				// Each value is at each position of a tile.
				values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -math.MaxFloat32, 1e6}
				if s.X.Input > 100 {
					values = values[round%len(values):][:1]
				}
				for _, v := range values {
					changed := append([]float32(nil), in...)
					changed[place] = float32(v)
					want := naiveConvolution(&s, changed, weights, &conv.Epilogue{})
					got := runWinograd(t, r, plans[round%2], changed, weights, &conv.Epilogue{})
					for i := range want {
						tolerance := 1e-5 * float64(9*s.In)
						if want[i] != plain[i] {
							tolerance *= max(math.Abs(v), 1)
						}
						if !sameFloat(want[i], float64(got[i]), tolerance) {
							require.Failf(t, "wrong", "%s: element %d is %v, want %v; %v at %d", name, i, got[i], want[i], v, place)
						}
					}
				}
			}
		}
	})
}

// outlierPlaces returns positions in the input: all of a tile somewhere in the first image, and
// some others.
func outlierPlaces(r *rand.Rand, s *Shape) []int {
	var list []int
	plane := s.Y.Input * s.X.Input
	y, x := r.IntN(max(s.Y.Input-6, 1)), r.IntN(max(s.X.Input-6, 1))
	for i := range min(6, s.Y.Input) {
		for j := range min(6, s.X.Input) {
			list = append(list, (i*j%s.In)*plane+(y+i)*s.X.Input+x+j)
		}
	}
	for range 20 {
		list = append(list, r.IntN(s.Batch*s.In*plane))
	}
	return list
}

// sameFloat reports whether got is want, within a tolerance if want is a finite float32.
func sameFloat(want, got, tolerance float64) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(got)
	case math.Abs(want) > math.MaxFloat32:
		return got == math.Inf(1) && want > 0 || got == math.Inf(-1) && want < 0
	}
	return math.Abs(want-got) <= tolerance
}

// TestWinograd_corrected checks the bias, the clamp and Finish of tiles that are computed directly,
// and that outputs of windows of zeros are exact.
func TestWinograd_corrected(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		for name, s := range winogradShapes() {
			r := rand.New(rand.NewPCG(11, 12))
			in, weights := convtest.NormalFloats(r, s.Batch*s.In*s.Y.Input*s.X.Input), convtest.NormalFloats(r, s.Out*s.In*9)
			for i := range in {
				if x := i % s.X.Input; x >= 4 && x < 9 {
					in[i] = 0
				}
			}
			in[2*s.X.Input+2], in[2*s.X.Input+3] = float32(math.NaN()), 1e20
			e := &conv.Epilogue{Bias: convtest.NormalFloats(r, s.Out), Clamp: true, Lo: -1, Hi: 6}
			want := naiveConvolution(&s, in, weights, e)
			zeros := windowMaximum(&s, in)
			e.Finish = func(x []float32, _ int) {
				for i := range x {
					x[i] += 100
				}
			}
			got := runWinograd(t, r, New(s, 1), in, weights, e)
			for i, v := range want {
				if zeros[i] == 0 {
					bias := e.Bias[i/(s.Y.Output*s.X.Output)%s.Out]
					require.Equal(t, min(max(bias, -1), 6)+100, got[i], "%s: element %d", name, i)
				}
				if v != v {
					v = -1 // the clamp
				}
				require.InDelta(t, v+100, got[i], 1e-3, "%s: element %d", name, i)
			}
		}
	})
}

func TestWinograd_LargestInput(t *testing.T) {
	s := Shape{Batch: 1, In: 2, Out: 3, Y: winogradAxis(6, 1, 1), X: winogradAxis(6, 1, 1)}
	w := New(s, 1)
	for _, c := range []struct {
		weight float64
		want   bool
	}{
		{0, true}, {-3, true}, {0x1p60, true}, {0x1.1p60, false}, {math.Inf(-1), false}, {math.NaN(), false}, {0x1p-100, true}, {-0x1p-101, false}, {1e-45, false},
	} {
		filters := make([]float32, 54)
		filters[0], filters[40] = 1, float32(c.weight)
		assert.Equal(t, c.want, w.LargestInput(nil, filters) > 0, "%g", c.weight)
	}
	// The largest sums do not overflow.
	for _, s := range winogradShapes() {
		for _, weight := range []float32{1e-20, 1, -1e15} {
			w := New(s, 1)
			in, weights := make([]float32, s.Batch*s.In*s.Y.Input*s.X.Input), make([]float32, s.Out*s.In*9)
			for i := range weights {
				weights[i] = weight
			}
			for i := range in {
				in[i] = w.LargestInput(nil, weights) * float32(i%2*2-1)
			}
			for _, v := range runWinograd(t, rand.New(rand.NewPCG(1, 2)), w, in, weights, &conv.Epilogue{}) {
				require.False(t, math.IsInf(float64(v), 0) || v != v)
			}
		}
	}
}

// TestAmplification checks that amplification is what its comment says.
func TestAmplification(t *testing.T) {
	rows := func(m [][]float64) float64 {
		most := 0.0
		for _, row := range m {
			sum := 0.0
			for _, v := range row {
				sum += math.Abs(v)
			}
			most = max(most, sum)
		}
		return most
	}
	for _, m := range []int{2, 4} {
		n := m + 2
		w := &Plan{tile: m, n: n, transform: New(Shape{Batch: 1, In: 1, Out: 1, Y: winogradAxis(6, 1, 1), X: winogradAxis(6, 1, 1)}, 1).transform}
		a, b, g := make([][]float64, m), make([][]float64, n), make([][]float64, n)
		for j := range n {
			d, x := make([]float32, n), make([]float32, n)
			d[j], x[j] = 1, 1
			w.transform.inputTile(d, 1, m)
			w.transform.outputTile(x, 1, m)
			for i := range n {
				b[i] = append(b[i], float64(d[i]))
			}
			for i := range m {
				a[i] = append(a[i], float64(x[i]))
			}
		}
		matrix := weightMatrix(m)
		for i := range n {
			g[i] = []float64{float64(matrix[3*i]), float64(matrix[3*i+1]), float64(matrix[3*i+2])}
		}
		assert.Less(t, math.Pow(rows(a)*rows(b)*rows(g), 2), float64(amplification), "m = %d", m)
	}
}

// TestWinograd_scale tests inputs that are all very small or very large, with filters that make up
// for it, and that usual inputs need no tile to be computed directly.
func TestWinograd_scale(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(17, 18))
		s := Shape{Batch: 1, In: 5, Out: 6, Y: winogradAxis(13, 1, 1), X: winogradAxis(15, 1, 1)}
		w := New(s, 1)
		for _, scales := range [][2]float32{{0x1p-140, 0x1p50}, {0x1p125, 0x1p-30}, {1, 1}} {
			in, weights := convtest.NormalFloats(r, s.In*s.Y.Input*s.X.Input), convtest.NormalFloats(r, s.Out*s.In*9)
			for i := range in {
				in[i] = min(max(in[i], -3), 3) * scales[0]
			}
			for i := range weights {
				weights[i] *= scales[1]
			}
			requireBound(t, &s, in, weights, runWinograd(t, r, w, in, weights, &conv.Epilogue{}))
			v, sizes := make([]float32, w.vBlock()), make([]uint32, w.magnitudeBlock())
			for i := range sizes {
				sizes[i] = math.MaxUint32 // are set anew
			}
			b := w.block(0)
			n := w.readInput(v, sizes, in, make([]float32, temporarySize), b, 0, s.In)
			direct := w.setFlags(make([]uint32, w.flagBlock()), sizes[:n], b, w.LargestInput(nil, weights))
			assert.Equal(t, scales[0] != 1, direct, "%v", scales)
		}
	})
}

// TestWinograd_mergeMagnitudes compares the magnitudes of runs of channels with those of all
// channels. What an earlier block has left does not count.
func TestWinograd_mergeMagnitudes(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(19, 20))
		s := Shape{Batch: 3, In: 2*channelRun + 3, Out: 6, Y: winogradAxis(13, 1, 1), X: winogradAxis(15, 0, 2)}
		w := New(s, 1)
		in := convtest.NormalFloats(r, s.Batch*s.In*s.Y.Input*s.X.Input)
		for i := range w.blocks() {
			b, size := w.block(i), w.magnitudeBlock()
			want, got, parts := make([]uint32, size), make([]uint32, size), make([]uint32, w.channelRuns()*size)
			n := w.measure(want, in, b, 0, s.In)
			for run := range w.channelRuns() {
				w.measure(parts[run*size:][:size], in, b, run*channelRun, min((run+1)*channelRun, s.In))
			}
			for k := range got {
				got[k] = math.MaxUint32
			}
			require.Equal(t, n, w.magnitudeCount(b))
			require.Equal(t, n, w.mergeMagnitudes(got, parts, b))
			require.Equal(t, want[:n], got[:n])
		}
	})
}

// TestTileFlags compares the flags of tiles inside the image with their definition: zeros in a
// window do not make the tile be computed directly.
func TestTileFlags(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	s := Shape{Batch: 1, In: 1, Out: 1, Y: winogradAxis(60, 1, 1), X: winogradAxis(60, 1, 1)}
	w := New(s, 1)
	counts := map[string]int{}
	for range 20_000 {
		least, zeros := float32(1.5*math.Exp2(-1-float64(r.IntN(15)))), r.IntN(3) // not at a limit
		sizes := make([]uint32, w.n*w.n)
		for i := range sizes {
			sizes[i] = math.Float32bits([]float32{1, least, least}[r.IntN(3)])
			if x, y := i%w.n, i/w.n; zeros > 0 && (x < 2+zeros && y < 3 || r.IntN(9) == 0) {
				sizes[i] = 0
			}
		}
		most, smallest := slices.Max(sizes), uint32(math.MaxUint32)
		for _, v := range sizes {
			if v > 0 {
				smallest = min(smallest, v)
			}
		}
		want, direct := uint32(0), most > 0 && smallest < most-positionBits*exponentBit
		for i := range w.tile {
			for j := range w.tile {
				largest := uint32(0)
				for k := range 9 {
					largest = max(largest, sizes[(i+k/3)*w.n+j+k%3])
				}
				if largest == 0 && most > 0 {
					want |= 1 << (i*w.tile + j)
				}
				direct = direct || largest > 0 && largest < most-windowBits*exponentBit
			}
		}
		kind := "zeros"
		switch {
		case direct:
			kind, want = "direct", flagDirect
		case want == 0:
			kind = "none"
		}
		counts[kind]++
		require.Equal(t, want, w.tileFlags(sizes, 0, 0, w.n, w.n, w.tile, w.tile, 255*exponentBit-1), "%x", sizes)
	}
	for _, kind := range []string{"none", "direct", "zeros"} {
		assert.Greater(t, counts[kind], 100, kind)
	}
}
