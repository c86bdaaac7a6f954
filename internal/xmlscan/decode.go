package xmlscan

import (
	"bytes"
	"unicode/utf8"
)

// readValue reads an attribute value and its closing quote. It returns false if there is no closing
// quote. A value that needs no decoding shares the memory of the document.
func (s *Scanner) readValue(quote byte) ([]byte, bool) {
	from := s.pos
	i := from
	for ; i < len(s.doc); i++ {
		c := s.doc[i]
		if classes[c]&attrSpecial == 0 {
			continue
		}
		if c == quote {
			s.pos = i + 1
			return s.doc[from:i:i], true
		}
		if c != '"' && c != '\'' {
			break
		}
	}
	return s.decodeValue(from, i, quote)
}

// decodeValue is readValue for a value that starts at from. The bytes before i need no decoding.
func (s *Scanner) decodeValue(from, i int, quote byte) ([]byte, bool) {
	mark := len(s.scratch)
	s.scratch = append(s.scratch, s.doc[from:i]...)
	for i < len(s.doc) {
		switch c := s.doc[i]; {
		case c == quote:
			s.pos = i + 1
			return cutZero(s.scratch[mark:len(s.scratch):len(s.scratch)]), true
		case c == '&':
			i = s.decodeReference(i)
		case classes[c]&space != 0:
			s.scratch = append(s.scratch, ' ')
			if i++; c == '\r' && i < len(s.doc) && s.doc[i] == '\n' {
				i++
			}
		default:
			s.scratch = append(s.scratch, c)
			i++
		}
	}
	return nil, false
}

// decodeText replaces references, and turns line ends into line feeds. raw ends at the position.
func (s *Scanner) decodeText(raw []byte) []byte {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	// Work on doc instead of raw, because decodeReference looks ahead in doc.
	end := s.pos
	for i := end - len(raw); i < end; {
		switch c := s.doc[i]; c {
		case '&':
			i = s.decodeReference(i)
		case '\r':
			s.scratch = append(s.scratch, '\n')
			if i++; i < end && s.doc[i] == '\n' {
				i++
			}
		default:
			s.scratch = append(s.scratch, c)
			i++
		}
	}
	return cutZero(s.scratch)
}

// decodeLines turns the line ends of a CDATA section into line feeds.
func (s *Scanner) decodeLines(raw []byte) []byte {
	if bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	raw = bytes.ReplaceAll(raw, []byte("\r\n"), newline)
	return bytes.ReplaceAll(raw, []byte{'\r'}, newline)
}

// cutZero cuts b at its first zero byte, where a C string ends. A reference can decode to a zero
// byte.
func cutZero(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}

// decodeReference decodes the reference that starts with an ampersand at position i. It appends the
// character to scratch and returns the position behind the reference. If there is no reference, it
// appends the ampersand.
func (s *Scanner) decodeReference(i int) int {
	rest := s.doc[i+1:]
	for _, e := range entities {
		if bytes.HasPrefix(rest, e.name) {
			s.scratch = append(s.scratch, e.char)
			return i + 1 + len(e.name)
		}
	}
	if len(rest) > 0 && rest[0] == '#' {
		if char, n := parseCharacter(rest[1:]); n > 0 {
			s.scratch = utf8.AppendRune(s.scratch, char)
			return i + 2 + n
		}
	}
	s.note(i, "'&' starts no reference")
	s.scratch = append(s.scratch, '&')
	return i + 1
}

// entities lists the predefined entities.
var entities = [...]struct {
	name []byte
	char byte
}{
	{[]byte("lt;"), '<'}, {[]byte("gt;"), '>'}, {[]byte("amp;"), '&'}, {[]byte("quot;"), '"'}, {[]byte("apos;"), '\''},
}

// parseCharacter parses a number such as "10;" or "x0a;" at the start of text. It returns the
// character and the length of its text, which is 0 if there is no number. A number beyond Unicode
// gives the replacement character.
func parseCharacter(text []byte) (rune, int) {
	base := uint32(10)
	i := 0
	if len(text) > 0 && text[0] == 'x' {
		base, i = 16, 1
	}
	digits := i
	char := uint32(0)
	for ; i < len(text); i++ {
		c := text[i]
		var digit uint32
		switch lower := c | 0x20; {
		case '0' <= c && c <= '9':
			digit = uint32(c - '0')
		case base == 16 && 'a' <= lower && lower <= 'f':
			digit = uint32(lower-'a') + 10
		case c == ';' && i > digits:
			return rune(min(char, utf8.MaxRune+1)), i + 1
		default:
			return 0, 0
		}
		char = min(char*base+digit, utf8.MaxRune+1)
	}
	return 0, 0
}
