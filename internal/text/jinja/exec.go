package jinja

func (st *state) execAll(body []statement) flow {
	for _, n := range body {
		st.step()
		if f := n.exec(st); f != flowNext {
			return f
		}
	}
	return flowNext
}

func (n *dataStmt) exec(st *state) flow {
	st.write(n.text)
	return flowNext
}

func (n *outputStmt) exec(st *state) flow {
	for _, e := range n.items {
		st.line = n.line
		st.print(e.eval(st))
	}
	return flowNext
}

// print writes a value, escaped if autoescape is on.
func (st *state) print(v any) {
	if st.autoescape {
		st.write(st.escapedText(v))
		return
	}
	st.write(st.str(v))
}

// escapedText returns a value as text, escaped for HTML unless it is marked.
func (st *state) escapedText(v any) string {
	if m, ok := v.(markup); ok {
		return string(m)
	}
	text, _ := st.escaped(st.str(v))
	return text
}

func (n *ifStmt) exec(st *state) flow {
	for i, t := range n.tests {
		if truth(t.eval(st)) {
			return st.execAll(n.bodies[i])
		}
	}
	return st.execAll(n.orElse)
}

func (n *setStmt) exec(st *state) flow {
	st.line = n.line
	st.checkTarget(n.store)
	v := n.value.eval(st)
	st.line = n.line
	st.assign(n.store, v)
	return flowNext
}

// checkTarget fails if an attribute is assigned to what is no namespace.
func (st *state) checkTarget(t target) {
	for _, item := range t.items {
		st.checkTarget(item)
	}
	if t.attr != "" {
		if _, ok := (*st.slot(t.ref)).(*namespace); !ok {
			st.fail("cannot assign attribute %q on %q, which is no namespace", t.attr, t.name)
		}
	}
}

// assign assigns a value to a target.
func (st *state) assign(t target, v any) {
	switch {
	case t.tuple:
		st.unpack(t.items, v)
	case t.attr != "":
		if t.attr[0] == '_' {
			st.fail("cannot store attribute %q on a namespace: it starts with an underscore", t.attr)
		}
		st.make(32)
		(*st.slot(t.ref)).(*namespace).attrs.Set(t.attr, v)
	default:
		*st.slot(t.ref) = v
	}
}

// unpack assigns the items of a value to targets.
func (st *state) unpack(targets []target, v any) {
	if items, ok := sequence(v); ok && len(items) == len(targets) {
		for i, t := range targets {
			st.assign(t, items[i])
		}
		return
	}
	var items []any
	it := st.iterate(v)
	for item, ok := it.next(); ok; item, ok = it.next() {
		if len(items) == len(targets) {
			st.fail("too many values to unpack (expected %d)", len(targets))
		}
		items = append(items, item)
	}
	if len(items) < len(targets) {
		st.fail("not enough values to unpack (expected %d, got %d)", len(targets), len(items))
	}
	for i, t := range targets {
		st.assign(t, items[i])
	}
}

func (n *setBlockStmt) exec(st *state) flow {
	st.enterScope(n.scope)
	f := flowNext
	start := len(st.out)
	text := st.capture(func() { f = st.execAll(n.body) })
	if f != flowNext {
		st.out = st.out[:start]
		return f
	}
	st.line = n.line
	v := any(text)
	if n.filter != nil {
		v = applyTo(st, n.filter, st.marked(text))
	}
	if st.autoescape {
		v = markup(st.str(v))
	}
	st.line = n.line
	st.checkTarget(n.store)
	st.assign(n.store, v)
	return flowNext
}

// marked returns text that was printed as a value.
func (st *state) marked(text string) any {
	if st.autoescape {
		return markup(text)
	}
	return text
}

func (n *filterStmt) exec(st *state) flow {
	st.enterScope(n.scope)
	f := flowNext
	text := st.capture(func() { f = st.execAll(n.body) })
	if f == flowNext {
		st.print(applyTo(st, n.filter, st.marked(text)))
	}
	return f
}

func (n *withStmt) exec(st *state) flow {
	st.enterScope(n.scope)
	for i, t := range n.stores {
		st.line = n.line
		st.assign(t, n.values[i].eval(st))
	}
	return st.execAll(n.body)
}

func (n *autoescapeStmt) exec(st *state) flow {
	st.enterScope(n.scope)
	saved := st.autoescape
	st.autoescape = truth(n.value.eval(st))
	f := st.execAll(n.body)
	st.autoescape = saved
	return f
}

func (n *jumpStmt) exec(*state) flow { return n.flow }

func (n *loadStmt) exec(st *state) flow {
	st.line = n.line
	st.fail("%s: other templates cannot be loaded", n.what)
	return flowNext
}

func (n *blockStmt) exec(st *state) flow {
	st.line = n.line
	if n.required {
		st.fail("required block %q not found", n.name)
	}
	saved := st.locals
	if n.scoped {
		st.makeItems(4 * len(n.locals))
		st.locals = make(map[string]any, len(n.locals))
		for _, l := range n.locals {
			st.locals[l.name] = *st.slot(l.ref)
		}
	} else {
		st.locals = nil
	}
	n.run(st)
	st.locals = saved
	return flowNext
}

// run writes the content of a block.
func (n *blockStmt) run(st *state) {
	st.call(n.function, nil, func() {
		if n.self >= 0 {
			st.act.slots[n.self] = &templateRef{}
		}
		if n.super >= 0 {
			st.act.slots[n.super] = &undefined{name: "super", hint: "there is no parent block called '" + n.name + "'"}
		}
		st.enterScope(n.scope)
		st.execAll(n.body)
	})
}

func (n *macroStmt) exec(st *state) flow {
	m := &macro{def: n, around: st.act}
	st.make(64)
	switch {
	case n.generation:
		st.write(st.str(m.call(st, &callArgs{})))
	case n.call != nil:
		st.line = n.line
		of := n.call.of.eval(st)
		var a callArgs
		n.call.evalArgs(st, &a)
		st.line = n.call.line
		for _, name := range a.names {
			if name == "caller" {
				st.fail("argument %q is given twice", name)
			}
		}
		a.names = append(a.names, "caller")
		a.values = append(a.values, m)
		st.print(st.callValue(of, &a))
	default:
		st.assign(n.store, m)
	}
	return flowNext
}
