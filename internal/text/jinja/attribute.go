package jinja

import (
	"math/big"
	"slices"
	"strings"
)

// getAttr is of.name: an attribute, or else an item.
func (st *state) getAttr(of any, name string) any {
	if v, ok := st.attribute(of, name); ok {
		return v
	}
	if d, ok := of.(*Dict); ok {
		if i := d.find(name); i >= 0 {
			return d.values[i]
		}
	}
	return &undefined{of: of, name: name}
}

// getItem is of[arg]: an item, or else an attribute.
func (st *state) getItem(of, arg any) any {
	if v := st.item(of, arg); v != nil {
		return v
	}
	if name, ok := asString(arg); ok {
		if v, ok := st.attribute(of, name); ok {
			return v
		}
	}
	return &undefined{of: of, name: arg}
}

// item returns an item, or nil.
func (st *state) item(of, arg any) any {
	switch of := of.(type) {
	case *Dict:
		if name, ok := arg.(string); ok {
			if i := of.find(name); i >= 0 {
				return of.values[i]
			}
			return nil
		}
		if t, ok := arg.(*tuple); ok {
			st.checkKey(t, 0)
		}
		if h := hashable(arg); h != nil {
			if i, ok := of.lookup(h); ok {
				return of.values[i]
			}
		}
		return nil
	case *undefined:
		st.defined(of)
	}
	i, ok := asInt(arg)
	if !ok {
		return nil
	}
	switch of := of.(type) {
	case *List, *tuple:
		items, _ := sequence(of)
		if i < 0 {
			i += int64(len(items))
		}
		if 0 <= i && i < int64(len(items)) {
			return items[i]
		}
	case string, markup:
		text, _ := asString(of)
		if i < 0 {
			i += int64(st.runeCount(text))
		}
		st.decode(len(text))
		if i >= 0 {
			for at, r := range text {
				if i == 0 {
					return like(of, text[at:at+len(string(r))])
				}
				i--
			}
		}
	case *rangeValue:
		if i < 0 {
			i += of.n
		}
		if 0 <= i && i < of.n {
			return of.itemAt(i)
		}
	}
	return nil
}

// unsafe returns what stands for an attribute that the sandbox refuses: it fails only when used.
func unsafe(of any, name string) any {
	return &undefined{of: of, name: name, hint: "access to attribute '" + name + "' of '" + typeName(of) + "' object is unsafe"}
}

// dunders are attributes that all objects of Python have.
var dunders = strings.Fields(`__class__ __delattr__ __dir__ __doc__ __eq__ __format__ __ge__ __getattribute__ __getstate__
	__gt__ __hash__ __init__ __init_subclass__ __le__ __lt__ __ne__ __new__ __reduce__ __reduce_ex__ __repr__ __setattr__
	__sizeof__ __str__ __subclasshook__`)

// attribute returns an attribute. It returns false if there is none.
func (st *state) attribute(of any, name string) (any, bool) {
	if strings.HasPrefix(name, "_") {
		if slices.Contains(dunders, name) {
			return unsafe(of, name), true
		}
		st.defined(of)
		return nil, false
	}
	switch of := of.(type) {
	case *Dict:
		return dictAttribute(of, name)
	case *namespace:
		if i := of.attrs.find(name); i >= 0 {
			return of.attrs.values[i], true
		}
	case *loopContext:
		v := of.attribute(st, name)
		return v, v != nil
	case string, markup:
		if m := findStringMethod(name); m != nil {
			return method(name, of, m), true
		}
	case *List:
		switch name {
		case "append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove":
			return unsafe(of, name), true
		case "copy":
			return &builtin{name, func(st *state, a *callArgs) any {
				a.none(st, name)
				return &List{st.list(of)}
			}}, true
		}
		return sequenceAttribute(of, of.items, name)
	case *tuple:
		if i := slices.Index(of.fields, name); i >= 0 {
			return of.items[i], true
		}
		return sequenceAttribute(of, of.items, name)
	case *rangeValue:
		if v, ok := map[string]any{"start": of.start, "stop": of.stop, "step": of.step}[name]; ok {
			return v, true
		}
		if name == "count" || name == "index" {
			return sequenceAttribute(of, nil, name)
		}
	case bool, int64, *big.Int:
		return intAttribute(of, name)
	case float64:
		return floatAttribute(of, name)
	case *macro:
		return of.attribute(name)
	case *cycler:
		return of.attribute(name)
	case *joiner:
		if name == "sep" || name == "used" {
			return map[string]any{"sep": of.separator, "used": of.used}[name], true
		}
	case *dictView:
		if name == "mapping" {
			return of.dict, true
		}
	case *builtin:
		if of == fromKeysOwner && name == "fromkeys" {
			return &builtin{name, fromKeys}, true
		}
	case *templateRef:
		if b := st.template.blocks[name]; b != nil {
			return &builtin{name, func(st *state, a *callArgs) any {
				a.none(st, name)
				return st.marked(st.capture(func() { b.run(st) }))
			}}, true
		}
		st.fail("there is no block %q", name)
	case *undefined:
		st.defined(of)
	}
	return nil, false
}

// method returns a method of a value.
func method(name string, of any, m func(st *state, of any, a *callArgs) any) any {
	return &builtin{name, func(st *state, a *callArgs) any { return m(st, of, a) }}
}

func dictAttribute(d *Dict, name string) (any, bool) {
	switch name {
	case "get":
		return &builtin{name, func(st *state, a *callArgs) any {
			b := a.bind(st, "get", 1, "", "")
			if i, ok := d.lookup(st.hash(b[0])); ok {
				return d.values[i]
			}
			if b[1] == nil {
				return None
			}
			return b[1]
		}}, true
	case "keys", "values", "items":
		return &builtin{name, func(st *state, a *callArgs) any {
			a.none(st, name)
			return &dictView{d, name}
		}}, true
	case "copy":
		return &builtin{name, func(st *state, a *callArgs) any {
			a.none(st, name)
			return st.copyDict(d)
		}}, true
	case "fromkeys":
		return &builtin{name, fromKeys}, true
	case "clear", "pop", "popitem", "setdefault", "update":
		return unsafe(d, name), true
	}
	return nil, false
}

// copyDict returns a copy of a dict, to which more can be added.
func (st *state) copyDict(d *Dict) *Dict {
	st.makeItems(4 * len(d.keys))
	c := NewDict(len(d.keys))
	for i, key := range d.keys {
		c.set(hashable(key), key, d.values[i])
	}
	return c
}

func fromKeys(st *state, a *callArgs) any {
	b := a.bind(st, "fromkeys", 1, "", "")
	if b[1] == nil {
		b[1] = None
	}
	d := NewDict(0)
	it := st.iterate(b[0])
	for key, ok := it.next(); ok; key, ok = it.next() {
		st.make(64)
		d.set(st.hash(key), key, b[1])
	}
	return d
}

// sequenceAttribute returns the methods count and index of a sequence. items is nil for a range.
func sequenceAttribute(of any, items []any, name string) (any, bool) {
	switch name {
	case "count":
		return &builtin{name, func(st *state, a *callArgs) any {
			v := a.bind(st, name, 1, "")[0]
			n := int64(0)
			it := st.iterate(of)
			for item, ok := it.next(); ok; item, ok = it.next() {
				if st.step(); st.equal(item, v) {
					n++
				}
			}
			return n
		}}, true
	case "index":
		return &builtin{name, func(st *state, a *callArgs) any {
			b := a.bind(st, name, 1, "", "", "")
			all := items
			if items == nil {
				all = st.list(of)
			}
			start, stop := st.bounds(b[1], b[2], len(all))
			for i := start; i < stop; i++ {
				if st.step(); st.equal(all[i], b[0]) {
					return int64(i)
				}
			}
			st.fail("%s is not in %s", repr(b[0]), typeName(of))
			return nil
		}}, true
	}
	return nil, false
}

// bounds returns the positions from start to stop in a sequence of n items, as slices take them.
func (st *state) bounds(start, stop any, n int) (int, int) {
	at := func(v any, otherwise int) int {
		if v == nil || v == None {
			return otherwise
		}
		i := st.int(v, 0, "position")
		if i < 0 {
			i = max(i+int64(n), 0)
		}
		return int(min(i, int64(n)))
	}
	return at(start, 0), at(stop, n)
}

func (l *loopContext) attribute(st *state, name string) any {
	switch name {
	case "index":
		return int64(l.index0 + 1)
	case "index0":
		return int64(l.index0)
	case "first":
		return l.index0 == 0
	case "last":
		return l.peek() == nil
	case "length":
		return int64(l.length(st))
	case "revindex":
		return int64(l.length(st) - l.index0)
	case "revindex0":
		return int64(l.length(st) - l.index0 - 1)
	case "depth":
		return int64(l.depth0 + 1)
	case "depth0":
		return int64(l.depth0)
	case "previtem":
		if l.index0 == 0 {
			return &undefined{hint: "there is no previous item"}
		}
		return l.before
	case "nextitem":
		if v := l.peek(); v != nil {
			return v
		}
		return &undefined{hint: "there is no next item"}
	case "cycle":
		return &builtin{name, func(st *state, a *callArgs) any {
			if len(a.args) == 0 || len(a.names) > 0 {
				st.fail("no items for cycling given")
			}
			return a.args[l.index0%len(a.args)]
		}}
	case "changed":
		return &builtin{name, func(st *state, a *callArgs) any {
			v := &tuple{items: slices.Clone(a.args)}
			st.makeItems(len(a.args))
			changed := l.changed == nil || !st.equal(l.changed, v)
			l.changed = v
			return changed
		}}
	}
	return nil
}

func (m *macro) attribute(name string) (any, bool) {
	switch name {
	case "name":
		if m.def.name == "" {
			return None, true
		}
		return m.def.name, true
	case "arguments":
		var names []any
		for _, a := range m.def.args {
			names = append(names, a.name)
		}
		return &tuple{items: names}, true
	case "catch_kwargs":
		return m.def.kwargs >= 0, true
	case "catch_varargs":
		return m.def.varargs >= 0, true
	case "caller":
		return m.def.caller >= 0, true
	case "explicit_caller":
		return m.def.explicitCaller, true
	}
	return nil, false
}

func (c *cycler) attribute(name string) (any, bool) {
	switch name {
	case "current":
		return c.items[c.pos], true
	case "pos":
		return int64(c.pos), true
	case "items":
		return &tuple{items: c.items}, true
	case "next":
		return &builtin{name, func(st *state, a *callArgs) any {
			a.none(st, name)
			v := c.items[c.pos]
			c.pos = (c.pos + 1) % len(c.items)
			return v
		}}, true
	case "reset":
		return &builtin{name, func(st *state, a *callArgs) any {
			a.none(st, name)
			c.pos = 0
			return None
		}}, true
	}
	return nil, false
}
