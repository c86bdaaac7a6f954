package jinja

import (
	"slices"
	"strings"
)

// tupleMode says how the expressions of a tuple are read: all, or only names and literals; with
// inline if; up to a name; with attributes of namespaces.
type tupleMode struct {
	simplified, condexpr, parentheses, namespace bool
	until                                        string
}

// tuple reads expressions with commas between them, or one expression.
func (p *parser) tuple(mode tupleMode) expr {
	var items []expr
	isTuple := false
	for {
		if len(items) > 0 {
			p.expect(kindOperator, ",")
		}
		t := p.current()
		if t.kind == kindVariableEnd || t.kind == kindBlockEnd || t.is(kindOperator, ")") ||
			mode.until != "" && t.is(kindName, mode.until) {
			break
		}
		if mode.simplified {
			items = append(items, p.primary(mode.namespace))
		} else {
			items = append(items, p.expression(mode.condexpr))
		}
		if !p.op(",") {
			break
		}
		isTuple = true
	}
	if !isTuple {
		if len(items) > 0 {
			return items[0]
		}
		if !mode.parentheses {
			fail(p.current().line, "expected an expression, got %s", p.current())
		}
	}
	return built(p, &tupleExpr{items})
}

// expression reads an expression, with inline if or without.
func (p *parser) expression(condexpr bool) expr {
	p.enter()
	defer func() { p.deep-- }()
	if !condexpr {
		return p.or()
	}
	line := p.current().line
	e := p.or()
	for p.skip(kindName, "if") {
		c := &condExpr{line: line, test: p.or(), yes: e}
		if p.skip(kindName, "else") {
			c.no = p.expression(true)
		}
		e = built(p, c)
	}
	return e
}

func (p *parser) or() expr {
	e := p.and()
	for p.skip(kindName, "or") {
		e = built(p, &logicExpr{or: true, left: e, right: p.and()})
	}
	return e
}

func (p *parser) and() expr {
	e := p.not()
	for p.skip(kindName, "and") {
		e = built(p, &logicExpr{left: e, right: p.not()})
	}
	return e
}

func (p *parser) not() expr {
	if t := p.current(); p.skip(kindName, "not") {
		p.enter()
		defer func() { p.deep-- }()
		return built(p, &unaryExpr{op: "not", line: t.line, operand: p.not()})
	}
	return p.compare()
}

func (p *parser) compare() expr {
	line := p.current().line
	first := p.sum()
	var ops []string
	var rest []expr
	for {
		t := p.current()
		switch {
		case t.kind == kindOperator && slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, t.text), t.is(kindName, "in"):
			p.next()
			ops = append(ops, t.text)
		case t.is(kindName, "not") && p.look().is(kindName, "in"):
			p.next()
			p.next()
			ops = append(ops, "not in")
		default:
			if len(ops) == 0 {
				return first
			}
			return built(p, &compareExpr{line, first, ops, rest})
		}
		rest = append(rest, p.sum())
	}
}

// binary reads operators of one precedence between operands.
func (p *parser) binary(operand func() expr, ops ...string) expr {
	e := operand()
	for {
		t := p.current()
		if t.kind != kindOperator || !slices.Contains(ops, t.text) {
			return e
		}
		p.next()
		e = built(p, &binaryExpr{t.text, t.line, e, operand()})
	}
}

func (p *parser) sum() expr { return p.binary(p.concat, "+", "-") }

func (p *parser) concat() expr {
	items := []expr{p.product()}
	for p.skip(kindOperator, "~") {
		items = append(items, p.product())
	}
	if len(items) == 1 {
		return items[0]
	}
	return built(p, &concatExpr{items})
}

func (p *parser) product() expr { return p.binary(p.power, "*", "/", "//", "%") }

func (p *parser) power() expr {
	return p.binary(func() expr { return p.unary(true) }, "**")
}

func (p *parser) unary(withFilter bool) expr {
	t := p.current()
	var e expr
	if t.is(kindOperator, "-") || t.is(kindOperator, "+") {
		p.next()
		p.enter()
		e = built(p, &unaryExpr{op: t.text, line: t.line, operand: p.unary(false)})
		p.deep--
	} else {
		e = p.primary(false)
	}
	e = p.postfix(e)
	if withFilter {
		e = p.filterExpr(e)
	}
	return e
}

// primary reads a name or a literal.
func (p *parser) primary(namespace bool) expr {
	t := p.current()
	switch {
	case t.kind == kindName:
		p.next()
		switch t.text {
		case "true", "True":
			return &constExpr{true}
		case "false", "False":
			return &constExpr{false}
		case "none", "None":
			return &constExpr{None}
		}
		if namespace && p.skip(kindOperator, ".") {
			return &nsRef{t.text, p.expect(kindName, "").text, t.line}
		}
		return &nameExpr{name: t.text, line: t.line}
	case t.kind == kindString:
		var b strings.Builder
		for p.current().kind == kindString {
			b.WriteString(p.next().text)
		}
		return &constExpr{b.String()}
	case t.kind == kindInteger, t.kind == kindFloat:
		p.next()
		return &constExpr{t.value}
	case t.is(kindOperator, "("):
		p.next()
		p.enter()
		defer func() { p.deep-- }()
		e := p.tuple(tupleMode{condexpr: true, parentheses: true})
		p.expect(kindOperator, ")")
		return e
	case t.is(kindOperator, "["):
		return p.list()
	case t.is(kindOperator, "{"):
		return p.dict()
	}
	fail(t.line, "unexpected %s", t)
	return nil
}

func (p *parser) list() expr {
	p.next()
	var items []expr
	for !p.op("]") {
		if len(items) > 0 {
			p.expect(kindOperator, ",")
		}
		if p.op("]") {
			break
		}
		items = append(items, p.expression(true))
	}
	p.expect(kindOperator, "]")
	return built(p, &listExpr{items})
}

func (p *parser) dict() expr {
	d := &dictExpr{line: p.next().line}
	for !p.op("}") {
		if len(d.keys) > 0 {
			p.expect(kindOperator, ",")
		}
		if p.op("}") {
			break
		}
		d.keys = append(d.keys, p.expression(true))
		p.expect(kindOperator, ":")
		d.values = append(d.values, p.expression(true))
	}
	p.expect(kindOperator, "}")
	return built(p, d)
}

// postfix reads attributes, subscripts and calls.
func (p *parser) postfix(e expr) expr {
	for {
		switch {
		case p.op("."), p.op("["):
			e = p.subscript(e)
		case p.op("("):
			e = p.call(e)
		default:
			return e
		}
	}
}

// filterExpr reads filters, tests and calls.
func (p *parser) filterExpr(e expr) expr {
	for {
		switch {
		case p.op("|"):
			e = p.filter(e, false)
		case p.name("is"):
			e = p.testExpr(e)
		case p.op("("):
			e = p.call(e)
		default:
			return e
		}
	}
}

func (p *parser) subscript(of expr) expr {
	t := p.next()
	if t.text == "." {
		attr := p.next()
		switch attr.kind {
		case kindName:
			return built(p, &getattrExpr{t.line, of, attr.text})
		case kindInteger:
			return built(p, &getitemExpr{t.line, of, &constExpr{attr.value}})
		}
		fail(attr.line, "expected name or number after the point, got %s", attr)
	}
	var args []expr
	for !p.op("]") {
		if len(args) > 0 {
			p.expect(kindOperator, ",")
		}
		args = append(args, p.subscribed())
	}
	p.expect(kindOperator, "]")
	if len(args) == 1 {
		return built(p, &getitemExpr{t.line, of, args[0]})
	}
	for _, a := range args {
		if _, ok := a.(*sliceExpr); ok {
			fail(t.line, "a slice cannot be one of several subscripts")
		}
	}
	return built(p, &getitemExpr{t.line, of, built(p, &tupleExpr{args})})
}

// subscribed reads a subscript: an expression or a slice.
func (p *parser) subscribed() expr {
	s := &sliceExpr{}
	if !p.op(":") {
		if s.start = p.expression(true); !p.op(":") {
			return s.start
		}
	}
	part := func() expr {
		if !p.skip(kindOperator, ":") || p.op(":") || p.op("]") || p.op(",") {
			return nil
		}
		return p.expression(true)
	}
	s.stop = part()
	s.step = part()
	return built(p, s)
}

func (p *parser) callArgs() arguments {
	open := p.expect(kindOperator, "(")
	var a arguments
	ensure := func(ok bool) {
		if !ok {
			fail(open.line, "invalid order of arguments in a call")
		}
	}
	for first := true; !p.op(")"); first = false {
		if !first {
			if p.expect(kindOperator, ","); p.op(")") {
				break
			}
		}
		switch {
		case p.skip(kindOperator, "*"):
			ensure(a.dynArgs == nil && a.dynKwargs == nil)
			a.dynArgs = p.expression(true)
		case p.skip(kindOperator, "**"):
			ensure(a.dynKwargs == nil)
			a.dynKwargs = p.expression(true)
		case p.current().kind == kindName && p.look().is(kindOperator, "="):
			ensure(a.dynKwargs == nil)
			name := p.next().text
			p.next()
			if slices.Contains(a.names, name) {
				fail(open.line, "argument %q is given twice", name)
			}
			a.names = append(a.names, name)
			a.values = append(a.values, p.expression(true))
		default:
			ensure(a.dynArgs == nil && a.dynKwargs == nil && len(a.names) == 0)
			a.args = append(a.args, p.expression(true))
		}
	}
	p.expect(kindOperator, ")")
	return a
}

func (p *parser) call(of expr) expr {
	line := p.current().line
	return built(p, &callExpr{line, of, p.callArgs()})
}

// dotted reads the name of a filter or of a test.
func (p *parser) dotted() string {
	name := p.expect(kindName, "").text
	for p.skip(kindOperator, ".") {
		name += "." + p.expect(kindName, "").text
	}
	return name
}

// filter reads filters. inline says that the first one comes without a bar. It returns nil if there
// is no filter, and of is nil.
func (p *parser) filter(of expr, inline bool) expr {
	for inline || p.op("|") {
		if !inline {
			p.next()
		}
		f := &filterExpr{line: p.current().line, of: of, name: p.dotted()}
		f.filter = findFilter(f.name)
		if p.op("(") {
			f.arguments = p.callArgs()
		}
		of = built(p, f)
		inline = false
	}
	return of
}

func (p *parser) testExpr(of expr) expr {
	line := p.next().line
	negated := p.skip(kindName, "not")
	t := &testExpr{line: line, of: of, name: p.dotted()}
	t.test = findTest(t.name)
	switch c := p.current(); {
	case c.is(kindOperator, "("):
		t.arguments = p.callArgs()
	case c.kind == kindName && !slices.Contains([]string{"else", "or", "and"}, c.text),
		c.kind == kindString, c.kind == kindInteger, c.kind == kindFloat, c.is(kindOperator, "["), c.is(kindOperator, "{"):
		if c.is(kindName, "is") {
			fail(c.line, "tests with is cannot be chained")
		}
		t.args = []expr{p.postfix(p.primary(false))}
	}
	e := expr(built(p, t))
	if negated {
		e = built(p, &unaryExpr{op: "not", line: line, operand: e})
	}
	return e
}
