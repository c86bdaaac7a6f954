// Package align follows the bytes of a text through steps that rewrite it, so that the place of a
// piece of the result is known in the text.
package align

import (
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/limits"
)

// Span is a range of bytes of a text.
type Span struct{ Begin, End int32 }

// Sources has, for each byte that a step writes, the bytes of the step's input that it comes from.
// A step records what it writes, in order. A nil Sources records nothing, for one comparison.
type Sources struct {
	limits.Limits

	of  []Span // an empty one is a place between two bytes
	err error  // of Reserve
}

// Reset forgets what was recorded, for the next step.
func (s *Sources) Reset() {
	if s != nil {
		s.of, s.err = s.of[:0], nil
	}
}

// Copy records n bytes that are those of the input from begin on.
func (s *Sources) Copy(n, begin int) {
	if s != nil {
		s.copy(int32(n), int32(begin))
	}
}

func (s *Sources) copy(n, begin int32) {
	if s.grow(int(n)) {
		for i := begin; i < begin+n; i++ {
			s.of = append(s.of, Span{i, i + 1})
		}
	}
}

// Put records n bytes that come from the bytes of the input from begin to end, all of them. If
// begin is end, the bytes are new, and stand before the byte at begin.
func (s *Sources) Put(n, begin, end int) {
	if s != nil {
		s.put(n, Span{int32(begin), int32(end)})
	}
}

func (s *Sources) put(n int, from Span) {
	if s.grow(n) {
		for range n {
			s.of = append(s.of, from)
		}
	}
}

// Cut forgets all but the first n bytes.
func (s *Sources) Cut(n int) {
	if s != nil && n < len(s.of) {
		s.of = s.of[:n]
	}
}

func (s *Sources) grow(n int) bool {
	if s.err == nil && n > cap(s.of)-len(s.of) {
		s.of, s.err = limits.Grow(&s.Limits, s.of, len(s.of)+n)
	}
	return s.err == nil
}

// Append appends the places of the bytes that were recorded to dst. spans are the places of the
// step's input, which starts at start. The error is that of Reserve.
func (s *Sources) Append(dst, spans []Span, start int32) ([]Span, error) {
	if s.err != nil {
		return dst, s.err
	}
	dst, err := limits.Grow(&s.Limits, dst, len(dst)+len(s.of))
	if err != nil {
		return dst, err
	}
	for _, from := range s.of {
		if from.End == 0 { // new, before all others
			dst = append(dst, Span{start, start})
		} else {
			dst = append(dst, Join(spans, int(from.Begin), int(from.End)))
		}
	}
	return dst, nil
}

// Cover has the bytes of a word that each of its tokens is made of. A nil Cover records nothing.
type Cover struct {
	limits.Limits
	Spans []Span
}

// Add records those of the next token. The error is that of Reserve.
func (c *Cover) Add(begin, end int) error {
	if c == nil {
		return nil
	}
	return c.add(Span{int32(begin), int32(end)})
}

func (c *Cover) add(span Span) (err error) {
	if len(c.Spans) == cap(c.Spans) {
		if c.Spans, err = limits.Grow(&c.Limits, c.Spans, len(c.Spans)+1); err != nil {
			return err
		}
	}
	c.Spans = append(c.Spans, span)
	return nil
}

// Len returns the number of tokens.
func (c *Cover) Len() int {
	if c == nil {
		return 0
	}
	return len(c.Spans)
}

// Cut forgets all but the first n tokens.
func (c *Cover) Cut(n int) {
	if c != nil {
		c.Spans = c.Spans[:n]
	}
}

// Clip ends the tokens from the first one on at n bytes: what a word has behind them was added.
func (c *Cover) Clip(first, n int) {
	for i := range c.Spans[first:] {
		span := &c.Spans[first+i]
		span.Begin, span.End = min(span.Begin, int32(n)), min(span.End, int32(n))
	}
}

// AppendText appends the places of the bytes of a text in itself: the place of a byte is that of
// its character. A byte that is not UTF-8 is a character. The error is that of l.Reserve.
func AppendText(dst []Span, text string, l *limits.Limits) ([]Span, error) {
	dst, err := limits.Grow(l, dst, len(dst)+len(text))
	if err != nil {
		return dst, err
	}
	for at := 0; at < len(text); {
		_, size := utf8.DecodeRuneInString(text[at:])
		place := Span{int32(at), int32(at + size)}
		for range size {
			dst = append(dst, place)
		}
		at += size
	}
	return dst, nil
}

// Join returns the place of a piece that has the bytes from begin to end, where spans are the
// places of bytes: from the first byte to the last. A piece without bytes is between two.
func Join(spans []Span, begin, end int) Span {
	switch {
	case len(spans) == 0:
		return Span{}
	case begin < end:
		first, last := spans[begin].Begin, spans[end-1].End
		return Span{first, max(first, last)}
	case begin > 0:
		return Span{spans[begin-1].End, spans[begin-1].End}
	}
	return Span{spans[0].Begin, spans[0].Begin}
}
