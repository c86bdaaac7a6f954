package generate

import (
	"context"
	"errors"
	"slices"

	"github.com/vinoir/vinoir/generate/internal/paged"
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
)

// generate continues prompt by config. out, if it is not nil, receives the tokens of the only
// answer.
func (e *Engine) generate(ctx context.Context, prompt []int32, priority int, config Config, out receiver) (Result, error) {
	r, err := e.newRequest(ctx, prompt, config, out != nil)
	if err != nil {
		return Result{}, err
	}
	if config.Stats != nil {
		*config.Stats = Stats{PromptTokens: len(prompt)}
	}
	r.priority = priority
	if len(r.group.finished) > 0 {
		return r.group.result(), nil // only the prompt
	}
	if err := e.enter(r); err != nil {
		return Result{}, err
	}
	var tokens []int32
	received := 0
	for {
		ended := false
		select {
		case <-ctx.Done():
			e.abandon(r)
			return Result{}, ctx.Err()
		case <-r.news:
		case <-r.done:
			ended = true
		}
		if tokens = r.take(tokens); len(tokens) > 0 {
			received += len(tokens)
			status, err := out(tokens)
			if err != nil || status != Running {
				e.abandon(r)
				<-r.done
				if err == nil && !errors.Is(r.err, errAbandoned) {
					err = r.err
				}
				return r.stoppedAt(received), err
			}
		}
		if ended {
			return r.result, r.err
		}
	}
}

// newRequest returns a request that has not entered the Engine.
func (e *Engine) newRequest(ctx context.Context, prompt []int32, config Config, streams bool) (*request, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	model := e.pipeline.model
	if err := model.checkPrompts([][]int32{prompt}); err != nil {
		return nil, err
	}
	if streams && placesOf(&config) > 1 {
		return nil, faults.Errorf("a stream is for one sequence, not for %d sequences and %d beams", config.NumReturnSequences, config.NumBeams)
	}
	if n := placesOf(&config); n > e.options.MaxSequences {
		return nil, faults.Errorf("NumReturnSequences is %d and NumBeams %d, more than the %d of MaxSequences", config.NumReturnSequences, config.NumBeams, e.options.MaxSequences)
	}
	if err := model.checkAlphas(config.AdapterAlphas); err != nil {
		return nil, err
	}
	alphas := model.alphasOf(config.AdapterAlphas)
	// The last token of an answer needs no memory.
	if cache := e.schedule.cache; cache.BlocksOf(len(prompt), 1) > cache.Len() {
		return nil, faults.Errorf("%w: the prompt has %d tokens, and there is memory for %d (CacheBytes)", ErrCacheFull, len(prompt), cache.Len()*paged.BlockTokens)
	}
	stop, err := newStopper(ctx, e.pipeline.tokenizer, &config)
	if err != nil {
		return nil, err
	}
	r := &request{ctx: ctx, config: config, alphas: alphas, places: placesOf(&config), news: make(chan struct{}, 1), done: make(chan struct{})}
	var out receiver
	if streams {
		out = r.receive
	}
	if err := r.group.start(model, prompt, &r.config, stop, out); err != nil {
		return nil, err
	}
	// Keys and values depend on the adapters.
	r.texts = []*paged.Text{paged.NewText(slices.Clone(prompt), string(cast.Memory(alphas)))}
	return r, nil
}

// stoppedAt returns the answer with the first n tokens, those that the caller has received.
func (r *request) stoppedAt(n int) Result {
	g := &r.group
	g.finished = append(g.finished, g.running...)
	a := g.finished[0]
	if g.config.Echo {
		n -= len(g.prompt)
	}
	if more := len(a.tokens) - n; more > 0 {
		a.remove(more)
		a.finish = FinishNone
	}
	return g.result()
}

// enter puts r into the queue.
func (e *Engine) enter(r *request) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return ErrEngineClosed
	case len(e.waiting) >= e.options.QueueLength:
		return faults.Errorf("%w: %d prompts wait (QueueLength)", ErrQueueFull, len(e.waiting))
	}
	e.entered++
	r.order = e.entered
	e.waiting = insert(e.waiting, r)
	notify(e.wake)
	return nil
}

// abandon says that nobody waits for r any more.
func (e *Engine) abandon(r *request) {
	r.ended.Store(true)
	notify(e.wake)
}

// loop runs steps as long as there are requests, until the Engine is closed.
func (e *Engine) loop(ctx context.Context) {
	defer close(e.stopped)
	defer e.report()
	s := &e.schedule
	for {
		if ctx.Err() != nil {
			e.endAll()
			return
		}
		if s.endAbandoned(); len(s.ended) > 0 {
			e.report()
		}
		if e.admit() {
			return
		}
		if len(s.running) == 0 {
			e.report()
			select {
			case <-e.wake:
			case <-ctx.Done():
			}
			continue
		}
		preempted := s.run(ctx)
		e.mu.Lock()
		for _, r := range preempted {
			e.waiting = insert(e.waiting, r)
		}
		e.mu.Unlock()
		e.report()
	}
}

// admit gives places to requests that wait. It reports whether the Engine is closed and empty.
func (e *Engine) admit() (finished bool) {
	s := &e.schedule
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = slices.DeleteFunc(e.waiting, func(r *request) bool {
		err := r.abandoned()
		if err != nil {
			r.finish(err)
			close(r.done)
		}
		return err != nil
	})
	for len(e.waiting) > 0 {
		preempted, ok := s.admit(e.waiting[0], e.options.MaxSequences)
		if !ok {
			break
		}
		e.waiting = slices.Delete(e.waiting, 0, 1)
		for _, r := range preempted {
			e.waiting = insert(e.waiting, r)
		}
	}
	return e.closed && len(e.waiting) == 0 && len(s.running) == 0
}

// endAll ends all requests when Close does not wait for them.
func (e *Engine) endAll() {
	for _, r := range slices.Clone(e.schedule.running) {
		e.schedule.end(r, ErrEngineClosed)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.waiting {
		r.finish(ErrEngineClosed)
		close(r.done)
	}
	e.waiting = nil
}

// report brings the numbers of Stats up to date, and then tells the callers of requests that have
// ended: what their requests have done is counted when they ask.
func (e *Engine) report() {
	s := &e.schedule
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stats = EngineStats{
		Running: len(s.running),
		Blocks:  s.cache.Len(), BlocksUsed: s.cache.Used(), BlockBytes: s.cache.BlockBytes(), BlockTokens: paged.BlockTokens,
		Steps: s.stepped, ComputedTokens: s.computed, ReusedTokens: s.reused, GeneratedTokens: s.generated, Preempted: s.preempted,
	}
	for _, r := range s.ended {
		close(r.done)
	}
	clear(s.ended)
	s.ended = s.ended[:0]
}
