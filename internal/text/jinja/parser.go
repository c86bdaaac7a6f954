package jinja

import (
	"slices"
	"strings"
)

// Bounds of what is parsed. Jinja has similar ones: Python ends a recursion of 1,000 calls, and a
// program indented by 100 levels.
const (
	maxSource = 4 << 20 // bytes of a template
	maxHeight = 400     // expressions inside one another, also by operators in a row
	maxNested = 100     // statements inside one another
)

// parser reads the tokens of a template. Its methods have the names of those of Jinja's parser.
type parser struct {
	tokens []token
	pos    int
	// nested counts statements inside one another, deep expressions.
	nested, deep int
	// heights has how many expressions are inside one another in an expression with parts.
	heights map[expr]int
	// ends are the tags that end the blocks around.
	ends [][]string
}

func (p *parser) current() token { return p.tokens[p.pos] }

// next returns the current token, and goes on to the one behind it.
//
// It is not inlined: the code of the command would be 10 KiB larger.
//
//go:noinline
func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != kindEOF {
		p.pos++
	}
	return t
}

func (p *parser) look() token { return p.tokens[min(p.pos+1, len(p.tokens)-1)] }

func (t token) is(k kind, text string) bool { return t.kind == k && t.text == text }

func (p *parser) op(text string) bool { return p.current().is(kindOperator, text) }

func (p *parser) name(text string) bool { return p.current().is(kindName, text) }

// skip moves past a token if it is the one given.
func (p *parser) skip(k kind, text string) bool {
	if p.current().is(k, text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(k kind, text string) token {
	t := p.current()
	if t.kind != k || text != "" && t.text != text {
		want := token{kind: k, text: text}.String()
		if k == kindName && text == "" {
			want = "name"
		}
		fail(t.line, "expected %s, got %s", want, t)
	}
	return p.next()
}

// built returns an expression with parts, and checks how many are inside one another.
func built[E expr](p *parser, e E) E {
	height := 0
	e.children(func(n node) {
		if part, ok := n.(expr); ok {
			height = max(height, p.heights[part])
		}
	})
	if height++; height > maxHeight {
		fail(p.current().line, "more than %d expressions inside one another", maxHeight)
	}
	p.heights[e] = height
	return e
}

// enter counts expressions that are read inside one another. The result must be called at the end.
func (p *parser) enter() {
	if p.deep++; p.deep > maxHeight {
		fail(p.current().line, "more than %d expressions inside one another", maxHeight)
	}
}

// subparse reads statements up to one of the tags in end, or to the end of the template.
func (p *parser) subparse(end ...string) []statement {
	var body []statement
	if p.nested++; p.nested > maxNested {
		fail(p.current().line, "more than %d statements inside one another", maxNested)
	}
	p.ends = append(p.ends, end)
	defer func() { p.nested--; p.ends = p.ends[:len(p.ends)-1] }()
	for {
		t := p.current()
		switch t.kind {
		case kindEOF:
			if len(end) > 0 {
				fail(t.line, "unexpected end of template: looking for %s", strings.Join(end, " or "))
			}
			return body
		case kindData:
			body = append(body, &dataStmt{p.next().text})
		case kindVariableBegin:
			p.next()
			body = append(body, &outputStmt{t.line, []expr{p.tuple(tupleMode{condexpr: true})}})
			p.expect(kindVariableEnd, "")
		default:
			p.next()
			if tag := p.current(); tag.kind == kindName && slices.Contains(end, tag.text) {
				return body
			}
			body = append(body, p.statement())
			p.expect(kindBlockEnd, "")
		}
	}
}

// statements reads the body of a statement up to one of the tags in end, which is then current.
func (p *parser) statements(end ...string) []statement {
	p.skip(kindOperator, ":")
	p.expect(kindBlockEnd, "")
	return p.subparse(end...)
}

// body reads the body of a statement, and the tag that ends it.
func (p *parser) body(end string) []statement {
	body := p.statements(end)
	p.next()
	return body
}

func (p *parser) statement() statement {
	t := p.current()
	if t.kind != kindName {
		fail(t.line, "tag name expected, got %s", t)
	}
	p.next()
	switch t.text {
	case "for":
		return p.forLoop(t.line)
	case "if":
		return p.ifElse(t.line)
	case "set":
		return p.set(t.line)
	case "macro":
		return p.macro(t.line)
	case "call":
		return p.callBlock(t.line)
	case "generation":
		return &macroStmt{line: t.line, generation: true, body: p.body("endgeneration")}
	case "filter":
		filter := p.filter(nil, true).(*filterExpr)
		return &filterStmt{filter: filter, body: p.body("endfilter")}
	case "with":
		return p.with(t.line)
	case "block":
		return p.block(t.line)
	case "print":
		return p.print(t.line)
	case "autoescape":
		value := p.expression(true)
		return &autoescapeStmt{value: value, body: p.body("endautoescape")}
	case "break":
		return &jumpStmt{t.line, flowBreak}
	case "continue":
		return &jumpStmt{t.line, flowContinue}
	case "include", "import", "from", "extends":
		return p.load(t)
	}
	message := "unknown tag " + t.text
	if ends := p.ends[len(p.ends)-1]; len(ends) > 0 {
		message += ", looking for " + strings.Join(ends, " or ")
	}
	fail(t.line, "%s", message)
	return nil
}

func (p *parser) forLoop(line int) statement {
	s := &forStmt{line: line}
	s.target = p.assignTarget(targetMode{until: "in"})
	p.expect(kindName, "in")
	s.iter = p.tuple(tupleMode{until: "recursive"})
	if p.skip(kindName, "if") {
		s.test = p.expression(true)
	}
	s.recursive = p.skip(kindName, "recursive")
	s.body = p.statements("endfor", "else")
	if p.next().text == "else" {
		s.orElse = p.body("endfor")
	}
	return s
}

func (p *parser) ifElse(line int) statement {
	s := &ifStmt{line: line}
	for {
		s.tests = append(s.tests, p.tuple(tupleMode{}))
		s.bodies = append(s.bodies, p.statements("elif", "else", "endif"))
		switch p.next().text {
		case "elif":
			continue
		case "else":
			s.orElse = p.body("endif")
		}
		return s
	}
}

func (p *parser) set(line int) statement {
	target := p.assignTarget(targetMode{namespace: true})
	if p.skip(kindOperator, "=") {
		return &setStmt{line: line, target: target, value: p.tuple(tupleMode{condexpr: true})}
	}
	filter := p.filter(nil, false)
	return &setBlockStmt{line: line, target: target, filter: filter, body: p.body("endset")}
}

// signature reads the parameters of a macro.
func (p *parser) signature(m *macroStmt) {
	p.expect(kindOperator, "(")
	for !p.op(")") {
		if len(m.args) > 0 {
			p.expect(kindOperator, ",")
		}
		t := p.expect(kindName, "")
		for _, other := range m.args {
			if other.name == t.text {
				fail(t.line, "duplicate parameter %q", t.text)
			}
		}
		p.assignable(t)
		m.args = append(m.args, &nameExpr{name: t.text, line: t.line, store: true, param: true})
		if p.skip(kindOperator, "=") {
			m.defaults = append(m.defaults, p.expression(true))
		} else if len(m.defaults) > 0 {
			fail(t.line, "parameter %q without a default follows one with a default", t.text)
		}
	}
	p.expect(kindOperator, ")")
}

func (p *parser) macro(line int) statement {
	name := p.expect(kindName, "")
	p.assignable(name)
	m := &macroStmt{line: line, name: name.text}
	p.signature(m)
	m.body = p.body("endmacro")
	return m
}

func (p *parser) callBlock(line int) statement {
	m := &macroStmt{line: line}
	if p.op("(") {
		p.signature(m)
	}
	call, ok := p.expression(true).(*callExpr)
	if !ok {
		fail(line, "expected a call in a call block")
	}
	m.call = call
	m.body = p.body("endcall")
	return m
}

func (p *parser) with(line int) statement {
	s := &withStmt{line: line}
	for p.current().kind != kindBlockEnd {
		if len(s.targets) > 0 {
			p.expect(kindOperator, ",")
		}
		target := p.assignTarget(targetMode{})
		markParam(target)
		s.targets = append(s.targets, target)
		p.expect(kindOperator, "=")
		s.values = append(s.values, p.expression(true))
	}
	s.body = p.body("endwith")
	return s
}

// markParam makes the names of a target parameters.
func markParam(target expr) {
	switch t := target.(type) {
	case *nameExpr:
		t.param = true
	case *tupleExpr:
		for _, item := range t.items {
			markParam(item)
		}
	}
}

func (p *parser) block(line int) statement {
	s := &blockStmt{line: line, name: p.expect(kindName, "").text}
	s.scoped = p.skip(kindName, "scoped")
	s.required = p.skip(kindName, "required")
	s.body = p.body("endblock")
	p.skip(kindName, s.name)
	return s
}

func (p *parser) print(line int) statement {
	s := &outputStmt{line: line}
	for p.current().kind != kindBlockEnd {
		if len(s.items) > 0 {
			p.expect(kindOperator, ",")
		}
		s.items = append(s.items, p.expression(true))
	}
	return s
}

// load reads a statement that loads another template.
func (p *parser) load(t token) statement {
	s := &loadStmt{line: t.line, what: t.text, from: p.expression(true)}
	target := func() {
		name := p.expect(kindName, "")
		s.names = append(s.names, &nameExpr{name: name.text, line: name.line, store: true})
	}
	switch t.text {
	case "import":
		p.expect(kindName, "as")
		target()
	case "from":
		p.expect(kindName, "import")
		target()
		for p.skip(kindOperator, ",") || p.skip(kindName, "as") {
			target()
		}
	}
	for p.name("ignore") || p.name("missing") || p.name("with") || p.name("without") || p.name("context") {
		p.next()
	}
	return s
}

// targetMode says which targets are allowed: attributes of namespaces, and the name that ends a
// tuple.
type targetMode struct {
	namespace bool
	until     string
}

// assignTarget reads the target of an assignment: names, tuples of them, or attributes.
func (p *parser) assignTarget(mode targetMode) expr {
	line := p.current().line
	target := p.tuple(tupleMode{simplified: true, until: mode.until, namespace: mode.namespace})
	p.markStore(target, line)
	return target
}

// markStore makes the names of a target stored ones, and fails if it has anything else.
func (p *parser) markStore(target expr, line int) {
	switch t := target.(type) {
	case *nameExpr:
		t.store = true
	case *nsRef:
	case *tupleExpr:
		for _, item := range t.items {
			p.markStore(item, line)
		}
	default:
		fail(line, "cannot assign to an expression")
	}
}

// assignable fails for names that are constants.
func (p *parser) assignable(t token) {
	if slices.Contains([]string{"true", "false", "none", "True", "False", "None"}, t.text) {
		fail(t.line, "cannot assign to %q", t.text)
	}
}
