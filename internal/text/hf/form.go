package hf

import (
	"sort"
	"sync"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// form is a normalization form of Unicode: characters are decomposed, marks are sorted by their
// combining class, and composed again for NFC and NFKC.
type form struct{ compatibility, composes bool }

var forms = map[string]form{"NFC": {false, true}, "NFD": {false, false}, "NFKC": {true, true}, "NFKD": {true, false}}

// formTables are the tables of all forms. Hangul is computed.
type formTables struct {
	canonical, compatible map[rune]string
	pairs                 map[[2]rune]rune
	// active are the characters that a form can change, or that can change what is before them. All
	// others stay as they are, and what is before them does not depend on them.
	active map[form]*set
}

var formTable = sync.OnceValue(func() *formTables {
	composes, canonical, compatible := charsmap.Decompositions()
	newer := readClasses("newer")
	t := &formTables{canonical: map[rune]string{}, compatible: map[rune]string{}, pairs: map[[2]rune]rune{}}
	wholes := map[string]rune{}
	for r, value := range composes {
		if !newer.has(r) {
			t.canonical[r], wholes[value] = value, r
		}
	}
	for value, r := range wholes {
		_, last := utf8.DecodeLastRuneInString(value)
		before := value[:len(value)-last]
		first, n := utf8.DecodeRuneInString(before)
		if n < len(before) {
			whole, ok := wholes[before]
			if !ok {
				continue
			}
			first = whole
		}
		second, _ := utf8.DecodeLastRuneInString(value)
		t.pairs[[2]rune{first, second}] = r
	}
	for r, value := range canonical {
		if !newer.has(r) {
			t.canonical[r] = value
		}
	}
	for r, value := range compatible {
		if !newer.has(r) {
			t.compatible[r] = value
		}
	}
	for r, value := range t.canonical {
		out := ""
		for _, c := range value {
			if to, ok := t.compatible[c]; ok {
				out += to
			} else {
				out += string(c)
			}
		}
		t.compatible[r] = out
	}
	t.active = map[form]*set{}
	for _, n := range forms {
		t.active[n] = t.activeIn(n)
	}
	return t
})

// activeIn returns the active characters of a form.
func (t *formTables) activeIn(n form) *set {
	var spans []span
	add := func(lo, hi rune) { spans = append(spans, span{lo, hi}) }
	for r := range combining() {
		add(r, r)
	}
	seconds := map[rune]bool{}
	if n.composes {
		add(vowel, vowel+vowels-1)
		add(trailing+1, trailing+trailings-1)
		for pair := range t.pairs {
			if !seconds[pair[1]] {
				seconds[pair[1]] = true
				add(pair[1], pair[1])
			}
		}
	} else {
		add(syllables, syllables+leadings*vowels*trailings-1)
	}
	for r, value := range t.decompositions(n) {
		if first, _ := utf8.DecodeRuneInString(value); seconds[first] || CombiningClass(first) > 0 || !n.composes || !t.composesTo(value, r) {
			add(r, r)
		}
	}
	return setOf(spans...)
}

// composesTo reports whether a decomposition is composed to r.
func (t *formTables) composesTo(decomposition string, r rune) bool {
	var chars []classed
	for _, c := range decomposition {
		chars = append(chars, classed{c, 0, CombiningClass(c)})
	}
	sortMarks(chars)
	chars = t.compose(chars)
	return len(chars) == 1 && chars[0].r == r
}

// decompositions returns those of a form.
func (t *formTables) decompositions(n form) map[rune]string {
	if n.compatibility {
		return t.compatible
	}
	return t.canonical
}

// longest is the number of characters of the longest decomposition.
const longest = 18

// Hangul, as chapter 3.12 of the Unicode standard computes it.
const (
	syllables                   = 0xAC00
	leading, vowel, trailing    = 0x1100, 0x1161, 0x11A7
	leadings, vowels, trailings = 19, 21, 28
)

// classed is a character and its combining class.
type classed struct {
	r      rune
	change int32 // see change
	class  uint8
}

// bytewise returns that of a form that decomposes: marks are composed with what is before them.
func (n form) bytewise() *bytewise {
	if n.composes {
		return nil
	}
	return bytewiseOf(func(dst []byte, c byte) []byte { return append(dst, c) })
}

func (n form) append(dst, text []byte, s *Scratch) (_ []byte, err error) {
	if asciiLen(text) == len(text) {
		return keepText(dst, text, 0, s)
	}
	t, meter, whole := formTable(), s.Stop.Meter(), text
	active := t.active[n]
	for len(text) > 0 {
		// The character before the first active one can change with it.
		kept, end := 0, 0
		for end < len(text) {
			r, size := rune(text[end]), 1
			if r >= utf8.RuneSelf {
				if r, size = utf8.DecodeRune(text[end:]); active.has(r) {
					break
				}
			}
			kept = end
			if end += size; meter.Spent(2) {
				return dst, parallel.ErrStopped
			}
		}
		if end == len(text) {
			kept = end
		}
		if dst, err = keepText(dst, text[:kept], len(whole)-len(text), s); err != nil {
			return dst, err
		}
		text = text[kept:]
		end -= kept
		for end < len(text) {
			r, size := utf8.DecodeRune(text[end:])
			if !active.has(r) {
				break
			}
			end += size
		}
		if dst, err = t.append(dst, text[:end], n, s); err != nil {
			return dst, err
		}
		s.placeChars(whole, len(whole)-len(text))
		text = text[end:]
	}
	return dst, nil
}

// append appends a form of a text. s.chars then has its characters.
func (t *formTables) append(dst, text []byte, n form, s *Scratch) ([]byte, error) {
	table, meter := t.decompositions(n), s.Stop.Meter()
	s.chars = s.chars[:0]
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		var err error
		if s.chars, err = limits.Grow(&s.Limits, s.chars, len(s.chars)+longest); err != nil {
			return dst, err
		}
		if meter.Spent(16) {
			return dst, parallel.ErrStopped
		}
		if i := r - syllables; uint32(i) < leadings*vowels*trailings {
			s.chars = append(s.chars, classed{leading + i/(vowels*trailings), 0, 0}, classed{vowel + i/trailings%vowels, 1, 0})
			if i%trailings > 0 {
				s.chars = append(s.chars, classed{trailing + i%trailings, 1, 0})
			}
		} else if to, ok := table[r]; ok && r >= 0xa0 {
			change := int32(0)
			for _, c := range to {
				s.chars = append(s.chars, classed{c, change, CombiningClass(c)})
				change = 1
			}
		} else {
			s.chars = append(s.chars, classed{r, 0, CombiningClass(r)})
		}
	}
	sortMarks(s.chars)
	if n.composes {
		s.chars = t.compose(s.chars)
	}
	dst, err := grow(dst, utf8.UTFMax*len(s.chars), s)
	if err != nil {
		return dst, err
	}
	for _, c := range s.chars {
		dst = utf8.AppendRune(dst, c.r)
	}
	return dst, nil
}

// asciiLen returns the number of bytes before the first one that is not ASCII.
func asciiLen(text []byte) int {
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

// sortMarks sorts the marks behind each starter by their classes.
func sortMarks(chars []classed) {
	for i := 0; i < len(chars); i++ {
		if chars[i].class == 0 {
			continue
		}
		end := i
		for end < len(chars) && chars[end].class != 0 {
			end++
		}
		if marks := chars[i:end]; len(marks) > 1 {
			// Unlike slices.SortStableFunc, sort.SliceStable has no instance for each type.
			sort.SliceStable(marks, func(i, j int) bool { return marks[i].class < marks[j].class })
		}
		i = end
	}
}

// compose joins characters, in place.
func (t *formTables) compose(chars []classed) []classed {
	out, starter, last := chars[:0], -1, -1
	for _, c := range chars {
		if starter >= 0 && (last < int(c.class) || last < 0) {
			if r, ok := t.pair(out[starter].r, c.r); ok {
				out[starter].r, out[starter].change = r, out[starter].change+c.change-1
				continue
			}
		}
		if c.class == 0 {
			starter, last = len(out), -1
		} else {
			last = int(c.class)
		}
		out = append(out, c)
	}
	return out
}

// pair returns the character that two are composed to.
func (t *formTables) pair(first, second rune) (rune, bool) {
	if l, v := first-leading, second-vowel; uint32(l) < leadings && uint32(v) < vowels {
		return syllables + (l*vowels+v)*trailings, true
	}
	if i, n := first-syllables, second-trailing; uint32(i) < leadings*vowels*trailings && i%trailings == 0 && n > 0 && n < trailings {
		return first + n, true
	}
	r, ok := t.pairs[[2]rune{first, second}]
	return r, ok
}
