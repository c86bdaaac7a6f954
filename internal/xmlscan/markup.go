package xmlscan

import "bytes"

// skipInstruction skips a processing instruction or XML declaration, from its question mark on.
func (s *Scanner) skipInstruction() error {
	s.pos++
	if classes[s.peek(0)]&nameStart == 0 {
		return s.fail(s.start, "processing instruction without a name")
	}
	if !s.skipPast("?>") {
		return s.fail(s.start, "processing instruction does not end")
	}
	return nil
}

// skipPast moves behind the next occurrence of end. It returns false if there is none.
func (s *Scanner) skipPast(end string) bool {
	i := bytes.Index(s.doc[s.pos:], []byte(end))
	if i < 0 {
		return false
	}
	s.pos += i + len(end)
	return true
}

// readExclamation reads markup that starts with "<!", from the exclamation mark on. It skips a
// comment or DOCTYPE, and also a CDATA section outside the root element. For any other CDATA
// section, it sets the text and returns true.
func (s *Scanner) readExclamation() (cdata bool, err error) {
	rest := s.doc[s.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("!--")):
		s.pos += len("!--")
		if !s.skipPast("-->") {
			return false, s.fail(s.start, "comment does not end")
		}
	case bytes.HasPrefix(rest, []byte("![CDATA[")):
		s.pos += len("![CDATA[")
		from := s.pos
		if !s.skipPast("]]>") {
			return false, s.fail(s.start, "CDATA section does not end")
		}
		if len(s.open) > 0 {
			s.text = s.decodeLines(s.doc[from : s.pos-len("]]>")])
			return true, nil
		}
	case bytes.HasPrefix(rest, []byte("!DOCTYPE")):
		if len(s.open) > 0 {
			return false, s.fail(s.start, "DOCTYPE inside of element <%s>", s.open[len(s.open)-1])
		}
		return false, s.skipDoctype()
	default:
		return false, s.fail(s.start, "'<!' starts no comment, CDATA section or DOCTYPE")
	}
	return false, nil
}

// skipDoctype skips a DOCTYPE. Declarations in it can nest. Quoted strings, comments, instructions
// and ignored sections are skipped whole, since they can contain its end mark.
func (s *Scanner) skipDoctype() error {
	s.note(s.start, "the document has a DOCTYPE, which is ignored")
	s.pos++
	for depth := 0; s.pos < len(s.doc); {
		ok := true
		switch c := s.doc[s.pos]; {
		case c == '<' && s.peek(1) == '!' && s.peek(2) == '[':
			ok = s.skipIgnored()
		case c == '<' && s.peek(1) == '!' && s.peek(2) == '-' && s.peek(3) == '-':
			s.pos += len("<!--")
			ok = s.skipPast("-->")
		case c == '<' && s.peek(1) == '!' && s.peek(2) != '-':
			s.pos += len("<!")
			depth++
		case c == '<' && s.peek(1) == '?':
			s.pos += len("<?")
			ok = s.skipPast("?>")
		case c == '<':
			ok = false
		case c == '"' || c == '\'':
			s.pos++
			ok = s.skipPast(string(rune(c)))
		case c == '>':
			s.pos++
			if depth == 0 {
				return nil
			}
			depth--
		default:
			s.pos++
		}
		if !ok {
			break
		}
	}
	return s.fail(s.start, "DOCTYPE is malformed")
}

// skipIgnored skips an ignored section of a DOCTYPE, "<![ ... ]]>". Such sections can nest.
func (s *Scanner) skipIgnored() bool {
	for depth := 0; s.pos < len(s.doc); {
		switch rest := s.doc[s.pos:]; {
		case bytes.HasPrefix(rest, []byte("<![")):
			s.pos += len("<![")
			depth++
		case bytes.HasPrefix(rest, []byte("]]>")):
			s.pos += len("]]>")
			if depth--; depth == 0 {
				return true
			}
		default:
			s.pos++
		}
	}
	return false
}
