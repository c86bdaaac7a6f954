package sentencepiece

import (
	"math"
	"math/rand/v2"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// maxSamples is the greatest number of segmentations that a unigram model draws from.
const maxSamples = 512

// sampling draws random numbers.
type sampling struct{ source rand.PCG }

func (s *sampling) seed(seed uint64) { s.source.Seed(seed, 0) }

// uniform returns a number from 0 to 1, without 1.
func (s *sampling) uniform() float64 { return float64(s.source.Uint64()>>11) / (1 << 53) }

// below returns true with a probability.
func (s *sampling) below(probability float32) bool { return s.uniform() < float64(probability) }

// lattice has all pieces of a text.
type lattice struct {
	edges []latticeEdge
	last  []int32   // the last edge that ends at a position, -1 if none does
	sums  []float64 // of each position: the best sum of scores, or the logarithm of the sum of all
	hyps  []hypothesis
	heap  []int32 // hypotheses, the one with the greatest bound first
	drawn []float64
	path  []int32
}

// latticeEdge is a piece between two positions.
type latticeEdge struct {
	start, end, id int32
	before         int32 // the next edge that ends there, -1 at the end
	score          float32
}

// hypothesis is a way from an edge to the end of the text.
type hypothesis struct {
	edge, next int32 // next is the hypothesis behind the edge; -1 at the end
	sum        float64
	bound      float64 // the sum of the best way through it
}

// fill makes the lattice of the text.
func (u *unigram) fill(s *Scratch) error {
	text, l := s.text, &s.lattice
	if len(text) >= math.MaxInt32 {
		return faults.Errorf("the text has %d bytes, expected fewer than %d", len(text), math.MaxInt32)
	}
	var err error
	if l.last, err = limits.Grow(&s.Limits, l.last[:0], len(text)+1); err != nil {
		return err
	}
	if l.sums, err = limits.Grow(&s.Limits, l.sums[:0], len(text)+1); err != nil {
		return err
	}
	l.last, l.sums = l.last[:len(text)+1], l.sums[:len(text)+1]
	for i := range l.last {
		l.last[i] = -1
	}
	l.edges = l.edges[:0]
	add := func(e latticeEdge) error {
		if l.edges, err = limits.Grow(&s.Limits, l.edges, len(l.edges)+1); err != nil {
			return err
		}
		e.before = l.last[e.end]
		l.last[e.end] = int32(len(l.edges))
		l.edges = append(l.edges, e)
		return nil
	}
	for at := 0; at < len(text); {
		size, known := charLen(text[at:]), false
		node, end := u.pieces.Root(), at
		for more := true; more && end < len(text); {
			next, id, found, longer, ok := u.pieces.Next(node, text[end])
			if !ok {
				break
			}
			end++
			if node, more = next, longer; !found {
				continue
			}
			known = known || end-at == size
			// Here the library counts the characters of a symbol, not its bytes.
			score := u.score(id, utf8.RuneCount(text[at:end]))
			if err := add(latticeEdge{start: int32(at), end: int32(end), id: id, score: float32(score)}); err != nil {
				return err
			}
		}
		if !known {
			if err := add(latticeEdge{start: int32(at), end: int32(at + size), id: u.model.unknown, score: u.unknown}); err != nil {
				return err
			}
		}
		if s.meter.Spent(16 * (end - at + 2)) {
			return parallel.ErrStopped
		}
		at += size
	}
	return nil
}

// sample appends the ids of a segmentation that is chosen at random.
func (u *unigram) sample(w *writer, s *Scratch, o Options) error {
	if err := u.fill(s); err != nil {
		return err
	}
	s.sampling.seed(o.Seed)
	l := &s.lattice
	l.path = l.path[:0]
	var err error
	if o.Samples < 0 {
		err = l.draw(s, float64(o.Alpha))
	} else {
		err = l.drawBest(s, o.Samples, float64(o.Alpha))
	}
	if err != nil {
		return err
	}
	for _, i := range l.path {
		e := &l.edges[i]
		if err := w.add(s.text[e.start:e.end], e.id); err != nil {
			return err
		}
	}
	return nil
}

// draw draws a path from all, each with a probability of its score, to the power of alpha.
func (l *lattice) draw(s *Scratch, alpha float64) error {
	l.sums[0] = 0
	for at := 1; at < len(l.sums); at++ {
		sum := math.Inf(-1)
		for i := l.last[at]; i >= 0; i = l.edges[i].before {
			e := &l.edges[i]
			sum = logSum(sum, alpha*float64(e.score)+l.sums[e.start])
			if s.meter.Spent(64) {
				return parallel.ErrStopped
			}
		}
		l.sums[at] = sum
	}
	for at := int32(len(l.sums) - 1); at > 0; {
		left := s.sampling.uniform()
		chosen := l.last[at]
		for i := l.last[at]; i >= 0; i = l.edges[i].before {
			e := &l.edges[i]
			chosen = i
			if left -= math.Exp(alpha*float64(e.score) + l.sums[e.start] - l.sums[at]); left < 0 {
				break
			}
		}
		if err := l.add(s, chosen); err != nil {
			return err
		}
		at = l.edges[chosen].start
	}
	Reverse(l.path)
	return nil
}

// logSum returns the logarithm of the sum of two numbers that are given by their logarithms.
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

func (l *lattice) add(s *Scratch, edge int32) error {
	var err error
	if l.path, err = limits.Grow(&s.Limits, l.path, len(l.path)+1); err != nil {
		return err
	}
	l.path = append(l.path, edge)
	if s.meter.Spent(64) {
		return parallel.ErrStopped
	}
	return nil
}

// Limits of the hypotheses that wait, as in the library: when there are maxWaiting, the best go on.
const maxWaiting, fewWaiting = 10000, 512

// drawBest draws one of the n best paths. It looks for them from the end of the text on; the best
// way to the start of an edge bounds what a hypothesis can become.
func (l *lattice) drawBest(s *Scratch, n int, alpha float64) error {
	l.sums[0] = 0
	for at := 1; at < len(l.sums); at++ {
		best := math.Inf(-1)
		for i := l.last[at]; i >= 0; i = l.edges[i].before {
			best = max(best, float64(l.edges[i].score)+l.sums[l.edges[i].start])
		}
		if l.sums[at] = best; s.meter.Spent(32) {
			return parallel.ErrStopped
		}
	}
	l.hyps, l.heap, l.drawn = l.hyps[:0], l.heap[:0], l.drawn[:0]
	if err := l.expand(s, int32(len(l.sums)-1), -1, 0); err != nil {
		return err
	}
	found := l.path[:0]
	for len(l.heap) > 0 && len(found) < n {
		top := l.popBest()
		h := l.hyps[top]
		if start := l.edges[h.edge].start; start > 0 {
			if err := l.expand(s, start, top, h.sum); err != nil {
				return err
			}
			continue
		}
		found, l.drawn = append(found, top), append(l.drawn, alpha*h.sum)
	}
	l.path = found
	sum := math.Inf(-1)
	for _, v := range l.drawn {
		sum = logSum(sum, v)
	}
	left, chosen := s.sampling.uniform(), found[0]
	for i, v := range l.drawn {
		chosen = found[i]
		if left -= math.Exp(v - sum); left < 0 {
			break
		}
	}
	l.path = l.path[:0]
	for i := chosen; i >= 0; i = l.hyps[i].next {
		if err := l.add(s, l.hyps[i].edge); err != nil {
			return err
		}
	}
	return nil
}

// expand adds the hypotheses of the edges that end at a position.
func (l *lattice) expand(s *Scratch, at, next int32, sum float64) error {
	for i := l.last[at]; i >= 0; i = l.edges[i].before {
		if s.meter.Spent(128) {
			return parallel.ErrStopped
		}
		if len(l.hyps) == math.MaxInt32 {
			return faults.Errorf("the text has more than %d hypotheses", math.MaxInt32)
		}
		var err error
		if l.hyps, err = limits.Grow(&s.Limits, l.hyps, len(l.hyps)+1); err != nil {
			return err
		}
		if l.heap, err = limits.Grow(&s.Limits, l.heap, len(l.heap)+1); err != nil {
			return err
		}
		e := &l.edges[i]
		through := sum + float64(e.score)
		l.hyps = append(l.hyps, hypothesis{i, next, through, through + l.sums[e.start]})
		l.pushBest(int32(len(l.hyps) - 1))
	}
	if len(l.heap) >= maxWaiting {
		l.shrink()
	}
	return nil
}

// shrink keeps the best hypotheses that wait.
func (l *lattice) shrink() {
	kept := make([]int32, 0, fewWaiting)
	for len(kept) < fewWaiting {
		kept = append(kept, l.popBest())
	}
	l.heap = append(l.heap[:0], kept...) // sorted, so they are a heap
}

func (l *lattice) pushBest(h int32) {
	i := len(l.heap)
	l.heap = append(l.heap, h)
	for i > 0 {
		parent := (i - 1) / 2
		if l.hyps[l.heap[parent]].bound >= l.hyps[h].bound {
			break
		}
		l.heap[i], i = l.heap[parent], parent
	}
	l.heap[i] = h
}

func (l *lattice) popBest() int32 {
	first, n := l.heap[0], len(l.heap)-1
	last := l.heap[n]
	l.heap = l.heap[:n]
	for i := 0; n > 0; {
		child := 2*i + 1
		if child >= n {
			l.heap[i] = last
			break
		}
		if child+1 < n && l.hyps[l.heap[child+1]].bound > l.hyps[l.heap[child]].bound {
			child++
		}
		if l.hyps[last].bound >= l.hyps[l.heap[child]].bound {
			l.heap[i] = last
			break
		}
		l.heap[i], i = l.heap[child], child
	}
	return first
}
