package pointwise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/convtest"
	"github.com/vinoir/vinoir/internal/gemm"
)

// randomBytes returns random bytes and filters, the largest of which are the most frequent.
func randomBytes(rng *rand.Rand, n, filters int) ([]uint8, []int8) {
	in, w := make([]uint8, n), make([]int8, filters)
	for i := range in {
		in[i] = uint8(min(rng.IntN(500), 255))
	}
	for i := range w {
		w[i] = int8(max(min(rng.IntN(400)-200, 127), -128))
	}
	return in, w
}

// checkBytes compares a plan with the definition, for each kind of output.
func checkBytes(t *testing.T, rng *rand.Rand, s Shape) {
	p := NewBytes(s, 1+rng.IntN(3))
	require.NotNil(t, p, "%+v", s)
	in, filters := randomBytes(rng, s.Batch*s.In*s.Plane, s.Out*s.In)
	n := s.Batch * s.Out * s.Plane
	c := BytesCall{In: in, Filters: Filters(filters), Scale: make([]float32, s.Out)}
	bias := convtest.SmallFloats(rng, s.Out)
	for o := range c.Scale {
		c.Scale[o] = (rng.Float32() + 0.1) / 300
	}
	want := make([]float32, n)
	for i := range want {
		image, o, y := i/s.Plane/s.Out, i/s.Plane%s.Out, i%s.Plane
		sum := 0
		for channel := range s.In {
			sum += int(filters[o*s.In+channel]) * int(in[(image*s.In+channel)*s.Plane+y])
		}
		want[i] = min(max(float32(float32(sum)*c.Scale[o])+bias[o], 3), 250)
	}
	seen := make([]int, n)
	finish := func(x []float32, at int) {
		for i := range x {
			seen[at+i]++
			x[i]++
		}
	}
	for kind := range 3 {
		guards, out := convtest.Guarded(n)
		c.Epilogue = &conv.Epilogue{Bias: bias, Clamp: true, Lo: 3, Hi: 250, Finish: finish}
		c.Out, c.Bytes = out, nil
		switch kind {
		case 1:
			c.Epilogue.Store = func(x []float32, at int) { copy(out[at:], x) }
			c.Out = nil
		case 2:
			c.Epilogue.Finish, c.Out, c.Bytes = nil, nil, make([]uint8, n+16)[:n]
		}
		all, scratch := convtest.Guarded(p.Scratch())
		c.Scratch = scratch
		middle := rng.IntN(p.Items() + 1)
		p.Run(nil, &c, middle, p.Items())
		p.Run(nil, &c, 0, middle)
		for i, v := range want {
			if kind == 2 {
				require.Equal(t, uint8(math.RoundToEven(float64(v))), c.Bytes[i], "%+v: element %d", s, i)
			} else if v+1 != out[i] || seen[i] != 1+kind {
				require.Equal(t, v+1, out[i], "%+v: element %d", s, i)
				require.Equal(t, 1+kind, seen[i], "%+v: finish of element %d", s, i)
			}
		}
		if kind == 2 {
			require.Equal(t, make([]uint8, 16), c.Bytes[n:n+16], "written outside")
		}
		convtest.RequireGuards(t, guards)
		convtest.RequireGuards(t, all)
	}
}

func TestBytes(t *testing.T) {
	if !available() || gemm.QuadSize() != 2 {
		assert.Nil(t, NewBytes(Shape{1, 8, 32, 1 << 14}, 1))
		t.Skip("no assembly, or a faster one for bytes")
	}
	rng := rand.New(rand.NewPCG(28, 5))
	for _, s := range []Shape{{1, 8, 32, 5000}, {2, 32, 8, 777}, {1, maxIn, 3, 3001}, {3, 1, 1, minPlane}} {
		checkBytes(t, rng, s)
	}
	for range 40 {
		checkBytes(t, rng, Shape{1 + rng.IntN(3), 1 + rng.IntN(40), 1 + rng.IntN(9), minPlane + rng.IntN(200)})
	}
}

// BenchmarkBytes reports the shortest time.
func BenchmarkBytes(b *testing.B) {
	for _, s := range []Shape{{1, 8, 32, 128 * 256}, {1, 32, 8, 128 * 256}, {1, 32, 16, 112 * 112}, {1, 16, 16, 40 * 40}} {
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			p := NewBytes(s, 1)
			if p == nil {
				b.Skip("no plan")
			}
			in, filters := randomBytes(rand.New(rand.NewPCG(1, 1)), s.In*s.Plane, s.In*s.Out)
			c := &BytesCall{
				In: in, Filters: Filters(filters), Scratch: make([]float32, p.Scratch()), Scale: make([]float32, s.Out),
				Epilogue: &conv.Epilogue{Bias: make([]float32, s.Out), Clamp: true, Hi: 255}, Bytes: make([]uint8, s.Out*s.Plane),
			}
			least := time.Hour // the minimum, because other programs may use the machine too
			for b.Loop() {
				start := time.Now()
				p.Run(nil, c, 0, p.Items())
				least = min(least, time.Since(start))
			}
			b.ReportMetric(float64(least.Nanoseconds()), "least-ns/op")
			b.ReportMetric(2*float64(s.In*s.Out*s.Plane)/float64(least.Nanoseconds()), "GOP/s")
		})
	}
}
