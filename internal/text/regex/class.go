package regex

import (
	stdbinary "encoding/binary"
	"unicode/utf8"
)

// Class is the pattern of a Regexp that matches one character.
type Class struct {
	program *program
	table   *table // nil for a pattern that is a character
	r       rune   // that character
}

// Class returns the class that re is, alone or as a group. ok is false if re is something else.
func (re *Regexp) Class() (c Class, ok bool) { return re.class, re.class.program != nil }

// HasByte reports whether a byte of ASCII is a member.
func (c Class) HasByte(b byte) bool {
	if c.table == nil {
		return rune(b) == c.r
	}
	return c.table.first[b] == yes
}

// Character returns the length of the character at the start of text, which must not be empty, and
// whether it is a member.
func (c Class) Character(text []byte) (length int, member bool) {
	r, n := decode(text, 0)
	if c.table == nil {
		return n, r == c.r
	}
	return n, c.program.has(c.table, r)
}

// setClass sets the class that root is, if it is one.
func (re *Regexp) setClass(root *node) {
	for root.kind == kindGroup || (root.kind == kindCat || root.kind == kindAlt) && len(root.subs) == 1 {
		root = root.subs[0]
	}
	if root.kind == kindChar {
		re.class = Class{program: &re.program, r: root.r}
	}
	if root.kind != kindSet {
		return
	}
	for i := range re.code {
		if re.code[i].op == opSet {
			re.class = Class{program: &re.program, table: &re.tables[re.code[i].x]}
		}
	}
}

// asciiLen returns the number of bytes before the first one that is not ASCII.
func asciiLen(text []byte) int {
	const high = 0x8080808080808080
	n := 0
	for ; n+8 <= len(text); n += 8 {
		if stdbinary.LittleEndian.Uint64(text[n:])&high != 0 {
			break
		}
	}
	for n < len(text) && text[n] < utf8.RuneSelf {
		n++
	}
	return n
}
