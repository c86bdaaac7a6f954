package generate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/vinoir/vinoir/internal/vmath"
)

// beamSearch finds the most probable answers to the prompt of a group. Its groups search one after
// the other in each step; each has a number of beams.
type beamSearch struct {
	group  *group
	size   int // beams of a group
	groups []beamGroup
	// banned has the tokens that would repeat an n-gram, and chosen those of earlier groups.
	banned, chosen []int32
	candidates     []beam
	// parents are the answers that the beams of a step continue, and free those that are not used
	// any more.
	parents, free []*answer
}

// beamGroup are the beams of a group, the best one first, and its answers.
type beamGroup struct {
	beams   []beam
	answers []beam // with their final scores
	done    bool
}

// beam is an answer, or one with a token more.
type beam struct {
	answer  *answer
	score   float32 // sum of the logarithms of the probabilities
	token   int32   // the last one
	logProb float32
}

// start begins with one sequence, which all beams share.
func (b *beamSearch) start(g *group) {
	b.group, b.size, b.free = g, g.config.NumBeams/g.config.NumBeamGroups, b.free[:0]
	b.groups = make([]beamGroup, g.config.NumBeamGroups)
	first := &answer{}
	for i := range b.groups {
		// The other beams would find the same tokens.
		b.groups[i].beams = []beam{{answer: first}}
	}
	g.running = append(g.running, first)
}

// accept makes the beams of all groups one token longer.
func (b *beamSearch) accept(ctx context.Context, row func(int32) []float32) error {
	g := b.group
	b.chosen = b.chosen[:0]
	for i := range b.groups {
		if bg := &b.groups[i]; !bg.done {
			if err := b.extend(ctx, bg, row); err != nil {
				return err
			}
		}
	}
	g.length++
	b.adopt()
	if g.length == g.limit {
		b.endAll()
	}
	if len(g.running) == 0 {
		for i := range b.groups {
			for _, a := range b.groups[i].answers {
				g.finished = append(g.finished, a.answer)
			}
		}
	}
	return nil
}

// extend replaces the beams of bg by the best continuations, of which those with a stop token or a
// stop string are answers.
func (b *beamSearch) extend(ctx context.Context, bg *beamGroup, row func(int32) []float32) error {
	b.candidates = b.candidates[:0]
	for _, parent := range bg.beams {
		b.propose(parent, row(parent.answer.row))
	}
	sortBeams(b.candidates)
	best, c := bg.beams[0].score, b.group.config
	bg.beams = bg.beams[:0]
	for i, candidate := range b.candidates {
		end, removed := c.isStop(candidate.token), 0
		if !end && b.group.stop != nil {
			var err error
			tokens := append(slices.Clip(candidate.answer.tokens), candidate.token)
			if removed, end, err = b.group.stop.match(ctx, tokens); err != nil {
				return err
			}
		}
		if end {
			if i < b.size { // one that is worse than all beams is no answer
				b.end(bg, candidate, removed)
			}
			continue
		}
		bg.beams = append(bg.beams, candidate)
		b.chosen = append(b.chosen, candidate.token)
		if len(bg.beams) == b.size {
			break
		}
	}
	bg.done = len(bg.beams) == 0 || b.isDone(bg, best)
	if bg.done {
		bg.beams = bg.beams[:0]
	}
	return nil
}

// propose adds the best 2*size continuations of a beam to the candidates.
func (b *beamSearch) propose(parent beam, logits []float32) {
	c := b.group.config
	greatest := vmath.Max(logits)
	logSum := b.group.sampler.logSumExp(logits) - greatest
	b.banned = repeating(b.banned[:0], b.group.prompt, parent.answer.tokens, c.NoRepeatNgramSize)
	first, n := len(b.candidates), 2*b.size
	offer := func(token int32, p float32) {
		at := len(b.candidates)
		for at > first && p > b.candidates[at-1].logProb {
			at--
		}
		if at-first < n {
			b.candidates = slices.Insert(b.candidates, at, beam{parent.answer, parent.score + p, token, p})
			b.candidates = b.candidates[:min(len(b.candidates), first+n)]
		}
	}
	for i, logit := range logits {
		p, token := logit-greatest-logSum, int32(i)
		if len(b.candidates)-first == n && !(p > b.candidates[first+n-1].logProb) {
			continue
		}
		if !slices.Contains(b.chosen, token) && !slices.Contains(b.banned, token) {
			offer(token, p)
		}
	}
	for i, token := range b.chosen {
		if slices.Contains(b.chosen[:i], token) || slices.Contains(b.banned, token) {
			continue
		}
		p := logits[token] - greatest - logSum
		for _, t := range b.chosen[i:] {
			if t == token {
				p -= float32(c.DiversityPenalty)
			}
		}
		offer(token, p)
	}
}

// repeating appends the tokens that would make the last n tokens of prompt and answer ones that
// have occurred before.
func repeating(banned, prompt, answer []int32, n int) []int32 {
	total := len(prompt) + len(answer)
	at := func(i int) int32 {
		if i < len(prompt) {
			return prompt[i]
		}
		return answer[i-len(prompt)]
	}
	if n == 0 || total < max(n, 2) {
		return banned
	}
	for end := n - 1; end < total; end++ {
		same := true
		for k := 1; k < n && same; k++ {
			same = at(end-k) == at(total-k)
		}
		if same {
			banned = append(banned, at(end))
		}
	}
	return banned
}

// end makes candidate an answer of bg, without the last `removed` tokens.
func (b *beamSearch) end(bg *beamGroup, candidate beam, removed int) {
	a := b.fork(candidate.answer)
	a.add(candidate.token, candidate.logProb)
	length := len(a.tokens)
	a.remove(removed)
	a.finish = FinishStop
	b.keep(bg, a, candidate.score, length)
}

// sortBeams sorts beams by their scores, the best first.
func sortBeams(beams []beam) {
	sort.SliceStable(beams, func(i, j int) bool { return cmp.Less(beams[j].score, beams[i].score) })
}

// keep adds an answer of the given length to those of bg, unless it is the worst of too many.
func (b *beamSearch) keep(bg *beamGroup, a *answer, score float32, length int) {
	score /= float32(math.Pow(float64(length), b.group.config.LengthPenalty))
	bg.answers = append(bg.answers, beam{answer: a, score: score})
	sortBeams(bg.answers)
	bg.answers = bg.answers[:min(len(bg.answers), b.size)]
}

// isDone reports whether bg needs no more steps. best is the score of its best beam before this
// step.
func (b *beamSearch) isDone(bg *beamGroup, best float32) bool {
	if len(bg.answers) < b.size {
		return false
	}
	c, length := b.group.config, b.group.length
	switch c.StopCriteria {
	case StopEarly:
		return true
	case StopNever:
		if c.LengthPenalty > 0 {
			length = b.group.limit
		}
	}
	return bg.answers[len(bg.answers)-1].score >= best/float32(math.Pow(float64(length), c.LengthPenalty))
}

// adopt makes the beams of all groups the running answers.
func (b *beamSearch) adopt() {
	g := b.group
	b.parents = append(b.parents[:0], g.running...)
	g.running = g.running[:0]
	for i := range b.groups {
		for k := range b.groups[i].beams {
			x := &b.groups[i].beams[k]
			x.answer = b.fork(x.answer)
			x.answer.add(x.token, x.logProb)
			g.running = append(g.running, x.answer)
		}
	}
	b.free = append(b.free, b.parents...)
}

// fork returns a copy of a, in the memory of an answer that is not used any more, if there is one.
func (b *beamSearch) fork(a *answer) *answer {
	n := len(b.free)
	if n == 0 {
		return a.fork()
	}
	c := b.free[n-1]
	b.free = b.free[:n-1]
	tokens, logProbs := append(c.tokens[:0], a.tokens...), append(c.logProbs[:0], a.logProbs...)
	*c = *a
	c.tokens, c.logProbs = tokens, logProbs
	return c
}

// endAll makes the running beams answers, as they must not become longer.
func (b *beamSearch) endAll() {
	g := b.group
	g.running = g.running[:0]
	for i := range b.groups {
		bg := &b.groups[i]
		for _, x := range bg.beams {
			x.answer.finish = FinishLength
			b.keep(bg, x.answer, x.score, g.length)
		}
		bg.beams, bg.done = nil, true
	}
}

// score returns the score of an answer.
func (b *beamSearch) score(a *answer) float32 {
	return a.score / float32(math.Pow(float64(len(a.tokens)), b.group.config.LengthPenalty))
}
