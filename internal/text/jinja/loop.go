package jinja

import "unicode/utf8"

// iterator gives items one after the other.
type iterator struct {
	items []any
	pull  func() (any, bool)
}

func (it *iterator) next() (any, bool) {
	if it.pull != nil {
		return it.pull()
	}
	if len(it.items) == 0 {
		return nil, false
	}
	v := it.items[0]
	it.items = it.items[1:]
	return v, true
}

// tryIterate is iter(v). It returns false if v has no items.
func (st *state) tryIterate(v any) (iterator, bool) {
	switch v := v.(type) {
	case *List:
		return iterator{items: v.items}, true
	case *tuple:
		return iterator{items: v.items}, true
	case *Dict:
		return iterator{items: v.keys}, true
	case *dictView:
		return st.iterateView(v), true
	case *undefined:
		return iterator{}, true
	case *generator:
		// A generator can read from one that reads from one: they are inside one another.
		return iterator{pull: func() (any, bool) {
			st.enter()
			item, ok := v.next()
			st.depth--
			return item, ok
		}}, true
	case string:
		return iterateText(v), true
	case markup:
		return iterateText(string(v)), true
	case *rangeValue:
		i := int64(0)
		return iterator{pull: func() (any, bool) {
			if i >= v.n {
				return nil, false
			}
			i++
			return v.itemAt(i - 1), true
		}}, true
	case *loopContext:
		return iterator{pull: func() (any, bool) {
			item, ok := v.advance()
			if !ok {
				return nil, false
			}
			return &tuple{items: []any{item, v}}, true
		}}, true
	}
	return iterator{}, false
}

// iterate is iter(v), or fails.
func (st *state) iterate(v any) iterator {
	it, ok := st.tryIterate(v)
	if !ok {
		st.fail("'%s' object is not iterable", typeName(v))
	}
	return it
}

// iterateText gives the characters of a string. Those of a marked one are not marked.
func iterateText(s string) iterator {
	return iterator{pull: func() (any, bool) {
		if s == "" {
			return nil, false
		}
		_, n := utf8.DecodeRuneInString(s)
		c := s[:n]
		s = s[n:]
		return c, true
	}}
}

func (st *state) iterateView(v *dictView) iterator {
	switch v.kind {
	case "keys":
		return iterator{items: v.dict.keys}
	case "values":
		return iterator{items: v.dict.values}
	}
	i := 0
	return iterator{pull: func() (any, bool) {
		if i >= len(v.dict.keys) {
			return nil, false
		}
		i++
		return v.at(i - 1), true
	}}
}

// at returns item i of a view.
func (v *dictView) at(i int) any {
	switch v.kind {
	case "keys":
		return v.dict.keys[i]
	case "values":
		return v.dict.values[i]
	}
	return &tuple{items: []any{v.dict.keys[i], v.dict.values[i]}}
}

// list returns the items of a view.
func (v *dictView) list() []any {
	items := make([]any, len(v.dict.keys))
	for i := range items {
		items[i] = v.at(i)
	}
	return items
}

// list is list(v): the items of a value, which the caller may change.
func (st *state) list(v any) []any {
	if n, ok := v.(*dictView); ok {
		st.makeItems(4 * n.dict.Len())
		return n.list()
	}
	it := st.iterate(v)
	if it.pull == nil {
		st.makeItems(len(it.items))
		return append([]any{}, it.items...)
	}
	items := []any{}
	for item, ok := it.next(); ok; item, ok = it.next() {
		st.step()
		st.make(32)
		items = append(items, item)
	}
	return items
}

// loopContext is the variable loop.
type loopContext struct {
	it iterator
	// total is the number of items, or -1 until it is known.
	total           int
	index0, depth0  int
	after           any
	current, before any
	changed         any
	loop            *forStmt
	around          *activation
}

// advance returns the next item.
func (l *loopContext) advance() (any, bool) {
	v := l.after
	if l.after = nil; v == nil {
		var ok bool
		if v, ok = l.it.next(); !ok {
			return nil, false
		}
	}
	l.index0++
	l.before, l.current = l.current, v
	return v, true
}

// peek returns the next item, or nil, without going on.
func (l *loopContext) peek() any {
	if l.after == nil {
		l.after, _ = l.it.next()
	}
	return l.after
}

// length returns the number of items. It reads all of a generator.
func (l *loopContext) length(st *state) int {
	if l.total < 0 {
		var rest []any
		for v, ok := l.it.next(); ok; v, ok = l.it.next() {
			st.step()
			st.make(32)
			rest = append(rest, v)
		}
		l.it = iterator{items: rest}
		l.total = len(rest) + l.index0 + 1
		if l.after != nil {
			l.total++
		}
	}
	return l.total
}

func (n *forStmt) exec(st *state) flow {
	v := n.iter.eval(st)
	st.line = n.line
	if n.recursive {
		st.write(st.str(n.render(st, v, st.act, 0)))
		return flowNext
	}
	return n.run(st, v, st.act, 0)
}

// render runs a recursive loop, and returns what it writes.
func (n *forStmt) render(st *state, v any, around *activation, depth int) any {
	return st.marked(st.capture(func() {
		st.call(n.function, around, func() { n.run(st, v, around, depth) })
	}))
}

// run runs a loop over the items of v. around is where the loop stands.
func (n *forStmt) run(st *state, v any, around *activation, depth int) flow {
	it := st.iterate(v)
	total := -1
	switch {
	case n.test != nil:
		it = n.filtered(st, it, around)
	case n.extended:
		if count, ok := st.length(v); ok {
			total = count
		}
	}
	var l *loopContext
	if n.extended {
		st.make(128)
		l = &loopContext{it: it, total: total, index0: -1, depth0: depth, loop: n, around: around}
	}
	// As in Jinja, an iteration that break or continue ends does not count for else.
	empty := true
	for {
		var item any
		var ok bool
		if l != nil {
			item, ok = l.advance()
		} else {
			item, ok = it.next()
		}
		if !ok {
			break
		}
		st.step()
		if l != nil {
			*st.slot(n.loop) = l
		}
		st.line = n.line
		st.assign(n.store, item)
		st.enterScope(n.scope)
		f := st.execAll(n.body)
		if f == flowBreak {
			break
		}
		empty = empty && f == flowContinue
	}
	if empty && len(n.orElse) > 0 {
		st.enterScope(n.elseScope)
		return st.execAll(n.orElse)
	}
	return flowNext
}

// filtered returns the items for which the condition of the loop is true.
func (n *forStmt) filtered(st *state, it iterator, around *activation) iterator {
	st.make(16*n.testFunc.slots + 64)
	act := &activation{around, make([]any, n.testFunc.slots)}
	entered := false
	return iterator{pull: func() (any, bool) {
		saved := st.act
		defer func() { st.act = saved }()
		for {
			st.act = saved
			item, ok := it.next()
			if !ok {
				return nil, false
			}
			st.step()
			if st.act = act; !entered {
				entered = true
				st.enterScope(n.testScope)
			}
			st.line = n.line
			st.assign(n.testStore, item)
			if truth(n.test.eval(st)) {
				return item, true
			}
		}
	}}
}
