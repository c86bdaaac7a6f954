package split

import (
	"errors"

	"github.com/vinoir/vinoir/internal/text/regex"
)

// Specials finds special tokens in texts. It can be used by several goroutines.
type Specials struct{ re *regex.Regexp }

// NewSpecials returns a Specials for a pattern in which each special token is in a group.
func NewSpecials(pattern []byte) (*Specials, error) {
	re, err := compile(pattern, regex.Compile)
	return &Specials{re}, err
}

// Append appends the pieces of text. The token of a match is what its last group has matched; the
// rest of the match, which is white space around the token, is in no piece. The error is that of
// regex.Matcher.Find.
func (s *Specials) Append(pieces []Piece, text []byte, scratch *Scratch) ([]Piece, error) {
	start := 0
	if s.re != nil {
		m := &scratch.Matcher
		m.Reset(s.re, text)
		for {
			found, err := m.Find(start, 0)
			if err != nil && !errors.Is(err, regex.ErrLimit) {
				return pieces, err
			}
			if !found {
				break
			}
			begin, end := m.Group(0)
			if begin == end {
				break
			}
			if begin > start {
				if pieces, err = scratch.Append(pieces, Piece{Begin: int32(start), End: int32(begin)}); err != nil {
					return pieces, err
				}
			}
			start = end
			if pieces, err = scratch.Append(pieces, s.token(m)); err != nil {
				return pieces, err
			}
		}
	}
	if start < len(text) {
		return scratch.Append(pieces, Piece{Begin: int32(start), End: int32(len(text))})
	}
	return pieces, nil
}

// token returns the piece of a match: the last group that is set and not empty, or the whole match.
func (s *Specials) token(m *regex.Matcher) Piece {
	begin, end := m.Group(0)
	for g := s.re.Groups() - 1; g > 0; g-- {
		if from, to := m.Group(g); from >= begin && from < to && to <= end {
			begin, end = from, to
			break
		}
	}
	return Piece{Begin: int32(begin), End: int32(end), Skip: true}
}
