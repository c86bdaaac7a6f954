package generate

import (
	"context"
	"math"
)

// guesser guesses the tokens that follow.
type guesser interface {
	// guess appends at most n tokens that may follow tokens to guesses.
	guess(ctx context.Context, guesses, tokens []int32, n int) ([]int32, error)
}

const (
	// draftTokens is the number of tokens that a draft model guesses if a Config does not say it.
	draftTokens = 5
	// maxGuesses bounds the tokens that are checked in one step.
	maxGuesses = 64
)

// guesserFor returns what guesses tokens for config, and how many at once; nil if nothing does. A
// model whose variables cannot be shortened cannot take back a guess.
func (s *Session) guesserFor(config *Config) (g guesser, n int) {
	if config.isBeamSearch() || config.NumReturnSequences > 1 || !s.steps.canTruncate() || s.model.rows < 0 {
		return nil, 0
	}
	n = min(config.NumAssistantTokens, maxGuesses)
	switch {
	case config.isPromptLookup():
		return lookup(config.MaxNgramSize), n
	case s.draft == nil:
		return nil, 0
	case config.AssistantConfidenceThreshold > 0:
		n = maxGuesses
	case n == 0:
		n = draftTokens
	}
	s.draft.threshold = config.AssistantConfidenceThreshold
	return s.draft, n
}

// assisted continues prompt. Each step checks several guesses at once: as many as are what the
// model chooses become tokens, and the choice after them too.
func (s *Session) assisted(ctx context.Context, g *group, by guesser, n int) error {
	logits, err := s.prefill(ctx, g.prompt)
	if err != nil {
		return err
	}
	g.row = 0
	if err := g.accept(ctx, logits, s.model.vocabulary); err != nil {
		return err
	}
	for len(g.running) > 0 {
		a := g.running[0]
		s.text = append(append(s.text[:0], g.prompt...), a.tokens...)
		s.tokens = append(s.tokens[:0], a.tokens[len(a.tokens)-1])
		if s.tokens, err = by.guess(ctx, s.tokens, s.text, min(n, g.limit-g.length-1)); err != nil {
			return err
		}
		for i, token := range s.tokens {
			if int(token) >= s.model.vocabulary { // of a draft model
				s.tokens = s.tokens[:i]
				break
			}
		}
		s.parents = append(s.parents[:0], s.row)
		if logits, err = s.steps.run(ctx, s.tokens, s.parents, len(s.tokens)); err != nil {
			return err
		}
		right := 1 // tokens that were run and are those of the answer
		for ; ; right++ {
			if err := g.accept(ctx, logits[(right-1)*s.model.vocabulary:], s.model.vocabulary); err != nil {
				return err
			}
			if len(g.running) == 0 || right == len(s.tokens) || a.tokens[len(a.tokens)-1] != s.tokens[right] {
				break
			}
		}
		s.cached, s.row = append(s.cached, s.tokens[:right]...), 0
		if err := s.steps.truncate(len(s.cached)); err != nil {
			return err
		}
	}
	return nil
}

// lookup guesses what has followed the last tokens before, at most that many.
type lookup int

// guess implements guesser. It looks for the longest sequence of last tokens, at its first place.
func (l lookup) guess(_ context.Context, guesses, tokens []int32, n int) ([]int32, error) {
	size := int(l)
	if size >= len(tokens) {
		size = len(tokens) / 2
	}
	for ; size > 0 && n > 0; size-- {
		last := tokens[len(tokens)-size:]
		for at := range len(tokens) - size {
			if tokens[at] == last[0] && equal(tokens[at:at+size], last) {
				from := at + size
				return append(guesses, tokens[from:min(from+n, len(tokens))]...), nil
			}
		}
	}
	return guesses, nil
}

func equal(a, b []int32) bool {
	for i, token := range a {
		if token != b[i] {
			return false
		}
	}
	return true
}

// draft guesses what a smaller model chooses in a greedy search.
type draft struct {
	session   *Session
	threshold float64 // the least probability of a guess; 0 if all are made
	sampler   sampler // for its memory
	tokens    []int32
}

// guess implements guesser.
func (d *draft) guess(ctx context.Context, guesses, tokens []int32, n int) ([]int32, error) {
	if n <= 0 {
		return guesses, nil
	}
	for _, token := range tokens {
		if int(token) >= d.session.model.vocabulary {
			return guesses, nil // it does not know this one
		}
	}
	if most := d.session.model.maxPositions; most > 0 {
		n = min(n, most-len(tokens)+1)
	}
	d.tokens = append(d.tokens[:0], tokens...)
	for range n {
		logits, err := d.session.prefill(ctx, d.tokens)
		if err != nil {
			return guesses, err
		}
		token := argmax(logits)
		if d.threshold > 0 && math.Exp(float64(logits[token]-d.sampler.logSumExp(logits))) < d.threshold {
			break
		}
		guesses, d.tokens = append(guesses, token), append(d.tokens, token)
	}
	return guesses, nil
}
