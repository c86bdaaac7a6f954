// Package python computes on strings and numbers as Python 3 does: the methods of str, the
// formatting of numbers, and the representation of both. Chat templates are written for it.
//
// All strings are UTF-8. A position or a width counts code points. Classes of characters are those
// of the Unicode version of the unicode package, which can be newer than Python's.
package python

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSpace reports whether str.isspace is true for r.
func IsSpace(r rune) bool {
	switch {
	case r < 0x80:
		return r == ' ' || '\t' <= r && r <= '\r' || 0x1c <= r && r <= 0x1f
	case r == 0x85 || r == 0xa0 || r == 0x2028 || r == 0x2029:
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

// isLineEnd reports whether str.splitlines ends a line at r.
func isLineEnd(r rune) bool {
	return '\n' <= r && r <= '\r' || 0x1c <= r && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}

// Strip removes white space at both ends, as str.strip without an argument.
func Strip(s string) string { return LStrip(RStrip(s)) }

// LStrip removes white space at the start.
func LStrip(s string) string { return strings.TrimLeftFunc(s, IsSpace) }

// RStrip removes white space at the end.
func RStrip(s string) string { return strings.TrimRightFunc(s, IsSpace) }

// Fields splits s at runs of white space, at most limit times unless limit is negative, as
// str.split without a separator.
func Fields(s string, limit int) []string {
	fields := []string{}
	for s = LStrip(s); s != ""; s = LStrip(s) {
		end := strings.IndexFunc(s, IsSpace)
		if limit >= 0 && len(fields) == limit {
			return append(fields, s)
		}
		if end < 0 {
			return append(fields, s)
		}
		fields = append(fields, s[:end])
		s = s[end:]
	}
	return fields
}

// RFields splits s as Fields, but from the end.
func RFields(s string, limit int) []string {
	fields := []string{}
	for s = RStrip(s); s != ""; s = RStrip(s) {
		space := strings.LastIndexFunc(s, IsSpace)
		if limit >= 0 && len(fields) == limit {
			fields = append(fields, s)
			break
		}
		if space < 0 {
			fields = append(fields, s)
			break
		}
		_, size := utf8.DecodeRuneInString(s[space:])
		fields = append(fields, s[space+size:])
		s = s[:space]
	}
	reverse(fields)
	return fields
}

// RSplit splits s at a separator from the end, at most limit times unless limit is negative.
func RSplit(s, separator string, limit int) []string {
	fields := []string{}
	for limit < 0 || len(fields) < limit {
		at := strings.LastIndex(s, separator)
		if at < 0 {
			break
		}
		fields = append(fields, s[at+len(separator):])
		s = s[:at]
	}
	fields = append(fields, s)
	reverse(fields)
	return fields
}

func reverse(s []string) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// Lines splits s into lines, as str.splitlines. keep leaves the ends of the lines in them.
func Lines(s string, keep bool) []string {
	lines := []string{}
	for s != "" {
		at := strings.IndexFunc(s, isLineEnd)
		if at < 0 {
			return append(lines, s)
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		if s[at] == '\r' && at+1 < len(s) && s[at+1] == '\n' {
			size = 2
		}
		if keep {
			lines = append(lines, s[:at+size])
		} else {
			lines = append(lines, s[:at])
		}
		s = s[at+size:]
	}
	return lines
}

// ExpandTabs replaces each tab by spaces up to the next multiple of size columns.
func ExpandTabs(s string, size int) string {
	var b strings.Builder
	column := 0
	for _, r := range s {
		switch r {
		case '\t':
			if size > 0 {
				n := size - column%size
				b.WriteString(strings.Repeat(" ", n))
				column += n
			}
		default:
			b.WriteRune(r)
			if column++; r == '\n' || r == '\r' {
				column = 0
			}
		}
	}
	return b.String()
}
