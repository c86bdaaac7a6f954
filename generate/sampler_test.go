package generate

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// distribution returns the probabilities that a Config gives to tokens with the given logits, by
// the definitions. generated are the tokens of the answer.
func distribution(c *Config, logits []float32, prompt, generated []int32) []float64 {
	x := make([]float64, len(logits))
	for i, v := range logits {
		x[i] = float64(v)
	}
	if len(generated) < c.MinNewTokens {
		for _, id := range c.StopTokenIDs {
			x[id] = math.Inf(-1)
		}
	}
	for id := range int32(len(x)) {
		n := float64(0)
		for _, g := range generated {
			if g == id {
				n++
			}
		}
		v := &x[id]
		if n > 0 || slices.Contains(prompt, id) {
			if *v >= 0 {
				*v /= c.RepetitionPenalty
			} else {
				*v *= c.RepetitionPenalty
			}
		}
		for _, by := range []float64{c.PresencePenalty * min(n, 1), c.FrequencyPenalty * n} {
			if *v >= 0 {
				*v -= by
			} else {
				*v += by
			}
		}
	}
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[b], x[a]) })
	if c.TopK > 0 && c.TopK < len(order) {
		order = order[:c.TopK]
	}
	p, sum := make([]float64, len(x)), 0.0
	for _, i := range order {
		p[i] = math.Exp((x[i] - x[order[0]]) / c.Temperature)
		sum += p[i]
	}
	kept, mass := 0.0, 0.0
	for n, i := range order {
		p[i] /= sum
		if p[i] < c.MinP*p[order[0]] || n > 0 && mass > c.TopP && c.TopP < 1 {
			p[i] = 0
			continue
		}
		mass += p[i]
		kept += p[i]
	}
	for i := range p {
		p[i] /= kept
	}
	return p
}

// TestSampler_distribution draws many tokens, and compares how often each comes with the
// definition.
func TestSampler_distribution(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 8))
		logits := make([]float32, 20+rng.IntN(2000))
		for i := range logits {
			logits[i] = float32(rng.NormFloat64() * 3)
		}
		c := DefaultConfig()
		c.MaxNewTokens, c.DoSample, c.RNGSeed = 10, true, uint32(seed)
		c.Temperature = 0.3 + rng.Float64()
		prompt, generated := []int32{1, 5, 5}, []int32{2, 3, 3, 5}
		for _, change := range []func(){
			func() { c.TopK = 1 + rng.IntN(40) }, func() { c.TopP = 0.1 + 0.8*rng.Float64() }, func() { c.MinP = 0.2 * rng.Float64() },
			func() { c.RepetitionPenalty = 1 + rng.Float64() }, func() { c.PresencePenalty = rng.Float64() }, func() { c.FrequencyPenalty = -rng.Float64() },
			func() { c.MinNewTokens, c.StopTokenIDs = 9, []int32{0, 4} }, func() { c.LogProbs = 1 },
		} {
			if rng.IntN(2) == 0 {
				change()
			}
		}
		require.NoError(t, c.Validate())
		want := distribution(&c, logits, prompt, generated)
		var s sampler
		s.start(&c, prompt)
		for _, id := range generated {
			s.count(id, 1)
		}
		s.generated = len(generated)
		const draws = 4000
		counts := make([]float64, len(logits))
		for _, choice := range s.choose(slices.Clone(logits), draws) {
			counts[choice.token]++
			if c.LogProbs > 0 {
				require.InDelta(t, logProb(logits, choice.token), choice.logProb, 1e-3)
			} else {
				require.InDelta(t, math.Log(want[choice.token]), choice.logProb, 2e-3, "seed %d", seed)
			}
		}
		for i, p := range want {
			// Five standard deviations, for some ten thousand comparisons with a fixed seed.
			require.InDelta(t, p*draws, counts[i], 5*math.Sqrt(p*draws)+3, "seed %d, token %d", seed, i)
		}
	}
}

func TestArgmax(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		logits []float32
		want   int32
	}{
		{[]float32{1}, 0}, {[]float32{1, 3, 3, 2}, 1}, {[]float32{-inf, -inf}, 0}, {[]float32{nan, nan}, 0}, {[]float32{0, inf, inf}, 1},
	} {
		assert.Equal(t, c.want, argmax(c.logits), "%v", c.logits)
	}
	long := make([]float32, 3000)
	long[2999], long[1700] = 2, 2
	assert.Equal(t, int32(1700), argmax(long))
}

// TestSampler_keepTop compares heaps with sorting.
func TestSampler_keepTop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		logits := make([]float32, 2+rng.IntN(60))
		for i := range logits {
			logits[i] = float32(rng.IntN(40))
		}
		n := 1 + rng.IntN(len(logits)-1)
		var s sampler
		s.keepTop(logits, n)
		var got []float32
		for i, c := range s.kept {
			got = append(got, c.logProb)
			assert.Equal(t, logits[c.token], c.logProb)
			if i > 0 {
				assert.LessOrEqual(t, s.kept[(i-1)/2].logProb, c.logProb, "the least is first")
			}
		}
		slices.Sort(got)
		slices.Sort(logits)
		assert.Equal(t, logits[len(logits)-n:], got)
	}
}

// FuzzSampler chooses by any parameters from logits that can be no numbers.
func FuzzSampler(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63, 0, 0, 192, 127, 0, 0, 128, 255}, true, 0.5, 0.1, 0.9, 2, 1.2, 0.5, -0.5, uint32(1))
	f.Add([]byte{0, 0, 128, 127}, true, 1.0, 0.0, 1.0, 0, 1.0, 0.0, 0.0, uint32(2))
	f.Fuzz(func(t *testing.T, data []byte, sample bool, temperature, minP, topP float64, topK int, repetition, presence, frequency float64, seed uint32) {
		c := DefaultConfig()
		c.MaxNewTokens, c.DoSample, c.Temperature, c.MinP, c.TopP, c.TopK = 9, sample, temperature, minP, topP, topK
		c.RepetitionPenalty, c.PresencePenalty, c.FrequencyPenalty, c.RNGSeed, c.LogProbs = repetition, presence, frequency, seed, int(seed&1)
		if c.Validate() != nil || len(data) < 4 {
			t.Skip()
		}
		logits := make([]float32, len(data)/4)
		for i := range logits {
			logits[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		var s sampler
		s.start(&c, []int32{0})
		for range 3 {
			for _, choice := range s.choose(slices.Clone(logits), 2) {
				require.GreaterOrEqual(t, choice.token, int32(0))
				require.Less(t, int(choice.token), len(logits))
				s.count(choice.token, 1)
			}
		}
	})
}
