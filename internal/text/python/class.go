package python

import (
	"strings"
	"unicode"
)

// every reports whether s is not empty and is is true for all its characters.
func every(s string, is func(rune) bool) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !is(r) }) < 0
}

func isDigit(r rune) bool { return unicode.IsDigit(r) || unicode.Is(digitsBesidesNd, r) }

func isNumeric(r rune) bool { return unicode.IsNumber(r) || unicode.Is(numericLetters, r) }

// IsAlpha is str.isalpha.
func IsAlpha(s string) bool { return every(s, unicode.IsLetter) }

// IsDecimal is str.isdecimal.
func IsDecimal(s string) bool { return every(s, unicode.IsDigit) }

// IsDigit is str.isdigit.
func IsDigit(s string) bool { return every(s, isDigit) }

// IsNumeric is str.isnumeric.
func IsNumeric(s string) bool { return every(s, isNumeric) }

// IsAlnum is str.isalnum.
func IsAlnum(s string) bool {
	return every(s, func(r rune) bool { return unicode.IsLetter(r) || isNumeric(r) })
}

// IsASCII is str.isascii.
func IsASCII(s string) bool { return isASCII(s) }

// IsSpaces is str.isspace.
func IsSpaces(s string) bool { return every(s, IsSpace) }

// IsLower is str.islower.
func IsLower(s string) bool {
	return strings.IndexFunc(s, isLower) >= 0 && strings.IndexFunc(s, func(r rune) bool { return isUpper(r) || unicode.IsTitle(r) }) < 0
}

// IsUpper is str.isupper.
func IsUpper(s string) bool {
	return strings.IndexFunc(s, isUpper) >= 0 && strings.IndexFunc(s, func(r rune) bool { return isLower(r) || unicode.IsTitle(r) }) < 0
}

// IsTitle is str.istitle.
func IsTitle(s string) bool {
	cased, inWord := false, false
	for _, r := range s {
		switch {
		case isUpper(r) || unicode.IsTitle(r):
			if inWord {
				return false
			}
			cased, inWord = true, true
		case isLower(r):
			if !inWord {
				return false
			}
			cased = true
		default:
			inWord = false
		}
	}
	return cased
}

// IsPrintable is str.isprintable.
func IsPrintable(s string) bool { return s == "" || every(s, unicode.IsPrint) }

// IsIdentifier is str.isidentifier.
func IsIdentifier(s string) bool {
	for i, r := range s {
		if !IdentifierPart(r) || i == 0 && !identifierStart(r) {
			return false
		}
	}
	return s != ""
}

func identifierStart(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
}

// IdentifierPart reports whether r can be in an identifier.
func IdentifierPart(r rune) bool {
	return identifierStart(r) || unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)
}
