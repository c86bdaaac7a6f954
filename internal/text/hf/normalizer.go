package hf

import (
	"bytes"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// normalizer appends a normalized text to dst.
type normalizer interface {
	append(dst, text []byte, s *Scratch) ([]byte, error)
}

// grow returns dst with room for n more bytes.
func grow(dst []byte, n int, s *Scratch) ([]byte, error) {
	if n > maxText-len(dst) {
		return dst, faults.Errorf("a text has more than %d bytes", maxText)
	}
	return limits.Grow(&s.Limits, dst, len(dst)+n)
}

// addNormalizer adds the normalizers of a component to list.
func (b *builder) addNormalizer(list *[]normalizer, c *Component, path string) {
	add := func(n ...normalizer) { *list = append(*list, n...) }
	if !b.known(c, path) {
		return
	}
	switch c.Type {
	case "Sequence":
		for i, one := range c.Normalizers {
			b.addNormalizer(list, one, element(path, "normalizers", i))
		}
	case "NFC", "NFD", "NFKC", "NFKD":
		add(forms[c.Type])
	case "Lowercase":
		add(newMapped(lower))
	case "StripAccents":
		add(filter(mark(), nil))
	case "BertNormalizer":
		if orElse(c.CleanText, true) {
			add(filter(control(), spaces()))
		}
		if orElse(c.Chinese, true) {
			add(newMapped(spaced))
		}
		if orElse(c.StripAccents, orElse(c.Lowercase, true)) {
			add(forms["NFD"], filter(nonspacing(), nil))
		}
		if orElse(c.Lowercase, true) {
			add(newMapped(lower))
		}
	case "Nmt":
		add(filter(nmtDeleted(), nmtSpaces()))
	case "Strip":
		add(strip{c.StripLeft, c.StripRight})
	case "Prepend":
		add(prepend(c.Prepend))
	case "Replace":
		p, err := patternOf(c.Pattern)
		b.check(err, path)
		add(&replace{p, []byte(orElse(c.Content, ""))})
	case "Precompiled":
		m, err := charsmap.Parse(c.CharsMap)
		b.check(err, path)
		if err == nil {
			add(newPrecompiled(m))
		}
	case "ByteLevel":
		add(byteLevel{})
	default:
		b.unsupported(c, path)
	}
}

// orElse returns what p refers to, or x if it is nil.
func orElse[T any](p *T, x T) T {
	if p == nil {
		return x
	}
	return *p
}

func appendText(dst, text []byte, s *Scratch) ([]byte, error) {
	dst, err := grow(dst, len(text), s)
	return append(dst, text...), err
}

// keepText is appendText for a part of the input of a normalizer, which starts at the byte at.
func keepText(dst, text []byte, at int, s *Scratch) ([]byte, error) {
	s.sources.Copy(len(text), at)
	return appendText(dst, text, s)
}

// strip removes white space at the ends.
type strip struct{ left, right bool }

func (n strip) append(dst, text []byte, s *Scratch) ([]byte, error) {
	begin := 0
	if n.left {
		begin = len(text) - len(spaces().trimLeft(text))
	}
	if text = text[begin:]; n.right {
		text = spaces().trimRight(text)
	}
	return keepText(dst, text, begin, s)
}

// prepend puts a text before one that is not empty.
type prepend string

func (n prepend) append(dst, text []byte, s *Scratch) ([]byte, error) {
	if len(text) == 0 {
		return dst, nil
	}
	dst, err := grow(dst, len(n)+len(text), s)
	if err != nil {
		return dst, err
	}
	s.sources.Put(len(n), 0, 1)
	return keepText(append(dst, n...), text, 0, s)
}

// replace writes content for each match.
type replace struct {
	pattern *pattern
	content []byte
}

// keeps reports whether a text has nothing that is replaced, as far as that is seen at once.
func (n *replace) keeps(text []byte) bool {
	return n.pattern.text != nil && !bytes.Contains(text, n.pattern.text)
}

func (n *replace) append(dst, text []byte, s *Scratch) ([]byte, error) {
	if len(text) == 0 {
		return dst, nil
	}
	f, at := n.pattern.find(text, s), 0
	for {
		begin, end, ok, err := f.next()
		if err != nil {
			return dst, err
		}
		if !ok {
			return keepText(dst, text[at:], at, s)
		}
		if dst, err = grow(dst, begin-at+len(n.content), s); err != nil {
			return dst, err
		}
		s.sources.Copy(begin-at, at)
		s.sources.Put(len(n.content), max(end-1, 0), end) // the library takes the last character
		dst = append(append(dst, text[at:begin]...), n.content...)
		at = end
	}
}

// precompiled is a map of SentencePiece, as the library applies it: to each grapheme of less than
// six bytes, and to each character of others and of those that it does not have. Of the keys that a
// grapheme starts with, the shortest counts, and its value replaces the whole grapheme.
type precompiled struct {
	chars *charsmap.Map
	bytes *bytewise // of graphemes that are one byte
}

func newPrecompiled(m *charsmap.Map) *precompiled {
	return &precompiled{m, bytewiseOf(func(dst []byte, c byte) []byte {
		value, ok := m.Shortest([]byte{c})
		switch {
		case c == '\r': // a newline can belong to it
			return dst
		case !ok:
			return append(dst, c)
		}
		return append(dst, value...)
	})}
}

func (n *precompiled) append(dst, text []byte, s *Scratch) (_ []byte, err error) {
	meter := s.Stop.Meter()
	s.changes = s.changes[:0]
	foreign := -1 // the first byte from here on that is not ASCII
	for at := 0; at < len(text); {
		if foreign < at {
			foreign = at + asciiLen(text[at:])
		}
		// The last character before one that is not ASCII can be a part of its grapheme.
		end := foreign
		if foreign < len(text) {
			end--
		}
		if at < end && s.sources == nil {
			var rest []byte
			if dst, rest, err = n.bytes.run(dst, text[at:end], s, &meter); err != nil {
				return dst, err
			}
			if at = end - len(rest); at == len(text) {
				break
			}
		}
		size := regex.GraphemeLength(text[at:])
		if meter.Spent(4 * size) {
			return dst, parallel.ErrStopped
		}
		if dst, err = n.grapheme(dst, text[at:at+size], s); err != nil {
			return dst, err
		}
		at += size
	}
	s.placeChanges(text)
	return dst, nil
}

// grapheme appends what becomes of a grapheme.
func (n *precompiled) grapheme(dst, text []byte, s *Scratch) (_ []byte, err error) {
	const short = 6
	if len(text) < short {
		if value, ok := n.chars.Shortest(text); ok {
			return exchange(dst, text, value, s)
		}
	}
	for len(text) > 0 {
		_, size := utf8.DecodeRune(text)
		value, ok := n.chars.Shortest(text[:size])
		if !ok {
			value = text[:size]
		}
		if dst, err = exchange(dst, text[:size], value, s); err != nil {
			return dst, err
		}
		text = text[size:]
	}
	return dst, nil
}

// exchange appends value in place of old.
func exchange(dst, old, value []byte, s *Scratch) ([]byte, error) {
	if s.sources != nil {
		if err := s.exchange(old, value); err != nil {
			return dst, err
		}
	}
	return appendText(dst, value, s)
}

// byteLevel writes each byte as a character: see byteChars.
type byteLevel struct{}

func (byteLevel) append(dst, text []byte, s *Scratch) ([]byte, error) {
	dst, err := grow(dst, 2*len(text), s)
	if err != nil {
		return dst, err
	}
	for at, c := range text {
		before := len(dst)
		dst = utf8.AppendRune(dst, byteChar(c))
		s.sources.Put(len(dst)-before, at, at+1)
	}
	return dst, nil
}

// byteChar returns the character that stands for a byte: the byte itself where it is printable in
// Latin-1, and else one from U+0100 on.
func byteChar(c byte) rune {
	switch {
	case c < 0x21:
		return 0x100 + rune(c)
	case c < 0x7f || c > 0xa0 && c != 0xad:
		return rune(c)
	case c <= 0xa0:
		return 0x100 + 0x21 + rune(c) - 0x7f
	}
	return 0x143
}

// charByte is the inverse of byteChar.
func charByte(r rune) (c byte, ok bool) {
	switch {
	case r > 0x143:
		return 0, false
	case r == 0x143:
		return 0xad, true
	case r >= 0x121:
		return byte(r - 0x121 + 0x7f), true
	case r >= 0x100:
		return byte(r - 0x100), true
	}
	return byte(r), byteChar(byte(r)) == r
}

// unmapBytes appends the bytes that the characters of word stand for; ok is false if one stands for
// none.
func unmapBytes(dst, word []byte) (out []byte, ok bool) {
	for len(word) > 0 {
		r, n := rune(word[0]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(word)
		}
		c, ok := charByte(r)
		if !ok {
			return dst, false
		}
		dst, word = append(dst, c), word[n:]
	}
	return dst, true
}

// hasPrefixRune reports whether text starts with r.
func hasPrefixRune(text []byte, r rune) bool {
	return bytes.HasPrefix(text, utf8.AppendRune(make([]byte, 0, utf8.UTFMax), r))
}
