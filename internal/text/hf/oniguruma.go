package hf

import (
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// What Oniguruma's classes have, as members of a class of PCRE2.
const (
	onigSpaces = `\x09-\x0d\x20\x85\xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
	onigWords  = `\p{Alphabetic}\p{M}\p{Nd}\p{Pc}`
	// onigOutside are members of \w outside of a class only.
	onigOutside = `\xb2\xb3\xb9\xbc-\xbe`
	hexDigits   = `0-9A-Fa-f`
)

// translator writes a pattern of Oniguruma, which the library uses, as one of PCRE2, with the
// syntax of Ruby: ^ and $ are the start and the end of lines, (?m) is PCRE2's (?s), \s \w \h and
// scripts are other classes, and a{1,2}+ is not possessive.
type translator struct {
	in    string
	out   strings.Builder
	atom  int   // where the last atom starts in out
	opens []int // where the groups that are open start
}

// compileOnig compiles a pattern of Oniguruma.
func compileOnig(pattern string) (*regex.Regexp, error) {
	translated, err := translate(pattern)
	if err != nil {
		return nil, err
	}
	re, err := regex.CompileWords([]byte(translated))
	if err != nil {
		return nil, faults.Errorf("the pattern %.200q: %w", pattern, err)
	}
	return re, nil
}

// translate returns the pattern of PCRE2 for one of Oniguruma.
func translate(pattern string) (string, error) {
	t := translator{in: pattern}
	for t.in != "" {
		if err := t.next(); err != nil {
			return "", faults.Errorf("the pattern %.200q: %w", pattern, err)
		}
	}
	return t.out.String(), nil
}

// write writes an atom instead of the first n bytes of the pattern.
func (t *translator) write(n int, text string) {
	t.atom = t.out.Len()
	t.out.WriteString(text)
	t.in = t.in[n:]
}

// next translates what comes next.
func (t *translator) next() error {
	switch c := t.in[0]; c {
	case '^':
		t.write(1, `(?m:^)`)
	case '$':
		t.write(1, `(?m:$)`)
	case '\\':
		return t.escape(false)
	case '[':
		t.atom = t.out.Len()
		return t.class()
	case '(':
		return t.group()
	case ')':
		if n := len(t.opens); n > 0 {
			t.atom, t.opens = t.opens[n-1], t.opens[:n-1]
		}
		t.out.WriteByte(c)
		t.in = t.in[1:]
	case '{':
		return t.interval()
	case '?', '*', '+':
		t.out.WriteByte(c)
		t.in = t.in[1:]
	default:
		_, n := utf8.DecodeRuneInString(t.in)
		t.write(n, t.in[:n])
	}
	return nil
}

// interval translates {1,2}, behind which + repeats it.
func (t *translator) interval() error {
	end := strings.IndexByte(t.in, '}')
	if end < 2 || strings.Trim(t.in[1:end], "0123456789,") != "" || strings.Count(t.in[1:end], ",") > 1 || t.in[1:end] == "," {
		t.write(1, `\{`)
		return nil
	}
	bounds := t.in[1:end]
	if bounds[0] == ',' {
		bounds = "0" + bounds
	}
	t.in = t.in[end+1:]
	t.out.WriteString("{" + bounds + "}")
	if strings.HasPrefix(t.in, "+") {
		all := t.out.String()
		t.out.Reset()
		t.out.WriteString(all[:t.atom] + "(?:" + all[t.atom:] + ")")
	}
	return nil
}

// group translates the start of a group.
func (t *translator) group() error {
	start := t.out.Len()
	if strings.HasPrefix(t.in, "(?#") {
		end := strings.IndexByte(t.in, ')')
		if end < 0 {
			return faults.Errorf("a comment without an end")
		}
		t.in = t.in[end+1:]
		return nil
	}
	if !strings.HasPrefix(t.in, "(?") {
		t.opens = append(t.opens, start)
		t.out.WriteByte('(')
		t.in = t.in[1:]
		return nil
	}
	for _, name := range []string{"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?<"} {
		if strings.HasPrefix(t.in, name) {
			t.opens = append(t.opens, start)
			t.out.WriteString(name)
			t.in = t.in[len(name):]
			return nil
		}
	}
	end := strings.IndexAny(t.in, ":)")
	if end < 2 || strings.Trim(t.in[2:end], "imx-") != "" {
		return faults.Errorf("the group %.20q is not supported", t.in)
	}
	t.out.WriteString("(?" + strings.ReplaceAll(t.in[2:end], "m", "s"))
	t.out.WriteByte(t.in[end])
	if t.in[end] == ':' {
		t.opens = append(t.opens, start)
	}
	t.in = t.in[end+1:]
	return nil
}

// escape translates an escape, also in a class.
func (t *translator) escape(inClass bool) error {
	if len(t.in) < 2 {
		return faults.Errorf("a backslash at the end")
	}
	members := map[byte]string{'s': onigSpaces, 'w': onigWords, 'h': hexDigits}
	if !inClass {
		members['w'] += onigOutside
	}
	c := t.in[1]
	switch {
	case members[c] != "" && inClass:
		t.write(2, members[c])
	case members[c] != "":
		t.write(2, "["+members[c]+"]")
	case c == 'S' && inClass:
		t.write(2, `\S\x{180e}`)
	case members[c+'a'-'A'] != "" && c < 'a':
		if inClass {
			return faults.Errorf("\\%c in a class is not supported", c)
		}
		t.write(2, "[^"+members[c+'a'-'A']+"]")
	case c == 'p' || c == 'P':
		return t.property()
	case c == 'u':
		if len(t.in) < 6 || strings.Trim(t.in[2:6], "0123456789abcdefABCDEF") != "" {
			return faults.Errorf("the escape %.6q is not complete", t.in)
		}
		t.write(6, `\x{`+t.in[2:6]+"}")
	case strings.IndexByte("dDbBAzZGrntfvaexX0123456789", c) >= 0, c < utf8.RuneSelf && !isASCIIWord(c):
		t.write(2, t.in[:2])
	default:
		_, n := utf8.DecodeRuneInString(t.in[1:])
		if c < utf8.RuneSelf && strings.IndexByte("kgKRNOyYCMcQE", c) >= 0 {
			return faults.Errorf("the escape %q is not supported", t.in[:1+n])
		}
		t.write(1+n, t.in[1:1+n])
	}
	return nil
}

func isASCIIWord(c byte) bool {
	return c == '_' || c-'0' <= 9 || c|0x20-'a' < 26 && c|0x20 >= 'a'
}

// property translates \p{Han}: a script is one of characters, not of script extensions.
func (t *translator) property() error {
	end := strings.IndexByte(t.in, '}')
	if end < 4 || t.in[2] != '{' {
		return faults.Errorf("the property %.20q has no name in braces", t.in)
	}
	negative := t.in[1] == 'P'
	name := t.in[3:end]
	if strings.HasPrefix(name, "^") {
		name, negative = name[1:], !negative
	}
	kind := `\p`
	if negative {
		kind = `\P`
	}
	if len(name) > 2 {
		if _, err := regex.Compile([]byte(`\p{sc:` + name + "}")); err == nil {
			name = "sc:" + name
		}
	}
	t.write(end+1, kind+"{"+name+"}")
	return nil
}

// class translates a class.
func (t *translator) class() error {
	start := 1
	if strings.HasPrefix(t.in, "[^") {
		start = 2
	}
	t.out.WriteString(t.in[:start])
	atom := t.atom
	t.in = t.in[start:]
	for first := true; ; first = false {
		switch {
		case t.in == "":
			return faults.Errorf("a class without an end")
		case t.in[0] == ']' && !first:
			t.out.WriteByte(']')
			t.in, t.atom = t.in[1:], atom
			return nil
		case strings.HasPrefix(t.in, "[:"):
			end := strings.Index(t.in, ":]")
			if end < 0 {
				return faults.Errorf("a class without an end")
			}
			t.write(end+2, t.in[:end+2])
		case t.in[0] == '[', strings.HasPrefix(t.in, "&&"):
			return faults.Errorf("a class in a class is not supported")
		case t.in[0] == '\\':
			if err := t.escape(true); err != nil {
				return err
			}
		default:
			_, n := utf8.DecodeRuneInString(t.in)
			t.write(n, t.in[:n])
		}
	}
}
