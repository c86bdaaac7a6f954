package fft

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
)

// dft computes the definition.
func dft(x []complex128, sign float64) []complex128 {
	n := len(x)
	roots, out := make([]complex128, n), make([]complex128, n)
	for i := range roots {
		roots[i] = cmplx.Exp(complex(0, sign*2*math.Pi*float64(i)/float64(n)))
	}
	for k := range out {
		for j, v := range x {
			out[k] += v * roots[j*k%n]
		}
	}
	return out
}

func norm(x []complex128) float64 {
	sum := 0.0
	for _, v := range x {
		sum += real(v)*real(v) + imag(v)*imag(v)
	}
	return math.Sqrt(sum / float64(max(len(x), 1)))
}

// lengths have all radices, several of them, and prime factors for Bluestein's algorithm.
var lengths = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 20, 21, 23, 24, 29, 30, 31, 32, 35, 37, 41, 60, 64, 67, 74, 77, 97, 100, 128, 134, 210, 257, 400, 509, 512, 720, 961, 1000}

func TestTransform(t *testing.T) {
	testTransform[float64](t, 1e-14)
	testTransform[float32](t, 1e-6)
}

func testTransform[T Float](t *testing.T, tolerance float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range lengths {
		p, err := New[T](nil, n)
		require.NoError(t, err)
		for _, lanes := range []int{1, 3} {
			for _, sign := range []float64{-1, 1} {
				x := make([][]complex128, lanes)
				re, im := make([]T, n*lanes), make([]T, n*lanes)
				for l := range x {
					x[l] = make([]complex128, n)
					for j := range n {
						re[j*lanes+l], im[j*lanes+l] = T(rng.NormFloat64()), T(rng.NormFloat64())
						x[l][j] = complex(float64(re[j*lanes+l]), float64(im[j*lanes+l]))
					}
				}
				work := garbage[T](p.WorkLen(lanes))
				var a, b []T
				if sign < 0 {
					a, b = p.Transform(nil, re, im, work, lanes)
				} else {
					b, a = p.Transform(nil, im, re, work, lanes)
				}
				for l := range x {
					want := dft(x[l], sign)
					size := norm(want) * math.Log2(float64(n)+2)
					for k := range want {
						got := complex(float64(a[k*lanes+l]), float64(b[k*lanes+l]))
						require.InDelta(t, 0, cmplx.Abs(got-want[k])/size, tolerance, "length %d, lane %d of %d, element %d", n, l, lanes, k)
					}
				}
			}
		}
	}
}

func garbage[T Float](n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(math.NaN())
	}
	return x
}

func TestReal(t *testing.T) {
	testReal[float64](t, 1e-14)
	testReal[float32](t, 1e-6)
}

func testReal[T Float](t *testing.T, tolerance float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range lengths {
		r, err := NewReal[T](nil, n)
		require.NoError(t, err)
		const lanes = 2
		re, im := garbage[T](r.Rows()*lanes), garbage[T](r.Rows()*lanes)
		at := func(re, im []T, j, l int) *T {
			switch {
			case !r.Packed():
				im[j*lanes+l] = 0
				return &re[j*lanes+l]
			case j%2 == 0:
				return &re[j/2*lanes+l]
			default:
				return &im[j/2*lanes+l]
			}
		}
		x := [lanes][]complex128{make([]complex128, n), make([]complex128, n)}
		for l := range x {
			for j := range n {
				v := T(rng.NormFloat64())
				*at(re, im, j, l) = v
				x[l][j] = complex(float64(v), 0)
			}
		}
		work := garbage[T](r.WorkLen(lanes))
		a, b := r.Forward(nil, re, im, work, lanes)
		size := 0.0
		for l := range x {
			want := dft(x[l], -1)
			size = max(norm(want), 1) * math.Log2(float64(n)+2)
			for k := range n/2 + 1 {
				got := complex(float64(a[k*lanes+l]), float64(b[k*lanes+l]))
				require.InDelta(t, 0, cmplx.Abs(got-want[k])/size, tolerance, "length %d, lane %d, element %d", n, l, k)
			}
		}
		// Back again. What does not count is set to garbage.
		re, im = garbage[T](r.Rows()*lanes), garbage[T](r.Rows()*lanes)
		copy(re, a[:(n/2+1)*lanes])
		copy(im, b[:(n/2+1)*lanes])
		for l := range lanes {
			im[l] = 3
			if n%2 == 0 {
				im[n/2*lanes+l] = 5
			}
		}
		c, d := r.Inverse(nil, re, im, garbage[T](r.WorkLen(lanes)), lanes)
		for l := range x {
			for j := range n {
				require.InDelta(t, real(x[l][j]), float64(*at(c, d, j, l))/float64(n), tolerance*size*10, "length %d, lane %d, number %d", n, l, j)
			}
		}
	}
}

// TestTransform_lanes checks that NaN in one lane does not reach another.
func TestTransform_lanes(t *testing.T) {
	for _, n := range []int{12, 37} {
		p, err := New[float32](nil, n)
		require.NoError(t, err)
		re, im := make([]float32, 2*n), make([]float32, 2*n)
		re[0], re[1] = float32(math.NaN()), 1
		a, b := p.Transform(nil, re, im, make([]float32, p.WorkLen(2)), 2)
		for k := range n {
			assert.True(t, a[2*k] != a[2*k])
			assert.InDelta(t, 1, a[2*k+1], 1e-5)
			assert.InDelta(t, 0, b[2*k+1], 1e-5)
		}
	}
}

func TestNew_stopped(t *testing.T) {
	done := make(chan struct{})
	close(done)
	for _, n := range []int{1 << 20, 1000003} {
		_, err := New[float32](done, n)
		assert.ErrorIs(t, err, parallel.ErrStopped)
		_, err = NewReal[float32](done, n)
		assert.ErrorIs(t, err, parallel.ErrStopped)
	}
}

func TestBytes(t *testing.T) {
	assert.Equal(t, int64(math.MaxInt64), PlanBytes[float32](math.MaxInt))
	assert.Equal(t, int64(math.MaxInt64), RealBytes[float32](math.MaxInt-1))
	for _, n := range lengths {
		p, err := New[float32](nil, n)
		require.NoError(t, err)
		used := 0
		count := func(p *Plan[float32]) {
			for _, g := range p.stages {
				used += 4 * (len(g.re) + len(g.im) + len(g.cos) + len(g.sin))
			}
		}
		count(p)
		if c := p.chirp; c != nil {
			used += 4 * (len(c.re) + len(c.im) + len(c.fre) + len(c.fim))
			count(c.plan)
		}
		assert.LessOrEqual(t, int64(used), PlanBytes[float32](n)+512, "length %d", n)
	}
}

func BenchmarkTransform(b *testing.B) {
	for _, c := range []struct {
		name     string
		n, lanes int
	}{{"512x16", 512, 16}, {"400x16", 400, 16}, {"4096x1", 4096, 1}, {"509x16", 509, 16}} {
		b.Run(c.name, func(b *testing.B) {
			p, err := New[float32](nil, c.n)
			require.NoError(b, err)
			re, im := make([]float32, c.n*c.lanes), make([]float32, c.n*c.lanes)
			work := make([]float32, p.WorkLen(c.lanes))
			for b.Loop() {
				p.Transform(nil, re, im, work, c.lanes)
			}
		})
	}
}
