// Package split cuts texts into pieces and replaces parts of them, by regular expressions: what
// RegexSplit, SpecialTokensSplit and RegexNormalization of OpenVINO Tokenizers do with one string.
//
// A pattern that is no regular expression matches nothing, as in OpenVINO: the New functions return
// an error only for a pattern that PCRE2 accepts and package regex does not support.
package split

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// Piece is a range of bytes of a text. Skip means that it is a special token.
type Piece struct {
	Begin, End int32
	Skip       bool
}

// Scratch is the memory of one call. A Scratch can be used again, for any text and pattern.
type Scratch struct {
	// Matcher has the limits.
	Matcher regex.Matcher
	// Sources, if not nil, records where the bytes that a Replacer or Keep writes come from.
	Sources *align.Sources
}

// Limit returns the limits of time and memory.
func (s *Scratch) Limit() *limits.Limits { return &s.Matcher.Limits }

// Append appends a piece.
func (s *Scratch) Append(pieces []Piece, p Piece) ([]Piece, error) {
	if len(pieces) == cap(pieces) {
		var err error
		if pieces, err = limits.Grow(s.Limit(), pieces, len(pieces)+1); err != nil {
			return pieces, err
		}
	}
	return append(pieces, p), nil
}

// Behaviour says which pieces a Splitter makes of a match and of what is between matches.
type Behaviour uint8

const (
	Remove             Behaviour = iota // what is between
	Isolate                             // both
	Contiguous                          // both, where matches side by side are one
	MergedWithPrevious                  // a match belongs to what precedes it
	MergedWithNext                      // a match belongs to what follows it
)

// Splitter cuts texts at the matches of a pattern. It can be used by several goroutines.
type Splitter struct {
	re        *regex.Regexp // nil if nothing matches
	behaviour Behaviour
	invert    bool // matches and what is between change places
	max       int
}

// MaxBytes returns the greatest memory of a Splitter, Specials or Replacer for a pattern of n
// bytes.
func MaxBytes(n int) int64 { return regex.MaxBytes(n) + 1<<10 }

// compile compiles a pattern. The result is nil if nothing matches.
func compile(pattern []byte, with func([]byte) (*regex.Regexp, error)) (*regex.Regexp, error) {
	re, err := with(pattern)
	if err != nil && !errors.Is(err, regex.ErrUnsupported) {
		return nil, nil
	}
	return re, err
}

// NewSplitter returns a Splitter. max > 0 is the number of pieces after which one more piece has
// the rest of the text; as in OpenVINO, the pieces after that come all the same. -1 means no limit.
func NewSplitter(pattern []byte, behaviour Behaviour, invert bool, max int) (*Splitter, error) {
	if max == 0 || max < -1 {
		return nil, faults.Errorf("max_splits is %d, expected -1 or more than 0", max)
	}
	if behaviour == Contiguous && (len(pattern) == 0 || pattern[len(pattern)-1] != '+') {
		pattern = append(append([]byte("("), pattern...), ")+"...)
	}
	re, err := compile(pattern, regex.CompileWords)
	return &Splitter{re, behaviour, invert, max}, err
}

// Append appends the pieces of text, in order. A text in which a match takes too many steps is cut
// up to there. The error is that of regex.Matcher.Find.
func (s *Splitter) Append(pieces []Piece, text []byte, scratch *Scratch) ([]Piece, error) {
	c := cutter{Splitter: s, scratch: scratch, pieces: pieces, first: len(pieces), end: int32(len(text)), last: unset}
	start := 0
	if s.re != nil {
		m := &scratch.Matcher
		m.Reset(s.re, text)
		for c.err == nil {
			begin, end, err := m.Next(start)
			if err != nil {
				return c.pieces, err
			}
			if begin == end {
				break
			}
			if begin > start {
				c.add(int32(start), int32(begin), s.invert)
			}
			c.add(int32(begin), int32(end), !s.invert)
			start = end
		}
	}
	c.finish(int32(start))
	return c.pieces, c.err
}

// unset is a position that there is not.
const unset = -1

// cutter collects the pieces of a text.
type cutter struct {
	*Splitter
	scratch *Scratch
	pieces  []Piece
	first   int   // the number of pieces of other texts
	end     int32 // of the text
	last    int32 // where a range that is merged with a later one starts
	open    bool  // that range is in no piece yet
	err     error
}

// add adds a range that is a delimiter or not.
func (c *cutter) add(begin, end int32, delimiter bool) {
	switch c.behaviour {
	case Remove:
		if delimiter {
			return
		}
	case MergedWithPrevious:
		if !delimiter {
			c.last, c.open = begin, true
			return
		}
		if c.last == unset {
			c.last = begin
		}
		begin = c.last
	case MergedWithNext:
		if delimiter {
			c.last = begin
			return
		}
		if c.last != unset {
			begin = c.last
		}
	}
	c.emit(begin, end)
}

func (c *cutter) emit(begin, end int32) {
	if len(c.pieces)-c.first == c.max {
		end = c.end
	}
	var err error
	if c.pieces, err = c.scratch.Append(c.pieces, Piece{Begin: begin, End: end}); err != nil {
		c.err = err
	}
	c.open = false
}

// finish adds what follows the last match.
func (c *cutter) finish(start int32) {
	if start < c.end {
		c.add(start, c.end, c.invert)
	}
	switch c.behaviour {
	case MergedWithPrevious:
		if c.open {
			c.emit(c.last, c.end)
		}
	case MergedWithNext:
		// Without inversion, a match at the end is a piece, and so is an empty text.
		if !c.invert && start == c.end {
			c.emit(max(c.last, 0), c.end)
		}
	}
}
