package generate

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func beams(m *Model, n, tokens int) Config {
	c := limited(m, tokens)
	c.NumBeams, c.NumReturnSequences = n, n
	return c
}

// TestBeamSearch compares a search that nothing ends with the definition: the n most probable
// continuations of the n sequences so far.
func TestBeamSearch(t *testing.T) {
	m := tiny{}.open(t)
	type path struct {
		tokens []int32
		score  float64
	}
	for _, prompt := range somePrompts[:3] {
		config := beams(m, 3, 5)
		config.StopTokenIDs, config.LengthPenalty = nil, 0.5
		best := []path{{}}
		for range config.MaxNewTokens {
			var next []path
			for _, p := range best {
				logits := reference(t, m, append(slices.Clone(prompt), p.tokens...))
				for id := range int32(len(logits)) {
					next = append(next, path{append(slices.Clone(p.tokens), id), p.score + logProb(logits, id)})
				}
			}
			slices.SortFunc(next, func(a, b path) int { return cmp.Compare(b.score, a.score) })
			best = next[:3]
		}
		results, err := m.NewSession().Generate(background, [][]int32{prompt}, config)
		require.NoError(t, err)
		require.Len(t, results[0].Sequences, 3)
		for i, s := range results[0].Sequences {
			assert.Equal(t, best[i].tokens, s.Tokens)
			assert.InDelta(t, best[i].score/math.Sqrt(5), s.Score, 1e-3)
			assert.Equal(t, FinishLength, s.Finish)
		}
	}
}

// TestBeamSearch_batch gives several prompts the answers that each has alone.
func TestBeamSearch_batch(t *testing.T) {
	m := tiny{}.open(t)
	config := beams(m, 4, 6)
	config.NumBeamGroups, config.DiversityPenalty = 2, 0.7
	session := m.NewSession()
	results, err := session.Generate(background, somePrompts, config)
	require.NoError(t, err)
	for i, prompt := range somePrompts {
		alone, err := session.Generate(background, [][]int32{prompt}, config)
		require.NoError(t, err)
		for k, s := range alone[0].Sequences {
			assert.Equal(t, s.Tokens, results[i].Sequences[k].Tokens)
			assert.InDelta(t, s.Score, results[i].Sequences[k].Score, 1e-4)
		}
	}
}

// TestBeamSearch_ends has stop tokens, and all criteria for the end.
func TestBeamSearch_ends(t *testing.T) {
	m := tiny{}.open(t)
	lengths := make(map[StopCriteria]int)
	for _, criteria := range []StopCriteria{StopEarly, StopHeuristic, StopNever} {
		config := beams(m, 2, 20)
		config.StopCriteria = criteria
		config.StopTokenIDs = nil
		for id := range int32(60) {
			config.StopTokenIDs = append(config.StopTokenIDs, 4*id)
		}
		results, err := m.NewSession().Generate(background, somePrompts[:1], config)
		require.NoError(t, err)
		require.Len(t, results[0].Sequences, 2)
		for _, s := range results[0].Sequences {
			lengths[criteria] += len(s.Tokens)
			if s.Finish == FinishStop {
				assert.Zero(t, s.Tokens[len(s.Tokens)-1]%4)
			}
			for _, id := range s.Tokens[:len(s.Tokens)-1] {
				assert.NotZero(t, id%4, "it goes on behind a stop token")
			}
		}
		assert.GreaterOrEqual(t, results[0].Sequences[0].Score, results[0].Sequences[1].Score)
	}
	assert.LessOrEqual(t, lengths[StopEarly], lengths[StopNever])
	config := beams(m, 2, 9)
	config.LengthPenalty, config.StopCriteria = -1, StopNever
	_, err := m.NewSession().Generate(background, somePrompts[:1], config)
	require.NoError(t, err)
}

// TestBeamSearch_groups checks that groups choose different tokens.
func TestBeamSearch_groups(t *testing.T) {
	m := tiny{}.open(t)
	config := beams(m, 3, 4)
	config.NumBeamGroups, config.DiversityPenalty = 3, 100
	results, err := m.NewSession().Generate(background, somePrompts[:1], config)
	require.NoError(t, err)
	for position := range 4 {
		seen := make(map[int32]bool)
		for _, s := range results[0].Sequences {
			seen[s.Tokens[position]] = true
		}
		assert.Len(t, seen, 3)
	}
	config.DiversityPenalty = -100 // all the same
	results, err = m.NewSession().Generate(background, somePrompts[:1], config)
	require.NoError(t, err)
	assert.Equal(t, results[0].Sequences[0].Tokens, results[0].Sequences[2].Tokens)
}

func TestBeamSearch_noRepeatNgram(t *testing.T) {
	m := tiny{}.open(t)
	for _, n := range []int{1, 2, 3} {
		config := beams(m, 2, 40)
		config.NoRepeatNgramSize, config.StopTokenIDs = n, nil
		results, err := m.NewSession().Generate(background, [][]int32{{3, 4, 3}}, config)
		require.NoError(t, err)
		tokens := append([]int32{3, 4, 3}, results[0].Sequences[0].Tokens...)
		for i := range tokens {
			for k := i + 1; k+n <= len(tokens) && k+n > 3; k++ {
				assert.NotEqual(t, tokens[i:i+n], tokens[k:k+n], "%d-grams at %d and %d", n, i, k)
			}
		}
	}
}

func TestRepeating(t *testing.T) {
	assert.Equal(t, []int32{7, 9}, repeating(nil, []int32{1, 2, 7, 1, 2, 9}, []int32{1, 2}, 3))
	assert.Equal(t, []int32{1, 2}, repeating(nil, []int32{1}, []int32{2}, 1))
	assert.Empty(t, repeating(nil, []int32{1, 2}, nil, 3))
	assert.Empty(t, repeating(nil, []int32{1, 1}, nil, 0))
}
