package reduction

import (
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
	r := NewResampler(sources, weights, taps, input)
	if r == nil {
		return
	}
	inPitch, outPitch := input+rng.IntN(3), output+rng.IntN(3)
	in, out := randomFloats(rng, (rows-1)*inPitch+input, rng.IntN(3) == 0), make([]float32, rows*outPitch+1)
	for i := range out {
		out[i] = guard
	}
	r.Apply(out, in, rows, outPitch, inPitch)
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
	require.Nil(t, NewResampler([]int32{0, 1000, 2000, 3000, 4000}, nil, 1, 5000))
}
