package jinja

import (
	"math/big"
)

// Value is a value of a template: None, bool, int64, *big.Int beyond it, float64, string, *List,
// *Dict, or one that only templates make. Nil is no value.
type Value = any

type none struct{}

// None is Python's None.
var None Value = none{}

// List is a list. Lists do not change once they are made.
type List struct{ items []any }

// NewList returns a list of the items, which it keeps.
func NewList(items []Value) *List { return &List{items} }

// Items returns the items, which must not be changed.
func (l *List) Items() []Value { return l.items }

type (
	// tuple is a tuple. fields are the names of its items as attributes, or nil.
	tuple struct {
		items  []any
		fields []string
	}
	// markup is a string that filters such as safe and escape mark as safe for HTML: what is joined
	// to it with + is escaped.
	markup string
	// dictView is what the methods keys, values and items of a dict return.
	dictView struct {
		dict *Dict
		kind string
	}
	// rangeValue is what range returns.
	rangeValue struct{ start, stop, step, n int64 }
	// generator computes its items when they are asked for, once.
	generator struct {
		kind string
		next func() (any, bool)
	}
	// namespace holds attributes that a template assigns to.
	namespace struct{ attrs *Dict }
	// builtin is a function or a method.
	builtin struct {
		name string
		call func(st *state, a *callArgs) any
	}
	// undefined is the value of a name, an attribute or an item that does not exist.
	undefined struct {
		hint string
		of   any // the value without the attribute or item name, or nil
		name any
	}
	cycler struct {
		items []any
		pos   int
	}
	joiner struct {
		separator any
		used      bool
	}
	// templateRef is self, whose attributes are the blocks.
	templateRef struct{}
)

// callArgs are the arguments of a call.
type callArgs struct {
	args   []any
	names  []string
	values []any
}

// Dict is a dict, in the order in which its keys were set.
type Dict struct {
	keys, values []any
	// index has the positions of the keys if there are many.
	index map[any]int
}

// NewDict returns a dict with room for n items.
func NewDict(n int) *Dict { return &Dict{keys: make([]any, 0, n), values: make([]any, 0, n)} }

// scanned is how many keys are compared one by one.
const scanned = 8

// Len returns the number of items.
func (d *Dict) Len() int { return len(d.keys) }

// Set sets the value of a key. A dict must not be changed once a template has it.
func (d *Dict) Set(key string, value Value) { d.set(key, key, value) }

// Get returns the value of a key, or nil.
func (d *Dict) Get(key string) Value {
	if i := d.find(key); i >= 0 {
		return d.values[i]
	}
	return nil
}

// find returns the position of a key that is a string, or -1.
//
// It is not inlined: the code of the command would be 5 KiB larger.
//
//go:noinline
func (d *Dict) find(key string) int {
	if d.index != nil {
		if i, ok := d.index[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range d.keys {
		switch k := k.(type) {
		case string:
			if k == key {
				return i
			}
		case markup:
			if string(k) == key {
				return i
			}
		}
	}
	return -1
}

// set sets the value of a key, whose hash is given.
func (d *Dict) set(hash, key, value any) {
	i, ok := d.lookup(hash)
	if ok {
		d.values[i] = value
		return
	}
	if d.index == nil && len(d.keys) >= scanned {
		d.index = make(map[any]int, 2*len(d.keys))
		for i, k := range d.keys {
			d.index[hashable(k)] = i
		}
	}
	if d.index != nil {
		d.index[hash] = len(d.keys)
	}
	d.keys = append(d.keys, key)
	d.values = append(d.values, value)
}

// lookup returns the position of the key with a hash.
func (d *Dict) lookup(hash any) (int, bool) {
	if s, ok := hash.(string); ok {
		i := d.find(s)
		return i, i >= 0
	}
	if d.index != nil {
		i, ok := d.index[hash]
		return i, ok
	}
	for i, k := range d.keys {
		if hashable(k) == hash {
			return i, true
		}
	}
	return -1, false
}

// normal returns an integer as int64 if it fits.
func normal(n *big.Int) any {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// typeName returns the name of the type of a value in Python.
func typeName(v any) string {
	switch v := v.(type) {
	case none:
		return "NoneType"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case markup:
		return "Markup"
	case *List:
		return "list"
	case *tuple:
		return "tuple"
	case *Dict:
		return "dict"
	case *dictView:
		return "dict_" + v.kind
	case *rangeValue:
		return "range"
	case *generator:
		return "generator"
	case *namespace:
		return "Namespace"
	case *undefined:
		return "Undefined"
	case *loopContext:
		return "LoopContext"
	case *macro:
		return "Macro"
	case *cycler:
		return "Cycler"
	case *joiner:
		return "Joiner"
	case *templateRef:
		return "TemplateReference"
	}
	return "builtin_function_or_method"
}

// message says what is undefined.
func (u *undefined) message() string {
	if u.hint != "" {
		return u.hint
	}
	name := repr(u.name)
	if u.of == nil {
		return name + " is undefined"
	}
	owner := typeName(u.of) + " object"
	if u.of == None {
		owner = "None"
	}
	if _, ok := asString(u.name); !ok {
		return owner + " has no element " + name
	}
	return "'" + owner + "' has no attribute " + name
}

// asString returns the text of a string, marked or not.
//
// It is not inlined: the code of the command would be 7 KiB larger.
//
//go:noinline
func asString(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case markup:
		return string(v), true
	}
	return "", false
}

// asInt returns an integer or a bool as int64.
func asInt(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// asBig returns an integer or a bool as *big.Int, which must not be changed.
func asBig(v any) (*big.Int, bool) {
	if n, ok := v.(*big.Int); ok {
		return n, true
	}
	if i, ok := asInt(v); ok {
		return big.NewInt(i), true
	}
	return nil, false
}

// sequence returns the items of a list or a tuple.
func sequence(v any) ([]any, bool) {
	switch v := v.(type) {
	case *List:
		return v.items, true
	case *tuple:
		return v.items, true
	}
	return nil, false
}

// truth is bool(v).
//
// It is not inlined: the code of the command would be 12 KiB larger.
//
//go:noinline
func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return v != ""
	case markup:
		return v != ""
	case none, *undefined:
		return false
	case int64:
		return v != 0
	case float64:
		return v != 0
	case *List:
		return len(v.items) > 0
	case *tuple:
		return len(v.items) > 0
	case *Dict:
		return len(v.keys) > 0
	case *dictView:
		return len(v.dict.keys) > 0
	case *rangeValue:
		return v.n > 0
	}
	return true
}

// length is len(v). It returns false if v has none.
func (st *state) length(v any) (int, bool) {
	switch v := v.(type) {
	case string:
		return st.runeCount(v), true
	case markup:
		return st.runeCount(string(v)), true
	case *List:
		return len(v.items), true
	case *tuple:
		return len(v.items), true
	case *Dict:
		return len(v.keys), true
	case *dictView:
		return len(v.dict.keys), true
	case *rangeValue:
		return int(v.n), true
	case *undefined:
		return 0, true
	case *loopContext:
		return v.length(st), true
	}
	return 0, false
}

// itemAt returns item i of a range.
func (r *rangeValue) itemAt(i int64) int64 { return r.start + i*r.step }
