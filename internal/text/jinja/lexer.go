package jinja

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/python"
)

// kind is the type of a token.
type kind uint8

const (
	kindEOF kind = iota
	kindData
	kindVariableBegin
	kindVariableEnd
	kindBlockBegin
	kindBlockEnd
	kindName
	kindString
	kindInteger
	kindFloat
	kindOperator
)

// token is a token of a template. text is the name or the operator, or the text between tags, or
// what a string holds. value is that of a number.
type token struct {
	kind  kind
	line  int
	text  string
	value any
}

// String says what the token is, for errors.
func (t token) String() string {
	switch t.kind {
	case kindEOF:
		return "end of template"
	case kindData:
		return "template data"
	case kindVariableBegin:
		return "begin of print statement"
	case kindVariableEnd:
		return "end of print statement"
	case kindBlockBegin:
		return "begin of statement block"
	case kindBlockEnd:
		return "end of statement block"
	case kindString:
		return "string"
	case kindInteger, kindFloat:
		return "number"
	}
	return strconv.Quote(t.text)
}

// lexer splits a template into tokens, with trim_blocks and lstrip_blocks.
type lexer struct {
	src    string
	pos    int
	line   int
	tokens []token
	// lineStart says whether the tag before ended with a line.
	lineStart bool
	// open are the brackets that wait to be closed.
	open []byte
}

// lex returns the tokens of a template, of which the last is the end. It panics with an *Error.
func lex(source string) []token {
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	l := &lexer{src: strings.TrimSuffix(source, "\n"), line: 1, lineStart: true}
	for l.pos < len(l.src) {
		l.root()
	}
	l.emit(kindEOF, "")
	return l.tokens
}

func (l *lexer) emit(k kind, text string) {
	l.tokens = append(l.tokens, token{kind: k, line: l.line, text: text})
}

// advance moves on to end and counts lines.
func (l *lexer) advance(end int) {
	passed := l.src[l.pos:end]
	l.line += strings.Count(passed, "\n")
	l.lineStart = strings.HasSuffix(passed, "\n")
	l.pos = end
}

// root reads text up to the next tag, and the tag.
func (l *lexer) root() {
	at := l.pos
	for ; ; at++ {
		next := strings.IndexByte(l.src[at:], '{')
		if next < 0 || at+next+1 >= len(l.src) {
			l.emit(kindData, l.src[l.pos:])
			l.advance(len(l.src))
			return
		}
		at += next
		if c := l.src[at+1]; c == '%' || c == '{' || c == '#' {
			break
		}
	}
	sign := byte(0)
	begin := at + 2
	if begin < len(l.src) && (l.src[begin] == '-' || l.src[begin] == '+') {
		sign = l.src[begin]
		begin++
	}
	tag := l.src[at+1]
	l.data(l.src[l.pos:at], sign, tag != '{')
	switch tag {
	case '{':
		l.advance(begin)
		l.emit(kindVariableBegin, "")
		l.expression(kindVariableEnd)
	case '#':
		l.advance(begin)
		l.comment()
	default:
		if end := l.wordTag(begin, "raw", false); end > 0 {
			l.advance(end)
			l.raw()
			return
		}
		l.advance(begin)
		l.emit(kindBlockBegin, "")
		l.expression(kindBlockEnd)
	}
}

// data emits text before a tag: without white space at its end if the tag has a minus sign, or
// without the indentation of the tag if block says that it is not a variable.
func (l *lexer) data(text string, sign byte, block bool) {
	kept := text
	switch {
	case sign == '-':
		kept = python.RStrip(text)
	case sign != '+' && block:
		start := strings.LastIndexByte(text, '\n') + 1
		if (start > 0 || l.lineStart) && python.Strip(text[start:]) == "" {
			kept = text[:start]
		}
	}
	if kept != "" {
		l.emit(kindData, kept)
	}
	l.advance(l.pos + len(text))
}

// spaces returns the position of the first character at or after pos that is not white space.
func (l *lexer) spaces(pos int) int {
	return len(l.src) - len(python.LStrip(l.src[pos:]))
}

// wordTag returns the end of a block tag with a single word, from behind its begin, or 0. last says
// that it is a tag that ends a block, behind which a line end is removed.
func (l *lexer) wordTag(pos int, word string, last bool) int {
	pos = l.spaces(pos)
	if !strings.HasPrefix(l.src[pos:], word) {
		return 0
	}
	pos = l.spaces(pos + len(word))
	if rest := l.src[pos:]; !last && strings.HasPrefix(rest, "%}") {
		return pos + 2
	} else if !last && !strings.HasPrefix(rest, "-%}") {
		return 0
	}
	return l.tagEnd(pos, "%}")
}

// tagEnd returns the end of a tag that closes at pos: with the white space behind it after a minus
// sign, without any after a plus sign, else with one line end. It returns 0 if none closes there.
func (l *lexer) tagEnd(pos int, closing string) int {
	rest := l.src[pos:]
	switch {
	case strings.HasPrefix(rest, "-"+closing):
		return l.spaces(pos + 1 + len(closing))
	case closing == "}}":
		if strings.HasPrefix(rest, closing) {
			return pos + len(closing)
		}
		return 0
	case strings.HasPrefix(rest, "+"+closing):
		return pos + 1 + len(closing)
	case strings.HasPrefix(rest, closing):
		pos += len(closing)
		if strings.HasPrefix(l.src[pos:], "\n") {
			pos++
		}
		return pos
	}
	return 0
}

// unclosed fails for a tag that does not end, unless the template ends with its begin, as in Jinja.
func (l *lexer) unclosed(what string) {
	if l.pos < len(l.src) {
		fail(l.line, "missing end of %s", what)
	}
}

func (l *lexer) comment() {
	at := strings.Index(l.src[l.pos:], "#}")
	if at < 0 {
		l.unclosed("comment tag")
		return
	}
	at += l.pos
	if at > l.pos && (l.src[at-1] == '-' || l.src[at-1] == '+') {
		at--
	}
	l.advance(l.tagEnd(at, "#}"))
}

// raw reads text up to the tag endraw.
func (l *lexer) raw() {
	for at := l.pos; ; at += 2 {
		next := strings.Index(l.src[at:], "{%")
		if next < 0 {
			l.unclosed("raw directive")
			return
		}
		at += next
		begin := at + 2
		sign := byte(0)
		if begin < len(l.src) && (l.src[begin] == '-' || l.src[begin] == '+') {
			sign = l.src[begin]
			begin++
		}
		if end := l.wordTag(begin, "endraw", true); end > 0 {
			l.data(l.src[l.pos:at], sign, true)
			l.advance(end)
			return
		}
	}
}

// expression reads the tokens of a tag up to its end.
func (l *lexer) expression(end kind) {
	closing := "%}"
	if end == kindVariableEnd {
		closing = "}}"
	}
	for l.pos < len(l.src) {
		if len(l.open) == 0 {
			if at := l.tagEnd(l.pos, closing); at > 0 {
				l.emit(end, "")
				l.advance(at)
				return
			}
		}
		l.one()
	}
}

// one reads one token, or white space.
func (l *lexer) one() {
	if at := l.spaces(l.pos); at > l.pos {
		l.advance(at)
		return
	}
	c := l.src[l.pos]
	switch {
	case '0' <= c && c <= '9':
		l.number()
		return
	case c == '\'' || c == '"':
		if l.quoted(c) {
			return
		}
	}
	if end := l.nameEnd(); end > l.pos {
		name := l.src[l.pos:end]
		if !python.IsIdentifier(name) {
			fail(l.line, "invalid character in identifier %q", name)
		}
		l.emit(kindName, name)
		l.advance(end)
		return
	}
	l.operator()
}

func (l *lexer) nameEnd() int {
	for i, r := range l.src[l.pos:] {
		if !python.IdentifierPart(r) {
			return l.pos + i
		}
	}
	return len(l.src)
}

// digitsEnd returns the end of digits that single underscores may separate, from pos.
func (l *lexer) digitsEnd(pos int, digits string) int {
	end := pos
	for i := pos; i < len(l.src); i++ {
		switch {
		case strings.IndexByte(digits, l.src[i]) >= 0:
			end = i + 1
		case l.src[i] != '_' || i != end:
			return end
		}
	}
	return end
}

const decimal = "0123456789"

// number reads an integer or a number with a point or an exponent.
func (l *lexer) number() {
	if l.pos == 0 || l.src[l.pos-1] != '.' {
		if end := l.floatEnd(); end > 0 {
			text := strings.ReplaceAll(l.src[l.pos:end], "_", "")
			f, _ := strconv.ParseFloat(text, 64)
			l.emit(kindFloat, "")
			l.tokens[len(l.tokens)-1].value = f
			l.advance(end)
			return
		}
	}
	end := 0
	prefix := strings.ToLower(l.src[l.pos:min(l.pos+2, len(l.src))])
	for p, digits := range map[string]string{"0b": "01", "0o": "01234567", "0x": decimal + "abcdefABCDEF"} {
		if p == prefix {
			from := l.pos + 2
			if strings.HasPrefix(l.src[from:], "_") {
				from++
			}
			if end = l.digitsEnd(from, digits); end == from {
				end = 0
			}
		}
	}
	switch {
	case end > 0:
	case l.src[l.pos] == '0':
		end = l.digitsEnd(l.pos, "0")
	default:
		end = l.digitsEnd(l.pos, decimal)
	}
	text := strings.ReplaceAll(l.src[l.pos:end], "_", "")
	n, ok := new(big.Int), len(text) <= python.MaxIntDigits
	if ok {
		n, ok = n.SetString(text, 0)
	}
	if !ok {
		fail(l.line, "integer of %d digits is too large", len(text))
	}
	l.emit(kindInteger, "")
	l.tokens[len(l.tokens)-1].value = normal(n)
	l.advance(end)
}

// floatEnd returns the end of a number with a point or an exponent, or 0.
func (l *lexer) floatEnd() int {
	whole := l.digitsEnd(l.pos, decimal)
	end := 0
	at := whole
	if at < len(l.src) && l.src[at] == '.' {
		if fraction := l.digitsEnd(at+1, decimal); fraction > at+1 {
			end, at = fraction, fraction
		}
	}
	if at < len(l.src) && l.src[at]|0x20 == 'e' {
		at++
		if at < len(l.src) && (l.src[at] == '+' || l.src[at] == '-') {
			at++
		}
		if exponent := l.digitsEnd(at, decimal); exponent > at {
			end = exponent
		}
	}
	return end
}

// quoted reads a string. It returns false if it does not end.
func (l *lexer) quoted(quote byte) bool {
	for i := l.pos + 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case quote:
			l.emit(kindString, l.unescape(l.src[l.pos+1:i]))
			l.advance(i + 1)
			return true
		}
	}
	return false
}

// unescape resolves the escapes of a string literal as Python does.
func (l *lexer) unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for s != "" {
		at := strings.IndexByte(s, '\\')
		if at < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:at])
		s = l.escape(&b, s[at+1:])
	}
	return b.String()
}

// escape writes what the escape at the start of s stands for, and returns the rest.
func (l *lexer) escape(b *strings.Builder, s string) string {
	c := s[0]
	if at := strings.IndexByte(`\'"abfnrtv`, c); at >= 0 {
		b.WriteByte("\\'\"\a\b\f\n\r\t\v"[at])
		return s[1:]
	}
	switch {
	case c == '\n':
		return s[1:]
	case '0' <= c && c <= '7':
		n, value := 0, rune(0)
		for ; n < 3 && n < len(s) && '0' <= s[n] && s[n] <= '7'; n++ {
			value = value*8 + rune(s[n]-'0')
		}
		b.WriteRune(value)
		return s[n:]
	case c == 'x' || c == 'u' || c == 'U':
		n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		value, err := strconv.ParseUint(s[1:min(1+n, len(s))], 16, 32)
		if err != nil || len(s) < 1+n || value > utf8.MaxRune || strings.HasPrefix(s[1:], "_") {
			fail(l.line, `invalid escape \%s in a string`, s[:min(1+n, len(s))])
		}
		// A surrogate becomes U+FFFD: UTF-8 has none.
		b.WriteRune(rune(value))
		return s[1+n:]
	case c == 'N':
		fail(l.line, `escape \N{...} in a string is not supported: write the character`)
	}
	// An unknown escape stays as it is. Python's way through ASCII makes the backslash one of the
	// escape that stands for a character outside of it, which it escapes.
	b.WriteByte('\\')
	r, size := utf8.DecodeRuneInString(s)
	if r < utf8.RuneSelf {
		b.WriteByte(c)
	} else {
		b.WriteString(python.Escape(r)[1:])
	}
	return s[size:]
}

// operators are the operators, longer ones first.
var operators = []string{
	"//", "**", "==", "!=", ">=", "<=",
	"+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";",
}

func (l *lexer) operator() {
	for _, op := range operators {
		if !strings.HasPrefix(l.src[l.pos:], op) {
			continue
		}
		switch op {
		case "{":
			l.open = append(l.open, '}')
		case "(":
			l.open = append(l.open, ')')
		case "[":
			l.open = append(l.open, ']')
		case "}", ")", "]":
			if len(l.open) == 0 {
				fail(l.line, "unexpected %q", op)
			}
			expected := l.open[len(l.open)-1]
			if l.open = l.open[:len(l.open)-1]; expected != op[0] {
				fail(l.line, "unexpected %q, expected %q", op, expected)
			}
		}
		l.emit(kindOperator, op)
		l.advance(l.pos + len(op))
		return
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.pos:])
	fail(l.line, "unexpected character %q", r)
}
