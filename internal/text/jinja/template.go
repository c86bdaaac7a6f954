// Package jinja renders templates of Jinja2 as Hugging Face's transformers configures it for chat
// templates: the immutable sandbox, trim_blocks and lstrip_blocks, break and continue, the tag
// generation, no loader and no autoescape, and the functions raise_exception and strftime_now.
// Values behave as Python's do: see package python.
//
// Parse reads a template once; many goroutines can render it at once. What a rendering may take is
// bounded: see Limits.
package jinja

import (
	"context"
	"time"
)

// Template is a template that was parsed. It does not change.
type Template struct {
	body     []statement
	function *function
	scope    scope
	blocks   map[string]*blockStmt
	self     int // slot, or -1
}

// Parse parses a template.
//
// # Errors
//
// An *Error, if the source is not valid: also for filters and tests that do not exist, unless they
// are in an if, as in Jinja.
func Parse(source string) (t *Template, err error) {
	defer recovered(&err, " in the parser of a template")
	if len(source) > maxSource {
		fail(1, "template of %d bytes, more than %d", len(source), maxSource)
	}
	p := &parser{tokens: lex(source), heights: make(map[expr]int)}
	t = &Template{body: p.subparse()}
	resolve(t)
	return t, nil
}

// Options are what a rendering needs besides its variables.
type Options struct {
	// Now is the time that strftime_now formats.
	Now    time.Time
	Limits Limits
}

// Render renders a template with variables, whose names map to values. It does not change them, and
// they must not change while it runs.
//
// # Errors
//
// An *Error, or that of ctx, if it is done first.
func (t *Template) Render(ctx context.Context, variables map[string]Value, options Options) (text string, err error) {
	defer recovered(&err, " in a template")
	limits := options.Limits.orDefault()
	st := &state{
		ctx: ctx, template: t, vars: variables, now: options.Now, limits: limits,
		left: limits.Steps, memory: limits.Memory, line: 1,
	}
	st.steps(1)
	st.act = &activation{slots: make([]any, t.function.slots)}
	st.root = st.act
	if t.self >= 0 {
		st.act.slots[t.self] = &templateRef{}
	}
	st.enterScope(t.scope)
	st.execAll(t.body)
	return string(st.out), nil
}

// state is one rendering.
type state struct {
	ctx      context.Context
	template *Template
	vars     map[string]any
	locals   map[string]any // of a scoped block
	now      time.Time
	limits   Limits
	// fuel is how many steps are left until the next look at the context, left those behind.
	fuel, left int
	memory     int
	depth      int
	// line is that of what is evaluated.
	line      int
	out       []byte
	act, root *activation
	// autoescape says that what is printed is escaped for HTML.
	autoescape bool
}

// activation holds the variables of one call of a function.
type activation struct {
	parent *activation
	slots  []any
}

// fail ends the rendering with an error at the current line.
func (st *state) fail(format string, args ...any) { fail(st.line, format, args...) }

// slot returns a variable.
func (st *state) slot(r ref) *any {
	a := st.act
	for range r.hops {
		a = a.parent
	}
	return &a.slots[r.slot]
}

// enterScope gives the variables of a scope their first values.
func (st *state) enterScope(s scope) {
	for i := range s {
		l := &s[i]
		var v any
		switch l.kind {
		case loadResolve:
			v = st.resolve(l.name, l.root)
		case loadAlias:
			v = *st.slot(l.from)
		}
		st.act.slots[l.slot] = v
	}
}

// resolve returns a variable of the rendering, or a global function, or nil. In a block, those
// around a scoped one and those of the template, whose slot is root unless that is negative, come
// first.
func (st *state) resolve(name string, root int) any {
	if v := st.locals[name]; v != nil {
		return v
	}
	if root >= 0 && st.root.slots[root] != nil {
		return st.root.slots[root]
	}
	if v, ok := st.vars[name]; ok {
		return v
	}
	if f, ok := globals[name]; ok {
		return f
	}
	return nil
}

// capture runs f and returns what it writes.
func (st *state) capture(f func()) string {
	start := len(st.out)
	f()
	text := string(st.out[start:])
	st.make(len(text))
	st.out = st.out[:start]
	return text
}

// call runs f with the variables of a function of its own.
func (st *state) call(f *function, around *activation, run func()) {
	st.enter()
	st.make(16*f.slots + 64)
	saved, line, fuel := st.act, st.line, st.autoescape
	st.act = &activation{around, make([]any, f.slots)}
	run()
	st.act, st.line, st.autoescape = saved, line, fuel
	st.depth--
}
