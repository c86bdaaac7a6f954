package generate

import (
	"context"
	"errors"
	"slices"

	"github.com/vinoir/vinoir/generate/internal/paged"
	"github.com/vinoir/vinoir/internal/faults"
)

// schedule says which tokens a step computes. Only the goroutine of the Engine uses it.
//
// First come the texts that lack one token only, so that no prompt makes them wait; then prompts,
// the first one first, as far as the step has tokens left. If there is no block for the next token
// of a request, the last one gives back its blocks and waits: what it had is computed again later.
// Which one is first is decided by request.before.
type schedule struct {
	cache     *paged.Cache
	steps     *pagedSteps
	maxTokens int
	// running are the requests that have a place, the first one first.
	running []*request
	// ended are the requests that have ended, whose callers do not know yet.
	ended []*request
	step  plannedStep
	// accepting are the requests whose logits the step computes, in the order of its rows, and
	// advances the texts and their new tokens.
	accepting []*request
	advances  []advance

	stepped, reused, computed, generated, preempted uint64 // steps, tokens, and requests
}

// advance is a number of tokens of a text that a step computes.
type advance struct {
	text *paged.Text
	n    int
}

// admit gives a place to a request that waits, unless more than the given number would be taken or
// there is no memory for its tokens. It takes them from requests with a lesser priority, which are
// to wait, if that is enough.
func (s *schedule) admit(r *request, places int) (preempted []*request, ok bool) {
	free, blocks := places, s.cache.Available()
	for _, other := range s.running {
		free -= other.places
		blocks -= s.lacks(other)
	}
	last := len(s.running)
	for ; free < r.places || last > 0 && blocks < s.lacks(r); last-- {
		if last == 0 || s.running[last-1].priority >= r.priority {
			return nil, false
		}
		free += s.running[last-1].places
		blocks += s.running[last-1].blocks() + s.lacks(s.running[last-1])
	}
	for len(s.running) > last {
		preempted = append(preempted, s.putBack(len(s.running)-1))
	}
	s.running = insert(s.running, r)
	return preempted, true
}

// lacks returns the number of blocks that r needs for its tokens and the next one, and has not yet.
func (s *schedule) lacks(r *request) int {
	blocks := 0
	for _, t := range r.texts {
		blocks += max(s.cache.BlocksOf(len(t.Tokens)+1, s.maxTokens)-t.Held(), 0)
	}
	return blocks
}

// run plans and computes a step. It returns the requests that are to wait.
func (s *schedule) run(ctx context.Context) (waiting []*request) {
	s.step.reset()
	s.accepting, s.advances = s.accepting[:0], s.advances[:0]
	for _, r := range s.running {
		r.planned = false
	}
	for i := 0; i < len(s.running); i++ {
		if r := s.running[i]; r.isReady() {
			waiting = append(waiting, s.planLast(r)...)
		}
	}
	for i := 0; i < len(s.running); i++ {
		if r := s.running[i]; !r.planned {
			waiting = append(waiting, s.planPrompt(r)...)
		}
	}
	if len(s.step.runs) > 0 {
		s.compute(ctx)
	}
	return waiting
}

// planLast plans the last token of all texts of r.
func (s *schedule) planLast(r *request) (waiting []*request) {
	for _, t := range r.texts {
		for s.cache.Reserve(t, 1) < 1 {
			victim := s.preempt(r)
			if victim == nil {
				s.end(r, s.full(r))
				return waiting
			}
			if waiting = append(waiting, victim); victim == r {
				return waiting
			}
		}
	}
	for _, t := range r.texts {
		s.plan(r, t, 1, true)
	}
	r.planned = true
	s.accepting = append(s.accepting, r)
	return waiting
}

// planPrompt plans the next tokens of texts of r that lack several.
func (s *schedule) planPrompt(r *request) (waiting []*request) {
	for _, t := range r.texts {
		s.reused += uint64(s.cache.Reuse(t))
		most := t.Pending()
		if len(r.texts) > 1 {
			most-- // the last ones are computed in one step
		}
		most = min(most, s.maxTokens-len(s.step.tokens))
		if most <= 0 {
			continue
		}
		n := s.cache.Reserve(t, most)
		for n == 0 {
			victim := s.preempt(r)
			switch {
			case victim != nil:
				waiting = append(waiting, victim)
			case len(s.step.runs) == 0:
				s.end(r, s.full(r))
				return waiting
			}
			if victim == nil || victim == r {
				return waiting
			}
			n = s.cache.Reserve(t, most)
		}
		last := n == t.Pending()
		s.plan(r, t, n, last)
		r.planned = true
		if last {
			s.accepting = append(s.accepting, r)
		}
	}
	return waiting
}

// plan adds the next n tokens of a text of r to the step.
func (s *schedule) plan(r *request, t *paged.Text, n int, needed bool) {
	s.step.add(t, n, r.alphas, needed)
	s.advances = append(s.advances, advance{t, n})
	s.computed += uint64(n)
}

// full is the error of a request that needs more than all blocks.
func (s *schedule) full(r *request) error {
	n := 0
	for _, t := range r.texts {
		n += len(t.Tokens)
	}
	return faults.Errorf("%w: the %d tokens of the request are more than the %d for which there is memory (CacheBytes)",
		ErrCacheFull, n, s.cache.Len()*paged.BlockTokens)
}

// preempt takes the blocks of the last request that is not in the step, and returns it. It can be
// r, but not one before it. It returns nil if r is the only request, or is in the step, and there
// is none behind it.
func (s *schedule) preempt(r *request) *request {
	for i, victim := range slices.Backward(s.running) {
		if victim == r && (r.planned || len(s.running) == 1) {
			return nil
		}
		if victim.planned {
			continue
		}
		return s.putBack(i)
	}
	return nil
}

// putBack takes the place and the blocks of running request number i, and returns it.
func (s *schedule) putBack(i int) *request {
	r := s.running[i]
	r.release(s.cache)
	s.running = slices.Delete(s.running, i, i+1)
	s.preempted++
	return r
}

// compute computes the step. If that is an error, it ends all requests of the step.
func (s *schedule) compute(ctx context.Context) {
	if len(s.step.rows) == 0 && s.steps.model.rows >= 0 {
		// No logits are needed, but a model has some.
		s.step.rows = append(s.step.rows, 0)
	}
	s.stepped++
	logits, err := s.steps.run(ctx, &s.step)
	if ctx.Err() != nil {
		err = ErrEngineClosed // which is why the step has stopped
	}
	if err != nil {
		for _, r := range slices.Clone(s.running) {
			if r.planned {
				s.end(r, err)
			}
		}
		return
	}
	for _, a := range s.advances {
		s.cache.Advance(a.text, a.n)
	}
	vocabulary := s.steps.model.vocabulary
	for _, r := range s.accepting {
		n := len(r.texts) * vocabulary
		s.generated += uint64(len(r.texts))
		goesOn, err := r.accept(s.cache, logits[:n], vocabulary)
		if logits = logits[n:]; err != nil || !goesOn {
			s.end(r, err)
		}
	}
}

// end ends a request that has a place.
func (s *schedule) end(r *request, err error) {
	r.release(s.cache)
	s.running = slices.DeleteFunc(s.running, func(other *request) bool { return other == r })
	r.finish(err)
	s.ended = append(s.ended, r)
}

// endAbandoned ends the requests whose caller does not wait any more.
func (s *schedule) endAbandoned() {
	for _, r := range slices.Backward(s.running) {
		if err := r.abandoned(); err != nil {
			s.end(r, err)
		}
	}
}

// abandoned returns an error if the caller of r does not wait any more.
func (r *request) abandoned() error {
	if r.ended.Load() {
		return errAbandoned
	}
	return r.ctx.Err()
}

// errAbandoned is never returned to a caller.
var errAbandoned = errors.New("the caller does not wait")
