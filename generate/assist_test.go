package generate

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAssisted compares guesses of all kinds with a search without any.
func TestAssisted(t *testing.T) {
	m := tiny{noPositions: true}.open(t)
	prompts := append([][]int32{{5, 6, 7, 8, 5, 6, 7, 8, 5, 6}}, somePrompts...)
	for _, change := range []func(c *Config){
		func(*Config) {}, func(c *Config) { c.DoSample, c.TopK = true, 3 }, func(c *Config) { c.RepetitionPenalty = 1.3 }, func(c *Config) { c.LogProbs = 1 },
		func(c *Config) { c.MinNewTokens = 30 },
	} {
		config := limited(m, 40)
		change(&config)
		want, err := m.NewSession().Generate(background, prompts, config)
		require.NoError(t, err)
		check := func(session *Session, config Config) {
			t.Helper()
			got, err := session.Generate(background, prompts, config)
			require.NoError(t, err)
			for i := range want {
				assert.Equal(t, want[i].Sequences[0].Tokens, got[i].Sequences[0].Tokens)
				assert.Equal(t, want[i].Sequences[0].Finish, got[i].Sequences[0].Finish)
				assert.InDelta(t, want[i].Sequences[0].Score, got[i].Sequences[0].Score, 1e-3)
			}
			// What is cached is what was run.
			last := append(append([]int32(nil), prompts[len(prompts)-1]...), got[len(prompts)-1].Sequences[0].Tokens...)
			assert.Equal(t, last[:len(last)-1], session.cached)
			logits, err := session.Logits(background, last)
			require.NoError(t, err)
			assert.InDeltaSlice(t, reference(t, m, last), logits, 1e-3)
		}
		for _, n := range []int{1, 4, 100} {
			config.NumAssistantTokens, config.MaxNgramSize = n, 3
			check(m.NewSession(), config)
		}
		config.NumAssistantTokens, config.MaxNgramSize = 0, 0
		for _, draft := range []*Model{m, tiny{seed: 9, noPositions: true}.open(t)} {
			check(m.NewAssistedSession(draft), config)
			config.NumAssistantTokens = 3
			check(m.NewAssistedSession(draft), config)
			config.NumAssistantTokens, config.AssistantConfidenceThreshold = 0, 0.3
			check(m.NewAssistedSession(draft), config)
			config.AssistantConfidenceThreshold = 0
		}
	}
}

// TestAssisted_steps counts the steps of a draft model that is the model itself.
func TestAssisted_steps(t *testing.T) {
	m := tiny{}.open(t)
	config := limited(m, 31)
	config.StopTokenIDs, config.NumAssistantTokens = nil, 4
	session := m.NewAssistedSession(m)
	counter := &counted{guesser: session.draft}
	require.NoError(t, session.startGroups(somePrompts[:1], &config, nil, nil))
	require.NoError(t, session.assisted(background, session.groups[0], counter, 4))
	assert.Equal(t, 6, counter.n, "5 tokens of each step, after the first one")
	assert.Equal(t, greedy(t, m, somePrompts[0], 31), session.groups[0].result().Sequences[0].Tokens)
}

type counted struct {
	guesser
	n int
}

func (c *counted) guess(ctx context.Context, guesses, tokens []int32, n int) ([]int32, error) {
	c.n++
	return c.guesser.guess(ctx, guesses, tokens, n)
}

// TestAssisted_without has what is generated without guesses.
func TestAssisted_without(t *testing.T) {
	for _, m := range []*Model{tiny{fixed: true}.open(t), tiny{hidden: true}.open(t)} {
		config := limited(m, 5)
		config.NumAssistantTokens, config.MaxNgramSize = 3, 2
		by, _ := m.NewSession().guesserFor(&config)
		assert.Nil(t, by)
	}
	m := tiny{}.open(t)
	config := limited(m, 5)
	config.NumAssistantTokens = 3
	by, _ := m.NewSession().guesserFor(&config)
	assert.Nil(t, by, "there is no draft model")
	by, n := m.NewAssistedSession(m).guesserFor(&config)
	assert.NotNil(t, by)
	assert.Equal(t, 3, n)
	config = beams(m, 2, 5)
	by, _ = m.NewAssistedSession(m).guesserFor(&config)
	assert.Nil(t, by)
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		size    int
		tokens  []int32
		n       int
		guesses []int32
	}{
		{3, []int32{1, 2, 3, 4, 9, 2, 3}, 2, []int32{4, 9}},
		{3, []int32{1, 2, 3, 4, 9, 2, 3}, 9, []int32{4, 9, 2, 3}},
		{1, []int32{3, 5, 2, 3, 4, 2, 3}, 1, []int32{5}},
		{2, []int32{3, 5, 2, 3, 4, 2, 3}, 1, []int32{4}},
		{9, []int32{7, 7, 7}, 5, []int32{7, 7}},
		{3, []int32{1, 2, 3}, 5, nil},
		{3, []int32{1}, 5, nil},
		{3, []int32{1, 1}, 0, nil},
	} {
		got, err := lookup(c.size).guess(background, nil, c.tokens, c.n)
		require.NoError(t, err)
		assert.Equal(t, c.guesses, got, "%v", c)
	}
}

// TestPipeline_draft streams the same text with a draft model.
func TestPipeline_draft(t *testing.T) {
	m := tiny{}.open(t)
	p, err := NewPipeline(m, byteTokenizer{}, PipelineOptions{})
	require.NoError(t, err)
	assisted, err := NewPipeline(m, byteTokenizer{}, PipelineOptions{Draft: tiny{seed: 4}.open(t)})
	require.NoError(t, err)
	config := limited(m, 30)
	want, err := p.Generate(background, "hello", config)
	require.NoError(t, err)
	text := ""
	for piece, err := range assisted.Stream(background, "hello", config) {
		require.NoError(t, err)
		text += piece
	}
	assert.Equal(t, want.Sequences[0].Text, text)
}
