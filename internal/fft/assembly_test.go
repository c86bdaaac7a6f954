package fft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// portable calls f without assembly.
func portable(f func()) {
	for _, feature := range cpu.Features() {
		defer feature.Disable()()
	}
	f()
}

// eachCode runs test with all instruction sets, and without AVX-512.
func eachCode(t *testing.T, test func(t *testing.T)) {
	t.Run("all", test)
	t.Run("without AVX512", func(t *testing.T) {
		defer cpu.AVX512.Disable()()
		test(t)
	})
}

// TestTransform_assembly compares the transforms of several numbers of lanes with those of the
// portable code.
func TestTransform_assembly(t *testing.T) {
	eachCode(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, n := range lengths {
			p, err := New[float32](nil, n)
			require.NoError(t, err)
			for _, lanes := range []int{1, 7, 8, 11, 16, 17, 33} {
				re, im := random(rng, n*lanes), random(rng, n*lanes)
				run := func() (a, b []float32) {
					work := garbage[float32](p.WorkLen(lanes) + 1)
					work[len(work)-1] = 7
					a, b = p.Transform(nil, clone(re), clone(im), work[:len(work)-1], lanes)
					require.Equal(t, float32(7), work[len(work)-1])
					return a, b
				}
				a, b := run()
				portable(func() {
					c, d := run()
					tolerance := 1e-6 * math.Sqrt(float64(n)) * math.Log2(float64(n)+2)
					require.InDeltaSlice(t, c, a, tolerance, "length %d, %d lanes", n, lanes)
					require.InDeltaSlice(t, d, b, tolerance, "length %d, %d lanes", n, lanes)
				})
			}
		}
	})
}

func random(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func clone(x []float32) []float32 { return append([]float32(nil), x...) }

func TestSplit(t *testing.T) {
	eachCode(t, func(t *testing.T) {
		for _, lanes := range []int{1, 5, 8, 13, 16, 19, 32, 37} {
			for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 24, 40, 50} {
				distance := n + lanes%3
				src := make([]float32, max((lanes-1)*distance+n, 0)+1)
				for i := range src {
					src[i] = float32(i + 1)
				}
				// What must not be written holds -1.
				size := (n + 1) / 2 * lanes
				re, im := filled(size+1, -1), filled(size+1, -1)
				Split(re, im, lanes, src[:len(src)-1], distance, n)
				wantRe, wantIm := filled(size+1, -1), filled(size+1, -1)
				for l := range lanes {
					for j := range n {
						plane := wantRe
						if j%2 == 1 {
							plane = wantIm
						}
						plane[j/2*lanes+l] = src[l*distance+j]
					}
				}
				name := fmt.Sprintf("%d lanes of %d elements", lanes, n)
				require.Equal(t, wantRe, re, name)
				require.Equal(t, wantIm, im, name)

				dst, want := filled(len(src), -1), filled(len(src), -1)
				Join(dst, distance, re, im, lanes, n, 0.5)
				for l := range lanes {
					for j := range n {
						want[l*distance+j] = src[l*distance+j] / 2
					}
				}
				require.Equal(t, want, dst, name)
			}
		}
	})
}

func filled(n int, x float32) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = x
	}
	return s
}

// TestCodeOf checks that all radices with a butterfly of their own have assembly, if one has, for
// rows that fill a vector.
func TestCodeOf(t *testing.T) {
	for radix := 2; radix <= 5; radix++ {
		for _, n := range []int{8, 16, 100} {
			assert.Equal(t, codeOf(4, 8) != nil, codeOf(radix, n) != nil, "radix %d, rows of %d", radix, n)
			portable(func() { assert.Nil(t, codeOf(radix, n)) })
		}
		assert.Nil(t, codeOf(radix, 7))
	}
	assert.Nil(t, codeOf(7, 64))
}
