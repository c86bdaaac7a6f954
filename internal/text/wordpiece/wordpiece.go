// Package wordpiece cuts words into the longest pieces of a vocabulary, as WordpieceTokenizer of
// OpenVINO Tokenizers does.
package wordpiece

import (
	"bytes"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/trie"
)

// Vocabulary is what a Tokenizer is made of. The strings are read only while it is made. Their
// ranges must have been checked.
type Vocabulary struct {
	// Words are the pieces: the id of a piece is its index, the last one if it is there several
	// times. Those that start with SuffixIndicator follow another piece, without the indicator.
	Words           ragged.Strings
	SuffixIndicator string
	// Unknown is the id of a word that pieces do not cover, and of one with more bytes than
	// MaxBytes.
	Unknown  int32
	MaxBytes int64
}

// Bytes returns the memory that New takes until it returns, for a vocabulary of n pieces. New asks
// its argument reserve for that of the Tokenizer.
func Bytes(n int) int64 { return trie.EntryBytes * int64(n) }

// Tokenizer cuts words into pieces. It is safe for concurrent use.
type Tokenizer struct {
	starts   *trie.Trie
	suffixes *trie.Matcher
	unknown  int32
	maxBytes int64
}

// New returns a Tokenizer for a vocabulary. reserve is asked for its memory; nil means that there
// is no limit.
func New(v *Vocabulary, reserve func(int64) error, stop parallel.Stop) (*Tokenizer, error) {
	starts, suffixes := new(trie.Keys), new(trie.Keys)
	meter := stop.Meter()
	for i := range v.Words.Len() {
		if meter.Spent(16) {
			return nil, parallel.ErrStopped
		}
		if word, ok := bytes.CutPrefix(v.Words.At(i), []byte(v.SuffixIndicator)); ok {
			suffixes.Add(word, int32(i))
		} else {
			starts.Add(word, int32(i))
		}
	}
	t := &Tokenizer{unknown: v.Unknown, maxBytes: v.MaxBytes}
	var err error
	if t.starts, err = trie.New(starts, reserve, stop); err != nil {
		return nil, err
	}
	t.suffixes, err = trie.NewMatcher(suffixes, reserve, stop)
	return t, err
}

// Scratch is the memory of one caller of Append. The zero value is ready.
type Scratch struct {
	limits.Limits
	// Cover, if not nil, records the bytes of words that ids are made of.
	Cover   *align.Cover
	matches trie.Matches
}

// MaxTokens returns the largest number of ids of a word of n bytes.
func (t *Tokenizer) MaxTokens(n int) int { return max(n, 1) }

// Append appends the ids of word to dst: the longest piece that it starts with, and then each time
// the longest one that follows. A word that pieces do not cover is unknown, and so is an empty one.
// The errors are those of s.Reserve and parallel.ErrStopped.
func (t *Tokenizer) Append(dst []int32, word []byte, s *Scratch) ([]int32, error) {
	if int64(len(word)) > t.maxBytes {
		return append(dst, t.unknown), s.Cover.Add(0, len(word))
	}
	id, at := t.starts.Longest(word)
	if at == 0 {
		return append(dst, t.unknown), s.Cover.Add(0, len(word))
	}
	first, covered := len(dst), s.Cover.Len()
	dst = append(dst, id)
	if err := s.Cover.Add(0, at); err != nil || at == len(word) {
		return dst, err
	}
	if err := t.suffixes.Match(&s.matches, word, &s.Limits); err != nil {
		return dst, err
	}
	meter := s.Stop.Meter()
	for at < len(word) {
		id, n := t.suffixes.LongestAt(&s.matches, word, at)
		if n == 0 {
			s.Cover.Cut(covered)
			return append(dst[:first], t.unknown), s.Cover.Add(0, len(word))
		}
		if err := s.Cover.Add(at, at+n); err != nil {
			return dst, err
		}
		if dst, at = append(dst, id), at+n; meter.Spent(8 * n) {
			return dst, parallel.ErrStopped
		}
	}
	return dst, nil
}
