// Package printable makes text from files safe to print: control characters of a name could move
// the cursor of a terminal, or forge lines of a log.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escape returns s with the escape sequences of Go's %q in place of everything that is not
// printable: control characters, line ends, characters that change the direction of text, and
// invalid UTF-8. Text that is printable is returned as it is, including quotes and backslashes,
// unless a service that reads the log of a build would take it for a command: the second character
// of "##", as in
// ##[error] and ##vso[...], and of "::" at the start is escaped too.
func Escape(s string) string {
	clean := cleanPrefix(s)
	if text := strings.TrimLeft(s, " "); strings.HasPrefix(text, "::") {
		clean = min(clean, len(s)-len(text)+1)
	}
	if clean == len(s) {
		return s
	}
	var b strings.Builder
	for {
		b.WriteString(s[:clean])
		if s = s[clean:]; s == "" {
			return b.String()
		}
		_, size := utf8.DecodeRuneInString(s)
		switch s[0] {
		case '#', ':':
			fmt.Fprintf(&b, `\x%02x`, s[0])
		default:
			quoted := strconv.Quote(s[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[size:]
		clean = cleanPrefix(s)
	}
}

// cleanPrefix returns the number of bytes of s before the first that Escape replaces.
func cleanPrefix(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; ' ' <= c && c <= '~' {
			if c == '#' && i > 0 && s[i-1] == '#' {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size <= 1 || !strconv.IsPrint(r) {
			return i
		}
		i += size
	}
	return len(s)
}

// Cut returns s if it has at most limit characters. Otherwise it returns the first limit
// characters and the length of s: "abc... (450000 bytes)".
func Cut(s string, limit int) string {
	if head := head(s, limit); len(head) < len(s) {
		return head + more(s)
	}
	return s
}

// Quote returns Escape of s as with %q. Of a string with more than limit characters, it quotes the
// first limit, and the length of s follows: `"abc"... (450000 bytes)`.
func Quote(s string, limit int) string {
	if head := head(s, limit); len(head) < len(s) {
		return Escape(strconv.Quote(head)) + more(s)
	}
	return Escape(strconv.Quote(s))
}

// Name returns Escape(Cut(s, limit)): a name without quotes.
func Name(s string, limit int) string { return Escape(Cut(s, limit)) }

// head returns the first limit characters of s. Each byte of invalid UTF-8 counts as one.
func head(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	return s
}

func more(s string) string { return fmt.Sprintf("... (%d bytes)", len(s)) }
