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

// enqueue puts a prompt of n tokens that begins with first into the queue.
func (e *Engine) enqueue(t testing.TB, first int32, n, priority int, config Config) *request {
	t.Helper()
	prompt := make([]int32, n)
	prompt[0] = first
	r, err := e.newRequest(background, prompt, config, false)
	require.NoError(t, err)
	r.priority = priority
	require.NoError(t, e.enter(r))
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

// TestSchedule_priority has places for two requests, and then memory for little. Those with a
// greater priority come first, whenever they come, and the others in their order.
func TestSchedule_priority(t *testing.T) {
	m := tiny{}.open(t)
	e := stopped(t, m, 5, 64)
	e.wake = make(chan struct{}, 1)
	e.options.MaxSequences = 2
	s, config := &e.schedule, limited(m, 100)
	config.IgnoreEOS = true
	first, second := e.enqueue(t, 1, 5, 0, config), e.enqueue(t, 2, 5, 0, config)
	third := e.enqueue(t, 3, 5, 0, config)
	require.False(t, e.admit())
	assert.Equal(t, []*request{first, second}, s.running)
	require.Empty(t, s.run(background))
	urgent, less := e.enqueue(t, 4, 5, 7, config), e.enqueue(t, 5, 5, 3, config)
	least := e.enqueue(t, 6, 5, -1, config)
	e.admit()
	assert.Equal(t, []*request{urgent, less}, s.running)
	assert.Equal(t, []*request{first, second, third, least}, e.waiting)
	assert.Zero(t, second.texts[0].Computed)
	assert.Equal(t, 1, second.group.length, "its answer is not lost")
	s.end(urgent, nil)
	e.admit()
	assert.Equal(t, []*request{less, first}, s.running)
	assert.EqualValues(t, 2, s.preempted)

	// All have one block of the five. The large one needs three, those of three others.
	e.options.MaxSequences = 8
	e.admit()
	require.Len(t, s.running, 5)
	require.Empty(t, s.run(background))
	large := e.enqueue(t, 7, 90, 2, config)
	e.admit()
	assert.Equal(t, []*request{less, large, first}, s.running)
	assert.Equal(t, []*request{second, third, least}, e.waiting)
	tooLarge := e.enqueue(t, 8, 150, 3, config)
	e.admit()
	assert.Equal(t, []*request{less, large, first}, s.running, "it must not take places in vain")
	assert.Equal(t, []*request{tooLarge, second, third, least}, e.waiting)
}
