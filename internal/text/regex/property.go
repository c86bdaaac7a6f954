package regex

import (
	_ "embed" // of the properties
	"errors"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/deflated"
)

//go:generate go run ./_unicode

// properties returns the properties of Unicode 17, _unicode/unicode.txt, one in a line:
//
//	gc NAME SPANS           a general category; Cn is what is in none
//	sc NAME CODE SPANS      a script
//	scx NAME CODE SPANS     what Script_Extensions changes in that script: members, and no members
//	bin NAME SHORT GC SPANS a binary property: what SPANS change in the general categories GC
//	fold SPANS              characters that differ only in case
//	cluster NAME SPANS      Grapheme_Cluster_Break
var properties = sync.OnceValue(func() string { return deflated.Decode(compressed) })

//go:embed unicode.deflate
var compressed string

// lines calls f for the fields of each line that starts with word, until f returns false.
func lines(word string, f func(fields []string) bool) {
	for rest := properties(); rest != ""; {
		line := rest
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		if strings.HasPrefix(line, word) && !f(strings.Split(line, " ")) {
			return
		}
	}
}

// spans parses spans such as 41-5A.
func spans(fields []string) *set {
	s := &set{spans: make([]span, 0, len(fields))}
	for _, field := range fields {
		first, last, ok := strings.Cut(field, "-")
		if !ok {
			last = first
		}
		s.spans = append(s.spans, span{hexRune(first), hexRune(last)})
	}
	return s
}

func hexRune(digits string) rune {
	r, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		panic("BUG: unicode.txt has " + strconv.Quote(digits))
	}
	return rune(r)
}

// category returns the union of general categories, or of all that start with a name of one letter.
func category(names ...string) *set {
	s := &set{}
	lines("gc ", func(fields []string) bool {
		for _, name := range names {
			if strings.HasPrefix(fields[1], name) {
				s.add(spans(fields[2:]))
			}
		}
		return true
	})
	for _, name := range names {
		if name == "C" || name == "Cn" {
			s.add(category("L", "M", "N", "P", "S", "Z", "Cc", "Cf", "Co", "Cs").inverse(false))
		}
	}
	return s.normalize()
}

// loose returns a name as it is compared: without case, spaces, hyphens and underscores.
func loose(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '\t' || r == '-' || r == '_':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// propertySet returns the set that \p{name} stands for. With caseless, Lu, Ll and Lt are L&.
func propertySet(name string, caseless bool) (*set, error) {
	kind, value, ok := strings.Cut(name, ":")
	if !ok {
		kind, value, ok = strings.Cut(name, "=")
	}
	if ok {
		switch loose(kind) {
		case "sc", "script":
			return script(loose(value), false)
		case "scx", "scriptextensions":
			return script(loose(value), true)
		case "bc", "bidiclass":
			return nil, faults.Errorf("the property %q is %w", name, ErrUnsupported)
		}
		return nil, faults.Errorf("unknown property %q", name)
	}
	short := loose(name)
	switch short {
	case "any":
		return everything().and(&set{spans: []span{{0, maxRune}}}), nil
	case "l&", "lc":
		return category("Lu", "Ll", "Lt"), nil
	case "lu", "ll", "lt":
		if caseless {
			return category("Lu", "Ll", "Lt"), nil
		}
	case "xan":
		return category("L", "N"), nil
	case "xsp", "xps":
		return spaces(), nil
	case "xwd":
		return wordSet(), nil
	case "xuc":
		return setOf(span{'$', '$'}, span{'@', '@'}, span{'`', '`'}, span{0xa0, 0xd7ff}, span{0xe000, maxRune}), nil
	}
	if len(short) <= 2 && short != "" {
		if full := strings.ToUpper(short[:1]) + short[1:]; isCategory(full) {
			return category(full), nil
		}
	}
	if s, err := script(short, true); err == nil {
		return s, nil
	}
	return binary(short)
}

func isCategory(name string) bool {
	return strings.Contains(" C Cc Cf Cn Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs ", " "+name+" ")
}

// script returns the characters of a script, or those that may be used in it.
func script(name string, extensions bool) (*set, error) {
	var s *set
	if name == "unknown" || name == "zzzz" {
		all := &set{}
		lines("sc ", func(fields []string) bool {
			all.add(spans(fields[3:]))
			return true
		})
		return all.normalize().inverse(false), nil
	}
	lines("sc", func(fields []string) bool {
		if loose(fields[1]) == name || loose(fields[2]) == name {
			if fields[0] == "sc" {
				s = spans(fields[3:])
			} else if extensions {
				s = differ(s, spans(fields[3:]))
			}
		}
		return true
	})
	if s == nil {
		return nil, faults.Errorf("unknown script %q", name)
	}
	return s, nil
}

// differ returns the characters that are in one of two sets.
func differ(a, b *set) *set {
	out := a.without(b)
	out.add(b.without(a))
	return out.normalize()
}

// binary returns the characters that have a property such as Emoji.
func binary(name string) (*set, error) {
	var s *set
	lines("bin ", func(fields []string) bool {
		if loose(fields[1]) != name && loose(fields[2]) != name {
			return true
		}
		s = &set{}
		if fields[3] != "-" {
			s = category(strings.Split(fields[3], "+")...)
		}
		s = differ(s, spans(fields[4:]))
		return false
	})
	if s == nil {
		return nil, errors.New("unknown property " + strconv.Quote(name))
	}
	return s, nil
}

var (
	letters = sync.OnceValue(func() *set { return category("L") })
	digits  = sync.OnceValue(func() *set { return category("Nd") })
	wordSet = sync.OnceValue(func() *set { return category("L", "N", "Mn", "Pc") })
)

// spaces are the members of \s.
func spaces() *set {
	s := blank()
	s.add(vertical())
	return s.normalize()
}

func blank() *set {
	return setOf(span{'\t', '\t'}, span{' ', ' '}, span{0xa0, 0xa0}, span{0x1680, 0x1680}, span{0x180e, 0x180e}, span{0x2000, 0x200a},
		span{0x202f, 0x202f}, span{0x205f, 0x205f}, span{0x3000, 0x3000})
}

func vertical() *set {
	return setOf(span{'\n', '\r'}, span{0x85, 0x85}, span{0x2028, 0x2029})
}

func ascii() *set { return setOf(span{0, utf8.RuneSelf - 1}) }

// inASCII returns s, or the members of s in ASCII.
func inASCII(s *set, only bool) *set {
	if only {
		return s.and(ascii())
	}
	return s
}

func digitSet(o *options) *set { return inASCII(digits(), o.asciiDigit) }
func spaceSet(o *options) *set { return inASCII(spaces(), o.asciiSpace) }
func word(o *options) *set     { return inASCII(wordSet(), o.asciiWord) }

// posixSet returns the set of [:name:], nil if there is none.
func posixSet(name string, o *options) *set {
	var s *set
	switch name {
	case "alpha":
		s = category("L")
	case "lower":
		s = category("Ll")
	case "upper":
		s = category("Lu")
	case "alnum":
		s = category("L", "N")
	case "space":
		s = spaces()
	case "blank":
		s = blank()
	case "cntrl":
		s = category("Cc")
	case "digit":
		return inASCII(digits(), o.asciiPosixDigit)
	case "word":
		s = wordSet()
	case "ascii":
		return ascii()
	case "xdigit":
		s, _ = binary("hexdigit")
		return inASCII(s, o.asciiPosixDigit)
	case "punct":
		s = category("S").and(ascii())
		s.add(category("P"))
		s.normalize()
	case "graph", "print":
		s = category("L", "M", "N", "P", "S", "Cf").without(setOf(span{0x61c, 0x61c}, span{0x2066, 0x2069}))
		if name == "graph" {
			s = s.without(setOf(span{0x180e, 0x180e}))
		} else {
			s.add(category("Zs"))
			s.normalize()
		}
	default:
		return nil
	}
	return inASCII(s, o.asciiPosix)
}

// IsWord reports whether r is a letter, a mark, a decimal digit or a connector.
func IsWord(r rune) bool { return rustWords().has(r) }

var rustWords = sync.OnceValue(func() *set {
	s, _ := binary("alphabetic")
	s = &set{spans: append([]span(nil), s.spans...)}
	s.add(category("M", "Nd", "Pc"))
	return s.normalize()
})
