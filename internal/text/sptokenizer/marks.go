package sptokenizer

import (
	"unicode"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/hf"
)

// newerMarks are the characters that have a combining class in Unicode 14, which Python 3.11 has,
// but not in the older tables of package hf.
var newerMarks = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x7fd, 0x7fd, 1}, {0x898, 0x89f, 1}, {0x8ca, 0x8d3, 1}, {0x9fe, 0x9fe, 1},
		{0xc3c, 0xc3c, 1}, {0xd3b, 0xd3c, 1}, {0xeba, 0xeba, 1}, {0x1715, 0x1715, 1},
		{0x1abf, 0x1ace, 1}, {0x1df6, 0x1dfa, 1}, {0xa82c, 0xa82c, 1},
	},
	R32: []unicode.Range32{
		{0x10d24, 0x10d27, 1}, {0x10eab, 0x10eac, 1}, {0x10f46, 0x10f50, 1}, {0x10f82, 0x10f85, 1},
		{0x11070, 0x11070, 1}, {0x1133b, 0x1133b, 1}, {0x1145e, 0x1145e, 1}, {0x11839, 0x1183a, 1},
		{0x1193d, 0x1193e, 1}, {0x11943, 0x11943, 1}, {0x119e0, 0x119e0, 1}, {0x11a34, 0x11a34, 1},
		{0x11a47, 0x11a47, 1}, {0x11a99, 0x11a99, 1}, {0x11d42, 0x11d42, 1}, {0x11d44, 0x11d45, 1},
		{0x11d97, 0x11d97, 1}, {0x16ff0, 0x16ff1, 1}, {0x1e130, 0x1e136, 1}, {0x1e2ae, 0x1e2ae, 1},
		{0x1e2ec, 0x1e2ef, 1},
	},
}

// removeMarks removes the characters that have a combining class from a text, in place.
func removeMarks(text []byte) []byte {
	out := text[:0]
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if hf.CombiningClass(r) == 0 && !unicode.Is(newerMarks, r) {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}
