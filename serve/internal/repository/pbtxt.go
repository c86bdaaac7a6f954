package repository

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseText parses a message in the text format of protocol buffers. It does not know which fields
// there are. Errors have the line.
func parseText(data []byte) (*message, error) {
	p := &textParser{text: string(data), line: 1}
	m, err := p.message("", 0)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", p.line, err)
	}
	return m, nil
}

// textParser reads the text format from left to right.
type textParser struct {
	text string // what is left
	line int
}

// space skips spaces, comments, and the separators that may follow a field.
func (p *textParser) space() {
	for p.text != "" {
		switch p.text[0] {
		case '\n':
			p.line++
		case ' ', '\t', '\r', '\f', '\v':
		case '#':
			end := strings.IndexByte(p.text, '\n')
			if end < 0 {
				end = len(p.text)
			}
			p.text = p.text[end:]
			continue
		default:
			return
		}
		p.text = p.text[1:]
	}
}

// accept skips c and the space before it; false if something else comes.
func (p *textParser) accept(c byte) bool {
	p.space()
	if p.text == "" || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

// message reads fields up to end, which is skipped, or to the end of the text if end is empty.
func (p *textParser) message(end string, depth int) (*message, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("messages are nested more than %d times", maxDepth)
	}
	m := &message{}
	for {
		p.space()
		switch {
		case p.text == "" && end == "":
			return m, nil
		case p.text == "":
			return nil, fmt.Errorf("a message is not closed: %q is missing", end)
		case end != "" && p.text[0] == end[0]:
			p.text = p.text[1:]
			return m, nil
		}
		if err := p.field(m, depth); err != nil {
			return nil, err
		}
		if !p.accept(',') {
			p.accept(';')
		}
	}
}

// field reads a field into m.
func (p *textParser) field(m *message, depth int) error {
	line := p.line
	name := p.word()
	if name == "" {
		return fmt.Errorf("expected the name of a field, found %q", start(p.text))
	}
	colon := p.accept(':')
	if !p.accept('[') {
		return p.value(m, field{name: name, line: line}, colon, depth)
	}
	for first := true; !p.accept(']'); first = false {
		if !first && !p.accept(',') {
			return fmt.Errorf("%s: expected a comma or the end of the list, found %q", name, start(p.text))
		}
		if err := p.value(m, field{name: name, line: line}, colon, depth); err != nil {
			return err
		}
	}
	return nil
}

// value reads the value of f, and adds f to m.
func (p *textParser) value(m *message, f field, colon bool, depth int) error {
	var err error
	switch {
	case p.accept('{'):
		f.message, err = p.message("}", depth+1)
	case p.accept('<'):
		f.message, err = p.message(">", depth+1)
	case !colon:
		err = fmt.Errorf("%s: expected a colon or a message, found %q", f.name, start(p.text))
	case p.text != "" && (p.text[0] == '"' || p.text[0] == '\''):
		f.text, err = p.strings()
	default:
		if f.text = p.word(); f.text == "" {
			err = fmt.Errorf("%s: expected a value, found %q", f.name, start(p.text))
		}
	}
	m.fields = append(m.fields, f)
	return err
}

// word reads a name or a number; empty if neither comes.
func (p *textParser) word() string {
	p.space()
	end := 0
	for end < len(p.text) && isWord(p.text[end]) {
		end++
	}
	word := p.text[:end]
	p.text = p.text[end:]
	return word
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || c == '+' || c == '.' ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// strings reads a string in quotes, and those that follow it, which continue it.
func (p *textParser) strings() (string, error) {
	var all strings.Builder
	for {
		p.space()
		if p.text == "" || p.text[0] != '"' && p.text[0] != '\'' {
			return all.String(), nil
		}
		if err := p.string(&all); err != nil {
			return "", err
		}
	}
}

// string reads a string in quotes into to.
func (p *textParser) string(to *strings.Builder) error {
	quote := p.text[0]
	p.text = p.text[1:]
	for p.text != "" && p.text[0] != quote && p.text[0] != '\n' {
		if p.text[0] != '\\' {
			to.WriteByte(p.text[0])
			p.text = p.text[1:]
			continue
		}
		n, err := escape(to, p.text)
		if err != nil {
			return err
		}
		p.text = p.text[n:]
	}
	if p.text == "" || p.text[0] != quote {
		return fmt.Errorf("a string is not closed")
	}
	p.text = p.text[1:]
	return nil
}

// simpleEscapes are the escapes of one letter, and what they stand for.
const simpleEscapes, simpleEscaped = `abfnrtv?'"\`, "\a\b\f\n\r\t\v?'\"\\"

// escape writes what the escape at the start of text stands for, and returns its length.
func escape(to *strings.Builder, text string) (n int, err error) {
	if len(text) < 2 {
		return 0, fmt.Errorf("a string is not closed")
	}
	c := text[1]
	if i := strings.IndexByte(simpleEscapes, c); i >= 0 {
		to.WriteByte(simpleEscaped[i])
		return 2, nil
	}
	base, first, most, bits := 8, 1, 3, 8
	switch {
	case '0' <= c && c <= '7':
	case c == 'x' || c == 'X':
		base, first, most = 16, 2, 2
	case c == 'u':
		base, first, most, bits = 16, 2, 4, 32
	case c == 'U':
		base, first, most, bits = 16, 2, 8, 32
	default:
		return 0, fmt.Errorf("the escape %q is not known", start(text))
	}
	end := first
	for end < len(text) && end < first+most && isDigit(text[end], base) {
		end++
	}
	value, err := strconv.ParseUint(text[first:end], base, bits)
	if err != nil {
		return 0, fmt.Errorf("the escape %q is not known", start(text))
	}
	if bits == 8 {
		to.WriteByte(byte(value))
		return end, nil
	}
	if end != first+most || value > utf8.MaxRune || !utf8.ValidRune(rune(value)) {
		return 0, fmt.Errorf("the escape %q is no character", start(text))
	}
	to.WriteRune(rune(value))
	return end, nil
}

// isDigit reports whether c is a digit of numbers to the given base, 8 or 16.
func isDigit(c byte, base int) bool {
	if base == 8 {
		return '0' <= c && c <= '7'
	}
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// start returns the start of text, for messages.
func start(text string) string {
	const most = 10
	if text == "" {
		return "the end"
	}
	return text[:min(len(text), most)]
}
