package generate

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vinoir/vinoir/generate/internal/paged"
)

// request is a prompt in an Engine, with its answers so far. The goroutine of the Engine owns it,
// except for what says otherwise.
type request struct {
	ctx    context.Context
	config Config
	alphas []float32 // of the adapters
	group  group
	// priority and order say which request goes first, see before.
	priority int
	order    uint64
	places   int // the greatest number of texts at once
	texts    []*paged.Text
	planned  bool // is in the step that is being planned

	// Memory of accept: the texts that go on, their tokens, and the texts that they continue.
	next                []*paged.Text
	nextTokens, origins []int32
	kept                []bool

	// ended is set by the caller, who does not wait for more tokens.
	ended atomic.Bool
	// news tells the caller that there are tokens, and done that the fields below are set.
	news   chan struct{}
	mu     sync.Mutex
	tokens []int32
	done   chan struct{}
	result Result
	err    error
}

// before reports whether r gets places and memory before another request.
func (r *request) before(other *request) bool {
	if r.priority != other.priority {
		return r.priority > other.priority
	}
	return r.order < other.order
}

// insert puts r into a list of requests, of which the first one goes first.
func insert(list []*request, r *request) []*request {
	i := slices.IndexFunc(list, r.before)
	if i < 0 {
		return append(list, r)
	}
	return slices.Insert(list, i, r)
}

// receive is the receiver of the group: it passes tokens on to the caller.
func (r *request) receive(tokens []int32) (Status, error) {
	r.mu.Lock()
	r.tokens = append(r.tokens, tokens...)
	r.mu.Unlock()
	notify(r.news)
	return Running, nil
}

// take returns the tokens that have come, in memory of the caller.
func (r *request) take(tokens []int32) []int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	tokens = append(tokens[:0], r.tokens...)
	r.tokens = r.tokens[:0]
	return tokens
}

// notify fills a channel of one element.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// placesOf returns the number of sequences that config can have at once.
func placesOf(config *Config) int { return max(config.NumBeams, config.NumReturnSequences) }

// pending returns the number of tokens that are not computed.
func (r *request) pending() int {
	n := 0
	for _, t := range r.texts {
		n += t.Pending()
	}
	return n
}

// isReady reports whether each text lacks its last token only: the next step of r computes them
// all, so that their logits come at the same time.
func (r *request) isReady() bool { return r.pending() == len(r.texts) }

// accept chooses the next tokens by logits, which has a row for each text. It reports whether the
// request goes on.
func (r *request) accept(cache *paged.Cache, logits []float32, vocabulary int) (goesOn bool, err error) {
	g := &r.group
	g.row = 0
	if err := g.accept(r.ctx, logits, vocabulary); err != nil {
		return false, err
	}
	r.nextTokens, r.origins = g.next(r.nextTokens[:0], r.origins[:0])
	r.next, r.kept = r.next[:0], append(r.kept[:0], make([]bool, len(r.texts))...)
	for _, p := range r.origins {
		t := r.texts[p]
		if r.kept[p] {
			t = cache.Fork(t)
		}
		r.kept[p] = true
		r.next = append(r.next, t)
	}
	for p, t := range r.texts {
		if !r.kept[p] {
			cache.Release(t)
		}
	}
	for i, t := range r.next {
		t.Tokens = append(t.Tokens, r.nextTokens[i])
	}
	r.texts, r.next = r.next, r.texts
	return len(r.texts) > 0, nil
}

// blocks returns the number of blocks that r has, of which others may have some too.
func (r *request) blocks() int {
	n := 0
	for _, t := range r.texts {
		n += t.Held()
	}
	return n
}

// release gives back all blocks. What r has computed can be found again as long as nobody needs
// their memory.
func (r *request) release(cache *paged.Cache) {
	for _, t := range r.texts {
		cache.Release(t)
	}
}

// finish sets what the caller gets. Closing r.done tells the caller.
func (r *request) finish(err error) {
	if r.err = err; err == nil {
		r.result = r.group.result()
	}
}
