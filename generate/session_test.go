package generate

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// prompts of different lengths.
var somePrompts = [][]int32{{1, 2, 3}, {200}, {7, 7, 7, 7, 7, 7, 9}, {255, 0}}

func limited(m *Model, tokens int) Config {
	c := m.Config()
	c.MaxNewTokens = tokens
	return c
}

// TestSession_greedy compares prompts, one by one and all at once, with the definition of a greedy
// search, for all kinds of models.
func TestSession_greedy(t *testing.T) {
	for name, c := range map[string]tiny{
		"plain": {}, "noPositions": {noPositions: true}, "halves": {halves: true}, "capped": {capped: true},
		"hidden": {hidden: true}, "fixed": {fixed: true}, "noBeams": {noBeams: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.open(t)
			assert.Equal(t, !c.hidden && !c.fixed, m.rows >= 0, "only some logits are computed")
			assert.Equal(t, tinyVocabulary, m.VocabularySize())
			session := m.NewSession()
			var want [][]int32
			for _, prompt := range somePrompts {
				want = append(want, greedy(t, m, prompt, 12))
				results, err := session.Generate(background, [][]int32{prompt}, limited(m, 12))
				require.NoError(t, err)
				require.Len(t, results[0].Sequences, 1)
				assert.Equal(t, want[len(want)-1], results[0].Sequences[0].Tokens)
			}
			if c.fixed || c.noBeams {
				return // sequences that end leave the others in other rows
			}
			results, err := session.Generate(background, somePrompts, limited(m, 12))
			require.NoError(t, err)
			for i, r := range results {
				assert.Equal(t, want[i], r.Sequences[0].Tokens, "prompt %d", i)
				assert.Zero(t, r.Sequences[0].Score)
			}
		})
	}
}

// TestSession_stops has all that ends an answer but stop strings.
func TestSession_stops(t *testing.T) {
	m := tiny{}.open(t)
	session := m.NewSession()
	run := func(change func(c *Config)) Sequence {
		t.Helper()
		config := limited(m, 12)
		change(&config)
		results, err := session.Generate(background, somePrompts[:1], config)
		require.NoError(t, err)
		return results[0].Sequences[0]
	}
	whole := run(func(*Config) {})
	require.Len(t, whole.Tokens, 12)
	assert.Equal(t, FinishLength, whole.Finish)
	stop := whole.Tokens[4]
	first := 0
	for whole.Tokens[first] != stop {
		first++
	}
	stopped := run(func(c *Config) { c.StopTokenIDs = []int32{stop} })
	assert.Equal(t, whole.Tokens[:first+1], stopped.Tokens)
	assert.Equal(t, FinishStop, stopped.Finish)
	ignored := run(func(c *Config) { c.StopTokenIDs, c.IgnoreEOS = []int32{stop}, true })
	assert.Equal(t, whole, ignored)
	late := run(func(c *Config) { c.StopTokenIDs, c.MinNewTokens = []int32{stop}, 8 })
	assert.NotContains(t, late.Tokens[:8], stop)
	length := run(func(c *Config) { c.MaxNewTokens, c.MaxLength = Unlimited, 8 })
	assert.Equal(t, whole.Tokens[:5], length.Tokens)
	echo := run(func(c *Config) { c.MaxNewTokens, c.Echo = 2, true })
	assert.Equal(t, []int32{1, 2, 3, whole.Tokens[0], whole.Tokens[1]}, echo.Tokens)
	none := run(func(c *Config) { c.MaxNewTokens, c.Echo = 0, true })
	assert.Equal(t, somePrompts[0], none.Tokens)
	assert.Equal(t, FinishLength, none.Finish)
	logProbs := run(func(c *Config) { c.LogProbs, c.RepetitionPenalty = 1, 1.5 })
	sum, tokens := float32(0), append([]int32(nil), somePrompts[0]...)
	for i, token := range logProbs.Tokens {
		assert.InDelta(t, logProb(reference(t, m, tokens), token), logProbs.LogProbs[i], 1e-4)
		sum, tokens = sum+logProbs.LogProbs[i], append(tokens, token)
	}
	assert.InDelta(t, sum, logProbs.Score, 1e-4)
}

// logProb returns the logarithm of the probability of a token, by the definition.
func logProb(logits []float32, token int32) float64 {
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v))
	}
	return float64(logits[token]) - math.Log(sum)
}

// TestSession_prefix checks what is computed again of prompts that begin like those before.
func TestSession_prefix(t *testing.T) {
	m := tiny{}.open(t)
	session := m.NewSession()
	assert.Zero(t, session.Cached())
	for _, c := range []struct {
		prompt []int32
		common int // with the tokens before
	}{
		{[]int32{1, 2, 3, 4}, 0}, {[]int32{1, 2, 3, 4}, 3}, {[]int32{1, 2, 9}, 2}, {[]int32{1, 2, 9, 8, 7}, 3}, {[]int32{5}, 0}, {[]int32{5, 6}, 1},
	} {
		want := reference(t, m, c.prompt)
		before := append([]int32(nil), session.cached...)
		got, err := session.Logits(background, c.prompt)
		require.NoError(t, err)
		assert.InDeltaSlice(t, want, got, 1e-4)
		assert.Equal(t, c.prompt, session.cached)
		assert.Equal(t, len(c.prompt), session.Cached())
		for i := range c.common {
			assert.Equal(t, before[i], c.prompt[i])
		}
	}
	config := limited(m, 6)
	results, err := session.Generate(background, [][]int32{{5, 6, 7}}, config)
	require.NoError(t, err)
	answer := results[0].Sequences[0].Tokens
	assert.Equal(t, append([]int32{5, 6, 7}, answer[:len(answer)-1]...), session.cached, "the last token was not run")
	// The whole conversation is the next prompt.
	next := append(append([]int32{5, 6, 7}, answer...), 1, 2)
	again, err := session.Generate(background, [][]int32{next}, config)
	require.NoError(t, err)
	assert.Equal(t, greedy(t, m, next, 6), again[0].Sequences[0].Tokens)
	// Of several sequences, the prompt remains.
	config.DoSample, config.NumReturnSequences = true, 3
	_, err = session.Generate(background, [][]int32{{5, 6, 7, 8}}, config)
	require.NoError(t, err)
	assert.Equal(t, []int32{5, 6, 7, 8}, session.cached)
	got, err := session.Logits(background, []int32{5, 6, 7, 8, 9})
	require.NoError(t, err)
	assert.InDeltaSlice(t, reference(t, m, []int32{5, 6, 7, 8, 9}), got, 1e-4)
	_, err = session.Generate(background, somePrompts, limited(m, 2))
	require.NoError(t, err)
	assert.Empty(t, session.cached, "several prompts are padded")
	require.NoError(t, session.Reset())
	assert.Zero(t, session.Cached())
}

// TestSession_sampling draws the same tokens for the same seed, in a batch too, and others for
// another one.
func TestSession_sampling(t *testing.T) {
	m := tiny{}.open(t)
	for _, change := range []func(c *Config){
		func(*Config) {}, func(c *Config) { c.TopK = 20 }, func(c *Config) { c.TopP = 0.9 }, func(c *Config) { c.MinP = 0.01 },
		func(c *Config) { c.TopK, c.TopP, c.MinP = 50, 0.8, 0.001 }, func(c *Config) { c.LogProbs = 1 }, func(c *Config) { c.FrequencyPenalty = 1 },
	} {
		config := limited(m, 10)
		config.DoSample, config.Temperature, config.RNGSeed = true, 1.5, 3
		change(&config)
		first, err := m.NewSession().Generate(background, somePrompts[2:3], config)
		require.NoError(t, err)
		second, err := m.NewSession().Generate(background, somePrompts, config)
		require.NoError(t, err)
		assert.Equal(t, first[0].Sequences[0].Tokens, second[2].Sequences[0].Tokens)
		config.RNGSeed = 4
		other, err := m.NewSession().Generate(background, somePrompts[2:3], config)
		require.NoError(t, err)
		assert.NotEqual(t, first[0].Sequences[0].Tokens, other[0].Sequences[0].Tokens)
	}
	config := limited(m, 5)
	config.DoSample, config.NumReturnSequences, config.Temperature = true, 4, 2
	results, err := m.NewSession().Generate(background, somePrompts[:2], config)
	require.NoError(t, err)
	for _, r := range results {
		require.Len(t, r.Sequences, 4)
		for i := range 3 {
			assert.GreaterOrEqual(t, r.Sequences[i].Score, r.Sequences[i+1].Score)
		}
	}
	assert.NotEqual(t, results[0].Sequences[0].Tokens, results[0].Sequences[1].Tokens)
}

func TestSession_errors(t *testing.T) {
	m := tiny{}.open(t)
	session := m.NewSession()
	for _, c := range []struct {
		prompts [][]int32
		change  func(c *Config)
		want    string
	}{
		{nil, func(*Config) {}, "there are no prompts"},
		{[][]int32{{1}, {}}, func(*Config) {}, "prompt 1 has no tokens"},
		{[][]int32{{1, 257}}, func(*Config) {}, "token 1 of prompt 0 is 257, not one of the 257 of the vocabulary"},
		{[][]int32{{-1}}, func(*Config) {}, "token 0 of prompt 0 is -1, not one of the 257 of the vocabulary"},
		{[][]int32{{1}}, func(c *Config) { *c = Config{} }, "the Config is empty, not made by DefaultConfig or Model.Config"},
		{[][]int32{{1}, {1, 2}}, func(c *Config) { c.MaxNewTokens, c.MaxLength = Unlimited, 2 }, "prompt 1: MaxLength is 2, not greater than the 2 tokens of the prompt"},
		{[][]int32{{1}}, func(c *Config) { c.StopStrings = []string{"x"} }, "StopStrings need the Tokenizer of a Pipeline"},
	} {
		config := limited(m, 3)
		c.change(&config)
		_, err := session.Generate(background, c.prompts, config)
		assert.EqualError(t, err, c.want)
	}
	_, err := session.Logits(background, nil)
	assert.EqualError(t, err, "prompt 0 has no tokens")
	config := limited(m, 3)
	config.NumBeams = 2
	for _, err := range session.Tokens(background, []int32{1}, config) {
		assert.EqualError(t, err, "a stream is for one sequence, not for 1 prompts, 1 sequences and 2 beams")
	}
	session.mu.Lock()
	_, err = session.Generate(background, somePrompts, limited(m, 1))
	assert.ErrorIs(t, err, ErrBusy)
	_, err = session.Logits(background, somePrompts[0])
	assert.ErrorIs(t, err, ErrBusy)
	assert.ErrorIs(t, session.Reset(), ErrBusy)
	assert.Zero(t, session.Cached())
	session.mu.Unlock()
	noBeams := tiny{noBeams: true}.open(t)
	config = limited(noBeams, 3)
	config.DoSample, config.NumReturnSequences = true, 2
	_, err = noBeams.NewSession().Generate(background, somePrompts[:1], config)
	assert.EqualError(t, err, "the model has no input beam_idx, and 1 sequences become 2, or another order")
}

// TestSession_cancelled ends calls between tokens and before the first one. The Session can be used
// afterwards.
func TestSession_cancelled(t *testing.T) {
	m := tiny{}.open(t)
	session := m.NewSession()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	n := 0
	for _, err := range session.Tokens(ctx, []int32{1, 2, 3}, limited(m, 10)) {
		if err != nil {
			assert.ErrorIs(t, err, context.Canceled)
			break
		}
		if n++; n == 3 {
			cancel()
		}
	}
	assert.Equal(t, 3, n)
	_, err := session.Generate(ctx, somePrompts, limited(m, 10))
	assert.ErrorIs(t, err, context.Canceled)
	results, err := session.Generate(background, somePrompts[:1], limited(m, 10))
	require.NoError(t, err)
	assert.Equal(t, greedy(t, m, somePrompts[0], 10), results[0].Sequences[0].Tokens)
	var tokens []int32
	for token, err := range session.Tokens(background, somePrompts[0], limited(m, 10)) {
		require.NoError(t, err)
		if tokens = append(tokens, token); len(tokens) == 4 {
			break
		}
	}
	assert.Equal(t, results[0].Sequences[0].Tokens[:4], tokens)
}

// TestSession_memory has limits that the states, and the logits, do not fit.
func TestSession_memory(t *testing.T) {
	open := func(limits plugin.Options) *Session {
		options := Options{Ops: builtin.Ops(), Limits: limits, CompileOptions: plugin.CompileOptions{InferenceNumThreads: 1}}
		m, err := options.New(background, tiny{noPositions: true}.build(t), DefaultConfig())
		require.NoError(t, err)
		return m.NewSession()
	}
	config := DefaultConfig()
	config.MaxNewTokens = 500
	session := open(plugin.Options{MaxTotalBytes: 64 << 10})
	_, err := session.Generate(background, somePrompts[:1], config)
	require.ErrorContains(t, err, "more than MaxTotalBytes, 65536")
	config.MaxNewTokens, config.DoSample, config.NumReturnSequences = 5, true, 100
	_, err = open(plugin.Options{MaxTensorBytes: 100_000}).Generate(background, somePrompts[:1], config)
	assert.EqualError(t, err, "the logits of 1 positions of 100 sequences need 102800 bytes, more than the limit of 100000 (MaxTensorBytes)")
}

// TestSession_allocations allocates nothing for a token, once the memory has its size.
func TestSession_allocations(t *testing.T) {
	m := tiny{}.open(t)
	config := limited(m, 1)
	require.NoError(t, config.Validate())
	g := &group{}
	require.NoError(t, g.start(&Model{}, []int32{1}, &config, nil, nil))
	g.limit = 1 << 20
	logits := reference(t, m, []int32{1})
	g.running[0].tokens, g.running[0].logProbs = make([]int32, 0, 1<<10), make([]float32, 0, 1<<10)
	tokens, parents := make([]int32, 0, 4), make([]int32, 0, 4)
	for _, change := range []func(){
		func() {}, func() { config.DoSample = true }, func() { config.TopK = 5 }, func() { config.TopP = 0.9 }, func() { config.TopK = 0 },
		func() { config.MinP = 0.1 }, func() { config.LogProbs = 1 },
	} {
		change()
		require.NoError(t, g.accept(background, logits, m.vocabulary))
		assert.Zero(t, testing.AllocsPerRun(20, func() {
			if err := g.accept(background, logits, m.vocabulary); err != nil {
				t.Error(err)
			}
			tokens, parents = g.next(tokens[:0], parents[:0])
		}))
	}
}

// TestSession_states reads a model whose variables cannot be shortened: it computes all tokens
// again.
func TestSession_states(t *testing.T) {
	m := tiny{fixed: true}.open(t)
	assert.Nil(t, m.axes)
	assert.Equal(t, map[string]int{"k": 2, "v": 2}, tiny{}.open(t).axes)
	session := m.NewSession()
	for _, prompt := range [][]int32{{1, 2, 3}, {1, 2, 4}, {1, 2, 4, 5}} {
		got, err := session.Logits(background, prompt)
		require.NoError(t, err)
		assert.InDeltaSlice(t, reference(t, m, prompt), got, 1e-4)
	}
}

func TestFinish_String(t *testing.T) {
	assert.Equal(t, "NONE STOP LENGTH Finish(9)", FinishNone.String()+" "+FinishStop.String()+" "+FinishLength.String()+" "+Finish(9).String())
}

// TestSession_long has prompts that are computed in several steps.
func TestSession_long(t *testing.T) {
	m := tiny{noPositions: true}.open(t)
	long := make([]int32, 2*maxPositions+5)
	for i := range long {
		long[i] = int32(i*i) % tinyVocabulary
	}
	session := m.NewSession()
	got, err := session.Logits(background, long)
	require.NoError(t, err)
	assert.InDeltaSlice(t, reference(t, m, long), got, 1e-3)
	assert.Equal(t, long, session.cached)
	config := limited(m, 4)
	results, err := session.Generate(background, [][]int32{long, long[:700], {1}}, config)
	require.NoError(t, err)
	for i, prompt := range [][]int32{long, long[:700], {1}} {
		assert.Equal(t, greedy(t, m, prompt, 4), results[i].Sequences[0].Tokens)
	}
}

// TestSession_steadyState allocates nothing for a token of a length that a text has had before. The
// first text prepares the kernels, the second one has the plans that remain. Of the others, the one
// with the fewest allocations counts: those of all goroutines of the process are counted.
func TestSession_steadyState(t *testing.T) {
	m := tiny{}.open(t)
	steps := newSteps(m)
	tokens, parents := []int32{1, 2, 3, 4}, []int32{0}
	step := func() {
		if _, err := steps.run(background, tokens[:1], parents, 1); err != nil {
			t.Error(err)
		}
	}
	fewest := math.Inf(1)
	for range 6 {
		require.NoError(t, steps.reset([]int{0}))
		_, err := steps.run(background, tokens, parents, 1)
		require.NoError(t, err)
		fewest = min(fewest, testing.AllocsPerRun(90, step))
	}
	assert.Zero(t, fewest)
}
