package regex

import (
	"strings"
	"unicode/utf8"
)

// escape parses a backslash and what follows, outside of a class.
func (p *parser) escape(o *options) (*node, error) {
	start := p.at
	p.at++
	if p.at >= len(p.in) {
		return nil, p.errorf(start, "the pattern ends with a backslash")
	}
	c := p.in[p.at]
	simple := func(k kind) (*node, error) {
		p.at++
		return &node{kind: k}, nil
	}
	switch c {
	case 'A':
		return simple(kindBegin)
	case 'z':
		return simple(kindEnd)
	case 'Z':
		return simple(kindEndLine)
	case 'G':
		return simple(kindFirst)
	case 'K':
		if p.asserting > 0 {
			return nil, p.errorf(start, "\\K is in an assertion")
		}
		return simple(kindKeep)
	case 'b', 'B':
		p.at++
		return &node{kind: pick(c == 'b', kindWord, kindNotWord), set: word(o)}, nil
	case 'X':
		return simple(kindCluster)
	case 'R':
		p.at++
		return newline(), nil
	case 'C':
		return nil, p.unsupported(start, "\\C")
	case 'N':
		if next := p.in[p.at+1:]; next != "" && next[0] == '{' {
			if _, _, _, ok := braces(next); !ok {
				break // a code point
			}
		}
		p.at++
		return &node{kind: kindSet, set: notNewline()}, nil
	case 'g':
		if next := p.in[p.at+1:]; next != "" && (next[0] == '<' || next[0] == '\'') {
			return nil, p.unsupported(start, "recursion")
		}
		p.at++
		return p.groupReference(start, o)
	case 'k':
		p.at++
		return p.nameReference(start, o)
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		at := p.at
		n, _, err := p.number()
		if err != nil {
			return nil, err
		}
		if n < 10 || c >= '8' || n <= p.count {
			return p.reference(o, "", n, start), nil
		}
		p.at = at
	}
	s, r, err := p.member(start, o)
	switch {
	case err != nil:
		return nil, err
	case s != nil:
		return &node{kind: kindSet, set: s}, nil
	}
	return char(r, o), nil
}

// groupReference parses what follows \g: a number or a name.
func (p *parser) groupReference(start int, o *options) (*node, error) {
	brace := p.has("{")
	if brace {
		p.at++
		p.skipBlank()
	}
	n, ok, err := p.number()
	switch {
	case err != nil:
		return nil, err
	case !ok && !brace:
		return nil, p.errorf(start, "\\g needs a number or a name")
	case !ok:
		return p.bracedName(start, o)
	}
	if brace {
		p.skipBlank()
		if !p.has("}") {
			return nil, p.errorf(start, "\\g{ needs a }")
		}
		p.at++
	}
	return p.reference(o, "", n, start), nil
}

// nameReference parses what follows \k.
func (p *parser) nameReference(start int, o *options) (*node, error) {
	end := byte(0)
	if p.at < len(p.in) {
		end = p.in[p.at]
	}
	p.at++
	switch end {
	case '{':
		p.skipBlank()
		return p.bracedName(start, o)
	case '<':
		end = '>'
	case '\'':
	default:
		return nil, p.errorf(start, "\\k needs a name in {}, <> or ''")
	}
	name, err := p.name(end)
	if err != nil {
		return nil, err
	}
	return p.reference(o, name, 0, start), nil
}

// bracedName parses a name and the } after it.
func (p *parser) bracedName(start int, o *options) (*node, error) {
	end := strings.IndexByte(p.in[p.at:], '}')
	if end < 0 {
		return nil, p.errorf(start, "the name of a group needs a }")
	}
	// The name ends before the blanks that can be there.
	in, close := p.in, p.at+end
	p.in = strings.TrimRight(in[:close], " \t") + "}"
	name, err := p.name('}')
	p.in, p.at = in, close+1
	if err != nil {
		return nil, err
	}
	return p.reference(o, name, 0, start), nil
}

func (p *parser) skipBlank() {
	for p.has(" ") || p.has("\t") {
		p.at++
	}
}

// newline returns what \R matches.
func newline() *node {
	crlf := &node{kind: kindCat, subs: []*node{{kind: kindChar, r: '\r'}, {kind: kindChar, r: '\n'}}}
	one := &node{kind: kindSet, set: vertical()}
	return &node{kind: kindAtomic, subs: []*node{{kind: kindAlt, subs: []*node{crlf, one}}}}
}

// member parses what follows the backslash of an escape that stands for a character or a set.
func (p *parser) member(start int, o *options) (*set, rune, error) {
	r := p.rune()
	switch r {
	case 'd', 'D':
		return both(r == 'd', false, digitSet(o)), 0, nil
	case 's', 'S':
		return both(r == 's', true, spaceSet(o)), 0, nil
	case 'w', 'W':
		return both(r == 'w', false, word(o)), 0, nil
	case 'h', 'H':
		return both(r == 'h', false, blank()), 0, nil
	case 'v', 'V':
		return both(r == 'v', false, vertical()), 0, nil
	case 'p', 'P':
		s, err := p.property(start, r == 'P', o)
		return s, 0, err
	case 'a':
		return nil, 7, nil
	case 'e':
		return nil, 27, nil
	case 'f':
		return nil, '\f', nil
	case 'n':
		return nil, '\n', nil
	case 'r':
		return nil, '\r', nil
	case 't':
		return nil, '\t', nil
	case 'c':
		if p.at >= len(p.in) || p.in[p.at] < ' ' || p.in[p.at] > '~' {
			return nil, 0, p.errorf(start, "\\c needs a printable ASCII character")
		}
		c := p.in[p.at]
		p.at++
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		return nil, rune(c ^ 0x40), nil
	case 'x':
		if p.has("{") {
			return p.braced(start, 16)
		}
		value, n := p.digits(16, 2)
		if n == 0 {
			return nil, 0, p.errorf(start, "\\x needs digits")
		}
		return nil, value, nil
	case 'o':
		if !p.has("{") {
			return nil, 0, p.errorf(start, "\\o needs a {")
		}
		return p.braced(start, 8)
	case 'N':
		if !p.has("{U+") {
			return nil, 0, p.errorf(start, "\\N{ needs U+ and a number")
		}
		p.at += len("U+")
		return p.braced(start, 16)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		p.at--
		value, _ := p.digits(8, 3)
		return nil, value, nil
	case '8', '9':
		return nil, r, nil
	}
	if r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
		return nil, 0, p.errorf(start, "unknown escape \\%c", r)
	}
	return nil, r, nil
}

// braced parses a number from { to }. The byte at p.at is skipped, whatever it is.
func (p *parser) braced(start, base int) (*set, rune, error) {
	p.at++
	p.skipBlank()
	value, n := p.digits(base, len(p.in))
	p.skipBlank()
	switch {
	case n == 0 || !p.has("}"):
		return nil, 0, p.errorf(start, "the number of a character is missing or has no }")
	case value > maxRune || value >= 0xd800 && value < 0xe000:
		return nil, 0, p.errorf(start, "there is no character %#x", value)
	}
	p.at++
	return nil, value, nil
}

// both returns s, or the set of all other characters.
func both(positive, bad bool, s *set) *set {
	if positive {
		return s
	}
	return s.inverse(bad)
}

// property parses what follows \p or \P.
func (p *parser) property(start int, inverse bool, o *options) (*set, error) {
	name := ""
	switch {
	case p.has("{"):
		end := strings.IndexByte(p.in[p.at:], '}')
		if end < 0 {
			return nil, p.errorf(start, "the name of a property needs a }")
		}
		name = p.in[p.at+1 : p.at+end]
		p.at += end + 1
		if trimmed := strings.TrimLeft(name, " \t"); strings.HasPrefix(trimmed, "^") {
			name, inverse = trimmed[1:], !inverse
		}
	case p.at < len(p.in):
		name = string(p.rune())
	}
	s, err := propertySet(name, o.caseless)
	if err != nil {
		return nil, p.errorf(start, "%w", err)
	}
	return both(!inverse, false, s), nil
}

// class parses a class in brackets.
func (p *parser) class(o *options) (*node, error) {
	start := p.at
	p.at++
	if p.isPosix() {
		return nil, p.errorf(start, "a POSIX class needs a second pair of brackets")
	}
	if n := p.wordEdge(o); n != nil {
		return n, nil
	}
	c := classParser{parser: p, o: o, out: &set{}}
	inverse := false
	c.skip()
	if p.has("^") {
		p.at++
		inverse = true
		c.skip()
	}
	for first := true; ; first = false {
		if p.at >= len(p.in) {
			return nil, p.errorf(start, "the class has no ]")
		}
		if p.in[p.at] == ']' && !first && !c.literal {
			p.at++
			break
		}
		if err := c.item(); err != nil {
			return nil, err
		}
		c.skip()
	}
	s := c.out.normalize()
	if inverse {
		s = s.inverse(true)
	}
	return &node{kind: kindSet, set: s}, nil
}

// wordEdge parses [[:<:]] and [[:>:]], the start and the end of a word.
func (p *parser) wordEdge(o *options) *node {
	begin := p.has("[:<:]]")
	if !begin && !p.has("[:>:]]") {
		return nil
	}
	p.at += len("[:<:]]")
	one := &node{kind: kindSet, set: word(o)}
	look := &node{kind: kindLook, subs: []*node{one}}
	if !begin {
		branch := &node{kind: kindCat, subs: []*node{one}, min: 1, max: 1}
		look = &node{kind: kindBehind, subs: []*node{branch}}
	}
	return &node{kind: kindCat, subs: []*node{{kind: kindWord, set: word(o)}, look}}
}

// isPosix reports whether the pattern goes on as [ of a class and then :name:], .name.] or =name=].
func (p *parser) isPosix() bool {
	rest := p.in[p.at:]
	if len(rest) < 3 || rest[0] != ':' && rest[0] != '.' && rest[0] != '=' {
		return false
	}
	for i := 1; i+1 < len(rest); i++ {
		switch {
		case rest[i] == rest[0] && rest[i+1] == ']':
			return true
		case rest[i] == '\\' && (rest[i+1] == ']' || rest[i+1] == '\\'):
			i++
		case rest[i] == ']', rest[i] == '[' && rest[i+1] == rest[0]:
			return false
		}
	}
	return false
}

// classParser parses the inside of a class.
type classParser struct {
	*parser
	o       *options
	out     *set
	literal bool // between \Q and \E
}

// skip skips \Q, \E and, with (?xx), blanks.
func (c *classParser) skip() {
	for {
		switch {
		case c.has(`\E`):
			c.at += 2
			c.literal = false
		case !c.literal && c.has(`\Q`):
			c.at += 2
			c.literal = true
		case !c.literal && c.o.classExtended && (c.has(" ") || c.has("\t")):
			c.at++
		default:
			return
		}
	}
}

// item adds a character, a range or a set to the class.
func (c *classParser) item() error {
	start := c.at
	s, lo, err := c.one()
	if err != nil {
		return err
	}
	c.skip()
	ranged := false
	if !c.literal && c.has("-") {
		hyphen := c.at
		c.at++
		c.skip()
		if c.at < len(c.in) && (c.in[c.at] != ']' || c.literal) {
			ranged = true
		} else {
			c.at = hyphen
		}
	}
	if !ranged {
		if s != nil {
			c.out.add(s)
		} else {
			c.addRange(lo, lo)
		}
		return nil
	}
	if s != nil {
		return c.errorf(start, "a range starts with a set")
	}
	s, hi, err := c.one()
	switch {
	case err != nil:
		return err
	case s != nil:
		return c.errorf(start, "a range ends with a set")
	case hi < lo:
		return c.errorf(start, "a range from %#x to %#x", lo, hi)
	}
	c.addRange(lo, hi)
	return nil
}

func (c *classParser) addRange(lo, hi rune) {
	s := setOf(span{lo, hi})
	if c.o.caseless {
		s = s.folded(c.o.asciiFold)
	}
	c.out.add(s)
}

// one parses a set or a character.
func (c *classParser) one() (*set, rune, error) {
	start := c.at
	switch {
	case c.literal:
		return nil, c.rune(), nil
	case c.has("["):
		c.at++
		if c.isPosix() {
			s, err := c.posix(start)
			return s, 0, err
		}
		return nil, '[', nil
	case !c.has(`\`):
		return nil, c.rune(), nil
	}
	c.at++
	if c.at >= len(c.in) {
		return nil, 0, c.errorf(start, "the pattern ends with a backslash")
	}
	switch c.in[c.at] {
	case 'b':
		c.at++
		return nil, '\b', nil
	case 'N':
		if !c.has("N{U+") {
			return nil, 0, c.errorf(start, "\\N is in a class")
		}
	}
	return c.member(start, c.o)
}

// posix parses a class such as [:alpha:], after its first bracket.
func (c *classParser) posix(start int) (*set, error) {
	if c.in[c.at] != ':' {
		return nil, c.errorf(start, "collating elements are not supported by PCRE2")
	}
	end := c.at + strings.Index(c.in[c.at:], ":]")
	name := c.in[c.at+1 : end]
	c.at = end + 2
	inverse := strings.HasPrefix(name, "^")
	s := posixSet(strings.TrimPrefix(name, "^"), c.o)
	if s == nil {
		return nil, c.errorf(start, "unknown POSIX class %q", name)
	}
	return both(!inverse, false, s), nil
}
