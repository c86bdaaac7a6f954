package jinja

import "strings"

func (n *nameExpr) eval(st *state) any {
	if v := *st.slot(n.ref); v != nil {
		return v
	}
	return n.undefined
}

func (n *constExpr) eval(*state) any { return n.value }

func (n *tupleExpr) eval(st *state) any { return &tuple{items: st.evalAll(n.items)} }

func (n *listExpr) eval(st *state) any { return &List{st.evalAll(n.items)} }

func (st *state) evalAll(exprs []expr) []any {
	st.makeItems(len(exprs))
	items := make([]any, len(exprs))
	for i, e := range exprs {
		items[i] = e.eval(st)
	}
	return items
}

func (n *dictExpr) eval(st *state) any {
	st.makeItems(4 * len(n.keys))
	d := NewDict(len(n.keys))
	for i, k := range n.keys {
		key := k.eval(st)
		value := n.values[i].eval(st)
		st.line = n.line
		d.set(st.hash(key), key, value)
	}
	return d
}

func (n *condExpr) eval(st *state) any {
	st.step()
	if truth(n.test.eval(st)) {
		return n.yes.eval(st)
	}
	if n.no == nil {
		return &undefined{hint: "the inline if-expression evaluated to false and no else section was defined"}
	}
	return n.no.eval(st)
}

func (n *logicExpr) eval(st *state) any {
	st.step()
	left := n.left.eval(st)
	if truth(left) == n.or {
		return left
	}
	return n.right.eval(st)
}

func (n *unaryExpr) eval(st *state) any {
	st.step()
	v := n.operand.eval(st)
	if n.op == "not" {
		return !truth(v)
	}
	st.line = n.line
	return st.negate(n.op, v)
}

func (n *binaryExpr) eval(st *state) any {
	st.step()
	left := n.left.eval(st)
	right := n.right.eval(st)
	st.line = n.line
	return st.binary(n.op, left, right)
}

func (n *concatExpr) eval(st *state) any {
	var room [8]any
	values := room[:0]
	marked := false
	for _, item := range n.items {
		v := item.eval(st)
		marked = marked || st.autoescape && isMarkup(v)
		values = append(values, v)
	}
	var parts [8]string
	texts := parts[:0]
	size := 0
	for _, v := range values {
		text := ""
		if marked {
			text = st.escapedText(v)
		} else {
			text = st.str(v)
		}
		texts = append(texts, text)
		size += len(text)
	}
	st.make(size)
	if marked {
		return markup(strings.Join(texts, ""))
	}
	return strings.Join(texts, "")
}

func (n *compareExpr) eval(st *state) any {
	st.step()
	left := n.first.eval(st)
	for i, op := range n.ops {
		right := n.rest[i].eval(st)
		st.line = n.line
		if !st.compare(op, left, right) {
			return false
		}
		left = right
	}
	return true
}

// compare applies an operator that compares.
func (st *state) compare(op string, a, b any) bool {
	switch op {
	case "==":
		return st.equal(a, b)
	case "!=":
		return !st.equal(a, b)
	case "in":
		return st.contains(b, a)
	case "not in":
		return !st.contains(b, a)
	}
	order := st.order(a, b, op, 0)
	switch op {
	case "<":
		return order == -1
	case ">":
		return order == 1
	case "<=":
		return order == -1 || order == 0
	}
	return order == 1 || order == 0
}

func (n *getattrExpr) eval(st *state) any {
	st.step()
	of := n.of.eval(st)
	st.line = n.line
	return st.getAttr(of, n.attr)
}

func (n *getitemExpr) eval(st *state) any {
	st.step()
	of := n.of.eval(st)
	if s, ok := n.arg.(*sliceExpr); ok {
		part := func(e expr) any {
			if e == nil {
				return None
			}
			return e.eval(st)
		}
		start, stop, step := part(s.start), part(s.stop), part(s.step)
		st.line = n.line
		return st.slice(of, start, stop, step)
	}
	arg := n.arg.eval(st)
	st.line = n.line
	return st.getItem(of, arg)
}

// evalArgs evaluates arguments into a.
func (n *arguments) evalArgs(st *state, a *callArgs) {
	for _, e := range n.args {
		a.args = append(a.args, e.eval(st))
	}
	if n.dynArgs != nil {
		it := st.iterate(n.dynArgs.eval(st))
		for v, ok := it.next(); ok; v, ok = it.next() {
			st.make(16)
			a.args = append(a.args, v)
		}
	}
	for i, name := range n.names {
		a.names = append(a.names, name)
		a.values = append(a.values, n.values[i].eval(st))
	}
	if n.dynKwargs != nil {
		v := n.dynKwargs.eval(st)
		d, ok := v.(*Dict)
		if !ok {
			st.defined(v)
			st.fail("argument after ** must be a mapping, not %s", typeName(v))
		}
		for i, k := range d.keys {
			key, ok := asString(k)
			if !ok {
				st.fail("keywords must be strings, not %s", typeName(k))
			}
			for _, name := range a.names {
				if st.step(); name == key {
					st.fail("got multiple values for keyword argument %q", key)
				}
			}
			st.make(32)
			a.names = append(a.names, key)
			a.values = append(a.values, d.values[i])
		}
	}
}

func (n *callExpr) eval(st *state) any {
	st.step()
	of := n.of.eval(st)
	var a callArgs
	var room [4]any
	a.args = room[:0]
	n.evalArgs(st, &a)
	st.line = n.line
	return st.callValue(of, &a)
}

func (n *filterExpr) eval(st *state) any {
	return n.apply(st, n.of.eval(st))
}

func (n *filterExpr) apply(st *state, v any) any {
	st.step()
	st.line = n.line
	if n.filter == nil {
		st.fail("no filter named %q", n.name)
	}
	var a callArgs
	var room [4]any
	a.args = room[:0]
	n.evalArgs(st, &a)
	st.line = n.line
	return n.filter(st, v, &a)
}

// applyTo applies a chain of filters whose innermost one has no operand to a value.
func applyTo(st *state, e expr, v any) any {
	f := e.(*filterExpr)
	if f.of != nil {
		v = applyTo(st, f.of, v)
	}
	return f.apply(st, v)
}

func (n *testExpr) eval(st *state) any {
	st.step()
	v := n.of.eval(st)
	st.line = n.line
	if n.test == nil {
		st.fail("no test named %q", n.name)
	}
	var a callArgs
	var room [2]any
	a.args = room[:0]
	n.evalArgs(st, &a)
	st.line = n.line
	return n.test(st, v, &a)
}
