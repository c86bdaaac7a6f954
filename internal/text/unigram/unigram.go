// Package unigram cuts words into the pieces with the best sum of scores, as UnigramTokenizer of
// OpenVINO Tokenizers does.
package unigram

import (
	"bytes"
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/trie"
	"github.com/vinoir/vinoir/internal/text/wordcache"
)

// Vocabulary is what a Tokenizer is made of. The strings are read only while it is made. Their
// ranges must have been checked.
type Vocabulary struct {
	// Pieces have their indices as ids, the first one of equal pieces. A piece ends before its
	// first NUL.
	Pieces ragged.Strings
	Scores []float32
	// Unknown is the id of characters that are no piece. Neighbours share one.
	Unknown int32
}

// Bytes returns the memory that New takes until it returns, and that of the Tokenizer, for a
// vocabulary of n pieces. New asks its argument reserve for that of the trie.
func Bytes(n int) (temporary, kept int64) {
	return trie.EntryBytes * int64(n), 4*int64(n) + wordcache.Bytes(cacheCapacity)
}

// cacheCapacity is the number of words whose ids are remembered.
const cacheCapacity = wordcache.MaxCapacity

// unknownPenalty is how much lower than any other score that of an unknown character is.
const unknownPenalty = 10

// Tokenizer cuts words into pieces. It is safe for concurrent use.
type Tokenizer struct {
	pieces       *trie.Trie
	ends         *trie.Ends // nil if pieces are short
	scores       []float32
	unknown      int32
	unknownScore float32
	cache        *wordcache.Cache
}

// New returns a Tokenizer for a vocabulary. reserve is asked for the memory of the trie; nil means
// that there is no limit. An empty piece is an error.
func New(v *Vocabulary, reserve func(int64) error, stop parallel.Stop) (*Tokenizer, error) {
	n := v.Pieces.Len()
	if len(v.Scores) != n {
		return nil, faults.Errorf("%d pieces and %d scores", n, len(v.Scores))
	}
	lowest, meter := float32(math.MaxFloat32), stop.Meter()
	keys := trie.NewKeys(n)
	// Of equal keys, the last one counts, so that those that were cut come first.
	for _, whole := range []bool{false, true} {
		for i := n - 1; i >= 0; i-- {
			if meter.Spent(16) {
				return nil, parallel.ErrStopped
			}
			piece, _, isCut := bytes.Cut(v.Pieces.At(i), []byte{0})
			if len(piece) == 0 {
				return nil, faults.Errorf("piece %d is empty", i)
			}
			if isCut == whole {
				continue
			}
			keys.Add(piece, int32(i))
			if score := v.Scores[i]; score < lowest { // false for NaN
				lowest = score
			}
		}
	}
	pieces, err := trie.New(keys, reserve, stop)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{pieces: pieces, scores: slices.Clone(v.Scores), unknown: v.Unknown, unknownScore: lowest - unknownPenalty}
	t.cache = wordcache.New(cacheCapacity)
	if pieces.IsLong(math.MaxInt32) {
		t.ends, err = trie.NewEnds(keys, reserve, stop)
	}
	return t, err
}

// Scratch is the memory of one caller of Append, who can use it again. The zero value is ready.
type Scratch struct {
	limits.Limits
	// Cover, if not nil, records the bytes of words that ids are made of.
	Cover  *align.Cover
	best   []best
	starts []bool // whether a character starts at a position, for fillLong
}

// best is the best way to a position of a word.
type best struct {
	score float32
	from  int32 // where the last piece starts; -1 if the position was not reached
	id    int32 // of the last piece
}

// MaxTokens returns the largest number of ids of a word of n bytes.
func (t *Tokenizer) MaxTokens(n int) int { return n }

// Append appends the ids of word to dst. Of equal sums, that which was found first stays: pieces
// are tried from left to right, short ones first. At a character that is no piece, an unknown one
// of that character is tried as well. The errors are those of s.Reserve and parallel.ErrStopped.
func (t *Tokenizer) Append(dst []int32, word []byte, s *Scratch) ([]int32, error) {
	if s.Cover == nil {
		var ok bool
		if dst, ok = t.cache.Append(dst, word); ok {
			return dst, nil
		}
	}
	if len(word) == 0 {
		return dst, nil
	}
	if len(word) >= math.MaxInt32 {
		return dst, faults.Errorf("the word has %d bytes", len(word))
	}
	var err error
	if s.best, err = limits.Grow(&s.Limits, s.best, len(word)+1); err != nil {
		return dst, err
	}
	best := s.best[:len(word)+1]
	for i := range best {
		best[i].from = -1
	}
	best[0].score = 0
	if t.pieces.IsLong(len(word)) {
		err = t.fillLong(best, word, s)
	} else {
		err = t.fill(best, word, s)
	}
	if err != nil {
		return dst, err
	}
	first := len(dst)
	if dst, err = t.walk(dst, best, s.Cover); err == nil {
		t.cache.Put(word, dst[first:])
	}
	return dst, err
}

// walk appends the ids on the best way to the end to dst. Neighbouring unknown ones share an id.
func (t *Tokenizer) walk(dst []int32, best []best, cover *align.Cover) ([]int32, error) {
	first, covered, last := len(dst), cover.Len(), int32(-1)
	for at := int32(len(best) - 1); at > 0; {
		b, end := &best[at], at
		at = b.from
		if b.id == t.unknown && last == t.unknown {
			if cover.Len() > covered {
				cover.Spans[cover.Len()-1].Begin = at
			}
			continue
		}
		dst, last = append(dst, b.id), b.id
		if err := cover.Add(int(at), int(end)); err != nil {
			return dst, err
		}
	}
	slices.Reverse(dst[first:])
	if cover != nil {
		slices.Reverse(cover.Spans[covered:])
	}
	return dst, nil
}

// fill sets the best way to each position.
func (t *Tokenizer) fill(best []best, word []byte, s *Scratch) error {
	meter := s.Stop.Meter()
	for at := 0; at < len(word); {
		length := min(lengthOf(word[at]), len(word)-at)
		score, known := best[at].score, false
		node, more := t.pieces.Root(), true
		for end := at + 1; more && end <= len(word); end++ {
			next, id, found, longer, ok := t.pieces.Next(node, word[end-1])
			if !ok {
				break
			}
			if node, more = next, longer; !found {
				continue
			}
			best[end].improve(score+t.scores[id], at, id)
			known = known || end-at == length
			if meter.Spent(8) {
				return parallel.ErrStopped
			}
		}
		if !known {
			best[at+length].improve(score+t.unknownScore, at, t.unknown)
		}
		if at += length; meter.Spent(32) {
			return parallel.ErrStopped
		}
	}
	return nil
}

// fillLong is fill in a time that does not grow with the length of the pieces: it goes through the
// pieces that end at each position, the longest one first, which is their order from left to right.
func (t *Tokenizer) fillLong(best []best, word []byte, s *Scratch) (err error) {
	if s.starts, err = limits.Grow(&s.Limits, s.starts, len(word)+1); err != nil {
		return err
	}
	starts := s.starts[:len(word)+1]
	clear(starts)
	starts[0] = true
	meter := s.Stop.Meter()
	start, next, known := 0, min(lengthOf(word[0]), len(word)), false
	state, key := int32(0), int32(0)
	for end := 1; end <= len(word); end++ {
		for state, key = t.ends.Next(state, word[end-1]); key >= 0; {
			id, length, shorter := t.ends.Key(key)
			if from := end - length; starts[from] {
				best[end].improve(best[from].score+t.scores[id], from, id)
				known = known || from == start && end == next
			}
			if key = shorter; meter.Spent(8) {
				return parallel.ErrStopped
			}
		}
		if meter.Spent(16) {
			return parallel.ErrStopped
		}
		if end < next {
			continue
		}
		if !known {
			best[end].improve(best[start].score+t.unknownScore, start, t.unknown)
		}
		if starts[end] = true; end < len(word) {
			start, next, known = end, min(end+lengthOf(word[end]), len(word)), false
		}
	}
	return nil
}

// improve sets the way with a score, if it is better or the first one.
func (b *best) improve(score float32, from int, id int32) {
	if b.from < 0 || score > b.score {
		*b = best{score, int32(from), id}
	}
}

// lengthOf returns the length of a UTF-8 character by its first byte.
func lengthOf(b byte) int {
	switch {
	case b < 0xc0:
		return 1
	case b < 0xe0:
		return 2
	case b < 0xf0:
		return 3
	}
	return 4
}
