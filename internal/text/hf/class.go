package hf

import (
	_ "embed" // of the classes
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// classes has classes of characters as the library has them, which follow several versions of
// Unicode: one in a line, with its name and spans of hexadecimal code points. "ccc N" is the class
// of characters with the combining class N.
//
//go:embed classes.txt
var classes string

// span is a range of characters, both ends included. value is the combining class.
type span struct {
	lo, hi rune
	value  uint8
}

// set is a set of characters.
type set struct {
	spans []span // ascend
	// blocks has a bit for each character, in blocks of 256 of them, and top has the index of the
	// block of a character. The first block is empty, the second full.
	top    []uint16
	blocks [][4]uint64
}

// setOf returns a set of spans.
func setOf(spans ...span) *set {
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo - b.lo) })
	s := &set{spans: spans, blocks: [][4]uint64{{}, {1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1}}}
	for _, x := range spans {
		s.top = append(s.top, make([]uint16, max(int(x.hi)>>8+1-len(s.top), 0))...)
		for lo := x.lo; lo <= x.hi; lo = lo&^0xff + 0x100 {
			s.add(lo, min(x.hi, lo|0xff))
		}
	}
	return s
}

// add sets the bits of characters of one block.
func (s *set) add(lo, hi rune) {
	i := &s.top[lo>>8]
	switch {
	case hi-lo == 0xff:
		*i = 1
	case *i == 0:
		*i = uint16(len(s.blocks))
		s.blocks = append(s.blocks, [4]uint64{})
	}
	for r := lo & 0xff; r <= hi&0xff; r++ {
		s.blocks[*i][r/64] |= 1 << (r % 64)
	}
}

// has reports whether r is in the set.
func (s *set) has(r rune) bool {
	i := uint32(r) >> 8
	return i < uint32(len(s.top)) && s.blocks[s.top[i]][uint8(r)/64]>>(r%64)&1 != 0
}

// find returns the span of r.
func (s *set) find(r rune) (span, bool) {
	i, ok := slices.BinarySearchFunc(s.spans, r, func(x span, r rune) int {
		switch {
		case x.hi < r:
			return -1
		case x.lo > r:
			return 1
		}
		return 0
	})
	if !ok {
		return span{}, false
	}
	return s.spans[i], true
}

// readClasses returns the class with a name; "ccc" has all characters with a combining class.
func readClasses(name string) *set {
	var spans []span
	for line := range strings.Lines(classes) {
		fields := strings.Fields(line)
		value := 0
		switch {
		case fields[0] != name:
			continue
		case name == "ccc":
			value, _ = strconv.Atoi(fields[1])
			fields = fields[1:]
		}
		for _, field := range fields[1:] {
			first, last, ok := strings.Cut(field, "-")
			if !ok {
				last = first
			}
			lo, errLo := strconv.ParseUint(first, 16, 21)
			hi, errHi := strconv.ParseUint(last, 16, 21)
			if errLo != nil || errHi != nil {
				panic("BUG: classes.txt has " + strconv.Quote(field))
			}
			spans = append(spans, span{rune(lo), rune(hi), uint8(value)})
		}
	}
	return setOf(spans...)
}

// control are the characters that clean_text deletes.
var (
	control     = sync.OnceValue(func() *set { return readClasses("control") })
	mark        = sync.OnceValue(func() *set { return readClasses("mark") })
	nonspacing  = sync.OnceValue(func() *set { return readClasses("nonspacing") })
	punctuation = sync.OnceValue(func() *set { return readClasses("punctuation") })
	combining   = sync.OnceValue(func() *set { return readClasses("ccc") })
)

// spaces are the characters with the property White_Space, and chinese those of
// handle_chinese_chars.
var (
	spaces = sync.OnceValue(func() *set {
		return setOf(span{9, 13, 0}, span{' ', ' ', 0}, span{0x85, 0x85, 0}, span{0xa0, 0xa0, 0}, span{0x1680, 0x1680, 0}, span{0x2000, 0x200a, 0},
			span{0x2028, 0x2029, 0}, span{0x202f, 0x202f, 0}, span{0x205f, 0x205f, 0}, span{0x3000, 0x3000, 0})
	})
	chinese = sync.OnceValue(func() *set {
		return setOf(span{0x3400, 0x4dbf, 0}, span{0x4e00, 0x9fff, 0}, span{0xf900, 0xfaff, 0}, span{0x20000, 0x2a6df, 0}, span{0x2a700, 0x2b81f, 0},
			span{0x2b920, 0x2ceaf, 0}, span{0x2f800, 0x2fa1f, 0})
	})
	nmtDeleted = sync.OnceValue(func() *set {
		return setOf(span{1, 8, 0}, span{0xb, 0xb, 0}, span{0xe, 0x1f, 0}, span{0x7f, 0x7f, 0}, span{0x8f, 0x8f, 0}, span{0x9f, 0x9f, 0})
	})
	nmtSpaces = sync.OnceValue(func() *set {
		return setOf(span{9, 10, 0}, span{12, 13, 0}, span{0x1680, 0x1680, 0}, span{0x200b, 0x200f, 0}, span{0x2028, 0x2029, 0}, span{0x2581, 0x2581, 0},
			span{0xfeff, 0xfeff, 0}, span{0xfffd, 0xfffd, 0})
	})
)

// combiningClass returns the Canonical_Combining_Class of r.
func combiningClass(r rune) uint8 {
	all := combining()
	if !all.has(r) {
		return 0
	}
	x, _ := all.find(r)
	return x.value
}

// trimLeft and trimRight return text without the characters of s at an end.
func (s *set) trimLeft(text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if !s.has(r) {
			break
		}
		text = text[n:]
	}
	return text
}

func (s *set) trimRight(text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeLastRune(text)
		if !s.has(r) {
			break
		}
		text = text[:len(text)-n]
	}
	return text
}
