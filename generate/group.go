package generate

import (
	"cmp"
	"context"
	"slices"
	"sort"
)

// group is a prompt with its answers so far.
type group struct {
	config  *Config
	prompt  []int32
	stop    *stopper
	out     receiver
	sampler sampler
	beams   beamSearch
	// limit is the number of tokens that an answer can have.
	limit int
	// row is the row of the first sequence in the logits, and length the number of tokens of each
	// answer.
	row    int32
	length int
	// running are the answers that go on, in the order of their rows, and finished the others.
	running, finished []*answer
	// sent is the number of tokens that out has, and stopped what it has answered.
	sent    int
	stopped bool
}

// answer is a sequence of tokens that follows a prompt.
type answer struct {
	tokens   []int32
	logProbs []float32
	score    float32 // sum of logProbs
	row      int32   // in the logits of the step that it continues, from the first row of the group
	finish   Finish
}

// add appends a token.
func (a *answer) add(token int32, logProb float32) {
	a.tokens, a.logProbs = append(a.tokens, token), append(a.logProbs, logProb)
	a.score += logProb
}

// remove removes the last n tokens.
func (a *answer) remove(n int) {
	keep := len(a.tokens) - n
	for _, p := range a.logProbs[keep:] {
		a.score -= p
	}
	a.tokens, a.logProbs = a.tokens[:keep], a.logProbs[:keep]
}

// fork returns a copy of a.
func (a *answer) fork() *answer {
	b := *a
	b.tokens, b.logProbs = slices.Clone(a.tokens), slices.Clone(a.logProbs)
	return &b
}

// start begins answers to prompt by m.
func (g *group) start(m *Model, prompt []int32, config *Config, stop *stopper, out receiver) error {
	limit, err := m.newTokens(config, len(prompt))
	if err != nil {
		return err
	}
	g.config, g.prompt, g.stop, g.out, g.limit = config, prompt, stop, out, limit
	g.length, g.sent, g.stopped = 0, 0, false
	g.running, g.finished = g.running[:0], g.finished[:0]
	if limit == 0 {
		g.finished = append(g.finished, &answer{finish: FinishLength})
		return nil
	}
	g.sampler.start(config, prompt)
	if config.isBeamSearch() {
		g.beams.start(g)
		return nil
	}
	g.running = append(g.running, &answer{})
	return nil
}

// accept chooses the tokens that follow, by logits, which has a row for each sequence of the step.
func (g *group) accept(ctx context.Context, logits []float32, vocabulary int) error {
	if len(g.running) == 0 {
		return nil
	}
	row := func(i int32) []float32 { return logits[int(g.row+i)*vocabulary:][:vocabulary] }
	if g.config.isBeamSearch() {
		return g.beams.accept(ctx, row)
	}
	g.choose(row)
	g.length++
	g.sampler.generated = g.length
	if err := g.finishAnswers(ctx); err != nil {
		return err
	}
	return g.send()
}

// choose adds a token to each answer. From the first logits, all answers draw theirs.
func (g *group) choose(row func(int32) []float32) {
	if n := g.config.NumReturnSequences; g.length == 0 && n > 1 {
		for i, c := range g.sampler.choose(row(0), n) {
			if i > 0 {
				g.running = append(g.running, &answer{})
			}
			g.running[i].add(c.token, c.logProb)
			g.sampler.count(c.token, 1)
		}
		return
	}
	for _, a := range g.running {
		c := g.sampler.choose(row(a.row), 1)[0]
		a.add(c.token, c.logProb)
		g.sampler.count(c.token, 1)
	}
}

// finishAnswers ends the answers that are complete.
func (g *group) finishAnswers(ctx context.Context) error {
	going := g.running[:0]
	for _, a := range g.running {
		stops := !g.config.IgnoreEOS && g.config.isStop(a.tokens[len(a.tokens)-1])
		switch {
		case stops:
			a.finish = FinishStop
		case g.length >= g.limit:
			a.finish = FinishLength
		case g.stop != nil:
			n, found, err := g.stop.match(ctx, a.tokens)
			if err != nil {
				return err
			}
			if found {
				a.remove(n)
				a.finish = FinishStop
			}
		}
		if a.finish == FinishNone {
			going = append(going, a)
		} else {
			g.finished = append(g.finished, a)
		}
	}
	g.running = going
	return nil
}

// send gives the new tokens to out. Tokens that may be part of a stop string are held back.
func (g *group) send() error {
	if g.out == nil {
		return nil
	}
	held := 0
	var a *answer
	if len(g.finished) > 0 {
		a = g.finished[0]
	} else if a = g.running[0]; g.stop != nil {
		held = g.stop.tokens
	}
	if len(a.tokens) <= g.sent+held {
		return nil
	}
	tokens := a.tokens[g.sent : len(a.tokens)-held]
	if g.config.Echo && g.sent == 0 {
		tokens = slices.Concat(g.prompt, tokens)
	}
	g.sent = len(a.tokens) - held
	status, err := g.out(tokens)
	if err == nil && status != Running && len(g.running) > 0 {
		g.finished, g.running = append(g.finished, a), g.running[:0]
	}
	return err
}

// next appends the tokens of the next step and the rows that they continue.
func (g *group) next(tokens, parents []int32) (nextTokens, nextParents []int32) {
	first := g.row
	g.row = int32(len(tokens))
	for i, a := range g.running {
		tokens, parents = append(tokens, a.tokens[len(a.tokens)-1]), append(parents, first+a.row)
		a.row = int32(i)
	}
	return tokens, parents
}

// result returns the answers, the best one first.
func (g *group) result() Result {
	score := func(a *answer) float32 { return a.score }
	if g.config.isBeamSearch() {
		score = g.beams.score
	}
	// Unlike slices.SortStableFunc, sort.SliceStable has no instance of its own for each type.
	sort.SliceStable(g.finished, func(i, j int) bool { return cmp.Less(score(g.finished[j]), score(g.finished[i])) })
	var r Result
	for _, a := range g.finished[:min(len(g.finished), g.config.NumReturnSequences)] {
		sequence := Sequence{Tokens: a.tokens, Score: score(a), LogProbs: a.logProbs, Finish: a.finish}
		if g.config.Echo {
			sequence.Tokens = slices.Concat(g.prompt, a.tokens)
		}
		r.Sequences = append(r.Sequences, sequence)
	}
	return r
}
