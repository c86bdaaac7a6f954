package hf

import (
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/trie"
	"github.com/vinoir/vinoir/internal/text/wordcache"
)

// unigram cuts a word into the tokens with the largest sum of scores. Of equal sums, the first one
// that is found counts. Neighbors that are unknown become one, which is bytes if there is a token
// for each.
type unigram struct {
	words    *words
	trie     *trie.Trie // its values are ids
	scores   []float64
	least    float64 // the score of what is unknown
	unknown  int32
	fallback *fallback
	cache    *wordcache.Cache
}

// unknownPenalty is what an unknown character costs beyond the least score.
const unknownPenalty = 10

func (b *builder) newUnigram(m *Model) (model, error) {
	w := &b.t.words
	if m.UnknownID >= 0 && int(m.UnknownID) >= w.Len() {
		return nil, faults.Errorf("unk_id is %d, of %d words", m.UnknownID, w.Len())
	}
	if err := b.ask(trie.EntryBytes * int64(w.Len())); err != nil {
		return nil, err
	}
	u := &unigram{words: w, scores: m.Scores, unknown: m.UnknownID, cache: newCache()}
	if len(u.scores) != w.Len() {
		return nil, faults.Errorf("%d words and %d scores", w.Len(), len(u.scores))
	}
	if m.ByteFallback {
		u.fallback = w.fallback()
	}
	keys := trie.NewKeys(w.Len())
	for i, score := range m.Scores {
		u.least = min(u.least, score)
		if i == 0 {
			u.least = score
		}
		last := i
		if w.index.Repeats {
			last, _ = w.index.Find(w.At(i))
		}
		if last == i && len(w.At(i)) > 0 {
			keys.Add(w.At(i), int32(i))
		}
	}
	u.least -= unknownPenalty
	var err error
	u.trie, err = trie.New(keys, b.reserve, b.stop)
	return u, err
}

// node is the best way to a position of a word: the last token, and where it starts.
type node struct {
	score float64
	id    int32
	start int32 // -1 if the position was not reached
}

func (u *unigram) append(dst []int32, word []byte, s *modelScratch) ([]int32, error) {
	if s.cover == nil {
		var ok bool
		if dst, ok = u.cache.Append(dst, word); ok {
			return dst, nil
		}
	}
	first := len(dst)
	if err := u.search(word, s); err != nil {
		return dst, err
	}
	dst, err := u.trace(dst, word, s)
	if err == nil {
		u.cache.Put(word, dst[first:])
	}
	return dst, err
}

// search finds the best ways to all positions.
func (u *unigram) search(word []byte, s *modelScratch) (err error) {
	if s.nodes, err = limits.Grow(&s.Limits, s.nodes[:0], len(word)+1); err != nil {
		return err
	}
	s.nodes = s.nodes[:len(word)+1]
	for i := range s.nodes {
		s.nodes[i] = node{start: -1}
	}
	reach := func(end int, score float64, id int32, start int) {
		if n := &s.nodes[end]; n.start < 0 || score > n.score {
			*n = node{score, id, int32(start)}
		}
	}
	meter := s.Stop.Meter()
	for at := 0; at < len(word); {
		_, size := utf8.DecodeRune(word[at:])
		before, single, length := s.nodes[at].score, false, 0
		for n, more := u.trie.Root(), true; more && at+length < len(word); {
			next, id, found, goes, ok := u.trie.Next(n, word[at+length])
			if !ok {
				break
			}
			length++
			if found {
				reach(at+length, u.scores[id]+before, id, at)
				single = single || length == size
			}
			n, more = next, goes
		}
		if !single {
			if u.unknown < 0 {
				return faults.Errorf("%.20q is unknown, and the model has no unk_id", word[at:at+size])
			}
			reach(at+size, u.least+before, u.unknown, at)
		}
		if at += size; meter.Spent(16 + 4*length) {
			return parallel.ErrStopped
		}
	}
	return nil
}

// trace appends the tokens of the best way to the end.
func (u *unigram) trace(dst []int32, word []byte, s *modelScratch) (_ []int32, err error) {
	s.ids = s.ids[:0] // the ends of tokens, from the last to the first
	for end := int32(len(word)); end > 0; {
		n := &s.nodes[end]
		if s.ids, err = appendID(s.ids, end, &s.Limits); err != nil {
			return dst, err
		}
		end = n.start
		for n.id == u.unknown && end > 0 && s.nodes[end].id == u.unknown {
			end = s.nodes[end].start
		}
	}
	begin := int32(0)
	for i := len(s.ids) - 1; i >= 0; i-- {
		end, before := s.ids[i], len(dst)
		id, known := s.nodes[end].id, true
		if id == u.unknown { // which several characters can be, and then a word
			id, known = u.words.id(word[begin:end])
		}
		if known {
			dst, err = appendID(dst, id, &s.Limits)
		} else {
			dst, err = u.appendUnknown(dst, word[begin:end], s)
		}
		for range len(dst) - before {
			if err == nil {
				err = s.cover.Add(int(begin), int(end))
			}
		}
		if err != nil {
			return dst, err
		}
		begin = end
	}
	return dst, nil
}

func (u *unigram) appendUnknown(dst []int32, text []byte, s *modelScratch) ([]int32, error) {
	if u.fallback != nil {
		out, ok, err := u.fallback.append(dst, text, &s.Limits)
		if ok || err != nil {
			return out, err
		}
	}
	if u.unknown < 0 {
		return dst, errNoUnknown
	}
	return appendID(dst, u.unknown, &s.Limits)
}
