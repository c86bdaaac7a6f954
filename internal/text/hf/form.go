package hf

import (
	"slices"
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
	return t
})

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
	r     rune
	class uint8
}

func (n form) append(dst, text []byte, s *Scratch) ([]byte, error) {
	if isASCII(text) {
		return appendText(dst, text, s)
	}
	t, meter := formTable(), s.Stop.Meter()
	table := t.canonical
	if n.compatibility {
		table = t.compatible
	}
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
			s.chars = append(s.chars, classed{leading + i/(vowels*trailings), 0}, classed{vowel + i/trailings%vowels, 0})
			if i%trailings > 0 {
				s.chars = append(s.chars, classed{trailing + i%trailings, 0})
			}
		} else if to, ok := table[r]; ok && r >= 0xa0 {
			for _, c := range to {
				s.chars = append(s.chars, classed{c, combiningClass(c)})
			}
		} else {
			s.chars = append(s.chars, classed{r, combiningClass(r)})
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
		slices.SortStableFunc(chars[i:end], func(a, b classed) int { return int(a.class) - int(b.class) })
		i = end
	}
}

// compose joins characters, in place.
func (t *formTables) compose(chars []classed) []classed {
	out, starter, last := chars[:0], -1, -1
	for _, c := range chars {
		if starter >= 0 && (last < int(c.class) || last < 0) {
			if r, ok := t.pair(out[starter].r, c.r); ok {
				out[starter].r = r
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
