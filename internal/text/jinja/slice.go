package jinja

import "strings"

// slice is of[start:stop:step], where each part can be None.
func (st *state) slice(of, start, stop, step any) any {
	text, isText := asString(of)
	items, isSequence := sequence(of)
	r, isRange := of.(*rangeValue)
	n := len(items)
	switch {
	case isText:
		n = st.runeCount(text)
	case isRange:
		n = int(r.n)
	case !isSequence:
		st.defined(of)
		if _, ok := of.(*Dict); ok {
			st.fail("unhashable type: 'slice'")
		}
		st.fail("'%s' object is not subscriptable", typeName(of))
	}
	by := int64(1)
	if step != None {
		if by = st.sliceIndex(step); by == 0 {
			st.fail("slice step cannot be zero")
		}
	}
	from, to, count := st.sliceRange(start, stop, by, int64(n))
	switch {
	case isText:
		return like(of, st.sliceText(text, n, from, by, count))
	case isRange:
		return &rangeValue{r.start + from*r.step, r.start + to*r.step, r.step * by, count}
	}
	st.makeItems(int(count))
	picked := make([]any, count)
	for i := range picked {
		picked[i] = items[from+int64(i)*by]
	}
	if _, ok := of.(*List); ok {
		return &List{picked}
	}
	return &tuple{items: picked}
}

// sliceIndex returns a part of a slice.
func (st *state) sliceIndex(v any) int64 {
	if !isInteger(v) {
		st.defined(v)
		st.fail("slice indices must be integers or None, not %s", typeName(v))
	}
	return max(min(st.int(v, 0, "slice"), 1<<40), -1<<40)
}

// sliceRange returns the first position of a slice of n items, that behind the last one, and the
// number of positions.
func (st *state) sliceRange(start, stop any, step, n int64) (from, to, count int64) {
	low, high := int64(0), n
	from, to = low, high
	if step < 0 {
		low, high = -1, n-1
		from, to = high, low
	}
	clamp := func(v any, otherwise int64) int64 {
		if v == None {
			return otherwise
		}
		i := st.sliceIndex(v)
		if i < 0 {
			i += n
		}
		return min(max(i, low), high)
	}
	from, to = clamp(start, from), clamp(stop, to)
	if step > 0 && to > from {
		return from, to, (to - from + step - 1) / step
	}
	if step < 0 && to < from {
		return from, to, (from - to - step - 1) / -step
	}
	return from, to, 0
}

// sliceText returns count characters of a text of n characters, from a position on, by steps.
func (st *state) sliceText(text string, n int, from, step, count int64) string {
	if count == 0 {
		return ""
	}
	ascii := n == len(text)
	if step == 1 {
		if ascii {
			return text[from : from+count]
		}
		st.decode(len(text))
		begin := offset(text, from)
		return text[begin : begin+offset(text[begin:], count)]
	}
	if ascii {
		st.make(int(count))
		var b strings.Builder
		for i := range count {
			b.WriteByte(text[from+i*step])
		}
		return b.String()
	}
	st.make(5*len(text) + int(count))
	runes := []rune(text)
	var b strings.Builder
	for i := range count {
		b.WriteRune(runes[from+i*step])
	}
	return b.String()
}

// offset returns the byte at which character n of s begins.
func offset(s string, n int64) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
