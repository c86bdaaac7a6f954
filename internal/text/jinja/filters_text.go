package jinja

import (
	"html"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/vinoir/vinoir/internal/text/python"
)

// soft returns a string as it is, and another value as its text.
func (st *state) soft(v any) any {
	if _, ok := asString(v); ok {
		return v
	}
	return st.str(v)
}

// textFilter is a filter without arguments that returns a string of at most three times the size.
func textFilter(st *state, v any, a *callArgs, name string, f func(string) string) any {
	a.none(st, name)
	v = st.soft(v)
	text, _ := asString(v)
	st.make(3 * len(text))
	return like(v, f(text))
}

func filterLower(st *state, v any, a *callArgs) any {
	return textFilter(st, v, a, "lower", python.Lower)
}

func filterUpper(st *state, v any, a *callArgs) any {
	return textFilter(st, v, a, "upper", python.Upper)
}

func filterCapitalize(st *state, v any, a *callArgs) any {
	return textFilter(st, v, a, "capitalize", python.Capitalize)
}

// filterTitle is the filter title: words begin behind spaces, hyphens and opening brackets.
func filterTitle(st *state, v any, a *callArgs) any {
	v = textFilter(st, v, a, "title", func(s string) string {
		var b strings.Builder
		for s != "" {
			separator := strings.IndexFunc(s, func(r rune) bool { return !splitsWords(r) })
			if separator < 0 {
				separator = len(s)
			}
			b.WriteString(s[:separator])
			s = s[separator:]
			word := strings.IndexFunc(s, splitsWords)
			if word < 0 {
				word = len(s)
			}
			first := len(python.Prefix(s[:word], 1))
			b.WriteString(python.Upper(s[:first]))
			b.WriteString(python.Lower(s[first:word]))
			s = s[word:]
		}
		return b.String()
	})
	text, _ := asString(v)
	return text
}

func splitsWords(r rune) bool {
	return python.IsSpace(r) || r == '-' || r == '(' || r == '{' || r == '[' || r == '<'
}

func filterTrim(st *state, v any, a *callArgs) any {
	v = st.soft(v)
	text, _ := asString(v)
	return like(v, st.strip(text, a.bind(st, "trim", 0, "chars")[0], true, true))
}

func filterCenter(st *state, v any, a *callArgs) any {
	v = st.soft(v)
	text, _ := asString(v)
	return like(v, st.pad(text, st.int(a.bind(st, "center", 0, "width")[0], 80, "center"), " ", '^'))
}

func filterString(st *state, v any, a *callArgs) any {
	a.none(st, "string")
	return st.soft(v)
}

func filterSafe(st *state, v any, a *callArgs) any {
	a.none(st, "safe")
	return markup(st.str(v))
}

func filterEscape(st *state, v any, a *callArgs) any {
	a.none(st, "escape")
	return markup(st.escapedText(v))
}

func filterForceEscape(st *state, v any, a *callArgs) any {
	a.none(st, "forceescape")
	return markup(st.escapedText(st.str(v)))
}

func filterReplace(st *state, v any, a *callArgs) any {
	b := a.bind(st, "replace", 2, "old", "new", "count")
	if b[2] == None {
		b[2] = nil
	}
	n := st.int(b[2], -1, "replace")
	if st.autoescape {
		text := st.str(v)
		if isMarkup(b[0]) || isMarkup(b[1]) && !isMarkup(v) {
			text, v = st.escapedText(v), markup("")
		}
		if isMarkup(v) {
			return markup(st.replace(text, st.str(b[0]), st.escapedText(b[1]), n))
		}
		return st.replace(text, st.str(b[0]), st.str(b[1]), n)
	}
	return st.replace(st.str(v), st.str(b[0]), st.str(b[1]), n)
}

func filterFormat(st *state, v any, a *callArgs) any {
	if len(a.args) > 0 && len(a.names) > 0 {
		st.fail("format: can't handle positional and keyword arguments at the same time")
	}
	if len(a.names) == 0 {
		return st.percent(st.soft(v), &tuple{items: slices.Clone(a.args)})
	}
	d := NewDict(len(a.names))
	for i, name := range a.names {
		d.Set(name, a.values[i])
	}
	return st.percent(st.soft(v), d)
}

func filterIndent(st *state, v any, a *callArgs) any {
	b := a.bind(st, "indent", 0, "width", "first", "blank")
	text, ok := asString(v)
	if !ok {
		st.operands("+=", v, "")
	}
	indentation, ok := asString(b[0])
	if !ok {
		n := max(st.int(b[0], 4, "indent"), 0)
		indentation = strings.Repeat(" ", st.times(int(min(n, math.MaxInt32)), 1))
	}
	st.make(len(text) + st.times(strings.Count(text, "\n")+1, len(indentation)))
	lines := python.Lines(text+"\n", false)
	st.makeItems(len(lines))
	var made strings.Builder
	if isTrue(b[1]) {
		made.WriteString(indentation)
	}
	for i, line := range lines {
		if i > 0 {
			made.WriteByte('\n')
			if line != "" || isTrue(b[2]) {
				st.make(len(indentation))
				made.WriteString(indentation)
			}
		}
		made.WriteString(line)
	}
	return like(v, made.String())
}

func filterTruncate(st *state, v any, a *callArgs) any {
	b := a.bind(st, "truncate", 0, "length", "killwords", "end", "leeway")
	if b[3] == None {
		b[3] = nil
	}
	length, leeway := st.int(b[0], 255, "truncate"), st.int(b[3], 5, "truncate")
	end := st.text(b[2], "...", "end")
	endLength := int64(st.runeCount(end))
	if length < endLength {
		st.fail("truncate: expected length >= %d, got %d", endLength, length)
	}
	if leeway < 0 {
		st.fail("truncate: expected leeway >= 0, got %d", leeway)
	}
	n, ok := st.length(v)
	if !ok {
		st.fail("object of type '%s' has no len()", typeName(v))
	}
	if int64(n) <= length+leeway {
		return v
	}
	text := st.text(v, "", "truncated value")
	kept := text[:offset(text, length-endLength)]
	if !isTrue(b[1]) {
		if at := strings.LastIndexByte(kept, ' '); at >= 0 {
			kept = kept[:at]
		}
	}
	return st.add(like(v, kept), or(b[2], end))
}

func filterWordCount(st *state, v any, a *callArgs) any {
	a.none(st, "wordcount")
	text := st.str(v)
	st.pass(4 * len(text))
	n := int64(0)
	in := false
	for _, r := range text {
		word := r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
		if word && !in {
			n++
		}
		in = word
	}
	return n
}

// filterStripTags removes tags and comments, and makes runs of white space one space.
func filterStripTags(st *state, v any, a *callArgs) any {
	a.none(st, "striptags")
	text := st.str(v)
	st.make(2 * len(text))
	var b strings.Builder
	for text != "" {
		start := strings.IndexByte(text, '<')
		if start < 0 {
			break
		}
		closing, skip := ">", 0
		if strings.HasPrefix(text[start:], "<!--") {
			closing, skip = "-->", 4
		}
		end := strings.Index(text[start+skip:], closing)
		if end < 0 {
			break
		}
		b.WriteString(text[:start])
		text = text[start+skip+end+len(closing):]
	}
	b.WriteString(text)
	return html.UnescapeString(strings.Join(python.Fields(b.String(), -1), " "))
}

// quoteURL escapes text for a URL, or for its query.
func (st *state) quoteURL(v any, query bool) string {
	text := st.str(v)
	st.make(3 * len(text))
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("_.-~", c) >= 0, c == '/' && !query:
			b.WriteByte(c)
		case c == ' ' && query:
			b.WriteByte('+')
		default:
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		}
	}
	return b.String()
}

func filterURLEncode(st *state, v any, a *callArgs) any {
	a.none(st, "urlencode")
	_, isText := asString(v)
	if _, iterable := st.tryIterate(v); isText || !iterable {
		return st.quoteURL(v, false)
	}
	if d, ok := v.(*Dict); ok {
		v = &dictView{d, "items"}
	}
	var texts []string
	it := st.iterate(v)
	for item, ok := it.next(); ok; item, ok = it.next() {
		pair := st.list(item)
		if len(pair) != 2 {
			st.fail("urlencode: expected pairs, got %d values", len(pair))
		}
		texts = append(texts, st.quoteURL(pair[0], true)+"="+st.quoteURL(pair[1], true))
	}
	return st.join(texts, "&")
}

// filterPrettyPrint is repr with the keys of dicts in order, where that fits into a line.
func filterPrettyPrint(st *state, v any, a *callArgs) any {
	a.none(st, "pprint")
	text := st.repr(st.ordered(v, 0))
	if st.runeCount(text) > 80 {
		st.fail("pprint: values that do not fit into 80 characters are not supported")
	}
	return text
}

// ordered returns a copy of a value in which the keys of dicts are sorted.
func (st *state) ordered(v any, depth int) any {
	st.step()
	st.deep(depth)
	all := func(items []any) []any {
		st.makeItems(len(items))
		made := make([]any, len(items))
		for i, item := range items {
			made[i] = st.ordered(item, depth+1)
		}
		return made
	}
	switch v := v.(type) {
	case *List:
		return &List{all(v.items)}
	case *tuple:
		return &tuple{items: all(v.items)}
	case *Dict:
		st.makeItems(4 * len(v.keys))
		made := NewDict(len(v.keys))
		keys := st.sorted(slices.Clone(v.keys), func(k any) any { return k }, false)
		for _, k := range keys {
			at, _ := v.lookup(hashable(k))
			made.set(hashable(k), k, st.ordered(v.values[at], depth+1))
		}
		return made
	}
	return v
}
