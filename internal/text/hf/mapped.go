package hf

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/parallel"
)

// bytewise says which bytes a normalizer replaces by one ASCII character, whatever is around them.
// The others have the value other: those of characters outside of ASCII, too.
type bytewise [256]byte

const other = utf8.RuneSelf

// bytewiseOf returns what f appends for each ASCII character.
func bytewiseOf(f func(dst []byte, c byte) []byte) *bytewise {
	t := &bytewise{}
	for i := range t {
		t[i] = other
		if i >= utf8.RuneSelf {
			continue
		}
		if to := f(nil, byte(i)); len(to) == 1 && to[0] < utf8.RuneSelf {
			t[i] = to[0]
		}
	}
	return t
}

// chunk is the number of bytes between two questions for memory and whether to stop.
const chunk = 1 << 12

// run appends what replaces the bytes at the start of text, up to the first other one, and returns
// the rest.
func (t *bytewise) run(dst, text []byte, s *Scratch, meter *parallel.Meter) (out, rest []byte, err error) {
	for len(text) > 0 && t[text[0]] != other {
		part := text[:min(len(text), chunk)]
		if dst, err = grow(dst, len(part), s); err != nil {
			return dst, text, err
		}
		n, to := 0, dst[len(dst):len(dst)+len(part)]
		for n < len(part) {
			c := t[part[n]]
			if c == other {
				break
			}
			to[n] = c
			n++
		}
		dst, text = dst[:len(dst)+n], text[n:]
		if meter.Spent(4 * n) {
			return dst, text, parallel.ErrStopped
		}
	}
	return dst, text, nil
}

// mapped writes each character anew.
type mapped struct {
	// write appends what becomes of a character, at most mappedBytes.
	write func(dst []byte, r rune) []byte
	bytes *bytewise
}

const mappedBytes = 4 * utf8.UTFMax

func newMapped(write func(dst []byte, r rune) []byte) *mapped {
	return &mapped{write, bytewiseOf(func(dst []byte, c byte) []byte { return write(dst, rune(c)) })}
}

func (n *mapped) bytewise() *bytewise { return n.bytes }

func (n *mapped) append(dst, text []byte, s *Scratch) (_ []byte, err error) {
	if s.sources != nil {
		return n.follow(dst, text, s)
	}
	meter := s.Stop.Meter()
	for {
		if dst, text, err = n.bytes.run(dst, text, s, &meter); err != nil || len(text) == 0 {
			return dst, err
		}
		if dst, err = grow(dst, mappedBytes, s); err != nil {
			return dst, err
		}
		r, size := utf8.DecodeRune(text)
		if dst, text = n.write(dst, r), text[size:]; meter.Spent(16) {
			return dst, parallel.ErrStopped
		}
	}
}

// follow is append, and records where what it writes comes from.
func (n *mapped) follow(dst, text []byte, s *Scratch) (_ []byte, err error) {
	meter := s.Stop.Meter()
	for at := 0; at < len(text); {
		if dst, err = grow(dst, mappedBytes, s); err != nil {
			return dst, err
		}
		before := len(dst)
		r, size := utf8.DecodeRune(text[at:])
		dst = n.write(dst, r)
		s.sources.Put(len(dst)-before, at, at+size)
		if at += size; meter.Spent(16) {
			return dst, parallel.ErrStopped
		}
	}
	return dst, nil
}

// repaired writes U+FFFD for each byte that is not UTF-8.
var repaired = sync.OnceValue(func() *mapped { return newMapped(utf8.AppendRune) })

// lower makes each character lower by itself.
func lower(dst []byte, r rune) []byte {
	if r == 'İ' {
		return append(dst, "i\u0307"...)
	}
	return utf8.AppendRune(dst, toLower(r))
}

// toLower returns the lower case of a character in Unicode 17. Package unicode follows an older
// version.
func toLower(r rune) rune {
	switch {
	case r < 0x1c89:
	case r == 0x1c89, r == 0xa7cc, r == 0xa7ce, r == 0xa7d2, r == 0xa7d4, r == 0xa7da:
		return r + 1
	case r == 0xa7cb:
		return 0x264
	case r == 0xa7dc:
		return 0x19b
	case r >= 0x10d50 && r <= 0x10d65:
		return r + 0x20
	case r >= 0x16ea0 && r <= 0x16eb8:
		return r + 0x1b
	}
	return unicode.ToLower(r)
}

// filter deletes characters, and makes spaces of others, unless blanks is nil.
func filter(deleted, blanks *set) *mapped {
	return newMapped(func(dst []byte, r rune) []byte {
		switch {
		case deleted.has(r):
			return dst
		case blanks != nil && blanks.has(r):
			return append(dst, ' ')
		}
		return utf8.AppendRune(dst, r)
	})
}

// spaced puts spaces around Chinese characters.
func spaced(dst []byte, r rune) []byte {
	if r >= 0x3400 && chinese().has(r) {
		return append(utf8.AppendRune(append(dst, ' '), r), ' ')
	}
	return utf8.AppendRune(dst, r)
}

// local is a normalizer whose result for a text is the results for its parts, if the text is cut
// next to a byte that its bytewise replaces.
type local interface {
	normalizer
	bytewise() *bytewise // nil if the normalizer is not local
}

// chain applies local normalizers, one after the other. What all of them replace bytewise is
// replaced at once.
type chain struct {
	list  []normalizer
	bytes *bytewise
}

// chained returns a list of normalizers in which neighbors that are local are a chain.
func chained(list []normalizer) []normalizer {
	var out []normalizer
	for _, n := range list {
		var bytes *bytewise
		l, _ := n.(local)
		if l != nil {
			bytes = l.bytewise()
		}
		if bytes == nil {
			out = append(out, n)
			continue
		}
		var c *chain
		if last := len(out) - 1; last >= 0 {
			c, _ = out[last].(*chain)
		}
		if c == nil {
			c = &chain{bytes: bytewiseOf(func(dst []byte, b byte) []byte { return append(dst, b) })}
			out = append(out, c)
		}
		c.list = append(c.list, l)
		for i, b := range c.bytes {
			if b != other {
				c.bytes[i] = bytes[b]
			}
		}
	}
	return out
}

func (c *chain) append(dst, text []byte, s *Scratch) (_ []byte, err error) {
	if len(c.list) == 1 {
		return c.list[0].append(dst, text, s)
	}
	meter := s.Stop.Meter()
	for {
		if dst, text, err = c.bytes.run(dst, text, s, &meter); err != nil || len(text) == 0 {
			return dst, err
		}
		n := 1
		for n < len(text) && c.bytes[text[n]] == other {
			n++
		}
		part := text[:n]
		for i, normalizer := range c.list {
			out := &s.links[i%2]
			if *out, err = normalizer.append((*out)[:0], part, s); err != nil {
				return dst, err
			}
			part = *out
		}
		if dst, err = appendText(dst, part, s); err != nil {
			return dst, err
		}
		text = text[n:]
	}
}
