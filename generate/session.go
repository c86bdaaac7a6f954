package generate

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/vinoir/vinoir/internal/faults"
)

// Session continues texts with a Model. It keeps the keys and values of the tokens so far: if the
// next prompt begins with the same tokens, as in a chat, only the others are computed. A Session
// runs one call at a time; a second one returns ErrBusy.
type Session struct {
	model     *Model
	tokenizer Tokenizer
	mu        sync.Mutex // held by a call

	steps steps
	// cached are the tokens of sequence row of the last step, if it has no padding.
	cached []int32
	row    int32

	draft *draft // nil if there is no draft model
	text  []int32

	groups  []*group
	tokens  []int32 // of a step, and the rows that they continue
	parents []int32

	// filled is when the last prompt was computed, and reused how many of its tokens were cached.
	filled time.Time
	reused int
}

// maxPositions is the number of tokens of prompts that are computed at once. It bounds the memory:
// a mask has an element for each of them and each token before.
const maxPositions = 1024

// ErrBusy is the error of using a Session while it runs.
var ErrBusy = errors.New("the Session is busy")

// NewSession returns a Session without tokens.
func (m *Model) NewSession() *Session { return m.newSession(nil, nil) }

// NewAssistedSession returns a Session for which a draft model, a smaller one with the same tokens,
// guesses what follows: Config.NumAssistantTokens at once, or 5 if that is 0. m checks all guesses
// in one step, so that the answers are those of m, and come faster if the guesses are good. It is
// for one sequence, not for a beam search: these do without draft.
func (m *Model) NewAssistedSession(draft *Model) *Session { return m.newSession(nil, draft) }

// newSession returns a Session that can look for stop strings if tokenizer is not nil.
func (m *Model) newSession(tokenizer Tokenizer, draftModel *Model) *Session {
	s := &Session{model: m, tokenizer: tokenizer, steps: newSteps(m)}
	if draftModel != nil {
		s.draft = &draft{session: draftModel.NewSession()}
	}
	return s
}

// Reset forgets all tokens. The memory is kept.
func (s *Session) Reset() error {
	if !s.mu.TryLock() {
		return ErrBusy
	}
	defer s.mu.Unlock()
	return s.forget()
}

func (s *Session) forget() error {
	s.cached = s.cached[:0]
	return s.steps.reset(nil)
}

// Cached returns the number of tokens whose keys and values the Session has.
func (s *Session) Cached() int {
	if !s.mu.TryLock() {
		return 0
	}
	defer s.mu.Unlock()
	return len(s.cached)
}

// Logits returns the logits of the token that follows prompt, for each token of the vocabulary.
func (s *Session) Logits(ctx context.Context, prompt []int32) ([]float32, error) {
	if !s.mu.TryLock() {
		return nil, ErrBusy
	}
	defer s.mu.Unlock()
	if err := s.model.checkPrompts([][]int32{prompt}); err != nil {
		return nil, err
	}
	logits, err := s.prefill(ctx, prompt)
	return append([]float32(nil), logits...), err
}

// Generate continues prompts by config, all at once, and returns a Result for each. When ctx is
// done, it stops in the middle of a token and returns the error of ctx.
//
// Config.StopStrings need a Pipeline.
func (s *Session) Generate(ctx context.Context, prompts [][]int32, config Config) ([]Result, error) {
	return s.generate(ctx, prompts, config, nil)
}

// Tokens yields the tokens that continue prompt, as soon as they are chosen. Like a stream of a
// Pipeline, it is for one sequence and not for a beam search. The last value may be an error.
func (s *Session) Tokens(ctx context.Context, prompt []int32, config Config) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		stopped := false
		_, err := s.generate(ctx, [][]int32{prompt}, config, func(tokens []int32) (Status, error) {
			for _, token := range tokens {
				if !stopped && !yield(token, nil) {
					stopped = true
				}
			}
			if stopped {
				return Stop, nil
			}
			return Running, nil
		})
		if err != nil && !stopped {
			yield(0, err)
		}
	}
}

// Status is what the receiver of a stream answers.
type Status uint8

const (
	// Running asks for more.
	Running Status = iota
	// Stop ends the answer where it is.
	Stop
	// Cancel ends the answer; a Chat drops the turn.
	Cancel
)

// receiver receives the tokens of an answer, several at once if they were held back.
type receiver func(tokens []int32) (Status, error)

// checkPrompts returns an error unless all prompts have tokens, all of the vocabulary, and no more
// than there are positions.
func (m *Model) checkPrompts(prompts [][]int32) error {
	if len(prompts) == 0 {
		return errors.New("there are no prompts")
	}
	for i, prompt := range prompts {
		if len(prompt) == 0 {
			return faults.Errorf("prompt %d has no tokens", i)
		}
		if err := m.checkLength(i, len(prompt)); err != nil {
			return err
		}
		for k, token := range prompt {
			if token < 0 || int(token) >= m.vocabulary {
				return faults.Errorf("token %d of prompt %d is %d, not one of the %d of the vocabulary", k, i, token, m.vocabulary)
			}
		}
	}
	return nil
}

// generate is Generate. out, if it is not nil, receives the tokens of the only answer.
func (s *Session) generate(ctx context.Context, prompts [][]int32, config Config, out receiver) ([]Result, error) {
	if !s.mu.TryLock() {
		return nil, ErrBusy
	}
	defer s.mu.Unlock()
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if err := s.model.checkPrompts(prompts); err != nil {
		return nil, err
	}
	if out != nil && (len(prompts) > 1 || config.NumReturnSequences > 1 || config.isBeamSearch()) {
		return nil, faults.Errorf("a stream is for one sequence, not for %d prompts, %d sequences and %d beams", len(prompts), config.NumReturnSequences, config.NumBeams)
	}
	if err := s.setAlphas(config.AdapterAlphas); err != nil {
		return nil, err
	}
	stop, err := newStopper(ctx, s.tokenizer, &config)
	if err != nil {
		return nil, err
	}
	if err := s.startGroups(prompts, &config, stop, out); err != nil {
		return nil, err
	}
	started := time.Now()
	s.filled, s.reused = started, 0
	if err := s.loop(ctx, prompts, &config); err != nil {
		return nil, err
	}
	if config.Stats != nil {
		*config.Stats = Stats{CachedTokens: s.reused, Prefill: s.filled.Sub(started), Decode: time.Since(s.filled)}
		for _, prompt := range prompts {
			config.Stats.PromptTokens += len(prompt)
		}
	}
	results := make([]Result, len(prompts))
	for i, g := range s.groups {
		results[i] = g.result()
	}
	return results, nil
}

// setAlphas sets the factors of the adapters. Keys and values depend on them.
func (s *Session) setAlphas(alphas []float64) error {
	if err := s.model.checkAlphas(alphas); err != nil {
		return err
	}
	next := s.model.alphasOf(alphas)
	if slices.Equal(next, s.steps.alphas) {
		return nil
	}
	s.steps.alphas = next
	return s.forget()
}

// startGroups makes a group for each prompt.
func (s *Session) startGroups(prompts [][]int32, config *Config, stop *stopper, out receiver) error {
	for len(s.groups) < len(prompts) {
		s.groups = append(s.groups, &group{})
	}
	s.groups = s.groups[:len(prompts)]
	for i, g := range s.groups {
		if err := g.start(s.model, prompts[i], config, stop, out); err != nil {
			return faults.Errorf("prompt %d: %w", i, err)
		}
		g.row = int32(i)
	}
	return nil
}

// loop runs the steps until all groups are done.
func (s *Session) loop(ctx context.Context, prompts [][]int32, config *Config) error {
	if config.MaxNewTokens == 0 {
		return nil // only the prompts
	}
	if by, n := s.guesserFor(config); by != nil {
		for _, g := range s.groups {
			if err := s.assisted(ctx, g, by, n); err != nil {
				return err
			}
		}
		return nil
	}
	var logits []float32
	var err error
	if len(prompts) == 1 {
		logits, err = s.prefill(ctx, prompts[0])
	} else {
		logits, err = s.prefillAll(ctx, prompts)
	}
	if err != nil {
		return err
	}
	for {
		s.tokens, s.parents = s.tokens[:0], s.parents[:0]
		for _, g := range s.groups {
			if err := g.accept(ctx, logits, s.model.vocabulary); err != nil {
				return err
			}
			s.tokens, s.parents = g.next(s.tokens, s.parents)
		}
		if len(s.tokens) == 0 {
			return nil
		}
		if logits, err = s.steps.run(ctx, s.tokens, s.parents, 1); err != nil {
			return err
		}
		s.keep(len(prompts) == 1)
	}
}

// keep adds the token of the last step to those that are cached, if it continues them.
func (s *Session) keep(one bool) {
	if one && len(s.tokens) == 1 && s.parents[0] == s.row && len(s.cached) == s.steps.past-1 {
		s.cached = append(s.cached, s.tokens[0])
	}
	s.row = 0 // of several sequences, only the prompt is cached, which all have
}

// prefill computes the tokens of prompt that are not cached, at least one, and returns the logits
// of the last one.
func (s *Session) prefill(ctx context.Context, prompt []int32) ([]float32, error) {
	common := 0
	for common < min(len(s.cached), len(prompt)-1) && s.cached[common] == prompt[common] {
		common++
	}
	if common == 0 || common < s.steps.past && !s.steps.canTruncate() || !s.steps.canSelect() {
		common = 0
		if err := s.steps.reset([]int{0}); err != nil {
			return nil, err
		}
		s.row = 0
	} else if err := s.steps.truncate(common); err != nil {
		return nil, err
	}
	s.cached, s.reused = s.cached[:common], common
	var logits []float32
	for rest := range slices.Chunk(prompt[common:], maxPositions) {
		s.parents = append(s.parents[:0], s.row)
		var err error
		if logits, err = s.steps.run(ctx, rest, s.parents, 1); err != nil {
			return nil, err
		}
		s.row, s.cached = 0, append(s.cached, rest...)
	}
	s.filled = time.Now()
	return logits, nil
}

// prefillAll computes several prompts, and returns the logits of the last token of each.
func (s *Session) prefillAll(ctx context.Context, prompts [][]int32) ([]float32, error) {
	length := 0
	for _, prompt := range prompts {
		length = max(length, len(prompt))
	}
	s.cached, s.row = s.cached[:0], 0
	pads := make([]int, len(prompts))
	for i, prompt := range prompts {
		pads[i] = length - len(prompt)
	}
	if err := s.steps.reset(pads); err != nil {
		return nil, err
	}
	var logits []float32
	some := max(maxPositions/len(prompts), 1)
	for from := 0; from < length; from += some {
		s.tokens, s.parents = s.tokens[:0], s.parents[:0]
		for i, prompt := range prompts {
			s.parents = append(s.parents, int32(i))
			for k := from; k < min(from+some, length); k++ {
				s.tokens = append(s.tokens, prompt[max(k-pads[i], 0)]) // any token is padding
			}
		}
		var err error
		if logits, err = s.steps.run(ctx, s.tokens, s.parents, 1); err != nil {
			return nil, err
		}
	}
	s.filled = time.Now()
	return logits, nil
}
