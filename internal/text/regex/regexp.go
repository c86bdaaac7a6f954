package regex

import (
	stdbytes "bytes"
	"unicode/utf8"
)

// Regexp is a compiled pattern. It can be used by several goroutines at the same time.
type Regexp struct {
	program
	asserts bool
	class   Class
}

// Compile compiles a pattern, which must be UTF-8. The error wraps ErrUnsupported if PCRE2 would
// accept the pattern.
func Compile(pattern []byte) (*Regexp, error) { return build(pattern, false) }

// CompileWords is Compile for a pattern that splits words. It takes longer, and makes searches with
// NoGroups faster.
func CompileWords(pattern []byte) (*Regexp, error) { return build(pattern, true) }

func build(pattern []byte, words bool) (*Regexp, error) {
	root, p, err := parse(string(pattern))
	if err != nil {
		return nil, err
	}
	c, err := compile(root, len(p.groups), p.names, MaxBytes(len(pattern)), words)
	if err != nil {
		return nil, err
	}
	re := &Regexp{program: c.program, asserts: p.asserts}
	re.setClass(root)
	return re, nil
}

// Groups returns the number of groups, with group 0, which is the match.
func (re *Regexp) Groups() int { return re.groups }

// Asserts reports whether the pattern has a lookahead or lookbehind, which RE2 refuses.
func (re *Regexp) Asserts() bool { return re.asserts }

// Named returns the groups with a name, nil if there is none.
func (re *Regexp) Named(name string) []int { return re.names[name] }

// Flags change a search.
type Flags uint8

const (
	// Anchored finds a match only where the search starts.
	Anchored Flags = 1 << iota
	// NotEmpty finds no match that is empty and where the search starts.
	NotEmpty
	// NoGroups sets no group but 0, which may be faster.
	NoGroups
)

// Find finds the first match that starts at position from or later. The text before it counts for
// what looks back. Group returns where it is. The error is ErrLimit, parallel.ErrStopped or one of
// Reserve.
func (m *Matcher) Find(from int, flags Flags) (bool, error) {
	p := m.program
	m.begin = from
	for at := from; m.err == nil; {
		if at = p.candidate(m.text, at); at < 0 || flags&Anchored != 0 && at > from || m.hopeless(at) {
			return false, m.err
		}
		notEmpty := flags&NotEmpty != 0 && at == from
		switch {
		case p.dfa == nil || flags&NoGroups == 0 || notEmpty:
			if m.run(at, notEmpty) {
				return true, nil
			}
		default:
			if end := p.dfa.run(m, at); end >= 0 && m.err == nil {
				m.groups[0], m.groups[1] = int32(at), int32(end)
				return true, nil
			}
		}
		if flags&Anchored != 0 || at >= len(m.text) || p.anchored {
			break
		}
		_, n := decode(m.text, at)
		at += n
	}
	return false, m.err
}

// Next finds the first match that starts at position from or later and returns its range, and an
// empty range if there is none, or if it takes too many steps. The groups are undefined.
func (m *Matcher) Next(from int) (begin, end int, err error) {
	p := m.program
	switch {
	case p.literal != nil:
		if i := p.index(m.text[from:]); i >= 0 && !m.spend(1+i>>3) {
			return from + i, from + i + len(p.literal), nil
		}
		if m.err != ErrLimit {
			err = m.err
		}
		return from, from, err
	case p.dfa != nil && p.first != nil:
		// What Find does, without what is not needed here.
		for at := from; at < len(m.text) && m.err == nil; {
			b, n := m.text[at], 1
			if p.first[b] {
				if end := p.dfa.run(m, at); end >= 0 && m.err == nil {
					return at, end, nil
				}
			}
			if b >= utf8.RuneSelf {
				_, n = decode(m.text, at)
			}
			at += n
		}
		if m.err != ErrLimit {
			err = m.err
		}
		return from, from, err
	}
	found, err := m.Find(from, NoGroups)
	switch {
	case err == ErrLimit:
		return from, from, nil
	case !found:
		return from, from, err
	}
	begin, end = m.Group(0)
	return begin, end, nil
}

// near is the number of bytes in which a text that cuts words mostly comes again.
const near = 16

// index returns where the text of a pattern starts in another one, -1 if it does not.
func (p *program) index(text []byte) int {
	n := min(near, len(text))
	for i, b := range text[:n] {
		if b == p.literal[0] && stdbytes.HasPrefix(text[i:], p.literal) {
			return i
		}
	}
	i := stdbytes.Index(text[n:], p.literal)
	if i < 0 {
		return -1
	}
	return n + i
}

// candidate returns the first position from at on where a match can start, -1 if there is none.
func (p *program) candidate(text []byte, at int) int {
	switch {
	case p.anchored && at > 0:
		return -1
	case p.first == nil:
		return at
	case p.literal != nil:
		i := p.index(text[at:])
		if i < 0 {
			return -1
		}
		return at + i
	case p.only >= 0:
		i := stdbytes.IndexByte(text[at:], byte(p.only))
		if i < 0 {
			return -1
		}
		return at + i
	}
	for at < len(text) {
		b := text[at]
		if p.first[b] {
			return at
		}
		if p.foreign && b < utf8.RuneSelf {
			at += asciiLen(text[at:])
			continue
		}
		at++
		if p.inside && b >= utf8.RuneSelf {
			_, n := decode(text, at-1)
			at += n - 1
		}
	}
	return -1
}

// NameLength returns the length of the name of a group at the start of text.
func NameLength(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := decode(text, n)
		if r != '_' && !letters().has(r) && (n == 0 || !digits().has(r)) {
			break
		}
		n += size
	}
	return n
}

// CharacterLength returns the length of the character at the start of text, which must not be
// empty. A byte that is no part of UTF-8 is a character.
func CharacterLength(text []byte) int {
	_, n := decode(text, 0)
	return n
}
