package generate

import (
	"cmp"
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/vmath"
)

// choice is a token and the logarithm of its probability.
type choice struct {
	token   int32
	logProb float32
}

// sampler chooses the tokens that follow one prompt, from logits. It allocates nothing once its
// memory has grown, apart from the counts of tokens that it has not seen before.
type sampler struct {
	config *Config
	rng    mersenne
	// prompt has the distinct tokens of the prompt, answer those of all answers with their counts,
	// and place the index of each in answer, if there are penalties.
	prompt []int32
	answer []tokenCount
	place  map[int32]int
	// generated is the number of tokens of an answer.
	generated int

	kept    []choice     // candidates with their logits, then their probabilities
	copied  []float32    // the logits, if the model's own are needed afterwards
	weights []float32    // of the candidates
	part    [512]float32 // of exponentials that are only added up
	choices []choice
}

type tokenCount struct {
	token int32
	count int
}

// start begins with the tokens that follow prompt.
func (s *sampler) start(config *Config, prompt []int32) {
	s.config, s.generated = config, 0
	s.rng.seed(config.RNGSeed)
	s.prompt, s.answer = s.prompt[:0], s.answer[:0]
	clear(s.place)
	if config.RepetitionPenalty != 1 {
		s.prompt = append(s.prompt, prompt...)
		slices.Sort(s.prompt)
		s.prompt = slices.Compact(s.prompt)
	}
}

// hasPenalties reports whether logits depend on the tokens so far.
func (s *sampler) hasPenalties() bool {
	return s.config.RepetitionPenalty != 1 || s.config.PresencePenalty != 0 || s.config.FrequencyPenalty != 0
}

// count adds n times token to the tokens of the answer. n is -1 for a guess that is taken back.
func (s *sampler) count(token int32, n int) {
	if !s.hasPenalties() {
		return
	}
	i, ok := s.place[token]
	if !ok {
		if s.place == nil {
			s.place = make(map[int32]int)
		}
		i = len(s.answer)
		s.place[token], s.answer = i, append(s.answer, tokenCount{token: token})
	}
	s.answer[i].count += n
}

// choose returns n tokens, each with the logarithm of its probability, or 0 for a greedy search
// without LogProbs. It overwrites logits. The result is valid until the next call.
func (s *sampler) choose(logits []float32, n int) []choice {
	raw := logits
	var normalizer float32
	if s.config.LogProbs > 0 {
		normalizer = s.logSumExp(logits)
		s.copied = append(s.copied[:0], logits...)
		logits = s.copied
	}
	s.adjust(logits)
	s.choices = s.choices[:0]
	if !s.config.DoSample {
		s.choices = append(s.choices, choice{token: argmax(logits)})
	} else {
		s.sample(logits, n)
	}
	if s.config.LogProbs > 0 {
		for i := range s.choices {
			c := &s.choices[i]
			c.logProb = raw[c.token] - normalizer
		}
	}
	return s.choices
}

// logSumExp returns the logarithm of the sum of the exponentials of logits.
func (s *sampler) logSumExp(logits []float32) float32 {
	m := vmath.Max(logits)
	sum := 0.0
	for lo := 0; lo < len(logits); lo += len(s.part) {
		x := logits[lo:min(lo+len(s.part), len(logits))]
		sum += vmath.ExpSum(s.part[:len(x)], x, m)
	}
	return float32(math.Log(sum)) + m
}

// adjust excludes stop tokens from the first MinNewTokens, and applies the penalties.
func (s *sampler) adjust(logits []float32) {
	c := s.config
	if s.generated < c.MinNewTokens {
		for _, id := range c.StopTokenIDs {
			if int(id) < len(logits) {
				logits[id] = float32(math.Inf(-1))
			}
		}
	}
	if c.RepetitionPenalty != 1 {
		penalty := float64(float32(c.RepetitionPenalty))
		for _, id := range s.prompt {
			repeat(&logits[id], penalty)
		}
		for _, t := range s.answer {
			if _, found := slices.BinarySearch(s.prompt, t.token); !found {
				repeat(&logits[t.token], penalty)
			}
		}
	}
	if penalty := float64(float32(c.PresencePenalty)); penalty != 0 {
		for _, t := range s.answer {
			lower(&logits[t.token], penalty)
		}
	}
	if penalty := float64(float32(c.FrequencyPenalty)); penalty != 0 {
		for _, t := range s.answer {
			lower(&logits[t.token], penalty*float64(t.count))
		}
	}
}

// repeat applies a RepetitionPenalty.
func repeat(logit *float32, penalty float64) {
	if *logit >= 0 {
		*logit = float32(float64(*logit) / penalty)
	} else {
		*logit = float32(float64(*logit) * penalty)
	}
}

// lower moves a logit towards 0, and beyond.
func lower(logit *float32, by float64) {
	if *logit >= 0 {
		*logit = float32(float64(*logit) - by)
	} else {
		*logit = float32(float64(*logit) + by)
	}
}

// argmax returns the first of the greatest logits. NaN is never the greatest.
func argmax(logits []float32) int32 {
	const some = 512
	best, at := float32(math.Inf(-1)), 0
	for lo := 0; lo < len(logits); lo += some {
		x := logits[lo:min(lo+some, len(logits))]
		if m := vmath.Max(x); m > best {
			if i := slices.Index(x, m); i >= 0 {
				best, at = m, lo+i
			}
		}
	}
	return int32(at)
}

// sample draws n tokens at random.
func (s *sampler) sample(logits []float32, n int) {
	c := s.config
	scale := 1 / float32(c.Temperature)
	hasTop := c.TopK > 0 && c.TopK < len(logits)
	switch {
	case hasTop && c.MinP == 0 && c.TopP == 1:
		s.keepTop(logits, c.TopK)
		s.drawLogits(scale, n)
		return
	case hasTop:
		s.keepTop(logits, c.TopK)
		s.normalize(scale)
		if c.MinP > 0 {
			s.keepLikely(float32(c.MinP))
		}
	default:
		vmath.Affine(logits, logits, vmath.Max(logits), scale, 0)
		sum := float32(vmath.ExpSum(logits, logits, 0))
		vmath.Affine(logits, logits, 0, 1/sum, 0)
		switch {
		case c.MinP > 0:
			s.collect(logits, float32(c.MinP)*vmath.Max(logits))
		case c.TopP != 1:
			s.collect(logits, nucleusBound(logits, c.TopP))
		default:
			s.drawAll(logits, n)
			return
		}
	}
	if c.TopP != 1 {
		s.keepNucleus(float32(c.TopP))
	}
	s.draw(n)
}

// keepTop keeps the n greatest of logits. Their order is that of the heap in which GenAI, compiled
// with libstdc++, finds them: the draws depend on it.
func (s *sampler) keepTop(logits []float32, n int) {
	s.kept = s.kept[:0]
	for i, v := range logits[:n] {
		s.kept = append(s.kept, choice{int32(i), v})
	}
	h := s.kept
	for hole := (n - 2) / 2; hole >= 0 && n > 1; hole-- {
		sink(h, hole, h[hole])
	}
	for i := n; i < len(logits); i++ {
		if logits[i] > h[0].logProb {
			// The least goes, and the last takes its place, as std::pop_heap does; std::push_heap
			// then adds the new one.
			sink(h[:n-1], 0, h[n-1])
			rise(h, n-1, choice{int32(i), logits[i]})
		}
	}
}

// sink puts c into h, a heap with the least logit first, in place of the element at hole: it moves
// the lesser children up, and then lets c rise, as std::__adjust_heap does.
func sink(h []choice, hole int, c choice) {
	if len(h) == 0 {
		return
	}
	top, child := hole, hole
	for child < (len(h)-1)/2 {
		child = 2 * (child + 1)
		if h[child].logProb > h[child-1].logProb {
			child--
		}
		h[hole] = h[child]
		hole = child
	}
	if len(h)%2 == 0 && child == (len(h)-2)/2 {
		child = 2*child + 1
		h[hole] = h[child]
		hole = child
	}
	riseTo(h, hole, top, c)
}

// rise puts c into h in place of the element at hole, which has no children.
func rise(h []choice, hole int, c choice) { riseTo(h, hole, 0, c) }

// riseTo is rise within the part of the heap below top.
func riseTo(h []choice, hole, top int, c choice) {
	for hole > top {
		parent := (hole - 1) / 2
		if !(h[parent].logProb > c.logProb) {
			break
		}
		h[hole] = h[parent]
		hole = parent
	}
	h[hole] = c
}

// normalize makes the logits that are kept probabilities.
func (s *sampler) normalize(scale float32) {
	m, sum := s.greatest(), float32(0)
	for i := range s.kept {
		p := &s.kept[i].logProb
		*p = exp((*p - m) * scale)
		sum += *p
	}
	for i := range s.kept {
		s.kept[i].logProb /= sum
	}
}

// greatest returns the greatest number of those that are kept.
func (s *sampler) greatest() float32 {
	m := s.kept[0].logProb
	for _, c := range s.kept {
		if c.logProb > m {
			m = c.logProb
		}
	}
	return m
}

// exp is expf of the C library.
func exp(x float32) float32 { return float32(math.Exp(float64(x))) }

// keepLikely keeps the tokens that have at least share times the greatest probability.
func (s *sampler) keepLikely(share float32) {
	bound, first := share*s.greatest(), s.kept[0]
	s.kept = slices.DeleteFunc(s.kept, func(c choice) bool { return !(c.logProb >= bound) })
	if len(s.kept) == 0 { // not a number
		s.kept = append(s.kept, first)
	}
}

// collect keeps the tokens whose probability is at least bound; the first one if there is none.
func (s *sampler) collect(probabilities []float32, bound float32) {
	s.kept = s.kept[:0]
	for i, p := range probabilities {
		if p >= bound {
			s.kept = append(s.kept, choice{int32(i), p})
		}
	}
	if len(s.kept) == 0 { // not a number
		s.kept = append(s.kept, choice{0, probabilities[0]})
	}
}

// nucleusBound returns a probability that is not greater than those of the most probable tokens
// whose sum exceeds share, so that few tokens have to be sorted.
func nucleusBound(probabilities []float32, share float64) float32 {
	// The bits of positive numbers are in the order of the numbers. The margin is more than what
	// sums of float32 lose.
	const shift, margin = 20, 1e-3
	var sums [math.MaxUint32>>shift + 1]float64
	for _, p := range probabilities {
		sums[math.Float32bits(p)>>shift] += float64(p)
	}
	sum := 0.0
	for i := math.Float32bits(2) >> shift; i > 0; i-- {
		if sum += sums[i]; sum > share+margin {
			return math.Float32frombits(i << shift)
		}
	}
	return 0
}

// keepNucleus sorts the tokens that are kept, the most probable first, and keeps those up to the
// one with which the sum of the probabilities exceeds share.
func (s *sampler) keepNucleus(share float32) {
	slices.SortFunc(s.kept, func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.logProb, a.logProb), cmp.Compare(a.token, b.token))
	})
	sum := float32(0)
	for i, c := range s.kept {
		if sum += c.logProb; sum > share {
			s.kept = s.kept[:i+1]
			return
		}
	}
}

// drawLogits draws n tokens of those that are kept, which have logits.
func (s *sampler) drawLogits(scale float32, n int) {
	if scale != 1 {
		for i := range s.kept {
			s.kept[i].logProb *= scale
		}
	}
	m := s.greatest()
	s.weights = s.weights[:0]
	for _, c := range s.kept {
		s.weights = append(s.weights, exp(c.logProb-m))
	}
	s.drawKept(n)
}

// draw draws n tokens of those that are kept, which have probabilities.
func (s *sampler) draw(n int) {
	s.weights = s.weights[:0]
	for _, c := range s.kept {
		s.weights = append(s.weights, c.logProb)
	}
	s.drawKept(n)
}

// drawKept draws n tokens of those that are kept, by their weights.
func (s *sampler) drawKept(n int) {
	s.drawAll(s.weights, n)
	for i := range s.choices {
		s.choices[i].token = s.kept[s.choices[i].token].token
	}
}

// drawAll draws n tokens, each with its weight. If the weights have no sum, because some are not
// numbers, all tokens are equally probable.
func (s *sampler) drawAll(weights []float32, n int) {
	sum := float32(0)
	for _, w := range weights {
		sum += w
	}
	if !(sum > 0) || math.IsInf(float64(sum), 1) {
		for range n {
			i := uint64(s.rng.uint32()) * uint64(len(weights)) >> 32
			s.choices = append(s.choices, choice{int32(i), -float32(math.Log(float64(len(weights))))})
		}
		return
	}
	normalizer := float32(math.Log(float64(sum)))
	for range n {
		i := pick(weights, sum*s.rng.float32())
		s.choices = append(s.choices, choice{int32(i), float32(math.Log(float64(weights[i]))) - normalizer})
	}
}

// pick returns the index of the first weight with which the sum exceeds r.
func pick(weights []float32, r float32) int {
	sum := float32(0)
	for i, w := range weights {
		if sum += w; sum > r {
			return i
		}
	}
	return len(weights) - 1
}
