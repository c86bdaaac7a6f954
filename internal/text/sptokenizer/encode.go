package sptokenizer

import (
	"bytes"
	"math"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/python"
	"github.com/vinoir/vinoir/internal/text/sentencepiece"
)

// part is a part of a text: an added token, or what the model encodes.
type part struct {
	begin, end int
	token      int // the index of an added token; -1 for text
}

// Append appends the tokens of a text to dst, without those around it. The errors are those of
// s.Reserve, parallel.ErrStopped, and that of a control symbol that the model makes of a text.
func (t *Tokenizer) Append(dst []int32, text string, s *Scratch) ([]int32, error) {
	if err := t.start(text, s); err != nil {
		return dst, err
	}
	if err := t.split(s); err != nil {
		return dst, err
	}
	s.model.Limits, s.form.Limits = s.Limits, s.Limits
	first, ends := len(dst), 0 // where the tokens of the first part end
	second := -1               // the part that has the next ones
	meter := s.Stop.Meter()
	for i, p := range s.parts {
		if meter.Spent(16 + p.end - p.begin) {
			return dst, parallel.ErrStopped
		}
		if p.begin == p.end {
			continue
		}
		var err error
		if p.token >= 0 {
			if dst, err = limits.Grow(&s.Limits, dst, len(dst)+1); err == nil {
				dst = append(dst, t.list[p.token].id)
			}
		} else {
			dst, err = t.appendText(dst, s.text[p.begin:p.end], s)
		}
		if err != nil {
			return dst, err
		}
		if ends == 0 {
			ends = len(dst)
		} else if second < 0 {
			second = i
		}
	}
	if !t.legacy && ends == first+1 && second >= 0 && dst[first] == t.spaceID {
		if p := s.parts[second]; p.token >= 0 && t.list[p.token].special {
			dst = append(dst[:first], dst[first+1:]...)
		}
	}
	return dst, nil
}

// start sets s.text.
func (t *Tokenizer) start(text string, s *Scratch) (err error) {
	if len(text) > math.MaxInt32-len(space) {
		return faults.Errorf("a text has more than %d bytes", math.MaxInt32)
	}
	s.text = s.text[:0]
	if s.text, err = limits.Grow(&s.Limits, s.text, len(text)+len(space)); err != nil {
		return err
	}
	if t.albert != nil {
		text = t.albert.lowered(text)
	}
	if t.legacy || text == "" {
		s.text = append(s.text, text...)
		return nil
	}
	if t.prefix {
		s.text = append(s.text, space...)
	}
	for {
		before, after, found := strings.Cut(text, space)
		s.text = append(s.text, before...)
		if !found {
			return nil
		}
		s.text, text = append(s.text, ' '), after
	}
}

// split sets s.parts.
func (t *Tokenizer) split(s *Scratch) error {
	s.parts = s.parts[:0]
	if len(t.list) == 0 {
		return s.add(part{0, len(s.text), -1})
	}
	if err := t.found.Match(&s.matches, s.text, &s.Limits); err != nil {
		return err
	}
	from := 0
	for at := 0; at < len(s.text); {
		n := 0
		var i int32
		if t.first[s.text[at]] {
			i, n = t.found.LongestAt(&s.matches, s.text, at)
		}
		if n == 0 {
			at++
			continue
		}
		if from < at {
			if err := s.add(part{from, at, -1}); err != nil {
				return err
			}
		}
		if err := s.add(part{at, at + n, int(i)}); err != nil {
			return err
		}
		at += n
		from = at
	}
	if from < len(s.text) {
		if err := s.add(part{from, len(s.text), -1}); err != nil {
			return err
		}
	}
	return t.strip(s)
}

func (s *Scratch) add(p part) (err error) {
	if len(s.parts) == cap(s.parts) {
		if s.parts, err = limits.Grow(&s.Limits, s.parts, len(s.parts)+1); err != nil {
			return err
		}
	}
	s.parts = append(s.parts, p)
	return nil
}

// strip takes the white space beside tokens that want it, and joins tokens that must be words with
// the text beside them. A part that changes is a token if its text is one.
func (t *Tokenizer) strip(s *Scratch) error {
	for i := range s.parts {
		p := &s.parts[i]
		if p.token < 0 {
			continue
		}
		token := &t.list[p.token]
		var left, right *part
		var before, after []byte // the text of left and right as it was
		if i > 0 {
			left = &s.parts[i-1]
			before = s.text[left.begin:left.end]
		}
		if i+1 < len(s.parts) {
			right = &s.parts[i+1]
			after = s.text[right.begin:right.end]
		}
		if token.rstrip && right != nil {
			t.change(right, right.end-len(bytes.TrimLeftFunc(after, python.IsSpace)), right.end, s)
		}
		if token.lstrip && left != nil {
			t.change(left, left.begin, left.begin+len(bytes.TrimRightFunc(before, python.IsSpace)), s)
		}
		var err error
		switch {
		case !token.singleWord:
		case len(before) > 0 && before[len(before)-1] != ' ':
			err = t.merge(left, *left, *p, s)
			p.begin = p.end
		case len(after) > 0 && after[0] != ' ':
			err = t.merge(right, *p, *right, s)
			p.begin = p.end
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// merge makes a part of the texts of two, which can have lost white space between them.
func (t *Tokenizer) merge(to *part, first, second part, s *Scratch) (err error) {
	if first.end != second.begin {
		begin := len(s.text)
		n := first.end - first.begin + second.end - second.begin
		if s.text, err = limits.Grow(&s.Limits, s.text, begin+n); err != nil {
			return err
		}
		s.text = append(s.text, s.text[first.begin:first.end]...)
		s.text = append(s.text, s.text[second.begin:second.end]...)
		first.begin, second.end = begin, len(s.text)
	}
	t.change(to, first.begin, second.end, s)
	return nil
}

// change changes where a part begins and ends.
func (t *Tokenizer) change(p *part, begin, end int, s *Scratch) {
	if p.begin == begin && p.end == end {
		return
	}
	p.begin, p.end, p.token = begin, end, -1
	if i, n := t.found.Longest(s.text[begin:end]); n > 0 && n == end-begin {
		p.token = int(i)
	}
}

// appendText appends the tokens of a text without added tokens.
func (t *Tokenizer) appendText(dst []int32, text []byte, s *Scratch) ([]int32, error) {
	first := len(dst)
	cut := !t.legacy && (text[0] == ' ' || bytes.HasPrefix(text, []byte(space)))
	if cut {
		var err error
		if s.out, err = limits.Grow(&s.Limits, s.out[:0], len(t.unknownText)+len(text)); err != nil {
			return dst, err
		}
		text = append(append(s.out, t.unknownText...), text...)
	}
	if t.albert != nil {
		var err error
		if text, err = t.albert.normalize(text, s); err != nil {
			return dst, err
		}
	}
	dst, err := t.model.Append(dst, text, sentencepiece.Options{Surfaces: t.class != &library}, &s.model)
	if err != nil {
		return dst, err
	}
	t.mapIDs(dst, first, s)
	if t.albert != nil {
		return t.cutNumbers(dst, first, s)
	}
	if cut && len(dst)-first >= t.unknownPieces {
		dst = append(dst[:first], dst[first+t.unknownPieces:]...)
	}
	return dst, nil
}

// mapIDs replaces the ids of pieces from first on by those of tokens. An unknown piece has the id
// of its text, as classes look up all pieces by their texts.
func (t *Tokenizer) mapIDs(ids []int32, first int, s *Scratch) {
	if t.ids != nil {
		for i, id := range ids[first:] {
			ids[first+i] = t.ids[id]
		}
	}
	if t.class != &library {
		s.model.Unknowns(func(at int, text []byte) { ids[at] = t.textID(text) })
	}
}
