// Package jsonscan reads JSON as RFC 8259 defines it, in one pass over bytes that a client sent,
// without reflection and with a limit on nesting.
//
// A caller walks through the members of objects and the elements of arrays, and reads or skips each
// value: the numbers of a tensor are never values of their own. Errors are *oip.Error with the code
// Malformed, and say at which byte the JSON is broken.
package jsonscan

import (
	"math/bits"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Scanner reads one JSON text.
type Scanner struct {
	data []byte
	// pos is the offset of the next byte.
	pos             int
	depth, maxDepth int
	// key is memory for the names of members that have escapes.
	key []byte
}

// New returns a Scanner of data in which arrays and objects may be nested maxDepth deep.
func New(data []byte, maxDepth int) *Scanner { return &Scanner{data: data, maxDepth: maxDepth} }

// Data returns all bytes of the text.
func (s *Scanner) Data() []byte { return s.data }

// Offset returns the offset of the next byte to read.
func (s *Scanner) Offset() int { return s.pos }

// Seek sets the offset of the next byte. It must be one where a value begins or has ended, at the
// same depth.
func (s *Scanner) Seek(offset int) { s.pos = offset }

// Depth returns how many arrays and objects can still be nested in each other.
func (s *Scanner) Depth() int { return s.maxDepth - s.depth }

// Kind returns the byte with which the next value begins, such as '{', '"' or 't'; '0' for a
// number, and 0 at the end of the text.
func (s *Scanner) Kind() byte {
	s.space()
	if s.pos == len(s.data) {
		return 0
	}
	switch c := s.data[s.pos]; {
	case c == '-', '0' <= c && c <= '9':
		return '0'
	default:
		return c
	}
}

// End returns an error if the text goes on behind the value.
func (s *Scanner) End() error {
	if s.space(); s.pos != len(s.data) {
		return s.broken("expected its end")
	}
	return nil
}

// Object reads an object. It calls member for the name of each member, which must read the value.
// The name is valid until member reads something. A name that is there twice is an error if member
// makes it one.
func (s *Scanner) Object(member func(name []byte) error) error {
	if err := s.open('{', "an object"); err != nil {
		return err
	}
	if s.Kind() == '}' {
		return s.close()
	}
	for {
		s.space()
		name, err := s.text(s.key[:0])
		if err != nil {
			return err
		}
		if s.space(); s.pos == len(s.data) || s.data[s.pos] != ':' {
			return s.broken("expected ':'")
		}
		s.pos++
		if err := member(name); err != nil {
			return err
		}
		if more, err := s.next('}', "expected ',' or '}'"); err != nil || !more {
			return err
		}
	}
}

// Array reads an array. It calls element for each element, which must read it.
func (s *Scanner) Array(element func(i int) error) error {
	if err := s.open('[', "an array"); err != nil {
		return err
	}
	if s.Kind() == ']' {
		return s.close()
	}
	for i := 0; ; i++ {
		if err := element(i); err != nil {
			return err
		}
		if more, err := s.next(']', "expected ',' or ']'"); err != nil || !more {
			return err
		}
	}
}

// open reads the bracket that begins an array or object.
func (s *Scanner) open(bracket byte, what string) error {
	if s.Kind() != bracket {
		return s.broken("expected " + what)
	}
	if s.depth == s.maxDepth {
		return oip.Errorf(oip.Malformed, "the JSON is nested deeper than the limit of %d at byte %d", s.maxDepth, s.pos)
	}
	s.depth++
	s.pos++
	return nil
}

// close reads the bracket that ends an array or object.
func (s *Scanner) close() error {
	s.depth--
	s.pos++
	return nil
}

// next reads the comma behind an element, or the bracket that ends the array or object.
func (s *Scanner) next(bracket byte, expected string) (more bool, err error) {
	switch s.Kind() {
	case ',':
		s.pos++
		return true, nil
	case bracket:
		return false, s.close()
	default:
		return false, s.broken(expected)
	}
}

// Bool reads true or false.
func (s *Scanner) Bool() (bool, error) {
	switch s.Kind() {
	case 't':
		return true, s.literal("true")
	case 'f':
		return false, s.literal("false")
	default:
		return false, s.broken("expected true or false")
	}
}

// Skip reads a value and checks its form.
func (s *Scanner) Skip() error {
	switch s.Kind() {
	case '{':
		return s.Object(func([]byte) error { return s.Skip() })
	case '[':
		return s.Array(func(int) error { return s.Skip() })
	case '"':
		_, err := s.text(s.key[:0])
		return err
	case '0':
		_, err := s.Number()
		return err
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	default:
		return s.broken("expected a value")
	}
}

// Raw reads a value, checks its form, and returns its text, which is shared.
func (s *Scanner) Raw() ([]byte, error) {
	s.space()
	from := s.pos
	if err := s.Skip(); err != nil {
		return nil, err
	}
	return s.data[from:s.pos:s.pos], nil
}

// literal reads a word such as true.
func (s *Scanner) literal(word string) error {
	if end := s.pos + len(word); end <= len(s.data) && string(s.data[s.pos:end]) == word {
		s.pos = end
		return nil
	}
	return s.broken("expected " + word)
}

// space skips white space.
func (s *Scanner) space() { s.pos = Space(s.data, s.pos) }

// Space returns the offset of the first byte of data from pos that is not white space.
func Space(data []byte, pos int) int {
	for pos < len(data) && data[pos] <= ' ' && isSpace[data[pos]] {
		pos++
	}
	return pos
}

var isSpace = [' ' + 1]bool{' ': true, '\t': true, '\n': true, '\r': true}

// broken returns an error for the byte at pos, where expected says what should be there.
func (s *Scanner) broken(expected string) error { return Broken(s.data, s.pos, expected) }

// Broken returns the error for JSON in which not the byte at pos but what expected says was
// expected.
func Broken(data []byte, pos int, expected string) error {
	if pos >= len(data) {
		return oip.Errorf(oip.Malformed, "the JSON ends at byte %d: %s", pos, expected)
	}
	return oip.Errorf(oip.Malformed, "the JSON is broken at byte %d: %s, found %q", pos, expected, data[pos])
}

// text reads a string, and returns its bytes: those of the data if nothing in it is escaped, and
// memory appended to otherwise.
func (s *Scanner) text(memory []byte) ([]byte, error) {
	text, end, escaped, err := Text(s.data, s.pos, memory)
	if err != nil {
		return nil, err
	}
	if escaped {
		s.key = text[:0]
	}
	s.pos = end
	return text, nil
}

// String reads a string.
func (s *Scanner) String() (string, error) {
	s.space()
	text, err := s.text(s.key[:0])
	return string(text), err
}

// hasByteBelow returns bits that are not zero if a byte of word is less than n, which is at most
// 128.
func hasByteBelow(word uint64, n uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	return (word - ones*n) &^ word & highs
}

// hasByte returns bits that are not zero if a byte of word is n.
func hasByte(word uint64, n uint64) uint64 {
	return hasByteBelow(word^0x0101010101010101*n, 1)
}

// firstByte returns the index of the first byte of a word for which marks, as hasByte makes them
// from little-endian words, has a bit. Bits above the first can be wrong.
func firstByte(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }
