package hf

import (
	"bytes"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/trie"
)

// wordPiece cuts a word into the longest pieces, from left to right. Those behind the first one
// have a prefix in the vocabulary.
type wordPiece struct {
	starts   *trie.Trie
	suffixes *trie.Matcher
	unknown  int32
	max      int // characters of a word
}

func (b *builder) newWordPiece(m *Model) (model, error) {
	if !m.HasPrefix {
		m.Prefix = "##"
	}
	starts, suffixes := new(trie.Keys), new(trie.Keys)
	w := &b.t.words
	if err := b.ask(2 * trie.EntryBytes * int64(w.Len())); err != nil {
		return nil, err
	}
	for i, id := range w.ids {
		word := w.At(i)
		if last, _ := w.index.Find(word); last != i || len(word) == 0 {
			continue
		}
		starts.Add(word, id)
		if rest, ok := bytes.CutPrefix(word, []byte(m.Prefix)); ok && len(rest) > 0 {
			suffixes.Add(rest, id)
		}
	}
	if m.Unknown == "" {
		m.Unknown = "[UNK]"
	}
	m.HasUnknown = true
	p := &wordPiece{unknown: b.unknownOf(m), max: m.MaxWord}
	var err error
	if p.starts, err = trie.New(starts, b.reserve, b.stop); err != nil {
		return nil, err
	}
	p.suffixes, err = trie.NewMatcher(suffixes, b.reserve, b.stop)
	return p, err
}

func (p *wordPiece) append(dst []int32, word []byte, s *modelScratch) ([]int32, error) {
	id, at := p.starts.Longest(word)
	if at == 0 || len(word) > p.max && utf8.RuneCount(word) > p.max {
		return p.appendUnknown(dst, len(word), s)
	}
	if err := p.suffixes.Match(&s.matches, word, &s.Limits); err != nil {
		return dst, err
	}
	first, covered, begin, meter := len(dst), s.cover.Len(), 0, s.Stop.Meter()
	for {
		err := s.cover.Add(begin, at)
		if err != nil {
			return dst, err
		}
		begin = at
		if dst, err = appendID(dst, id, &s.Limits); err != nil || at == len(word) {
			return dst, err
		}
		n := 0
		if id, n = p.suffixes.LongestAt(&s.matches, word, at); n == 0 {
			s.cover.Cut(covered)
			return p.appendUnknown(dst[:first], len(word), s)
		}
		if at += n; meter.Spent(8 * n) {
			return dst, parallel.ErrStopped
		}
	}
}

// appendUnknown appends the token of an unknown word of n bytes.
func (p *wordPiece) appendUnknown(dst []int32, n int, s *modelScratch) ([]int32, error) {
	if p.unknown < 0 {
		return dst, errNoUnknown
	}
	if err := s.cover.Add(0, n); err != nil {
		return dst, err
	}
	return appendID(dst, p.unknown, &s.Limits)
}
