package hf

import (
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// Offset is where a token is in the text that it comes from.
type Offset struct {
	align.Span
	// leading and trailing are the numbers of spaces at the ends of the token: see Tokenizer.Trim.
	leading, trailing int32
}

// follow says whether the bytes of the next text are followed.
func (s *Scratch) follow(follows bool) {
	s.sources, s.model.cover = nil, nil
	if follows {
		s.sources = &s.own
		s.sources.Limits = s.Limits
	}
}

// AppendOffsets is Append, and appends the offsets of the tokens to offsets: those of the library,
// which counts characters, in bytes. A byte that is not UTF-8 is a character. They are not trimmed
// yet: see Trim.
func (t *Tokenizer) AppendOffsets(dst []int32, offsets []Offset, text string, s *Scratch) ([]int32, []Offset, error) {
	s.follow(true)
	if err := t.cut(text, s); err != nil {
		return dst, offsets, err
	}
	meter := s.Stop.Meter()
	s.model.Limits, s.model.cover = s.Limits, &s.model.own
	s.model.cover.Limits = s.Limits
	for _, p := range s.pieces {
		if meter.Spent(8) {
			return dst, offsets, parallel.ErrStopped
		}
		first, word, err := len(dst), s.text[p.begin:p.end], error(nil)
		s.model.cover.Cut(0)
		if p.id < 0 {
			dst, err = t.model.append(dst, word, &s.model)
		} else if dst, err = appendID(dst, p.id, &s.Limits); err == nil {
			err = s.model.cover.Add(0, len(word))
		}
		if err != nil {
			return dst, offsets, err
		}
		if offsets, err = limits.Grow(&s.Limits, offsets, len(offsets)+len(dst)-first); err != nil {
			return dst, offsets, err
		}
		places := s.places[p.begin:p.end]
		for i, id := range dst[first:] {
			// The bytes of a suffix can be tokens behind the word.
			span := s.model.cover.Spans[i]
			end := min(int(span.End), len(word))
			begin := min(int(span.Begin), end)
			o := Offset{Span: align.Join(places, begin, end)}
			if len(t.trims) > 0 {
				o.leading, o.trailing = t.spacesOf(id, p.id >= 0, word[begin:end])
			}
			offsets = append(offsets, o)
		}
	}
	return dst, offsets, nil
}

// spacesOf returns the numbers of spaces at the ends of a token, which was added, or is of a model.
// covered is what it has of the text.
func (t *Tokenizer) spacesOf(id int32, added bool, covered []byte) (leading, trailing int32) {
	text, words := covered, &t.words
	if model, ok := t.model.(*bytePair); ok {
		words = model.words
	}
	if model, ok := t.model.(*unigram); !added && (!ok || model.unknown != id) {
		text = words.at(id)
	}
	// U+0120 is the character for the byte of a space.
	isSpace := func(r rune) bool { return r == byteChar(' ') || spaces().has(r) }
	if t.rawBytes && !added {
		isSpace = func(r rune) bool { return r == ' ' }
	}
	for rest := text; len(rest) > 0; leading++ {
		r, n := utf8.DecodeRune(rest)
		if !isSpace(r) {
			break
		}
		rest = rest[n:]
	}
	for rest := text; len(rest) > 0; trailing++ {
		r, n := utf8.DecodeLastRune(rest)
		if !isSpace(r) {
			break
		}
		rest = rest[:len(rest)-n]
	}
	return leading, trailing
}

// trim is a post-processor that takes the spaces at the ends of tokens out of their offsets.
type trim struct {
	// prefix means that a space was put before the text, which is not in it.
	prefix bool
	// behind means, for the first and second text, that a special token stands before its tokens.
	behind [2]bool
}

// Trim trims the offsets of the tokens that a row has of a text, as the post-processors do. number
// is 1 for the first text of the row, and 2 for the second. special says whether the row has
// special tokens.
func (t *Tokenizer) Trim(offsets []Offset, text string, number int, special bool) {
	for _, trim := range t.trims {
		for i := range offsets {
			o := &offsets[i]
			first := i == 0 && !(special && trim.behind[number-1]) || o.Begin == 0
			if leading := o.leading; leading > 1 || !first || !trim.prefix {
				for ; leading > 0 && o.Begin < o.End; leading-- {
					_, n := utf8.DecodeRuneInString(text[o.Begin:])
					o.Begin += int32(n)
				}
			}
			end := o.End
			trailing := o.trailing
			for ; trailing > 0 && end > 0; trailing-- {
				_, n := utf8.DecodeLastRuneInString(text[:end])
				end -= int32(n)
			}
			if trailing == 0 {
				o.End = max(end, o.Begin)
			}
		}
	}
}

// change says how a character that a normalizer writes changes the text, as the library's
// NormalizedString has it: 0 is for one that replaces a character, 1 for a new one behind it, and
// -n for one that replaces a character, behind which n more are removed.
type change struct{ size, n int32 }

// exchange adds the changes of a text that replaces another one. The last characters of a longer
// one are new. Behind the last one of a shorter text, or else the last one before it, characters
// are removed.
func (s *Scratch) exchange(old, value []byte) (err error) {
	if s.changes, err = limits.Grow(&s.Limits, s.changes, len(s.changes)+len(value)); err != nil {
		return err
	}
	added := utf8.RuneCount(value) - utf8.RuneCount(old)
	for i, kept := 0, utf8.RuneCount(old); i < len(value); kept-- {
		_, size := utf8.DecodeRune(value[i:])
		c := change{size: int32(size)}
		if kept <= 0 {
			c.n = 1
		}
		s.changes = append(s.changes, c)
		i += size
	}
	if n := len(s.changes); added < 0 && n > 0 {
		s.changes[n-1].n += int32(added)
	}
	return nil
}

// placeChanges records s.changes of a text.
func (s *Scratch) placeChanges(text []byte) {
	if s.sources == nil {
		return
	}
	at := 0
	for _, c := range s.changes {
		at = s.placeOne(text, at, int(c.size), c.n)
	}
}

// placeOne records a character of size bytes with a change, and returns where the text goes on
// behind what it replaces. A new character has the place of the one before it.
func (s *Scratch) placeOne(text []byte, at, size int, n int32) int {
	if n > 0 || at == len(text) {
		s.sources.Put(size, max(at-1, 0), at)
		return at
	}
	s.sources.Put(size, at, at+1)
	for ; n <= 0 && at < len(text); n++ {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// placeChars records s.chars, which a form made of a text from the byte at on.
func (s *Scratch) placeChars(text []byte, at int) {
	if s.sources == nil {
		return
	}
	for _, c := range s.chars {
		at = s.placeOne(text, at, utf8.RuneLen(c.r), c.change)
	}
}
