package jinja

import "slices"

// macro is a macro of a template, or the block of a call.
type macro struct {
	def *macroStmt
	// around has the variables around the macro.
	around *activation
}

// callValue calls a value.
func (st *state) callValue(of any, a *callArgs) any {
	switch of := of.(type) {
	case *builtin:
		return of.call(st, a)
	case *macro:
		return of.call(st, a)
	case *undefined:
		st.defined(of)
	case *joiner:
		a.none(st, "Joiner")
		if !of.used {
			of.used = true
			return ""
		}
		return of.separator
	case *loopContext:
		items := a.bind(st, "loop", 1, "iterable")[0]
		if !of.loop.recursive {
			st.fail("the loop must have the 'recursive' marker to be called recursively")
		}
		return of.loop.render(st, items, of.around, of.depth0+1)
	}
	st.fail("'%s' object is not callable", typeName(of))
	return nil
}

// call calls a macro: missing arguments take their defaults, superfluous ones go to varargs and
// kwargs if the macro uses them.
func (m *macro) call(st *state, a *callArgs) any {
	n := m.def
	name := n.name
	if name == "" {
		name = "caller"
	}
	used := make([]bool, len(a.names))
	keyword := func(name string) any {
		if i := slices.Index(a.names, name); i >= 0 {
			used[i] = true
			return a.values[i]
		}
		return nil
	}
	values := make([]any, len(n.args))
	for i, p := range n.args {
		if i < len(a.args) {
			values[i] = a.args[i]
		} else {
			values[i] = keyword(p.name)
		}
	}
	var caller any
	if n.caller >= 0 {
		if caller = keyword("caller"); caller == nil || caller == None {
			caller = &undefined{name: "caller", hint: "No caller defined"}
		}
	}
	kwargs := NewDict(0)
	for i, key := range a.names {
		switch {
		case used[i]:
		case n.kwargs < 0:
			st.fail("macro %q takes no keyword argument %q", name, key)
		default:
			st.make(64)
			kwargs.Set(key, a.values[i])
		}
	}
	extra := a.args[min(len(n.args), len(a.args)):]
	if n.varargs < 0 && len(extra) > 0 {
		st.fail("macro %q takes not more than %d argument(s), not %d", name, len(n.args), len(a.args))
	}
	return st.marked(st.capture(func() {
		st.call(n.function, m.around, func() {
			set := func(slot int, v any) {
				if slot >= 0 {
					st.act.slots[slot] = v
				}
			}
			for i, v := range values {
				set(n.params[i], v)
			}
			set(n.caller, caller)
			set(n.kwargs, kwargs)
			if n.varargs >= 0 {
				st.makeItems(len(extra))
				set(n.varargs, &tuple{items: slices.Clone(extra)})
			}
			st.enterScope(n.scope)
			n.defaultsTo(st, values)
			st.execAll(n.body)
		})
	}))
}

// defaultsTo sets the parameters that were not given, in order: a default can use those before it.
func (n *macroStmt) defaultsTo(st *state, values []any) {
	for i, v := range values {
		if v != nil {
			continue
		}
		if d := i - (len(n.args) - len(n.defaults)); d >= 0 {
			st.act.slots[n.params[i]] = n.defaults[d].eval(st)
		} else {
			st.act.slots[n.params[i]] = n.missing[i]
		}
	}
}

// bind sorts arguments by the names of the parameters of a function, of which the first ones are
// required. A parameter without a name cannot be given by name. What is not given is nil.
func (a *callArgs) bind(st *state, function string, required int, names ...string) [6]any {
	var bound [6]any
	if len(a.args) > len(names) {
		st.fail("%s() takes at most %d arguments, not %d", function, len(names), len(a.args))
	}
	copy(bound[:], a.args)
	for i, name := range a.names {
		at := slices.Index(names, name)
		switch {
		case at < 0 || name == "":
			st.fail("%s() got an unexpected keyword argument %q", function, name)
		case bound[at] != nil:
			st.fail("%s() got multiple values for argument %q", function, name)
		}
		bound[at] = a.values[i]
	}
	for i := range required {
		if bound[i] == nil {
			st.fail("%s() missing required argument %d", function, i+1)
		}
	}
	return bound
}

// none fails if there are arguments.
func (a *callArgs) none(st *state, function string) {
	if len(a.args)+len(a.names) > 0 {
		st.fail("%s() takes no arguments, not %d", function, len(a.args)+len(a.names))
	}
}

// int returns an argument as an integer, or a default if it is not given. Integers beyond 64 bits
// become the nearest ones.
func (st *state) int(v any, otherwise int64, what string) int64 {
	if v == nil {
		return otherwise
	}
	if i, ok := asInt(v); ok {
		return i
	}
	if n, ok := asBig(v); ok {
		if n.Sign() < 0 {
			return -1 << 62
		}
		return 1 << 62
	}
	st.defined(v)
	st.fail("%s: '%s' object cannot be interpreted as an integer", what, typeName(v))
	return 0
}

// text returns an argument as a string, or a default if it is not given.
func (st *state) text(v any, otherwise, what string) string {
	if v == nil {
		return otherwise
	}
	s, ok := asString(v)
	if !ok {
		st.defined(v)
		st.fail("%s must be str, not %s", what, typeName(v))
	}
	return s
}
