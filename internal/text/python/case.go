package python

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isASCII reports whether s has only ASCII characters.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Lower returns s in lower case, as str.lower: a capital sigma at the end of a word is a final one.
func Lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, r := range s {
		lowerTo(&b, s, i, r)
	}
	return b.String()
}

// lowerTo appends the lower case of the character r at position i of s.
func lowerTo(b *strings.Builder, s string, i int, r rune) {
	switch r {
	case 'İ':
		b.WriteString("i̇")
	case 'Σ':
		if finalSigma(s, i) {
			b.WriteRune('ς')
		} else {
			b.WriteRune('σ')
		}
	default:
		b.WriteRune(unicode.ToLower(r))
	}
}

// finalSigma reports whether the sigma at position i of s ends a word: the condition Final_Sigma of
// SpecialCasing.txt.
func finalSigma(s string, i int) bool {
	before := strings.TrimRightFunc(s[:i], caseIgnorable)
	r, _ := utf8.DecodeLastRuneInString(before)
	if before == "" || !isCased(r) {
		return false
	}
	after := strings.TrimLeftFunc(s[i+len("Σ"):], caseIgnorable)
	r, _ = utf8.DecodeRuneInString(after)
	return after == "" || !isCased(r)
}

// caseIgnorable reports whether r has the property Case_Ignorable.
func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', 0xb7, 0x387, 0x55f, 0x5f4, 0x2018, 0x2019, 0x2024, 0x2027, 0xfe13, 0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// isLower and isUpper have the derived properties Lowercase and Uppercase.
func isLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }
func isUpper(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }

// isCased has the derived property Cased.
func isCased(r rune) bool { return isLower(r) || isUpper(r) || unicode.IsTitle(r) }

// Upper returns s in upper case, as str.upper: a character can become several.
func Upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	var b strings.Builder
	for _, r := range s {
		upperTo(&b, r)
	}
	return b.String()
}

func upperTo(b *strings.Builder, r rune) {
	if e, ok := expanded[r]; ok {
		b.WriteString(e.upper)
		return
	}
	b.WriteRune(unicode.ToUpper(r))
}

func titleTo(b *strings.Builder, r rune) {
	if e, ok := expanded[r]; ok {
		b.WriteString(e.title)
		return
	}
	b.WriteRune(unicode.ToTitle(r))
}

// Capitalize returns s with the first character in title case and the others in lower case.
func Capitalize(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i == 0 {
			titleTo(&b, r)
		} else {
			lowerTo(&b, s, i, r)
		}
	}
	return b.String()
}

// Title returns s with the first letter of each word in title case, as str.title.
func Title(s string) string {
	var b strings.Builder
	inWord := false
	for i, r := range s {
		if inWord {
			lowerTo(&b, s, i, r)
		} else {
			titleTo(&b, r)
		}
		inWord = isCased(r)
	}
	return b.String()
}

// SwapCase returns s with upper case and lower case exchanged.
func SwapCase(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case isUpper(r):
			lowerTo(&b, s, i, r)
		case isLower(r):
			upperTo(&b, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// CaseFold returns s folded for comparison without regard to case, as str.casefold: by the full
// foldings of CaseFolding.txt.
func CaseFold(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case 0x13a0 <= r && r <= 0x13fd || 0xab70 <= r && r <= 0xabbf:
			// Cherokee folds to capitals.
			b.WriteRune(unicode.ToUpper(r))
		case r == 'ı':
			b.WriteRune(r)
		case r == 'ẞ':
			b.WriteString("ss")
		case r == 'İ':
			b.WriteString("i̇")
		default:
			if e, ok := expanded[r]; ok {
				for _, u := range e.upper {
					b.WriteRune(unicode.ToLower(u))
				}
				continue
			}
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		}
	}
	return b.String()
}
