package hf

import (
	"bytes"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// pattern finds parts of a text. One of the fields is set.
type pattern struct {
	re   *regex.Regexp
	set  *set // each member is a match
	text []byte
}

// patternOf compiles the pattern of a component. A text is a pattern, too.
func patternOf(p *Pattern) (*pattern, error) {
	switch {
	case p == nil || p.String == nil && p.Regex == nil:
		return nil, faults.Errorf("there is no pattern")
	case p.String != nil && *p.String != "":
		return &pattern{text: []byte(*p.String)}, nil
	case p.String != nil:
		return &pattern{re: emptyPattern()}, nil
	}
	re, err := compileOnig(*p.Regex)
	if err != nil {
		return nil, err
	}
	return &pattern{re: re}, nil
}

// emptyPattern matches between all characters.
func emptyPattern() *regex.Regexp {
	re, err := regex.Compile(nil)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return re
}

// finder finds the matches of a pattern in a text, one after the other.
type finder struct {
	p       *pattern
	text    []byte
	at      int
	matched int // the end of the last match, -1 before the first
	s       *Scratch
	meter   parallel.Meter
}

// find starts a search. There is one finder at a time for a Scratch.
func (p *pattern) find(text []byte, s *Scratch) finder {
	if p.re != nil {
		s.matcher.Limits = s.Limits
		s.matcher.Reset(p.re, text)
	}
	return finder{p: p, text: text, matched: -1, s: s, meter: s.Stop.Meter()}
}

// next returns the next match; ok is false if there is none.
func (f *finder) next() (begin, end int, ok bool, err error) {
	if f.meter.Spent(8) {
		return 0, 0, false, parallel.ErrStopped
	}
	switch {
	case f.p.re != nil:
		return f.nextOfRegexp()
	case f.p.set != nil:
		for f.at < len(f.text) {
			r, n := rune(f.text[f.at]), 1
			if r >= utf8.RuneSelf {
				r, n = utf8.DecodeRune(f.text[f.at:])
			}
			if f.at += n; f.p.set.has(r) {
				return f.at - n, f.at, true, nil
			}
		}
		return 0, 0, false, nil
	}
	i := bytes.Index(f.text[f.at:], f.p.text)
	if i < 0 {
		return 0, 0, false, nil
	}
	begin = f.at + i
	f.at = begin + len(f.p.text)
	return begin, f.at, true, nil
}

// nextOfRegexp is next for a regular expression. An empty match where the last one ended is none.
func (f *finder) nextOfRegexp() (begin, end int, ok bool, err error) {
	for f.at <= len(f.text) {
		found, err := f.s.matcher.Find(f.at, regex.NoGroups)
		if err != nil || !found {
			return 0, 0, false, err
		}
		begin, end := f.s.matcher.Group(0)
		f.at = end
		if begin == end && f.matched == end {
			if end == len(f.text) {
				break
			}
			f.at += regex.CharacterLength(f.text[end:])
			continue
		}
		f.matched = end
		return begin, end, true, nil
	}
	return 0, 0, false, nil
}

// behavior says what becomes of the matches of a pattern.
type behavior uint8

const (
	removed behavior = iota
	isolated
	mergedWithPrevious
	mergedWithNext
	contiguous
)

var behaviors = map[string]behavior{
	"Removed": removed, "Isolated": isolated, "MergedWithPrevious": mergedWithPrevious, "MergedWithNext": mergedWithNext, "Contiguous": contiguous,
}

// splitter cuts a text at the matches of a pattern.
type splitter struct {
	pattern  *pattern
	behavior behavior
	invert   bool // what is between matches changes places with them
}

// part is a range of a text, and whether it is a match.
type part struct {
	begin, end int
	match      bool
}

// cut appends the pieces of a piece to s.next.
func (p *splitter) cut(from piece, s *Scratch) error {
	text := s.text[from.begin:from.end]
	c := cutter{s: s, from: from, behavior: p.behavior}
	f, at := p.pattern.find(text, s), 0
	for {
		begin, end, ok, err := f.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if begin > at {
			if err := c.add(part{at, begin, p.invert}); err != nil {
				return err
			}
		}
		if err := c.add(part{begin, end, !p.invert}); err != nil {
			return err
		}
		at = end
	}
	if at < len(text) || len(text) == 0 {
		if err := c.add(part{at, len(text), p.invert}); err != nil {
			return err
		}
	}
	return c.flush()
}

// cutter makes pieces of the parts of a piece.
type cutter struct {
	s        *Scratch
	from     piece
	behavior behavior
	// open are the last parts that belong together, if isOpen is set: the next one can belong to
	// them. match says what the last one is.
	open   part
	isOpen bool
}

// add adds the next part.
func (c *cutter) add(x part) error {
	switch c.behavior {
	case removed:
		if x.match {
			return nil
		}
	case isolated:
	default:
		if c.isOpen && c.joins(x) {
			c.open.end, c.open.match = x.end, x.match
			return nil
		}
		err := c.flush()
		c.open, c.isOpen = x, true
		return err
	}
	return c.s.add(c.s.part(c.from, x.begin, x.end))
}

// joins reports whether a part belongs to the one before it.
func (c *cutter) joins(x part) bool {
	switch c.behavior {
	case contiguous:
		return x.match == c.open.match
	case mergedWithPrevious:
		return x.match && !c.open.match
	}
	return c.open.match && !x.match
}

// flush adds the part that is open.
func (c *cutter) flush() error {
	if !c.isOpen {
		return nil
	}
	c.isOpen = false
	return c.s.add(c.s.part(c.from, c.open.begin, c.open.end))
}
