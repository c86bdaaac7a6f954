package reduction

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWeightedSum(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 4))
		for range 300 {
			n, taps := rng.IntN(90), 1+rng.IntN(9)
			offsets, weights := make([]int, taps), randomFloats(rng, taps, false)
			most := 0
			for k := range offsets {
				offsets[k] = rng.IntN(200)
				most = max(most, offsets[k])
			}
			in, out := randomFloats(rng, most+n, rng.IntN(3) == 0), make([]float32, n+1)
			out[n] = guard
			WeightedSum(out[:n], in, offsets, weights)
			for i := range n {
				want := 0.0
				for k, p := range offsets {
					want += float64(weights[k]) * float64(in[p+i])
				}
				requireNear(t, want, out[i], "%d taps, element %d of %d", taps, i, n)
			}
			require.Equal(t, float32(guard), out[n])
		}
	})
}

func TestResampler(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		for seed := range uint64(400) {
			checkResampler(t, seed)
		}
	})
}

func FuzzResampler(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkResampler)
}

func checkResampler(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	input, output, taps, rows := 1+rng.IntN(120), 1+rng.IntN(120), 1+rng.IntN(6), 1+rng.IntN(30)
	sources, weights := make([]int32, output*taps), randomFloats(rng, output*taps, false)
	spread := 1 + rng.IntN(12)
	for i := range sources {
		sources[i] = int32(max(min(i/taps*input/output+rng.IntN(spread)-spread/2, input-1), 0))
		if rng.IntN(5) == 0 {
			weights[i] = 0
		}
	}
	if taps == 1 && rng.IntN(2) == 0 {
		weights = nil
	}
	r, err := NewResampler(nil, sources, weights, taps, input, unlimited)
	require.NoError(t, err)
	if r == nil {
		return
	}
	inPitch, outPitch := input+rng.IntN(3), output+rng.IntN(3)
	in, out := randomFloats(rng, (rows-1)*inPitch+input, rng.IntN(3) == 0), make([]float32, rows*outPitch+1)
	for i := range out {
		out[i] = guard
	}
	r.Apply(nil, out, in, rows, outPitch, inPitch)
	require.Equal(t, float32(guard), out[rows*outPitch])
	for i := range rows * outPitch {
		if i%outPitch >= output {
			require.Equal(t, float32(guard), out[i])
			continue
		}
		row, o := i/outPitch, i%outPitch
		want := 0.0
		for k := range taps {
			x := float64(in[row*inPitch+int(sources[o*taps+k])])
			switch {
			case weights == nil:
				want = x
			case weights[o*taps+k] != 0:
				want += float64(weights[o*taps+k]) * x
			}
		}
		requireNear(t, want, out[i], "%d elements of %d, %d taps, row %d, element %d", output, input, taps, row, o)
	}
}

func TestNewResampler_farSources(t *testing.T) {
	r, err := NewResampler(nil, []int32{0, 1000, 2000, 3000, 4000}, nil, 1, 5000, unlimited)
	require.NoError(t, err)
	require.Nil(t, r)
}

func unlimited(int64) error { return nil }

// TestNewResampler_reserve reserves what the tables take, and makes none if that is too much.
func TestNewResampler_reserve(t *testing.T) {
	sources, weights := make([]int32, 3000), make([]float32, 3000)
	for i := range sources {
		sources[i] = int32(i / 3)
	}
	reserved := int64(0)
	r, err := NewResampler(nil, sources, weights, 3, 1000, func(n int64) error { reserved += n; return nil })
	require.NoError(t, err)
	if r == nil {
		t.Skip("there is no vector code")
	}
	require.GreaterOrEqual(t, reserved, int64(8*len(r.bases)+4*len(r.index)+4*len(r.weights)))
	tooMuch := errors.New("too much")
	for i := range 2 {
		r, err = NewResampler(nil, sources, weights, 3, 1000, func(int64) error {
			if i--; i < 0 {
				return tooMuch
			}
			return nil
		})
		require.Equal(t, tooMuch, err)
		require.Nil(t, r)
	}
}
