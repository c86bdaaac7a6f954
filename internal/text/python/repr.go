package python

import (
	"fmt"
	"strings"
	"unicode"
)

// Repr appends the representation of a string as repr writes it: in single quotes unless it has
// some and no double quotes, and with escapes for what is not printable. ascii escapes everything
// outside of ASCII, too.
func Repr(b *strings.Builder, s string, ascii bool) {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r) && (r < 0x80 || !ascii):
			b.WriteRune(r)
		default:
			b.WriteString(Escape(r))
		}
	}
	b.WriteRune(quote)
}

// Escape returns the shortest escape of r: \xNN, \uNNNN or \UNNNNNNNN.
func Escape(r rune) string {
	switch {
	case r <= 0xff:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
