package jinja

import (
	"math"
	"math/big"
)

type (
	bigKey       string
	tupleKey     string
	noneKey      struct{}
	undefinedKey struct{}
)

// hashable returns a comparable value that is the same for equal keys of a dict, or nil if v cannot
// be a key.
func hashable(v any) any {
	switch v := v.(type) {
	case string, int64:
		return v
	case markup:
		return string(v)
	case bool:
		i, _ := asInt(v)
		return i
	case none:
		return noneKey{}
	case *undefined:
		return undefinedKey{}
	case *big.Int:
		return bigKey(v.Text(62))
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<62 {
			return int64(v)
		}
		if v == math.Trunc(v) && !math.IsInf(v, 0) {
			n, _ := big.NewFloat(v).Int(nil)
			return bigKey(n.Text(62))
		}
		return v
	case *tuple:
		return hashTuple(v)
	case *List, *Dict, *dictView:
		return nil
	}
	return v
}

// hashTuple returns a key of a tuple: the representation of the keys of its items.
func hashTuple(t *tuple) any {
	key := make([]byte, 0, 16*len(t.items))
	for _, item := range t.items {
		h := hashable(item)
		switch h := h.(type) {
		case nil:
			return nil
		case tupleKey:
			key = append(key, '(')
			key = append(key, h...)
			key = append(key, ')')
		default:
			key = append(key, repr(item)...)
			if i, ok := h.(int64); ok {
				key = append(key[:len(key)-len(repr(item))], repr(i)...)
			}
		}
		key = append(key, ',')
	}
	return tupleKey(key)
}

// hash returns the key of a value for a dict, or fails.
func (st *state) hash(v any) any {
	if s, ok := v.(string); ok {
		return s
	}
	if t, ok := v.(*tuple); ok {
		st.checkKey(t, 0)
	}
	h := hashable(v)
	if h == nil {
		st.fail("unhashable type: '%s'", typeName(v))
	}
	return h
}

// checkKey bounds how deep a tuple is, and counts its items.
func (st *state) checkKey(t *tuple, depth int) {
	st.deep(depth)
	st.passItems(len(t.items))
	for _, item := range t.items {
		switch item := item.(type) {
		case *tuple:
			st.checkKey(item, depth+1)
		case string:
			st.make(len(item))
		}
	}
}

// deep fails if values are too deep inside one another.
func (st *state) deep(depth int) {
	if depth > maxDepth {
		st.fail("more than %d values inside one another", maxDepth)
	}
}

// equal is a == b.
func (st *state) equal(a, b any) bool { return st.equalAt(a, b, 0) }

func (st *state) equalAt(a, b any, depth int) bool {
	if s, ok := asString(a); ok {
		t, ok := asString(b)
		if ok && len(s) == len(t) {
			st.pass(len(s))
		}
		return ok && s == t
	}
	if c, ok := compareNumbers(a, b); ok {
		return c == 0
	}
	st.deep(depth)
	switch a := a.(type) {
	case *List:
		if b, ok := b.(*List); ok {
			return st.equalItems(a.items, b.items, depth)
		}
		return false
	case *tuple:
		if b, ok := b.(*tuple); ok {
			return st.equalItems(a.items, b.items, depth)
		}
		return false
	case *Dict:
		b, ok := b.(*Dict)
		return ok && st.equalDicts(a, b, depth)
	case *dictView:
		b, ok := b.(*dictView)
		return ok && (a == b || a.kind == b.kind && a.kind != "values" && st.equalViews(a, b, depth))
	case *undefined:
		_, ok := b.(*undefined)
		return ok
	case *rangeValue:
		b, ok := b.(*rangeValue)
		return ok && a.n == b.n && (a.n == 0 || a.start == b.start && (a.n == 1 || a.step == b.step))
	}
	return a == b
}

func (st *state) equalItems(a, b []any, depth int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		st.step()
		if !st.equalAt(a[i], b[i], depth+1) {
			return false
		}
	}
	return true
}

func (st *state) equalDicts(a, b *Dict, depth int) bool {
	if len(a.keys) != len(b.keys) {
		return false
	}
	for i, key := range a.keys {
		st.step()
		j, ok := b.lookup(hashable(key))
		if !ok || !st.equalAt(a.values[i], b.values[j], depth+1) {
			return false
		}
	}
	return true
}

// equalViews compares keys or items as sets.
func (st *state) equalViews(a, b *dictView, depth int) bool {
	if a.kind == "items" {
		return st.equalDicts(a.dict, b.dict, depth)
	}
	for _, key := range a.dict.keys {
		st.step()
		if _, ok := b.dict.lookup(hashable(key)); !ok {
			return false
		}
	}
	return len(a.dict.keys) == len(b.dict.keys)
}

// compareNumbers compares two numbers exactly. It returns false if one is none. A NaN is neither
// less nor greater nor equal: 2.
func compareNumbers(a, b any) (int, bool) {
	if x, ok := asInt(a); ok {
		if y, ok := asInt(b); ok {
			switch {
			case x < y:
				return -1, true
			case x > y:
				return 1, true
			}
			return 0, true
		}
	}
	x, xFloat := a.(float64)
	y, yFloat := b.(float64)
	if xFloat && yFloat {
		return compareFloats(x, y), true
	}
	n, aInt := asBig(a)
	m, bInt := asBig(b)
	switch {
	case aInt && bInt:
		return n.Cmp(m), true
	case aInt && yFloat:
		return -compareFloatInt(y, n), true
	case xFloat && bInt:
		return compareFloatInt(x, m), true
	}
	return 0, false
}

func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return 2
}

func compareFloatInt(x float64, n *big.Int) int {
	switch {
	case math.IsNaN(x):
		return 2
	case math.IsInf(x, 0):
		return int(math.Copysign(1, x))
	}
	return big.NewFloat(x).Cmp(new(big.Float).SetInt(n))
}

// order returns -1, 0 or 1 as a is less than, equal to or greater than b, or 2 for NaN. It fails if
// Python does not order them. op is the operator as written, for errors.
func (st *state) order(a, b any, op string, depth int) int {
	if s, ok := asString(a); ok {
		if t, ok := asString(b); ok {
			st.pass(min(len(s), len(t)))
			switch {
			case s < t:
				return -1
			case s > t:
				return 1
			}
			return 0
		}
	}
	if c, ok := compareNumbers(a, b); ok {
		return c
	}
	st.deep(depth)
	x, xList := a.(*List)
	y, yList := b.(*List)
	if xList && yList {
		return st.orderItems(x.items, y.items, op, depth)
	}
	t, tTuple := a.(*tuple)
	u, uTuple := b.(*tuple)
	if tTuple && uTuple {
		return st.orderItems(t.items, u.items, op, depth)
	}
	st.defined(a)
	st.defined(b)
	st.fail("'%s' not supported between instances of '%s' and '%s'", op, typeName(a), typeName(b))
	return 0
}

func (st *state) orderItems(a, b []any, op string, depth int) int {
	for i := range min(len(a), len(b)) {
		st.step()
		if !st.equalAt(a[i], b[i], depth+1) {
			return st.order(a[i], b[i], op, depth+1)
		}
	}
	return compareFloats(float64(len(a)), float64(len(b)))
}

// defined fails if v is undefined.
func (st *state) defined(v any) {
	if u, ok := v.(*undefined); ok {
		st.fail("%s", u.message())
	}
}

// contains is item in of.
func (st *state) contains(of, item any) bool {
	if text, ok := asString(of); ok {
		part, ok := asString(item)
		if !ok {
			st.defined(item)
			st.fail("'in <string>' requires a string as left operand, not %s", typeName(item))
		}
		st.pass(len(text))
		return containsText(text, part)
	}
	switch of := of.(type) {
	case *Dict:
		_, ok := of.lookup(st.hash(item))
		return ok
	case *dictView:
		if of.kind == "keys" {
			_, ok := of.dict.lookup(st.hash(item))
			return ok
		}
	case *rangeValue:
		if i, ok := asInt(item); ok {
			i -= of.start
			return i%of.step == 0 && i/of.step >= 0 && i/of.step < of.n
		}
	}
	it := st.iterate(of)
	for {
		v, ok := it.next()
		if !ok {
			return false
		}
		st.step()
		if v == item && !isNaN(v) || st.equal(v, item) {
			return true
		}
	}
}

func isNaN(v any) bool {
	f, ok := v.(float64)
	return ok && math.IsNaN(f)
}
