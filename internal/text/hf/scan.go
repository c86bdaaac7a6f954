package hf

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
)

// scanner reads JSON from start to end. encoding/json would take seconds for a vocabulary of a
// quarter of a million words, and memory for an interface of each.
type scanner struct {
	data  []byte
	at    int
	depth int
	err   error // the first error
}

// maxDepth bounds how deep arrays and objects contain each other.
const maxDepth = 100

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = faults.Errorf("byte %d: %w", s.at, faults.Errorf(format, args...))
	}
}

// next skips white space and returns the byte behind it, 0 at the end.
func (s *scanner) next() byte {
	for s.err == nil && s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// take skips the byte c, which must come next.
func (s *scanner) take(c byte) {
	if got := s.next(); got != c || c == 0 {
		s.fail("found %q, expected %q", got, c)
		return
	}
	s.at++
}

// skips skips the byte c, if it comes next.
func (s *scanner) skips(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

// list calls item for each item of an array or object, until there is an error.
func (s *scanner) list(first, last byte, item func()) {
	if s.depth++; s.depth > maxDepth {
		s.fail("more than %d levels", maxDepth)
	}
	if s.take(first); !s.skips(last) {
		for s.err == nil {
			item()
			if !s.skips(',') {
				s.take(last)
				break
			}
		}
	}
	s.depth--
}

// array calls item to read each element.
func (s *scanner) array(item func()) { s.list('[', ']', item) }

// object calls member to read each value. The key is valid until member returns.
func (s *scanner) object(member func(key []byte)) {
	s.list('{', '}', func() {
		key := s.text()
		s.take(':')
		if s.err == nil {
			member(key)
		}
	})
}

// text reads a string. The result is a part of the data, unless the string has escapes.
func (s *scanner) text() []byte {
	s.take('"')
	if s.err != nil {
		return nil
	}
	start := s.at
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return s.valid(s.data[start : s.at-1 : s.at-1])
		case c == '\\':
			return s.escapedText(bytes.Clone(s.data[start:s.at]))
		case c < ' ':
			s.fail("control character %#x in a string", c)
			return nil
		}
		s.at++
	}
	s.fail("a string without an end")
	return nil
}

// valid returns text, and fails if it is not UTF-8.
func (s *scanner) valid(text []byte) []byte {
	if !utf8.Valid(text) {
		s.fail("a string is not UTF-8")
	}
	return text
}

// escapedText reads the rest of a string from its first escape on.
func (s *scanner) escapedText(out []byte) []byte {
	for s.at < len(s.data) && s.err == nil {
		c := s.data[s.at]
		s.at++
		switch {
		case c == '"':
			return s.valid(out)
		case c < ' ':
			s.fail("control character %#x in a string", c)
		case c == '\\':
			out = s.escape(out)
		default:
			out = append(out, c)
		}
	}
	s.fail("a string without an end")
	return nil
}

// escape appends the character of an escape, whose backslash was read.
func (s *scanner) escape(out []byte) []byte {
	if s.at == len(s.data) {
		return out
	}
	c := s.data[s.at]
	s.at++
	const names, values = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := bytes.IndexByte([]byte(names), c); i >= 0 {
		return append(out, values[i])
	}
	if c != 'u' {
		s.fail("unknown escape %q", c)
		return out
	}
	r := s.unit()
	if utf16.IsSurrogate(r) {
		if !bytes.HasPrefix(s.data[min(s.at, len(s.data)):], []byte(`\u`)) {
			s.fail("a lone surrogate %04X", r)
			return out
		}
		s.at += 2
		if r = utf16.DecodeRune(r, s.unit()); r == utf8.RuneError {
			s.fail("a lone surrogate")
		}
	}
	return utf8.AppendRune(out, r)
}

// unit reads four hexadecimal digits.
func (s *scanner) unit() rune {
	if len(s.data)-s.at < 4 {
		s.fail("an escape without an end")
		return 0
	}
	n, err := strconv.ParseUint(string(s.data[s.at:s.at+4]), 16, 16)
	if err != nil {
		s.fail("an escape of %q", s.data[s.at:s.at+4])
	}
	s.at += 4
	return rune(n)
}

// number reads a number as text.
func (s *scanner) number() string {
	s.next()
	start := s.at
	for s.at < len(s.data) && isNumberByte(s.data[s.at]) {
		s.at++
	}
	if !json.Valid(s.data[start:s.at]) {
		s.fail("found %q, expected a number", s.next())
	}
	return string(s.data[start:s.at])
}

// isNumberByte reports whether a number can have c.
func isNumberByte(c byte) bool {
	return c-'0' <= 9 || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// id reads a number from 0 to maxID.
func (s *scanner) id() int32 {
	s.next()
	n, start := int32(0), s.at
	for ; s.at < len(s.data) && s.data[s.at]-'0' <= 9; s.at++ {
		if n = 10*n + int32(s.data[s.at]-'0'); n > maxID {
			s.fail("an id is more than %d", maxID)
			return 0
		}
	}
	if s.at == start {
		s.fail("found %q, expected an id", s.next())
	}
	return n
}

// float reads a number.
func (s *scanner) float() float64 {
	text := s.number()
	if s.err != nil {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.fail("the number %s is too large", text)
	}
	return x
}

// word reads a word such as null, if it comes next.
func (s *scanner) word(word string) bool {
	s.next()
	if !bytes.HasPrefix(s.data[s.at:], []byte(word)) {
		return false
	}
	s.at += len(word)
	return true
}

// bool reads true or false; null is false.
func (s *scanner) bool() bool {
	if s.word("true") {
		return true
	}
	if !s.word("false") && !s.word("null") {
		s.fail("found %q, expected true or false", s.next())
	}
	return false
}

// textOrNull reads a string; ok is false for null.
func (s *scanner) textOrNull() (text string, ok bool) {
	if s.word("null") {
		return "", false
	}
	return string(s.text()), true
}

// raw reads any value and returns its bytes.
func (s *scanner) raw() json.RawMessage {
	s.next()
	start := s.at
	switch c := s.next(); c {
	case '{':
		s.object(func([]byte) { s.raw() })
	case '[':
		s.array(func() { s.raw() })
	case '"':
		s.text()
	default:
		if !s.word("true") && !s.word("false") && !s.word("null") {
			s.number()
		}
	}
	return json.RawMessage(s.data[start:s.at])
}
