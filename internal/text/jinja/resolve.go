package jinja

import "sort"

// scope is what happens when a scope is entered.
type scope []scopeLoad

type scopeLoad struct {
	slot int
	kind loadKind
	name string
	from ref
	// root is the slot of the template's variable of that name, for blocks, or -1.
	root int
}

// target is where a value is assigned to: a variable, an attribute of a namespace, or several.
type target struct {
	ref   ref
	attr  string // of a namespace, or ""
	name  string
	items []target // of a tuple, or nil
	tuple bool
}

// frame is what the resolver knows of the scope that it is in.
type frame struct {
	symbols *symbols
	f       *function
	// soft says that the code may not run, and unknown filters are then errors only if it does.
	soft bool
	// top is the scope of the template itself.
	top bool
	// looped says that break and continue have a loop.
	looped bool
	// block says that the scope is inside a block, which sees what the template sets.
	block bool
}

func (f *frame) inner() *frame {
	return &frame{symbols: newSymbols(f.symbols, f.f), f: f.f, looped: f.looped, block: f.block}
}

// call returns a scope that is a function of its own.
func (f *frame) call() *frame {
	g := &function{parent: f.f}
	return &frame{symbols: newSymbols(f.symbols, g), f: g, block: f.block}
}

func (f *frame) softened() *frame {
	c := *f
	c.soft = true
	return &c
}

// ref returns the variable of a name.
func (f *frame) ref(name string, line int) ref {
	id := f.symbols.find(name)
	if id == nil {
		fail(line, "name %q is unknown in its scope, as in Jinja", name)
	}
	return f.to(id)
}

func (f *frame) to(id *ident) ref {
	hops := 0
	for g := f.f; g != id.function; g = g.parent {
		hops++
	}
	return ref{hops, id.slot}
}

// resolver gives each name its variable.
type resolver struct {
	root   *symbols
	blocks map[string]*blockStmt
}

// resolve resolves the names of a template.
func resolve(t *Template) {
	f := &frame{f: &function{}, top: true}
	f.symbols = newSymbols(nil, f.f)
	r := &resolver{f.symbols, make(map[string]*blockStmt)}
	for _, n := range t.body {
		r.findBlocks(n)
	}
	t.self = -1
	if undeclared(t.body, "self")["self"] {
		t.self = f.symbols.declare("self").slot
	}
	f.symbols.visitAll(t.body)
	r.statements(t.body, f)
	for _, b := range r.blocks {
		r.block(b)
	}
	t.function, t.scope, t.blocks = f.f, r.scope(f), r.blocks
}

func (r *resolver) findBlocks(n node) {
	if b, ok := n.(*blockStmt); ok {
		if r.blocks[b.name] != nil {
			fail(b.line, "block %q is defined twice", b.name)
		}
		r.blocks[b.name] = b
	}
	n.children(r.findBlocks)
}

// scope returns how a scope is entered.
func (r *resolver) scope(f *frame) scope {
	var s scope
	for id, l := range f.symbols.loads {
		entry := scopeLoad{slot: id.slot, kind: l.kind, name: l.name, root: -1}
		switch l.kind {
		case loadParam:
			continue
		case loadAlias:
			entry.from = f.to(l.from)
		case loadResolve:
			if id := r.root.refs[l.name]; f.block && id != nil && r.root.stores[l.name] {
				entry.root = id.slot
			}
		}
		s = append(s, entry)
	}
	sort.Slice(s, func(i, j int) bool { return s[i].slot < s[j].slot })
	return s
}

func (r *resolver) statements(body []statement, f *frame) {
	for _, n := range body {
		r.statement(n, f)
	}
}

func (r *resolver) statement(n statement, f *frame) {
	switch n := n.(type) {
	case *forStmt:
		r.forLoop(n, f)
	case *ifStmt:
		f = f.softened()
		for i, t := range n.tests {
			r.expr(t, f)
			r.statements(n.bodies[i], f)
		}
		r.statements(n.orElse, f)
	case *macroStmt:
		r.macro(n, f)
	case *setStmt:
		n.store = r.target(n.target, f)
		r.expr(n.value, f)
	case *setBlockStmt:
		inner := f.inner()
		inner.symbols.visitAll(n.body)
		r.statements(n.body, inner)
		n.store = r.target(n.target, f)
		if n.filter != nil {
			r.expr(n.filter, inner)
		}
		n.scope = r.scope(inner)
	case *filterStmt:
		inner := f.inner()
		inner.symbols.visitAll(n.body)
		inner.symbols.visit(n.filter, false)
		r.statements(n.body, inner)
		r.expr(n.filter, inner)
		n.scope = r.scope(inner)
	case *withStmt:
		inner := f.inner()
		for _, t := range n.targets {
			inner.symbols.visit(t, false)
		}
		inner.symbols.visitAll(n.body)
		for i, t := range n.targets {
			n.stores = append(n.stores, r.target(t, inner))
			r.expr(n.values[i], f)
		}
		r.statements(n.body, inner)
		n.scope = r.scope(inner)
	case *autoescapeStmt:
		inner := f.inner()
		inner.symbols.visit(n.value, false)
		inner.symbols.visitAll(n.body)
		r.expr(n.value, inner)
		r.statements(n.body, inner)
		n.scope = r.scope(inner)
	case *blockStmt:
		if n.scoped {
			n.locals = r.locals(f)
		}
	case *jumpStmt:
		if !f.looped {
			fail(n.line, "break or continue outside of a loop")
		}
	case *loadStmt:
		if n.what == "extends" && !f.top {
			fail(n.line, "extends in a scope that is not the template's")
		}
	default:
		n.children(func(c node) { r.expr(c.(expr), f) })
	}
}

// expr resolves the names in an expression.
func (r *resolver) expr(e expr, f *frame) {
	switch e := e.(type) {
	case *nameExpr:
		e.ref = f.ref(e.name, e.line)
		e.undefined = &undefined{name: e.name}
		return
	case *condExpr:
		f = f.softened()
	case *filterExpr:
		if e.filter == nil && !f.soft {
			fail(e.line, "no filter named %q", e.name)
		}
	case *testExpr:
		if e.test == nil && !f.soft {
			fail(e.line, "no test named %q", e.name)
		}
	}
	e.children(func(c node) { r.expr(c.(expr), f) })
}

// target resolves the target of an assignment.
func (r *resolver) target(e expr, f *frame) target {
	switch e := e.(type) {
	case *nameExpr:
		return target{ref: f.ref(e.name, e.line), name: e.name}
	case *nsRef:
		return target{ref: f.ref(e.name, e.line), name: e.name, attr: e.attr}
	}
	t := target{tuple: true}
	for _, item := range e.(*tupleExpr).items {
		t.items = append(t.items, r.target(item, f))
	}
	return t
}

func (r *resolver) forLoop(n *forStmt, f *frame) {
	loop, orElse := f.inner(), f.inner()
	if n.recursive {
		loop = f.call()
		orElse = &frame{symbols: newSymbols(f.symbols, loop.f), f: loop.f, block: f.block}
		n.function = loop.f
	}
	loop.looped = true
	n.extended = n.recursive || undeclared(n.body, "loop")["loop"]
	var check func(node)
	check = func(c node) {
		switch c := c.(type) {
		case *nameExpr:
			if c.store && c.name == "loop" {
				fail(c.line, "cannot assign to the special variable loop")
			}
		case *blockStmt:
			n.extended = n.extended || c.scoped
		}
		c.children(check)
	}
	check(n)
	if n.extended {
		id := loop.symbols.declare("loop")
		n.loop = loop.to(id)
	}
	loop.symbols.visit(n.target, true)
	loop.symbols.visitAll(n.body)
	orElse.symbols.visitAll(n.orElse)
	if n.test != nil {
		test := f.call()
		test.symbols.visit(n.target, true)
		test.symbols.visit(n.test, false)
		n.testFunc = test.f
		n.testStore = r.target(n.target, test)
		r.expr(n.test, test)
		n.testScope = r.scope(test)
	}
	n.store = r.target(n.target, loop)
	r.expr(n.iter, f)
	r.statements(n.body, loop)
	n.scope = r.scope(loop)
	r.statements(n.orElse, orElse)
	n.elseScope = r.scope(orElse)
}

func (r *resolver) macro(n *macroStmt, f *frame) {
	inner := f.call()
	n.function = inner.f
	analyze := func() {
		for _, a := range n.args {
			inner.symbols.visit(a, false)
		}
		for _, d := range n.defaults {
			inner.symbols.visit(d, false)
		}
		inner.symbols.visitAll(n.body)
	}
	analyze()
	names := map[string]int{}
	for i, a := range n.args {
		names[a.name] = i
		n.params = append(n.params, inner.ref(a.name, a.line).slot)
		n.missing = append(n.missing, &undefined{name: a.name, hint: "parameter '" + a.name + "' was not provided"})
	}
	found := undeclared(n.body, "caller", "kwargs", "varargs")
	special := func(name string) int {
		if _, isParam := names[name]; isParam || !found[name] {
			return -1
		}
		return inner.symbols.declare(name).slot
	}
	if at, isParam := names["caller"]; isParam {
		n.explicitCaller = true
		if found["caller"] && at < len(n.args)-len(n.defaults) {
			fail(n.line, "the parameter caller must be left out, or have a default")
		}
	}
	n.caller = special("caller")
	n.kwargs = special("kwargs")
	n.varargs = special("varargs")
	analyze()
	for _, d := range n.defaults {
		r.expr(d, inner)
	}
	r.statements(n.body, inner)
	n.scope = r.scope(inner)
	switch {
	case n.call != nil:
		r.expr(n.call, f)
	case !n.generation:
		n.store = target{ref: f.ref(n.name, n.line), name: n.name}
	}
}

// block resolves the names of a block, whose scope is inside no other.
func (r *resolver) block(n *blockStmt) {
	f := &frame{f: &function{}, block: true}
	f.symbols = newSymbols(nil, f.f)
	n.self, n.super = -1, -1
	found := undeclared(n.body, "self", "super")
	if found["self"] {
		n.self = f.symbols.declare("self").slot
	}
	if found["super"] {
		n.super = f.symbols.declare("super").slot
	}
	f.symbols.visitAll(n.body)
	r.statements(n.body, f)
	n.function = f.f
	n.scope = r.scope(f)
}

// local is a variable that a scoped block sees.
type local struct {
	name string
	ref  ref
}

// locals returns the variables that the scopes around set.
func (r *resolver) locals(f *frame) []local {
	var found []local
	seen := make(map[string]bool)
	for s := f.symbols; s != nil; s = s.parent {
		for name := range s.stores {
			if id := f.symbols.find(name); !seen[name] && id != nil {
				seen[name] = true
				found = append(found, local{name, f.to(id)})
			}
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].name < found[j].name })
	return found
}
