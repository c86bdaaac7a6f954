package jinja

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/python"
)

type stringMethod = func(st *state, of any, a *callArgs) any

// mapped is a method without arguments that returns a string of at most three times the size.
func mapped(name string, f func(string) string) stringMethod {
	return func(st *state, of any, a *callArgs) any {
		a.none(st, name)
		s, _ := asString(of)
		st.make(3 * len(s))
		return like(of, f(s))
	}
}

// classified is a method without arguments that returns a bool.
func classified(name string, f func(string) bool) stringMethod {
	return func(st *state, of any, a *callArgs) any {
		a.none(st, name)
		s, _ := asString(of)
		st.decode(len(s))
		return f(s)
	}
}

// findStringMethod returns a method of str, or nil.
func findStringMethod(name string) stringMethod {
	switch name {
	case "format":
		return formatMethod
	case "format_map":
		return formatMap
	}
	return stringMethods[name]
}

// stringMethods are the methods of str, but for those that look up attributes.
var stringMethods = map[string]stringMethod{
	"capitalize":   mapped("capitalize", python.Capitalize),
	"casefold":     mapped("casefold", python.CaseFold),
	"lower":        mapped("lower", python.Lower),
	"swapcase":     mapped("swapcase", python.SwapCase),
	"title":        mapped("title", python.Title),
	"upper":        mapped("upper", python.Upper),
	"isalnum":      classified("isalnum", python.IsAlnum),
	"isalpha":      classified("isalpha", python.IsAlpha),
	"isascii":      classified("isascii", python.IsASCII),
	"isdecimal":    classified("isdecimal", python.IsDecimal),
	"isdigit":      classified("isdigit", python.IsDigit),
	"isidentifier": classified("isidentifier", python.IsIdentifier),
	"islower":      classified("islower", python.IsLower),
	"isnumeric":    classified("isnumeric", python.IsNumeric),
	"isprintable":  classified("isprintable", python.IsPrintable),
	"isspace":      classified("isspace", python.IsSpaces),
	"istitle":      classified("istitle", python.IsTitle),
	"isupper":      classified("isupper", python.IsUpper),
	"strip":        stripper("strip", true, true),
	"lstrip":       stripper("lstrip", true, false),
	"rstrip":       stripper("rstrip", false, true),
	"center":       justifier("center", '^'),
	"ljust":        justifier("ljust", '<'),
	"rjust":        justifier("rjust", '>'),
	"find":         finder("find", false, false),
	"rfind":        finder("rfind", true, false),
	"index":        finder("index", false, true),
	"rindex":       finder("rindex", true, true),
	"startswith":   affix("startswith", strings.HasPrefix),
	"endswith":     affix("endswith", strings.HasSuffix),
	"removeprefix": remover("removeprefix", strings.TrimPrefix),
	"removesuffix": remover("removesuffix", strings.TrimSuffix),
	"partition":    partition,
	"rpartition":   rpartition,
	"split":        splitter("split", false),
	"rsplit":       splitter("rsplit", true),
	"count":        countText,
	"expandtabs":   expandTabs,
	"join":         joinMethod,
	"replace":      replaceMethod,
	"splitlines":   splitLines,
	"translate":    translate,
	"zfill":        zfill,
}

// strip removes characters at the ends of s: those in chars, or white space if chars is nil.
func (st *state) strip(s string, chars any, left, right bool) string {
	if chars == nil || chars == None {
		before := len(s)
		if left {
			s = python.LStrip(s)
		}
		if right {
			s = python.RStrip(s)
		}
		st.decode(before - len(s))
		return s
	}
	set := st.text(chars, "", "strip arg")
	st.decode(len(s))
	st.steps(len(s) / 64 * (len(set) / 64))
	if left {
		s = strings.TrimLeft(s, set)
	}
	if right {
		s = strings.TrimRight(s, set)
	}
	return s
}

func stripper(name string, left, right bool) stringMethod {
	return func(st *state, of any, a *callArgs) any {
		s, _ := asString(of)
		return like(of, st.strip(s, a.bind(st, name, 0, "")[0], left, right))
	}
}

// pad pads s to a width with a character.
func (st *state) pad(s string, width int64, fill string, align byte) string {
	missing := width - int64(st.runeCount(s))
	if missing <= 0 {
		return s
	}
	st.make(len(s) + st.times(int(min(missing, math.MaxInt32)), len(fill)))
	n := int(missing)
	left := 0
	switch align {
	case '>':
		left = n
	case '^':
		// As CPython: the larger half is to the left if the width is odd.
		left = n/2 + n&int(width)&1
	}
	return strings.Repeat(fill, left) + s + strings.Repeat(fill, n-left)
}

func justifier(name string, align byte) stringMethod {
	return func(st *state, of any, a *callArgs) any {
		b := a.bind(st, name, 1, "", "")
		s, _ := asString(of)
		fill := st.text(b[1], " ", "fill character")
		if utf8.RuneCountInString(fill) != 1 {
			st.fail("the fill character must be exactly one character long")
		}
		if isMarkup(of) {
			fill, _ = st.escaped(fill)
		}
		return like(of, st.pad(s, st.int(b[0], 0, name), fill, align))
	}
}

// window returns the part of s between two positions, and the byte at which it begins. It returns
// false if the part begins behind the end.
func (st *state) window(s string, start, stop any) (string, int, bool) {
	if (start == nil || start == None) && (stop == nil || stop == None) {
		return s, 0, true
	}
	n := st.runeCount(s)
	i, j := st.bounds(start, stop, n)
	if v, ok := asInt(start); ok && v > int64(n) || i > j {
		return "", 0, false
	}
	st.decode(len(s))
	from := len(python.Prefix(s, i))
	return python.Prefix(s[from:], j-i), from, true
}

func finder(name string, last, must bool) stringMethod {
	return func(st *state, of any, a *callArgs) any {
		b := a.bind(st, name, 1, "", "", "")
		s, _ := asString(of)
		part := st.text(b[0], "", name+"() argument")
		w, from, ok := st.window(s, b[1], b[2])
		st.pass(len(s))
		at := -1
		if ok {
			find := strings.Index
			if last {
				find = strings.LastIndex
			}
			at = find(w, part)
		}
		if at < 0 {
			if must {
				st.fail("substring %s not found", repr(part))
			}
			return int64(-1)
		}
		return int64(st.runeCount(s[:from+at]))
	}
}

func affix(name string, has func(s, part string) bool) stringMethod {
	return func(st *state, of any, a *callArgs) any {
		b := a.bind(st, name, 1, "", "", "")
		s, _ := asString(of)
		w, _, ok := st.window(s, b[1], b[2])
		if t, isTuple := b[0].(*tuple); isTuple {
			for _, item := range t.items {
				part, isText := asString(item)
				if !isText {
					st.fail("tuple for %s must only contain str, not %s", name, typeName(item))
				}
				if st.step(); ok && has(w, part) {
					return true
				}
			}
			return false
		}
		part := st.text(b[0], "", name+" first arg")
		return ok && has(w, part)
	}
}

func remover(name string, remove func(s, part string) string) stringMethod {
	return func(st *state, of any, a *callArgs) any {
		s, _ := asString(of)
		return like(of, remove(s, st.text(a.bind(st, name, 1, "")[0], "", name+"() argument")))
	}
}

// separator returns an argument that separates.
func (st *state) separator(v any) string {
	s := st.text(v, "", "separator")
	if s == "" {
		st.fail("empty separator")
	}
	return s
}

func partition(st *state, of any, a *callArgs) any {
	s, _ := asString(of)
	separator := st.separator(a.bind(st, "partition", 1, "")[0])
	st.pass(len(s))
	before, after, found := strings.Cut(s, separator)
	if !found {
		separator = ""
	}
	return st.texts(of, before, separator, after)
}

func rpartition(st *state, of any, a *callArgs) any {
	s, _ := asString(of)
	separator := st.separator(a.bind(st, "rpartition", 1, "")[0])
	st.pass(len(s))
	at := strings.LastIndex(s, separator)
	if at < 0 {
		return st.texts(of, "", "", s)
	}
	return st.texts(of, s[:at], separator, s[at+len(separator):])
}

// texts returns a tuple of strings of the type of of.
func (st *state) texts(of any, texts ...string) any {
	st.makeItems(len(texts))
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = like(of, text)
	}
	return &tuple{items: items}
}

// textList returns a list of strings of the type of of.
func (st *state) textList(of any, texts []string) any {
	st.makeItems(2 * len(texts))
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = like(of, text)
	}
	return &List{items}
}

func splitter(name string, last bool) stringMethod {
	return func(st *state, of any, a *callArgs) any {
		b := a.bind(st, name, 0, "sep", "maxsplit")
		s, _ := asString(of)
		limit := int(max(min(st.int(b[1], -1, name), math.MaxInt32), -1))
		st.pass(len(s))
		if b[0] == nil || b[0] == None {
			st.decode(len(s))
			st.reserveSplit(strings.Count(s, " ")+1, limit)
			if last {
				return st.textList(of, python.RFields(s, limit))
			}
			return st.textList(of, python.Fields(s, limit))
		}
		separator := st.separator(b[0])
		st.reserveSplit(strings.Count(s, separator), limit)
		if last {
			return st.textList(of, python.RSplit(s, separator, limit))
		}
		if limit >= 0 {
			limit++
		}
		return st.textList(of, strings.SplitN(s, separator, limit))
	}
}

// reserveSplit counts the memory of splitting at n places, or at most limit.
func (st *state) reserveSplit(n, limit int) {
	if limit >= 0 {
		n = min(n, limit)
	}
	st.makeItems(n)
}

func countText(st *state, of any, a *callArgs) any {
	b := a.bind(st, "count", 1, "", "", "")
	s, _ := asString(of)
	part := st.text(b[0], "", "count() argument")
	w, _, ok := st.window(s, b[1], b[2])
	st.pass(len(s))
	if !ok {
		return int64(0)
	}
	return int64(strings.Count(w, part))
}

func expandTabs(st *state, of any, a *callArgs) any {
	s, _ := asString(of)
	size := st.int(a.bind(st, "expandtabs", 0, "tabsize")[0], 8, "expandtabs")
	size = max(min(size, math.MaxInt32), 0)
	st.make(len(s) + st.times(strings.Count(s, "\t"), int(size)))
	return like(of, python.ExpandTabs(s, int(size)))
}

func joinMethod(st *state, of any, a *callArgs) any {
	separator, _ := asString(of)
	var texts []string
	it := st.iterate(a.bind(st, "join", 1, "")[0])
	for v, ok := it.next(); ok; v, ok = it.next() {
		st.step()
		st.make(16)
		text, isText := asString(v)
		switch {
		case isMarkup(of):
			text = st.escapedText(v)
		case !isText:
			st.defined(v)
			st.fail("sequence item %d: expected str instance, %s found", len(texts), typeName(v))
		}
		texts = append(texts, text)
	}
	return like(of, st.join(texts, separator))
}

// join joins texts.
func (st *state) join(texts []string, separator string) string {
	size := st.times(len(texts), len(separator))
	for _, t := range texts {
		size += len(t)
	}
	st.make(size)
	return strings.Join(texts, separator)
}

// replace replaces old by new in s, at most n times unless n is negative.
func (st *state) replace(s, old, replacement string, n int64) string {
	st.pass(len(s))
	count := strings.Count(s, old)
	if n >= 0 {
		count = int(min(int64(count), n))
	}
	if count == 0 {
		return s
	}
	st.make(len(s) + st.times(count, len(replacement)))
	return strings.Replace(s, old, replacement, count)
}

func replaceMethod(st *state, of any, a *callArgs) any {
	b := a.bind(st, "replace", 2, "", "", "count")
	s, _ := asString(of)
	old := st.text(b[0], "", "replace() argument 1")
	replacement := st.text(b[1], "", "replace() argument 2")
	if isMarkup(of) {
		replacement, _ = st.escaped(b[1])
	}
	return like(of, st.replace(s, old, replacement, st.int(b[2], -1, "replace")))
}

func splitLines(st *state, of any, a *callArgs) any {
	s, _ := asString(of)
	keep := a.bind(st, "splitlines", 0, "keepends")[0]
	st.decode(len(s))
	st.makeItems(strings.Count(s, "\n"))
	return st.textList(of, python.Lines(s, keep != nil && truth(keep)))
}

// translate replaces characters by what a mapping has for their code points.
func translate(st *state, of any, a *callArgs) any {
	s, _ := asString(of)
	table := a.bind(st, "translate", 1, "")[0]
	st.defined(table)
	var b strings.Builder
	for _, r := range s {
		st.step()
		v := st.item(table, int64(r))
		if n, ok := v.(int64); ok && 0 <= n && n <= utf8.MaxRune {
			v = string(rune(n))
		}
		switch text, ok := asString(v); {
		case ok:
			st.make(len(text))
			b.WriteString(text)
		case v == nil:
			st.make(4)
			b.WriteRune(r)
		case v != None:
			st.fail("character mapping must return integer, None or str, not %s", typeName(v))
		}
	}
	return like(of, b.String())
}

func zfill(st *state, of any, a *callArgs) any {
	s, _ := asString(of)
	width := st.int(a.bind(st, "zfill", 1, "")[0], 0, "zfill")
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return like(of, s[:1]+st.pad(s[1:], width-1, "0", '>'))
	}
	return like(of, st.pad(s, width, "0", '>'))
}
