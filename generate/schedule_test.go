package generate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stopped returns an Engine without its goroutine: a test runs the steps of its schedule.
func stopped(t testing.TB, m *Model, blocks int, maxTokens int) *Engine {
	t.Helper()
	p, cache, err := m.compilePaged(background, int64(blocks)*4096)
	require.NoError(t, err)
	t.Cleanup(p.compiled.Close)
	steps, err := newPagedSteps(p, cache.Store)
	require.NoError(t, err)
	return &Engine{
		pipeline: Pipeline{model: m}, options: EngineOptions{MaxSequences: 8, QueueLength: 8},
		schedule: schedule{cache: cache, steps: steps, maxTokens: maxTokens},
	}
}

// add gives a place to a prompt of n tokens that begins with first.
func (e *Engine) add(t testing.TB, first int32, n int, config Config) *request {
	t.Helper()
	prompt := make([]int32, n)
	prompt[0] = first
	r, err := e.newRequest(background, prompt, config, false)
	require.NoError(t, err)
	e.schedule.running = append(e.schedule.running, r)
	return r
}

// TestSchedule_order has a long prompt beside an answer, which gets a token in each step, and a
// later prompt, which waits for the long one.
func TestSchedule_order(t *testing.T) {
	m := tiny{}.open(t)
	e := stopped(t, m, 20, 11)
	s, config := &e.schedule, limited(m, 100)
	config.IgnoreEOS = true
	answer := e.add(t, 1, 2, config)
	require.Empty(t, s.run(background))
	require.Equal(t, 1, answer.group.length)
	long, later := e.add(t, 2, 50, config), e.add(t, 3, 4, config)
	for i := range 5 {
		require.Empty(t, s.run(background))
		assert.Equal(t, 2+i, answer.group.length, "an answer gets a token in each step")
		assert.Equal(t, 10*(i+1), long.texts[0].Computed)
		assert.Zero(t, later.texts[0].Computed, "the oldest prompt goes first")
	}
	assert.Equal(t, 1, long.group.length)
	require.Empty(t, s.run(background))
	assert.Equal(t, []int{7, 2, 1}, []int{answer.group.length, long.group.length, later.group.length})
}

// TestSchedule_preempt lets two answers grow until there is no block left: the younger one waits,
// and the older one ends with an error when all blocks are not enough.
func TestSchedule_preempt(t *testing.T) {
	m := tiny{}.open(t)
	e := stopped(t, m, 3, 64)
	s, config := &e.schedule, limited(m, 200)
	config.IgnoreEOS = true
	older, younger := e.add(t, 1, 20, config), e.add(t, 2, 30, config)
	var waiting []*request
	for len(waiting) == 0 {
		waiting = s.run(background)
	}
	assert.Equal(t, []*request{younger}, waiting)
	assert.Equal(t, 33, older.texts[0].Computed, "it has needed a second block")
	assert.Zero(t, younger.texts[0].Computed)
	assert.Equal(t, 30+younger.group.length, len(younger.texts[0].Tokens), "its answer is not lost")
	for len(s.running) > 0 {
		require.Empty(t, s.run(background))
	}
	require.ErrorIs(t, older.err, ErrCacheFull)
	assert.Zero(t, s.cache.Used())
}
