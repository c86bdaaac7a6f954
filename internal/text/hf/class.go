package hf

import (
	_ "embed" // of the classes
	"iter"
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

// span is a range of characters, both ends included.
type span struct{ lo, hi rune }

// set is a set of characters. blocks has a bit for each of them, in blocks of 256, and top has the
// index of the block of a character. The first block is empty, the second full.
type set struct {
	top    []uint16
	blocks [][4]uint64
}

// setOf returns a set of spans.
func setOf(spans ...span) *set {
	s := &set{blocks: [][4]uint64{{}, {1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1}}}
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

// readClasses returns the class with a name.
func readClasses(name string) *set {
	var spans []span
	for fields := range linesOf(name) {
		spans = append(spans, readSpans(fields)...)
	}
	return setOf(spans...)
}

// linesOf returns the lines of classes.txt with a name, as the fields behind it.
func linesOf(name string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(classes) {
			if fields := strings.Fields(line); fields[0] == name && !yield(fields[1:]) {
				return
			}
		}
	}
}

// readSpans returns the spans of a line.
func readSpans(fields []string) []span {
	spans := make([]span, len(fields))
	for i, field := range fields {
		first, last, ok := strings.Cut(field, "-")
		if !ok {
			last = first
		}
		lo, errLo := strconv.ParseUint(first, 16, 21)
		hi, errHi := strconv.ParseUint(last, 16, 21)
		if errLo != nil || errHi != nil {
			panic("BUG: classes.txt has " + strconv.Quote(field))
		}
		spans[i] = span{rune(lo), rune(hi)}
	}
	return spans
}

// control are the characters that clean_text deletes.
var (
	control     = sync.OnceValue(func() *set { return readClasses("control") })
	mark        = sync.OnceValue(func() *set { return readClasses("mark") })
	nonspacing  = sync.OnceValue(func() *set { return readClasses("nonspacing") })
	punctuation = sync.OnceValue(func() *set { return readClasses("punctuation") })
)

// spaces are the characters with the property White_Space, and chinese those of
// handle_chinese_chars.
var (
	spaces = sync.OnceValue(func() *set {
		return setOf(span{9, 13}, span{' ', ' '}, span{0x85, 0x85}, span{0xa0, 0xa0}, span{0x1680, 0x1680}, span{0x2000, 0x200a},
			span{0x2028, 0x2029}, span{0x202f, 0x202f}, span{0x205f, 0x205f}, span{0x3000, 0x3000})
	})
	chinese = sync.OnceValue(func() *set {
		return setOf(span{0x3400, 0x4dbf}, span{0x4e00, 0x9fff}, span{0xf900, 0xfaff}, span{0x20000, 0x2a6df}, span{0x2a700, 0x2b81f},
			span{0x2b920, 0x2ceaf}, span{0x2f800, 0x2fa1f})
	})
	nmtDeleted = sync.OnceValue(func() *set {
		return setOf(span{1, 8}, span{0xb, 0xb}, span{0xe, 0x1f}, span{0x7f, 0x7f}, span{0x8f, 0x8f}, span{0x9f, 0x9f})
	})
	nmtSpaces = sync.OnceValue(func() *set {
		return setOf(span{9, 10}, span{12, 13}, span{0x1680, 0x1680}, span{0x200b, 0x200f}, span{0x2028, 0x2029}, span{0x2581, 0x2581},
			span{0xfeff, 0xfeff}, span{0xfffd, 0xfffd})
	})
)

// combining has the characters with a Canonical_Combining_Class that is not 0.
var combining = sync.OnceValue(func() map[rune]uint8 {
	all := map[rune]uint8{}
	for fields := range linesOf("ccc") {
		value, _ := strconv.Atoi(fields[0])
		for _, x := range readSpans(fields[1:]) {
			for r := x.lo; r <= x.hi; r++ {
				all[r] = uint8(value)
			}
		}
	}
	return all
})

// CombiningClass returns the Canonical_Combining_Class of r.
func CombiningClass(r rune) uint8 {
	if r < 0x300 {
		return 0
	}
	return combining()[r]
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
