package jinja

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/text/python"
)

// getter returns a function that looks up an attribute of an item: names and numbers with points
// between them. fold turns strings into lower case. otherwise replaces what is undefined, unless it
// is nil or None.
func (st *state) getter(attribute any, fold bool, otherwise any) func(v any) any {
	var parts []any
	if text, ok := asString(attribute); ok {
		st.makeItems(strings.Count(text, "."))
		for part := range strings.SplitSeq(text, ".") {
			if n, ok := python.ParseInt(part, 10); ok && python.IsDigit(part) {
				parts = append(parts, normal(n))
			} else {
				parts = append(parts, part)
			}
		}
	} else if attribute != nil && attribute != None {
		parts = []any{attribute}
	}
	return func(v any) any {
		for _, part := range parts {
			st.step()
			v = st.getItem(v, part)
			if _, ok := v.(*undefined); ok && otherwise != nil && otherwise != None {
				v = otherwise
			}
		}
		if fold {
			v = st.folded(v)
		}
		return v
	}
}

// folded returns a string in lower case, and other values as they are.
func (st *state) folded(v any) any {
	if text, ok := asString(v); ok {
		st.make(3 * len(text))
		return like(v, python.Lower(text))
	}
	return v
}

// isTrue returns an argument that is a switch.
func isTrue(v any) bool { return v != nil && truth(v) }

// sortOrder compares two values to sort them.
func (st *state) sortOrder(a, b any) int {
	st.step()
	c := st.order(a, b, "<", 0)
	if c == 2 {
		return 0
	}
	return c
}

// sorted sorts items by keys, and keeps the order of equal ones.
func (st *state) sorted(items []any, key func(v any) any, descending bool) []any {
	type keyed struct{ key, value any }
	st.makeItems(2 * len(items))
	pairs := make([]keyed, len(items))
	for i, v := range items {
		pairs[i] = keyed{key(v), v}
	}
	// Unlike slices.SortStableFunc, sort.SliceStable has no instance of its own for each type.
	sort.SliceStable(pairs, func(i, j int) bool {
		if descending {
			return st.sortOrder(pairs[j].key, pairs[i].key) < 0
		}
		return st.sortOrder(pairs[i].key, pairs[j].key) < 0
	})
	for i, p := range pairs {
		items[i] = p.value
	}
	return items
}

func filterSort(st *state, v any, a *callArgs) any {
	b := a.bind(st, "sort", 0, "reverse", "case_sensitive", "attribute")
	attributes := []any{b[2]}
	if text, ok := asString(b[2]); ok {
		attributes = nil
		for part := range strings.SplitSeq(text, ",") {
			attributes = append(attributes, part)
		}
	}
	var getters []func(any) any
	for _, attribute := range attributes {
		getters = append(getters, st.getter(attribute, !isTrue(b[1]), nil))
	}
	key := func(v any) any {
		st.makeItems(len(getters))
		keys := make([]any, len(getters))
		for i, get := range getters {
			keys[i] = get(v)
		}
		return &List{keys}
	}
	return &List{st.sorted(st.list(v), key, isTrue(b[0]))}
}

func filterDictSort(st *state, v any, a *callArgs) any {
	b := a.bind(st, "dictsort", 0, "case_sensitive", "by", "reverse")
	by := 0
	if b[1] != nil {
		switch text, _ := asString(b[1]); text {
		case "key":
		case "value":
			by = 1
		default:
			st.fail("dictsort can only sort by either key or value, not %s", repr(b[1]))
		}
	}
	d, ok := v.(*Dict)
	if !ok {
		st.defined(v)
		st.fail("'%s' object has no attribute 'items'", typeName(v))
	}
	key := func(v any) any {
		part := v.(*tuple).items[by]
		if !isTrue(b[0]) {
			part = st.folded(part)
		}
		return part
	}
	return &List{st.sorted(st.list(&dictView{d, "items"}), key, isTrue(b[2]))}
}

func filterUnique(st *state, v any, a *callArgs) any {
	b := a.bind(st, "unique", 0, "case_sensitive", "attribute")
	get := st.getter(b[1], !isTrue(b[0]), nil)
	var it *iterator
	seen := make(map[any]bool)
	return &generator{"unique", func() (any, bool) {
		if it == nil {
			i := st.iterate(v)
			it = &i
		}
		for item, ok := it.next(); ok; item, ok = it.next() {
			st.step()
			if h := st.hash(get(item)); !seen[h] {
				st.make(64)
				seen[h] = true
				return item, true
			}
		}
		return nil, false
	}}
}

func extreme(name, op string) filterFunc {
	return func(st *state, v any, a *callArgs) any {
		b := a.bind(st, name, 0, "case_sensitive", "attribute")
		it := st.iterate(v)
		best, ok := it.next()
		if !ok {
			return &undefined{hint: "No aggregated item, sequence was empty."}
		}
		get := st.getter(b[1], !isTrue(b[0]), nil)
		bestKey := get(best)
		for item, ok := it.next(); ok; item, ok = it.next() {
			st.step()
			if key := get(item); st.compare(op, key, bestKey) {
				best, bestKey = item, key
			}
		}
		return best
	}
}

func filterGroupBy(st *state, v any, a *callArgs) any {
	b := a.bind(st, "groupby", 1, "attribute", "default", "case_sensitive")
	key := st.getter(b[0], !isTrue(b[2]), b[1])
	plain := st.getter(b[0], false, b[1])
	var groups []any
	var current *List
	var last any
	for _, item := range st.sorted(st.list(v), key, false) {
		k := key(item)
		if current == nil || !st.equal(k, last) {
			st.make(128)
			current = &List{}
			groups = append(groups, &tuple{items: []any{plain(item), current}, fields: []string{"grouper", "list"}})
			last = k
		}
		current.items = append(current.items, item)
	}
	return &List{groups}
}

func filterSum(st *state, v any, a *callArgs) any {
	b := a.bind(st, "sum", 0, "attribute", "start")
	sum := b[1]
	if sum == nil {
		sum = int64(0)
	}
	if _, ok := asString(sum); ok {
		st.fail("sum() can't sum strings")
	}
	get := st.getter(b[0], false, nil)
	it := st.iterate(v)
	for item, ok := it.next(); ok; item, ok = it.next() {
		st.step()
		sum = st.add(sum, get(item))
	}
	return sum
}

func filterFirst(st *state, v any, a *callArgs) any {
	a.none(st, "first")
	it := st.iterate(v)
	if item, ok := it.next(); ok {
		return item
	}
	return &undefined{hint: "No first item, sequence was empty."}
}

func filterLast(st *state, v any, a *callArgs) any {
	a.none(st, "last")
	n, ok := st.length(v)
	if !ok {
		st.fail("'%s' object is not reversible", typeName(v))
	}
	if n == 0 {
		return &undefined{hint: "No last item, sequence was empty."}
	}
	switch v := v.(type) {
	case *Dict:
		return v.keys[n-1]
	case *dictView:
		return v.at(n - 1)
	case *loopContext:
		st.fail("'LoopContext' object is not reversible")
	}
	return st.item(v, int64(-1))
}

func filterRandom(st *state, v any, a *callArgs) any {
	a.none(st, "random")
	n, ok := st.length(v)
	if _, isDict := v.(*Dict); !ok || isDict {
		st.fail("random: '%s' object is no sequence", typeName(v))
	}
	if n == 0 {
		return &undefined{hint: "No random item, sequence was empty."}
	}
	return st.getItem(v, int64(rand.IntN(n)))
}

func filterReverse(st *state, v any, a *callArgs) any {
	a.none(st, "reverse")
	if text, ok := asString(v); ok {
		return like(v, st.sliceText(text, st.runeCount(text), int64(st.runeCount(text))-1, -1, int64(st.runeCount(text))))
	}
	items := st.list(v)
	slices.Reverse(items)
	switch v.(type) {
	case *generator, *loopContext:
		return &List{items}
	}
	return generate("reversed", items)
}

// generate returns a generator of items.
func generate(kind string, items []any) any {
	it := iterator{items: items}
	return &generator{kind, it.next}
}

func filterList(st *state, v any, a *callArgs) any {
	a.none(st, "list")
	return &List{st.list(v)}
}

func filterItems(st *state, v any, a *callArgs) any {
	a.none(st, "items")
	var it *iterator
	return &generator{"items", func() (any, bool) {
		if it == nil {
			it = &iterator{}
			switch d := v.(type) {
			case *Dict:
				*it = st.iterateView(&dictView{d, "items"})
			case *undefined:
			default:
				st.fail("can only get item pairs from a mapping, not '%s'", typeName(v))
			}
		}
		return it.next()
	}}
}

func filterLength(st *state, v any, a *callArgs) any {
	a.none(st, "length")
	n, ok := st.length(v)
	if !ok {
		st.fail("object of type '%s' has no len()", typeName(v))
	}
	return int64(n)
}

func filterJoin(st *state, v any, a *callArgs) any {
	b := a.bind(st, "join", 0, "d", "attribute")
	separator := any("")
	if b[0] != nil {
		separator = b[0]
	}
	get := func(v any) any { return v }
	if b[1] != nil && b[1] != None {
		get = st.getter(b[1], false, nil)
	}
	var texts []string
	marked := isMarkup(separator)
	var items []any
	it := st.iterate(v)
	for item, ok := it.next(); ok; item, ok = it.next() {
		st.step()
		st.make(16)
		item = get(item)
		marked = marked || isMarkup(item)
		items = append(items, item)
	}
	marked = marked && st.autoescape
	for _, item := range items {
		if marked && !isMarkup(separator) || marked && isMarkup(item) {
			texts = append(texts, st.escapedText(item))
		} else {
			texts = append(texts, st.str(item))
		}
	}
	if marked {
		return markup(st.join(texts, st.escapedText(separator)))
	}
	return st.join(texts, st.str(separator))
}

// filterMap applies a filter, or looks up an attribute.
func filterMap(st *state, v any, a *callArgs) any {
	var apply func(v any) any
	prepare := func() {
		if at := slices.Index(a.names, "attribute"); len(a.args) == 0 && at >= 0 {
			var otherwise any
			for i, name := range a.names {
				switch name {
				case "attribute":
				case "default":
					otherwise = a.values[i]
				default:
					st.fail("map: unexpected keyword argument %q", name)
				}
			}
			apply = st.getter(a.values[at], false, otherwise)
			return
		}
		if len(a.args) == 0 {
			st.fail("map requires a filter argument")
		}
		name, _ := asString(a.args[0])
		filter := findFilter(name)
		if filter == nil {
			st.fail("no filter named %s", repr(a.args[0]))
		}
		rest := &callArgs{slices.Clone(a.args[1:]), a.names, a.values}
		apply = func(v any) any { return filter(st, v, rest) }
	}
	kept := &callArgs{slices.Clone(a.args), a.names, a.values}
	a = kept
	return st.lazily("map", v, prepare, func(v any) (any, bool) { return apply(v), true })
}

// lazily returns a generator of what each makes of the items of v, without those for which it
// returns false. prepare is called before the first one.
func (st *state) lazily(kind string, v any, prepare func(), each func(v any) (any, bool)) any {
	var it *iterator
	st.make(64)
	return &generator{kind, func() (any, bool) {
		if it == nil {
			it = &iterator{}
			if truth(v) {
				prepare()
				*it = st.iterate(v)
			}
		}
		for item, ok := it.next(); ok; item, ok = it.next() {
			st.step()
			if made, ok := each(item); ok {
				return made, true
			}
		}
		return nil, false
	}}
}

// selection returns the filters select, reject, selectattr and rejectattr.
func selection(name string, want, attribute bool) filterFunc {
	return func(st *state, v any, a *callArgs) any {
		args := slices.Clone(a.args)
		names, values := a.names, a.values
		get := func(v any) any { return v }
		is := truth
		prepare := func() {
			if attribute {
				if len(args) == 0 {
					st.fail("%s: missing parameter for attribute name", name)
				}
				get = st.getter(args[0], false, nil)
				args = args[1:]
			}
			if len(args) == 0 {
				return
			}
			text, _ := asString(args[0])
			test := findTest(text)
			if test == nil {
				st.fail("no test named %s", repr(args[0]))
			}
			rest := &callArgs{args[1:], names, values}
			is = func(v any) bool { return truth(test(st, v, rest)) }
		}
		return st.lazily(name, v, prepare, func(v any) (any, bool) { return v, is(get(v)) == want })
	}
}

func filterSlice(st *state, v any, a *callArgs) any {
	b := a.bind(st, "slice", 1, "slices", "fill_with")
	done := false
	var parts iterator
	return &generator{"slice", func() (any, bool) {
		if !done {
			done = true
			parts = iterator{items: st.slices(st.list(v), st.int(b[0], 0, "slice"), b[1])}
		}
		return parts.next()
	}}
}

// slices cuts items into n lists of nearly the same length.
func (st *state) slices(seq []any, n int64, fill any) []any {
	if n == 0 {
		st.fail("integer division or modulo by zero")
	}
	var parts []any
	each, extra := int64(len(seq))/n, int64(len(seq))%n
	offset := int64(0)
	for i := range n {
		start := offset + i*each
		if i < extra {
			offset++
		}
		part := slices.Clone(seq[start : offset+(i+1)*each])
		if fill != nil && fill != None && i >= extra {
			part = append(part, fill)
		}
		st.step()
		st.makeItems(len(part) + 2)
		parts = append(parts, &List{part})
	}
	return parts
}

func filterBatch(st *state, v any, a *callArgs) any {
	b := a.bind(st, "batch", 1, "linecount", "fill_with")
	var it *iterator
	var pending []any
	ended := false
	return &generator{"batch", func() (any, bool) {
		n := st.int(b[0], 0, "batch")
		if it == nil {
			i := st.iterate(v)
			it = &i
		}
		for !ended {
			item, ok := it.next()
			if !ok {
				ended = true
				break
			}
			st.step()
			st.make(16)
			if int64(len(pending)) == n {
				batch := &List{pending}
				pending = []any{item}
				return batch, true
			}
			pending = append(pending, item)
		}
		if len(pending) == 0 {
			return nil, false
		}
		batch := pending
		pending = nil
		if missing := n - int64(len(batch)); b[1] != nil && b[1] != None && missing > 0 {
			st.makeItems(int(min(missing, math.MaxInt32)))
			batch = append(batch, slices.Repeat([]any{b[1]}, int(missing))...)
		}
		return &List{batch}, true
	}}
}

func filterXMLAttr(st *state, v any, a *callArgs) any {
	space := a.bind(st, "xmlattr", 0, "autospace")[0]
	d, ok := v.(*Dict)
	if !ok {
		st.defined(v)
		st.fail("'%s' object has no attribute 'items'", typeName(v))
	}
	var texts []string
	for i, k := range d.keys {
		value := d.values[i]
		if _, undefined := value.(*undefined); undefined || value == None {
			continue
		}
		key := st.text(k, "", "attribute name")
		if strings.ContainsAny(key, " \t\n\r\f\v/>=") {
			st.fail("invalid character in attribute name %s", strconv.Quote(key))
		}
		text, _ := st.escaped(k)
		texts = append(texts, text+`="`+st.escapedText(value)+`"`)
	}
	text := st.join(texts, " ")
	if text != "" && (space == nil || truth(space)) {
		text = " " + text
	}
	return st.marked(text)
}
