// Package bpe cuts words into the tokens of a byte-pair encoding, as BPETokenizer of OpenVINO
// Tokenizers does.
//
// A word is first cut into symbols, from left to right: the longest word of the vocabulary that no
// merge makes. Then the two neighbours whose merge has the lowest rank become one, until no merge
// applies. Of equal merges, the pair that came up first is merged first: those of the symbols from
// left to right, then those that merges made.
package bpe

import (
	"math/bits"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/trie"
	"github.com/vinoir/vinoir/internal/text/wordcache"
)

// Tokenizer cuts words into tokens. It is safe for concurrent use.
type Tokenizer struct {
	starts  *trie.Matcher // its values are indices of symbols
	symbols []symbol
	// unmatched is the index of the symbol for a byte at which no symbol starts, -1 if the byte is
	// left out.
	unmatched [256]int32
	merges    merges
	joins     joins
	endSuffix string
	cache     *wordcache.Cache
}

// symbol is a token that a word can be cut into before merges.
type symbol struct {
	id int32
	// left and right are the classes of the symbol as the left and the right one of two
	// neighbours: see joins.
	left, right uint32
}

// joins has a bit for each class of left and right neighbours, which is set if any merge can ever
// join tokens that end and start with them. Where none can, a word is cut, and its parts are merged
// alone: this changes nothing, and the parts are short and come again.
type joins struct {
	bits   []uint64
	rights uint32 // the number of classes of right neighbours
	mask   uint32
}

func (j *joins) any(left, right uint32) bool {
	at := (left*j.rights + right) & j.mask
	return j.bits[at/64]>>(at%64)&1 != 0
}

// merges is a hash table of the merges, by the ids of left and right.
type merges struct {
	slots []merge
	shift uint8
	seed  uint64 // so that no file can choose merges that share a slot
	n     int    // the number of ranks
}

type merge struct {
	left, right int32
	rank        int32 // 1 + the rank; 0 is a free slot
	id          int32 // of the result
}

func (m *merges) slot(left, right int32) uint64 {
	hi, lo := bits.Mul64((uint64(uint32(left))<<32|uint64(uint32(right)))^m.seed, 0x9e3779b97f4a7c15)
	return (hi ^ lo) >> m.shift
}

// find returns the merge of two tokens. Its rank is 0 if there is none.
func (m *merges) find(left, right int32) merge {
	for at := m.slot(left, right); ; at++ {
		slot := &m.slots[at&uint64(len(m.slots)-1)]
		if slot.rank == 0 || slot.left == left && slot.right == right {
			return *slot
		}
	}
}

// Scratch is the memory of one caller of Append, who can use it again. The zero value is ready.
type Scratch struct {
	limits.Limits
	// Cover, if not nil, records the bytes of words that tokens are made of.
	Cover *align.Cover

	text    []byte
	matches trie.Matches
	ids     []int32
	spans   []align.Span // of the symbols of a part, if there is a Cover
	long    long
}

// MaxTokens returns the largest number of tokens that a word of n bytes has.
func (t *Tokenizer) MaxTokens(n int) int { return n + len(t.endSuffix) }

// Append appends the tokens of word to dst. The errors are those of s.Reserve and
// parallel.ErrStopped.
func (t *Tokenizer) Append(dst []int32, word []byte, s *Scratch) ([]int32, error) {
	text := word
	if t.endSuffix != "" {
		var err error
		if s.text, err = limits.Grow(&s.Limits, s.text[:0], len(word)+len(t.endSuffix)); err != nil {
			return dst, err
		}
		s.text = append(append(s.text, word...), t.endSuffix...)
		text = s.text
	}
	if s.Cover != nil { // which the cache does not have
		covered := s.Cover.Len()
		dst, err := t.cut(dst, text, s)
		s.Cover.Clip(covered, len(word))
		return dst, err
	}
	dst, ok := t.cache.Append(dst, text)
	if ok {
		return dst, nil
	}
	first := len(dst)
	dst, err := t.cut(dst, text, s)
	if err == nil {
		t.cache.Put(text, dst[first:])
	}
	return dst, err
}

// cut appends the tokens of text to dst. Between symbols that no merge joins, it cuts text.
func (t *Tokenizer) cut(dst []int32, text []byte, s *Scratch) ([]int32, error) {
	if err := t.starts.Match(&s.matches, text, &s.Limits); err != nil {
		return dst, err
	}
	meter := s.Stop.Meter()
	ids, from, last := s.ids[:0], 0, uint32(0)
	for at := 0; at < len(text); {
		i, n := t.starts.LongestAt(&s.matches, text, at)
		if n == 0 {
			if i, n = t.unmatched[text[at]], 1; i < 0 {
				at++
				continue
			}
		}
		next := &t.symbols[i]
		if len(ids) > 0 && !t.joins.any(last, next.right) {
			s.ids = ids
			var err error
			if dst, err = t.part(dst, text, from, at, s); err != nil {
				return dst, err
			}
			ids, from = ids[:0], at
		}
		if len(ids) == cap(ids) {
			var err error
			if ids, err = limits.Grow(&s.Limits, ids, len(ids)+1); err != nil {
				return dst, err
			}
		}
		ids, last = append(ids, next.id), next.left
		if at += n; meter.Spent(8 * n) {
			return dst, parallel.ErrStopped
		}
	}
	if s.ids = ids; len(ids) == 0 {
		return dst, nil
	}
	return t.part(dst, text, from, len(text), s)
}

// part appends the tokens of the part of text from begin to end, whose symbols are s.ids, to dst.
// What the symbols become depends only on the part, so that the cache keeps parts as well.
func (t *Tokenizer) part(dst []int32, text []byte, begin, end int, s *Scratch) ([]int32, error) {
	if s.Cover != nil {
		return t.cover(dst, text, begin, end, s)
	}
	if len(s.ids) == 1 {
		return append(dst, s.ids[0]), nil
	}
	part := text[begin:end]
	if len(part) < len(text) {
		var ok bool
		if dst, ok = t.cache.Append(dst, part); ok {
			return dst, nil
		}
	}
	ids := s.ids
	if len(ids) <= maxShort {
		ids = t.mergeShort(ids)
	} else {
		var err error
		if ids, err = t.mergeLong(ids, s); err != nil {
			return dst, err
		}
	}
	if len(part) < len(text) {
		t.cache.Put(part, ids)
	}
	return append(dst, ids...), nil
}

// cover is part, and records the bytes of the tokens.
func (t *Tokenizer) cover(dst []int32, text []byte, begin, end int, s *Scratch) (_ []int32, err error) {
	if s.spans, err = limits.Grow(&s.Limits, s.spans[:0], len(s.ids)); err != nil {
		return dst, err
	}
	for at := begin; at < end; {
		_, n := t.starts.LongestAt(&s.matches, text, at)
		if n == 0 {
			if n = 1; t.unmatched[text[at]] < 0 {
				at++
				continue
			}
		}
		s.spans = append(s.spans, align.Span{Begin: int32(at), End: int32(at + n)})
		at += n
	}
	ids, err := t.mergeLong(s.ids, s)
	if err != nil {
		return dst, err
	}
	for i := int32(0); i >= 0; { // the symbol that a token starts with
		next := s.long.tokens[i].after
		last := next - 1
		if next < 0 {
			last = int32(len(s.spans)) - 1
		}
		if err := s.Cover.Add(int(s.spans[i].Begin), int(s.spans[last].End)); err != nil {
			return dst, err
		}
		i = next
	}
	return append(dst, ids...), nil
}
