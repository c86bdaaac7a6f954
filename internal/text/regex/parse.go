package regex

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
)

// ErrUnsupported is what the error of Compile wraps for a pattern that PCRE2 accepts and this
// package does not.
var ErrUnsupported = errors.New("not supported")

const (
	maxPattern = 4 << 20 // bytes
	maxDepth   = 250     // of parentheses, as in PCRE2
	maxRepeat  = 1<<16 - 1
	maxGroups  = 1<<16 - 1
	maxName    = 128
	maxBehind  = 255 // characters of a branch of a lookbehind that matches texts of several lengths
)

// options are what letters such as those of (?i) set.
type options struct {
	caseless, lines, dotAll, extended, classExtended, noCapture, duplicates, ungreedy bool
	asciiFold, asciiDigit, asciiSpace, asciiWord, asciiPosix, asciiPosixDigit         bool
}

// groupInfo is what the parser knows about a group.
type groupInfo struct {
	name                    string
	node                    *node
	several                 bool // more than one group has the number
	measuring, measured, ok bool
	least, most             int // lengths, if measured
}

type parser struct {
	in    string
	at    int
	depth int
	// asserting is the number of assertions around p.at.
	asserting int
	// asserts is set by the first lookahead or lookbehind.
	asserts bool
	count   int         // the number of the last group
	groups  []groupInfo // by number; 0 is the whole match
	names   map[string][]int
	// refs and behinds are checked when all groups are known.
	refs    []reference
	behinds []*node
}

// reference is a reference to a group that may come later.
type reference struct {
	node   *node
	name   string
	number int
	at     int
}

func (p *parser) errorf(at int, format string, args ...any) error {
	return faults.Errorf("regular expression, byte %d: %w", at, faults.Errorf(format, args...))
}

func (p *parser) unsupported(at int, what string) error {
	return faults.Errorf("regular expression, byte %d: %s is %w", at, what, ErrUnsupported)
}

// parse parses a pattern.
func parse(pattern string) (*node, *parser, error) {
	p := &parser{in: pattern, groups: make([]groupInfo, 1), names: map[string][]int{}}
	switch {
	case len(pattern) > maxPattern:
		return nil, nil, p.errorf(maxPattern, "%d bytes are too long, the limit is %d", len(pattern), maxPattern)
	case !utf8.ValidString(pattern):
		return nil, nil, p.errorf(0, "the pattern is not UTF-8")
	}
	if err := p.startOptions(); err != nil {
		return nil, nil, err
	}
	root, err := p.alternatives(&options{}, false)
	if err != nil {
		return nil, nil, err
	}
	if p.at < len(p.in) {
		return nil, nil, p.errorf(p.at, "unmatched )")
	}
	return root, p, p.resolve()
}

// startOptions skips (*UTF) and other words at the start that change nothing here.
func (p *parser) startOptions() error {
	for {
		rest := p.in[p.at:]
		n := 0
		for _, word := range []string{"(*UTF)", "(*UCP)", "(*NO_JIT)", "(*NO_START_OPT)", "(*NO_AUTO_POSSESS)", "(*NO_DOTSTAR_ANCHOR)", "(*LF)", "(*BSR_UNICODE)"} {
			if len(rest) >= len(word) && rest[:len(word)] == word {
				n = len(word)
			}
		}
		if n == 0 {
			return nil
		}
		p.at += n
	}
}

// resolve sets the groups of references and checks lookbehinds.
func (p *parser) resolve() error {
	for _, ref := range p.refs {
		if ref.name != "" {
			if ref.node.groups = p.names[ref.name]; ref.node.groups == nil {
				return p.errorf(ref.at, "no group has the name %q", ref.name)
			}
			continue
		}
		if ref.number < 1 || ref.number >= len(p.groups) {
			return p.errorf(ref.at, "group %d does not exist, there are %d", ref.number, len(p.groups)-1)
		}
		ref.node.groups = []int{ref.number}
	}
	for _, behind := range p.behinds {
		for _, branch := range behind.subs {
			least, most, ok := p.lengths(branch)
			switch {
			case !ok || most == unlimited:
				return p.errorf(behind.number, "the lookbehind has no greatest length")
			case least < most && most > maxBehind, most >= many:
				return p.errorf(behind.number, "the lookbehind is too long")
			}
			branch.min, branch.max = least, most
		}
	}
	return nil
}

// alternatives parses up to the end of the pattern or the ) that ends a group. Options that are set
// in one alternative hold in the next ones. reset is for (?|: all alternatives number their groups
// from the same number on.
func (p *parser) alternatives(o *options, reset bool) (*node, error) {
	n, err := p.branches(o, reset)
	if err != nil {
		return nil, err
	}
	if len(n.subs) == 1 {
		return n.subs[0], nil
	}
	return n, nil
}

func (p *parser) branches(o *options, reset bool) (*node, error) {
	n := &node{kind: kindAlt}
	start, last := p.count, p.count
	for {
		branch, err := p.sequence(o)
		if err != nil {
			return nil, err
		}
		n.subs = append(n.subs, branch)
		last = max(last, p.count)
		if p.at >= len(p.in) || p.in[p.at] == ')' {
			p.count = last
			return n, nil
		}
		p.at++ // |
		if reset {
			p.count = start
		}
	}
}

// sequence parses one alternative.
func (p *parser) sequence(o *options) (*node, error) {
	cat := &node{kind: kindCat}
	repeatable := false // whether the last of cat.subs can have a quantifier
	for p.at < len(p.in) {
		start := p.at
		c := p.in[p.at]
		if o.extended && p.skipSpace() {
			continue
		}
		switch c {
		case '|', ')':
			return cat, nil
		case '*', '+', '?', '{':
			low, high, ok, err := p.quantifier()
			if err != nil {
				return nil, err
			}
			if ok {
				if !repeatable {
					return nil, p.errorf(start, "there is nothing to repeat")
				}
				repeatable = false
				last := &cat.subs[len(cat.subs)-1]
				*last = &node{kind: kindRepeat, subs: []*node{*last}, min: low, max: high, mode: p.mode(o)}
				continue
			}
			p.at++
			cat.subs, repeatable = append(cat.subs, char('{', o)), true
		case '\\':
			if p.has(`\E`) {
				p.at += 2
				continue
			}
			if p.has(`\Q`) {
				p.at += 2
				if p.literal(cat, o) {
					repeatable = true
				}
				continue
			}
			n, err := p.escape(o)
			if err != nil {
				return nil, err
			}
			cat.subs, repeatable = append(cat.subs, n), n.kind < kindFail
		case '(':
			n, able, err := p.group(o)
			if err != nil {
				return nil, err
			}
			if n != nil {
				cat.subs, repeatable = append(cat.subs, n), able
			} else {
				repeatable = able && repeatable
			}
		case '[':
			n, err := p.class(o)
			if err != nil {
				return nil, err
			}
			cat.subs, repeatable = append(cat.subs, n), true
		case '^':
			p.at++
			cat.subs, repeatable = append(cat.subs, &node{kind: pick(o.lines, kindLineBegin, kindBegin)}), false
		case '$':
			p.at++
			cat.subs, repeatable = append(cat.subs, &node{kind: pick(o.lines, kindLineEnd, kindEndLine)}), false
		case '.':
			p.at++
			any := notNewline
			if o.dotAll {
				any = everything
			}
			cat.subs, repeatable = append(cat.subs, &node{kind: kindSet, set: any()}), true
		default:
			cat.subs, repeatable = append(cat.subs, char(p.rune(), o)), true
		}
	}
	return cat, nil
}

func pick(yes bool, a, b kind) kind {
	if yes {
		return a
	}
	return b
}

func everything() *set { return &set{spans: []span{{0, maxRune}}, bad: true} }
func notNewline() *set { return setOf(span{'\n', '\n'}).inverse(true) }

// has reports whether the rest of the pattern starts with text.
func (p *parser) has(text string) bool {
	return len(p.in)-p.at >= len(text) && p.in[p.at:p.at+len(text)] == text
}

// rune returns the character at p.at, and skips it.
func (p *parser) rune() rune {
	r, n := utf8.DecodeRuneInString(p.in[p.at:])
	p.at += n
	return r
}

// skipSpace skips white space and a comment, which (?x) allows in a pattern.
func (p *parser) skipSpace() bool {
	start := p.at
	for p.at < len(p.in) {
		switch r, n := utf8.DecodeRuneInString(p.in[p.at:]); r {
		case '\t', '\n', '\v', '\f', '\r', ' ', 0x85, 0x200e, 0x200f, 0x2028, 0x2029:
			p.at += n
		case '#':
			for p.at < len(p.in) && p.in[p.at] != '\n' {
				p.at++
			}
		default:
			return p.at > start
		}
	}
	return p.at > start
}

// literal parses the characters after \Q up to \E, and reports whether there are any.
func (p *parser) literal(cat *node, o *options) bool {
	any := false
	for p.at < len(p.in) {
		if p.has(`\E`) {
			p.at += 2
			break
		}
		cat.subs, any = append(cat.subs, char(p.rune(), o)), true
	}
	return any
}

// quantifier parses a quantifier. ok is false for a { that starts none.
func (p *parser) quantifier() (low, high int, ok bool, err error) {
	switch p.in[p.at] {
	case '*':
		p.at++
		return 0, unlimited, true, nil
	case '+':
		p.at++
		return 1, unlimited, true, nil
	case '?':
		p.at++
		return 0, 1, true, nil
	}
	low, high, n, ok := braces(p.in[p.at:])
	if !ok {
		return 0, 0, false, nil
	}
	start := p.at
	p.at += n
	switch {
	case low > maxRepeat || high > maxRepeat:
		return 0, 0, false, p.errorf(start, "the number of repeats is greater than %d", maxRepeat)
	case high != unlimited && low > high:
		return 0, 0, false, p.errorf(start, "at least %d and at most %d repeats", low, high)
	}
	return low, high, true, nil
}

// braces parses {n}, {n,}, {n,m} and {,m}. It returns the length, and whether there is one.
func braces(in string) (low, high, length int, ok bool) {
	at := 1
	space := func() {
		for at < len(in) && (in[at] == ' ' || in[at] == '\t') {
			at++
		}
	}
	number := func() (int, bool) {
		n, start := 0, at
		for at < len(in) && in[at] >= '0' && in[at] <= '9' {
			n = min(10*n+int(in[at]-'0'), maxRepeat+1)
			at++
		}
		return n, at > start
	}
	space()
	low, first := number()
	space()
	high = low
	if at < len(in) && in[at] == ',' {
		at++
		space()
		var second bool
		if high, second = number(); !second {
			high = unlimited
			if !first {
				return 0, 0, 0, false
			}
		}
		first = true
		space()
	}
	if !first || at >= len(in) || in[at] != '}' {
		return 0, 0, 0, false
	}
	return low, high, at + 1, true
}

// mode parses what can follow a quantifier.
func (p *parser) mode(o *options) mode {
	if o.extended {
		p.skipSpace()
	}
	m := greedy
	if o.ungreedy {
		m = lazy
	}
	switch {
	case p.has("+"):
		p.at++
		return possessive
	case p.has("?"):
		p.at++
		return lazy - m
	}
	return m
}

// char returns a node that matches r.
func char(r rune, o *options) *node {
	if o.caseless {
		if s := setOf(span{r, r}).folded(o.asciiFold); len(s.spans) > 1 || s.spans[0].lo != s.spans[0].hi {
			return &node{kind: kindSet, set: s}
		}
	}
	return &node{kind: kindChar, r: r}
}

// enter counts a parenthesis that opens.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return p.errorf(p.at, "parentheses are nested more than %d deep", maxDepth)
	}
	return nil
}

// closed parses the ) of a group.
func (p *parser) closed(start int) error {
	if p.at >= len(p.in) {
		return p.errorf(start, "missing ) for the ( here")
	}
	p.at++
	p.depth--
	return nil
}

// group parses what starts with a parenthesis. n is nil for what matches nothing and changes
// nothing; able then says whether a quantifier after it belongs to what precedes it.
func (p *parser) group(o *options) (n *node, able bool, err error) {
	start := p.at
	p.at++
	switch {
	case p.has("*"):
		n, err := p.verb(start)
		return n, false, err
	case !p.has("?"):
		if o.noCapture {
			n, err = p.inner(start, *o, false)
			return n, true, err
		}
		n, err = p.capture(start, "", o)
		return n, true, err
	}
	p.at++
	rest := p.in[p.at:]
	if rest == "" {
		return nil, false, p.errorf(start, "the group has no end")
	}
	second := byte(0)
	if len(rest) > 1 {
		second = rest[1]
	}
	switch c := rest[0]; {
	case c == ':':
		p.at++
		n, err = p.inner(start, *o, false)
	case c == '|':
		p.at++
		n, err = p.inner(start, *o, true)
	case c == '>':
		p.at++
		if n, err = p.inner(start, *o, false); err == nil {
			n = &node{kind: kindAtomic, subs: []*node{n}}
		}
	case c == '=' || c == '!':
		p.at++
		n, err = p.look(start, o, c == '!')
	case c == '<' && (second == '=' || second == '!'):
		p.at += 2
		n, err = p.behind(start, o, second == '!')
	case c == '*' || c == '<' && second == '*':
		err = p.unsupported(start, "an assertion that is not atomic")
	case c == '#':
		for p.at < len(p.in) && p.in[p.at] != ')' {
			p.at++
		}
		if p.at >= len(p.in) {
			return nil, false, p.errorf(start, "the comment has no end")
		}
		p.at++
		return nil, true, nil
	case c == 'P' && second == '=':
		p.at += 2
		name, err := p.name(')')
		if err != nil {
			return nil, false, err
		}
		return p.reference(o, name, 0, start), true, nil
	case c == 'P' && second == '>', c == 'R', c == '&', c >= '0' && c <= '9', c == '+' || c == '-' && second >= '0' && second <= '9':
		err = p.unsupported(start, "recursion")
	case c == 'P' && second == '<', c == '<', c == '\'':
		p.at++
		end := c
		if c == 'P' {
			p.at++
			end = '>'
		} else if c == '<' {
			end = '>'
		}
		name, err := p.name(end)
		if err != nil {
			return nil, false, err
		}
		n, err = p.capture(start, name, o)
		return n, true, err
	case c == 'C':
		return nil, false, p.callout(start)
	case c == '(':
		n, err = p.conditional(start, o)
	default:
		return p.setOptions(start, o)
	}
	return n, true, err
}

// inner parses the inside of a group up to its end. o is a copy: options that are set inside do not
// hold after it.
func (p *parser) inner(start int, o options, reset bool) (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	n, err := p.alternatives(&o, reset)
	if err != nil {
		return nil, err
	}
	if err := p.closed(start); err != nil {
		return nil, err
	}
	if n.kind == kindCat && len(n.subs) == 1 && n.subs[0].kind <= kindSet {
		return n.subs[0], nil
	}
	return n, nil
}

// capture parses the inside of a group that has the next number.
func (p *parser) capture(start int, name string, o *options) (*node, error) {
	if p.count++; p.count > maxGroups {
		return nil, p.errorf(start, "more than %d groups", maxGroups)
	}
	number := p.count
	again := number < len(p.groups)
	if !again {
		p.groups = append(p.groups, groupInfo{name: name})
	}
	info := &p.groups[number]
	info.several = again
	if name != "" {
		switch numbers := p.names[name]; {
		case again && info.name != "" && info.name != name:
			return nil, p.errorf(start, "group %d has the names %q and %q", number, info.name, name)
		case len(numbers) == 0:
			p.names[name] = []int{number}
		case numbers[len(numbers)-1] != number:
			if !o.duplicates {
				return nil, p.errorf(start, "two groups have the name %q", name)
			}
			p.names[name] = append(numbers, number)
		}
		info.name = name
	}
	inside, err := p.inner(start, *o, false)
	if err != nil {
		return nil, err
	}
	n := &node{kind: kindGroup, number: number, subs: []*node{inside}}
	p.groups[number].node = n
	return n, nil
}

// name parses a name and the byte that ends it.
func (p *parser) name(end byte) (string, error) {
	start := p.at
	for p.at < len(p.in) {
		r, n := utf8.DecodeRuneInString(p.in[p.at:])
		if r != '_' && !letters().has(r) && (p.at == start || !digits().has(r)) {
			break
		}
		p.at += n
	}
	name := p.in[start:p.at]
	switch {
	case name == "":
		return "", p.errorf(start, "the name of a group is missing")
	case utf8.RuneCountInString(name) > maxName:
		return "", p.errorf(start, "the name of a group has more than %d characters", maxName)
	case p.at >= len(p.in) || p.in[p.at] != end:
		return "", p.errorf(p.at, "the name of a group must end with %c", end)
	}
	p.at++
	return name, nil
}

func (p *parser) look(start int, o *options, negative bool) (*node, error) {
	p.asserts = true
	p.asserting++
	inside, err := p.inner(start, *o, false)
	p.asserting--
	if err != nil {
		return nil, err
	}
	return &node{kind: kindLook, negative: negative, subs: []*node{inside}}, nil
}

// behind parses a lookbehind. number is where it is in the pattern, for errors.
func (p *parser) behind(start int, o *options, negative bool) (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	inside := *o
	p.asserts = true
	p.asserting++
	n, err := p.branches(&inside, false)
	p.asserting--
	if err != nil {
		return nil, err
	}
	if err := p.closed(start); err != nil {
		return nil, err
	}
	n.kind, n.negative, n.number = kindBehind, negative, start
	p.behinds = append(p.behinds, n)
	return n, nil
}

// reference returns a reference to a group by name or number.
func (p *parser) reference(o *options, name string, number, at int) *node {
	n := &node{kind: kindBackref, caseless: o.caseless, ascii: o.asciiFold}
	p.refs = append(p.refs, reference{n, name, number, at})
	return n
}

// verb parses (*...), of which only (*FAIL) is supported.
func (p *parser) verb(start int) (*node, error) {
	for _, word := range []string{"*F)", "*FAIL)"} {
		if p.has(word) {
			p.at += len(word)
			return &node{kind: kindFail}, nil
		}
	}
	for _, word := range []string{"ACCEPT", "COMMIT", "PRUNE", "SKIP", "THEN", "MARK", ":", "F:", "FAIL:", "pla:", "plb:", "nla:", "nlb:", "napla:", "naplb:", "atomic:", "sr:", "asr:", "script_run:", "atomic_script_run:", "positive_look", "negative_look", "non_atomic_", "scs:", "scan_substring:"} {
		if p.has("*" + word) {
			return nil, p.unsupported(start, "(*"+word)
		}
	}
	return nil, p.errorf(start, "unknown word after (*")
}

// callout skips (?C), (?C5) and (?C"text"): nothing is called.
func (p *parser) callout(start int) error {
	p.at++
	if p.at < len(p.in) {
		end := p.in[p.at]
		switch end {
		case '`', '\'', '"', '^', '%', '#', '$', '{':
			if end == '{' {
				end = '}'
			}
			for p.at++; p.at < len(p.in) && p.in[p.at] != end; p.at++ {
			}
			p.at++
		default:
			n := 0
			for p.at < len(p.in) && p.in[p.at] >= '0' && p.in[p.at] <= '9' && n <= 255 {
				n = 10*n + int(p.in[p.at]-'0')
				p.at++
			}
			if n > 255 {
				return p.errorf(start, "the number of a callout is greater than 255")
			}
		}
	}
	if p.at >= len(p.in) || p.in[p.at] != ')' {
		return p.errorf(start, "the callout has no end")
	}
	p.at++
	return nil
}

// conditional parses (?(condition)yes|no).
func (p *parser) conditional(start int, o *options) (*node, error) {
	n := &node{kind: kindIf, subs: make([]*node, 3)}
	n.subs[0], n.subs[2] = &node{kind: kindEmpty}, &node{kind: kindEmpty}
	define := false
	if rest := p.in[p.at+1:]; len(rest) > 0 && rest[0] == '?' {
		condition, _, err := p.group(o)
		if err != nil {
			return nil, err
		}
		if condition == nil || condition.kind != kindLook && condition.kind != kindBehind {
			return nil, p.errorf(start, "the condition is no assertion")
		}
		n.subs[0] = condition
	} else {
		var err error
		if define, err = p.condition(n, o); err != nil {
			return nil, err
		}
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	inside := *o
	branches, err := p.branches(&inside, false)
	if err != nil {
		return nil, err
	}
	if err := p.closed(start); err != nil {
		return nil, err
	}
	switch {
	case len(branches.subs) > 2, define && len(branches.subs) > 1:
		return nil, p.errorf(start, "the condition has %d alternatives", len(branches.subs))
	case define:
		return &node{kind: kindEmpty}, nil
	case len(branches.subs) == 2:
		n.subs[2] = branches.subs[1]
	}
	n.subs[1] = branches.subs[0]
	return n, nil
}

// condition parses a number, a name or DEFINE in parentheses.
func (p *parser) condition(n *node, o *options) (define bool, err error) {
	start := p.at
	p.at++
	switch {
	case p.has("DEFINE)"):
		p.at += len("DEFINE)")
		return true, nil
	case p.has("VERSION"), p.has("R)"), p.has("R&"), p.has("R1"):
		return false, p.unsupported(start, "a condition on recursion or the version")
	case p.has("<"), p.has("'"):
		end := p.in[p.at]
		if end == '<' {
			end = '>'
		}
		p.at++
		name, err := p.name(end)
		if err != nil {
			return false, err
		}
		if !p.has(")") {
			return false, p.errorf(start, "the condition has no end")
		}
		p.at++
		p.refs = append(p.refs, reference{n, name, 0, start})
		return false, nil
	}
	number, ok, err := p.number()
	if err != nil {
		return false, err
	}
	if ok {
		if !p.has(")") {
			return false, p.errorf(start, "the condition has no end")
		}
		p.at++
		p.refs = append(p.refs, reference{n, "", number, start})
		return false, nil
	}
	name, err := p.name(')')
	p.refs = append(p.refs, reference{n, name, 0, start})
	return false, err
}

// number parses the number of a group, which a sign makes relative to the last group that has
// begun.
func (p *parser) number() (n int, ok bool, err error) {
	start := p.at
	sign := byte(0)
	if p.has("+") || p.has("-") {
		sign = p.in[p.at]
		p.at++
	}
	for p.at < len(p.in) && p.in[p.at] >= '0' && p.in[p.at] <= '9' {
		n, ok = min(10*n+int(p.in[p.at]-'0'), maxGroups+1), true
		p.at++
	}
	switch {
	case !ok:
		p.at = start
		return 0, false, nil
	case sign == '-':
		n = p.count - n + 1
	case sign == '+':
		n += p.count
	}
	if n < 1 || n > maxGroups {
		return 0, false, p.errorf(start, "there is no group %s", p.in[start:p.at])
	}
	return n, true, nil
}

// setOptions parses (?imsx-imsx) and (?imsx-imsx:...).
func (p *parser) setOptions(start int, o *options) (*node, bool, error) {
	changed, value := *o, true
	if p.has("^") {
		p.at++
		changed.caseless, changed.lines, changed.dotAll, changed.extended, changed.classExtended, changed.noCapture = false, false, false, false, false, false
		changed.asciiFold = false
	}
	for ; p.at < len(p.in); p.at++ {
		switch c := p.in[p.at]; c {
		case '-':
			if !value || p.in[start+2] == '^' {
				return nil, false, p.errorf(p.at, "a second - in options")
			}
			value = false
		case 'i':
			changed.caseless = value
		case 'm':
			changed.lines = value
		case 's':
			changed.dotAll = value
		case 'n':
			changed.noCapture = value
		case 'J':
			changed.duplicates = value
		case 'U':
			changed.ungreedy = value
		case 'r':
			changed.asciiFold = value
		case 'x':
			changed.extended, changed.classExtended = value, false
			if p.at+1 < len(p.in) && p.in[p.at+1] == 'x' {
				p.at++
				changed.classExtended = value
			}
		case 'a':
			p.asciiOption(&changed, value)
		case ')':
			p.at++
			*o = changed
			return nil, false, nil
		case ':':
			p.at++
			n, err := p.inner(start, changed, false)
			return n, true, err
		default:
			return nil, false, p.errorf(p.at, "unknown option %q", c)
		}
	}
	return nil, false, p.errorf(start, "the options have no end")
}

// asciiOption sets which classes have only members in ASCII.
func (p *parser) asciiOption(o *options, value bool) {
	letter := byte(0)
	if p.at+1 < len(p.in) {
		letter = p.in[p.at+1]
	}
	p.at++
	switch letter {
	case 'D':
		o.asciiDigit = value
	case 'S':
		o.asciiSpace = value
	case 'W':
		o.asciiWord = value
	case 'P':
		o.asciiPosix, o.asciiPosixDigit = value, value
	case 'T':
		o.asciiPosixDigit = value
	default:
		p.at--
		o.asciiDigit, o.asciiSpace, o.asciiWord, o.asciiPosix, o.asciiPosixDigit = value, value, value, value, value
	}
}

// digits parses at most so many digits in a base, and returns how many there are.
func (p *parser) digits(base, most int) (value rune, n int) {
	for n < most && p.at < len(p.in) {
		d, err := strconv.ParseUint(p.in[p.at:p.at+1], base, 8)
		if err != nil {
			break
		}
		value = min(value*rune(base)+rune(d), maxRune+1)
		p.at++
		n++
	}
	return value, n
}
