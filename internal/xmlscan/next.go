package xmlscan

import "bytes"

// The classes of characters that pugixml distinguishes.
const (
	space       = 1 << iota // blank, tab, line ends
	nameStart               // may start a name
	nameByte                // may be in a name
	attrSpecial             // ends an attribute value, or is changed in it
)

// classes holds the classes of each byte.
var classes = func() (c [256]uint8) {
	for _, b := range []byte(" \t\r\n") {
		c[b] |= space
	}
	for b := range c {
		letter := 'a' <= b|0x20 && b|0x20 <= 'z' && b < 128
		if letter || b >= 128 || b == '_' || b == ':' {
			c[b] |= nameStart | nameByte
		}
		if '0' <= b && b <= '9' || b == '-' || b == '.' {
			c[b] |= nameByte
		}
	}
	for _, b := range []byte("\"'&\t\r\n") {
		c[b] |= attrSpecial
	}
	return c
}()

// Next moves to the next event and returns its kind. It must not be called again after an error or
// EOF. Errors are of type *SyntaxError.
func (s *Scanner) Next() (Kind, error) {
	s.scratch = s.scratch[:0]
	if s.empty {
		s.empty, s.closing = false, true
		return End, nil
	}
	if s.closing {
		s.pop()
	}
	for s.pos < len(s.doc) {
		s.start = s.pos
		if s.doc[s.pos] != '<' {
			if found := s.readText(); found {
				return Text, nil
			}
			continue
		}
		s.pos++
		switch c := s.peek(0); {
		case classes[c]&nameStart != 0:
			return Start, s.readStart()
		case c == '/':
			return End, s.readEnd()
		case c == '?':
			if err := s.skipInstruction(); err != nil {
				return EOF, err
			}
		case c == '!':
			cdata, err := s.readExclamation()
			if cdata || err != nil {
				return Text, err
			}
		default:
			return EOF, s.fail(s.start, "'<' starts no tag")
		}
	}
	s.start = len(s.doc)
	if len(s.open) > 0 {
		return EOF, s.fail(len(s.doc), "element <%s> is not closed", s.open[len(s.open)-1])
	}
	return EOF, nil
}

// peek returns the byte i bytes after the position, or 0 behind the end.
func (s *Scanner) peek(i int) byte {
	if s.pos+i < len(s.doc) {
		return s.doc[s.pos+i]
	}
	return 0
}

// pop removes the element that ended.
func (s *Scanner) pop() {
	s.open = s.open[:len(s.open)-1]
	s.closing = false
}

// skipSpace moves behind white space.
func (s *Scanner) skipSpace() {
	for s.pos < len(s.doc) && classes[s.doc[s.pos]]&space != 0 {
		s.pos++
	}
}

// readName reads a name. The caller has checked its first byte.
func (s *Scanner) readName() []byte {
	from := s.pos
	i := from + 1
	for i < len(s.doc) && classes[s.doc[i]]&nameByte != 0 {
		i++
	}
	s.pos = i
	return s.doc[from:i:i]
}

// IsName reports whether s is a name that the scanner reads as one.
func IsName(s string) bool {
	for i := range len(s) {
		if classes[s[i]]&nameByte == 0 {
			return false
		}
	}
	return s != "" && classes[s[0]]&nameStart != 0
}

// readStart reads a start tag from its name on.
func (s *Scanner) readStart() error {
	s.name = s.readName()
	s.attrs = s.attrs[:0]
	if len(s.open) >= s.limits.Depth {
		return s.fail(s.start, "elements nest deeper than %d levels", s.limits.Depth)
	}
	s.open = append(s.open, s.name)
	switch c := s.peek(0); {
	case c == '>':
		s.pos++
		return nil
	case c != '/' && classes[c]&space == 0:
		return s.fail(s.pos, "start tag <%s> is malformed", s.name)
	}
	for {
		s.skipSpace()
		switch c := s.peek(0); {
		case classes[c]&nameStart != 0:
			if err := s.readAttr(); err != nil {
				return err
			}
		case c == '>':
			s.pos++
			return nil
		case c == '/' && s.peek(1) == '>':
			s.pos += 2
			s.empty = true
			return nil
		default:
			return s.fail(s.pos, "start tag <%s> is malformed", s.name)
		}
	}
}

// readAttr reads an attribute of a start tag.
func (s *Scanner) readAttr() error {
	at := s.pos
	name := s.readName()
	s.skipSpace()
	if s.peek(0) != '=' {
		return s.fail(s.pos, "attribute %s has no value", name)
	}
	s.pos++
	s.skipSpace()
	quote := s.peek(0)
	if quote != '"' && quote != '\'' {
		return s.fail(s.pos, "the value of attribute %s is not quoted", name)
	}
	s.pos++
	value, ok := s.readValue(quote)
	if !ok {
		return s.fail(at, "the value of attribute %s does not end", name)
	}
	if classes[s.peek(0)]&nameStart != 0 {
		return s.fail(s.pos, "no blank behind attribute %s", name)
	}
	for i := range s.attrs {
		if bytes.Equal(s.attrs[i].Name, name) {
			// Without this check, the arguments would be allocated even if the note is dropped.
			if len(s.notes) < maxNotes {
				s.note(at, "attribute %.100s of <%.100s> is repeated: the first counts", name, s.name)
			}
			return nil
		}
	}
	if len(s.attrs) >= s.limits.Attrs {
		return s.fail(at, "<%s> has more than %d attributes", s.name, s.limits.Attrs)
	}
	s.attrs = append(s.attrs, Attr{name, value})
	return nil
}

// readEnd reads an end tag from its slash on.
func (s *Scanner) readEnd() error {
	s.pos++
	if len(s.open) == 0 {
		return s.fail(s.start, "end tag without a start tag")
	}
	s.name = s.open[len(s.open)-1]
	end := s.pos + len(s.name)
	if end > len(s.doc) || !bytes.Equal(s.doc[s.pos:end], s.name) || end < len(s.doc) && classes[s.doc[end]]&nameByte != 0 {
		return s.fail(s.start, "end tag does not match start tag <%s>", s.name)
	}
	s.pos = end
	s.skipSpace()
	if s.peek(0) != '>' {
		return s.fail(s.start, "end tag </%s> is malformed", s.name)
	}
	s.pos++
	s.closing = true
	return nil
}

// readText reads text up to the next tag. It returns false if the text is no event, because it is
// blank or outside the root element.
func (s *Scanner) readText() bool {
	end := bytes.IndexByte(s.doc[s.pos:], '<')
	if end < 0 {
		end = len(s.doc)
	} else {
		end += s.pos
	}
	raw := s.doc[s.pos:end]
	s.pos = end
	if blank(raw) {
		return false
	}
	if len(s.open) == 0 {
		s.note(s.start, "text outside of the root element")
		return false
	}
	s.text = s.decodeText(raw)
	return true
}

// blank reports whether b is only white space.
func blank(b []byte) bool {
	for _, c := range b {
		if classes[c]&space == 0 {
			return false
		}
	}
	return true
}
