package pointwise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/convtest"
)

// check compares a plan with the definition, and looks for writes outside of the output and for
// pieces that Finish is not called for once.
func check(t *testing.T, rng *rand.Rand, s Shape) {
	p := New(s, 1+rng.IntN(3))
	require.NotNil(t, p, "%+v", s)
	_, in := convtest.Guarded(s.Batch * s.In * s.Plane)
	copy(in, convtest.SmallFloats(rng, len(in)))
	weights := convtest.SmallFloats(rng, s.Out*s.In)
	e := convtest.RandomEpilogue(rng, s.Out)
	n := s.Batch * s.Out * s.Plane
	if rng.IntN(2) == 0 {
		_, sum := convtest.Guarded(n)
		copy(sum, convtest.SmallFloats(rng, n))
		e.Sum = func() []float32 { return sum }
	}
	all, out := convtest.Guarded(n)
	seen := make([]int, n)
	e.Finish = func(x []float32, at int) {
		for i := range x {
			seen[at+i]++
			x[i] *= 2
		}
	}
	middle := rng.IntN(p.Items() + 1)
	guards, scratch := convtest.Guarded(p.Scratch())
	p.Run(nil, out, in, weights, e, scratch, middle, p.Items())
	p.Run(nil, out, in, weights, e, scratch, 0, middle)
	convtest.RequireGuards(t, guards)
	for i, got := range out {
		image, o, y := i/s.Plane/s.Out, i/s.Plane%s.Out, i%s.Plane
		want := 0.0
		for c := range s.In {
			want += float64(weights[o*s.In+c]) * float64(in[(image*s.In+c)*s.Plane+y])
		}
		if e.Bias != nil {
			want += float64(e.Bias[o])
		}
		if e.Sum != nil {
			want += float64(e.Sum()[i])
		}
		if e.Clamp {
			want = min(max(want, float64(e.Lo)), float64(e.Hi))
		}
		if 2*want != float64(got) || seen[i] != 1 {
			require.Equal(t, 2*want, float64(got), "%+v: element %d", s, i)
			require.Equal(t, 1, seen[i], "%+v: finish of element %d", s, i)
		}
	}
	convtest.RequireGuards(t, all)
}

// shapes has planes that are read in place, planes that crowd the cache, and a large input.
var shapes = []Shape{{1, 8, 32, 5000}, {2, 32, 8, 777}, {1, 64, 3, 3001}, {3, 1, 1, minPlane}, {1, 16, 6, 4096}, {2, 13, 5, 640}, {1, 128, 1, 1<<14 + 5}}

func TestPlan(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		if !available() {
			assert.Nil(t, New(Shape{1, 8, 32, 1 << 14}, 1))
			return
		}
		rng := rand.New(rand.NewPCG(28, 4))
		for _, s := range shapes {
			check(t, rng, s)
		}
		for range 40 {
			check(t, rng, Shape{1 + rng.IntN(3), 1 + rng.IntN(40), 1 + rng.IntN(13), minPlane + rng.IntN(300)})
		}
	})
}

// TestPlan_clamp has sums that are not finite.
func TestPlan_clamp(t *testing.T) {
	s := Shape{1, 2, 5, minPlane}
	p := New(s, 1)
	if p == nil {
		t.Skip("no assembly")
	}
	in, out := make([]float32, s.In*s.Plane), make([]float32, s.Out*s.Plane)
	in[1], in[s.Plane-1], in[s.Plane+2] = float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))
	weights := slices.Repeat([]float32{1}, s.In*s.Out)
	p.Run(nil, out, in, weights, &conv.Epilogue{Clamp: true, Lo: -7, Hi: 6}, nil, 0, p.Items())
	for o := range s.Out {
		line := out[o*s.Plane:][:s.Plane]
		assert.Equal(t, []float32{0, -7, -7, 0}, line[:4])
		assert.Equal(t, float32(6), line[s.Plane-1])
	}
}

func TestNew_others(t *testing.T) {
	assert.Nil(t, New(Shape{1, maxIn + 1, 8, 1 << 14}, 1))
	assert.Nil(t, New(Shape{1, 8, 8, minPlane - 1}, 1))
	assert.Nil(t, New(Shape{0, 8, 8, 1 << 14}, 1))
	assert.Nil(t, New(Shape{1, 0, 8, 1 << 14}, 1))
	assert.Nil(t, New(Shape{1, 8, 0, 1 << 14}, 1))
}

// BenchmarkPlan reports the shortest time, and the memory that it reads and writes in that time.
func BenchmarkPlan(b *testing.B) {
	for _, c := range []struct {
		in, out, plane int
		sum            bool
	}{
		{8, 32, 160 * 272, true}, {32, 8, 160 * 272, false}, {16, 64, 224 * 400, true}, {64, 16, 224 * 400, false},
		{16, 96, 112 * 112, false}, {96, 24, 56 * 56, false}, {64, 64, 56 * 56, false}, {128, 16, 55 * 55, false},
		{64, 64, 64 * 64, false}, {16, 64, 128 * 128, false}, {40, 240, 28 * 28, false},
	} {
		b.Run(fmt.Sprint(c), func(b *testing.B) {
			s := Shape{1, c.in, c.out, c.plane}
			p := New(s, 1)
			if p == nil {
				b.Skip("no plan")
			}
			in, out, weights := make([]float32, s.In*s.Plane), make([]float32, s.Out*s.Plane), make([]float32, s.In*s.Out)
			e := &conv.Epilogue{}
			bytes := 4 * (len(in) + len(out))
			if c.sum {
				sum := make([]float32, len(out))
				e.Sum = func() []float32 { return sum }
				bytes += 4 * len(out)
			}
			scratch := make([]float32, p.Scratch())
			least := time.Hour // the minimum, because other programs may use the machine too
			for b.Loop() {
				start := time.Now()
				p.Run(nil, out, in, weights, e, scratch, 0, p.Items())
				least = min(least, time.Since(start))
			}
			b.ReportMetric(float64(least.Nanoseconds()), "least-ns/op")
			b.ReportMetric(float64(bytes)/float64(least.Nanoseconds()), "GB/s")
			b.ReportMetric(2*float64(s.In*len(out))/float64(least.Nanoseconds()), "GFLOP/s")
		})
	}
}
