package reduction

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBlend(t *testing.T) {
	sets(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 4))
		for range 300 {
			n, taps := rng.IntN(90), 1+rng.IntN(9)
			places, weights := make([]int, taps), numbers(rng, taps, false)
			most := 0
			for k := range places {
				places[k] = rng.IntN(200)
				most = max(most, places[k])
			}
			in, out := numbers(rng, most+n, rng.IntN(3) == 0), make([]float32, n+1)
			out[n] = guard
			Blend(out[:n], in, places, weights)
			for i := range n {
				want := 0.0
				for k, p := range places {
					want += float64(weights[k]) * float64(in[p+i])
				}
				near(t, want, out[i], "%d taps, element %d of %d", taps, i, n)
			}
			require.Equal(t, float32(guard), out[n])
		}
	})
}

func TestColumns(t *testing.T) {
	sets(t, func(t *testing.T) {
		for seed := range uint64(400) {
			checkColumns(t, seed)
		}
	})
}

func FuzzColumns(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkColumns)
}

func checkColumns(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	input, output, taps, rows := 1+rng.IntN(120), 1+rng.IntN(120), 1+rng.IntN(6), 1+rng.IntN(30)
	sources, weights := make([]int32, output*taps), numbers(rng, output*taps, false)
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
	c := NewColumns(sources, weights, taps, input)
	if c == nil {
		return
	}
	inPitch, outPitch := input+rng.IntN(3), output+rng.IntN(3)
	in, out := numbers(rng, (rows-1)*inPitch+input, rng.IntN(3) == 0), make([]float32, rows*outPitch+1)
	for i := range out {
		out[i] = guard
	}
	c.Apply(out, in, rows, outPitch, inPitch)
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
		near(t, want, out[i], "%d elements of %d, %d taps, row %d, element %d", output, input, taps, row, o)
	}
}

func TestColumns_far(t *testing.T) {
	require.Nil(t, NewColumns([]int32{0, 1000, 2000, 3000, 4000}, nil, 1, 5000))
}
