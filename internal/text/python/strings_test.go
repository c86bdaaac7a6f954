package python

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The expected values of the tests of this package are what Python 3.11 computes.

func TestCase(t *testing.T) {
	for _, c := range []struct{ text, lower, upper, title, capitalize, swap, fold string }{
		{"", "", "", "", "", "", ""},
		{"hello World", "hello world", "HELLO WORLD", "Hello World", "Hello world", "HELLO wORLD", "hello world"},
		{"Stra\u00dfe \u03a3\u0391\u03a3 \u0391\u03a3. \u03a3 \u03a3\u03b1", "stra\u00dfe \u03c3\u03b1\u03c2 \u03b1\u03c2. \u03c3 \u03c3\u03b1", "STRASSE \u03a3\u0391\u03a3 \u0391\u03a3. \u03a3 \u03a3\u0391", "Stra\u00dfe \u03a3\u03b1\u03c2 \u0391\u03c2. \u03a3 \u03a3\u03b1", "Stra\u00dfe \u03c3\u03b1\u03c2 \u03b1\u03c2. \u03c3 \u03c3\u03b1", "sTRASSE \u03c3\u03b1\u03c2 \u03b1\u03c2. \u03c3 \u03c3\u0391", "strasse \u03c3\u03b1\u03c3 \u03b1\u03c3. \u03c3 \u03c3\u03b1"},
		{"\u0130\u0131 \u0149 \ufb01 \u01c5 \u01c6", "i\u0307\u0131 \u0149 \ufb01 \u01c6 \u01c6", "\u0130I \u02bcN FI \u01c4 \u01c4", "\u0130\u0131 \u02bcN Fi \u01c5 \u01c5", "\u0130\u0131 \u0149 \ufb01 \u01c6 \u01c6", "i\u0307I \u02bcN FI \u01c5 \u01c4", "i\u0307\u0131 \u02bcn fi \u01c6 \u01c6"},
		{"\u1e9e\u00df \u13a0\uab70 \u0390", "\u00df\u00df \uab70\uab70 \u0390", "\u1e9eSS \u13a0\u13a0 \u0399\u0308\u0301", "\u1e9e\u00df \u13a0\uab70 \u0399\u0308\u0301", "\u1e9e\u00df \uab70\uab70 \u0390", "\u00dfSS \uab70\u13a0 \u0399\u0308\u0301", "ssss \u13a0\u13a0 \u03b9\u0308\u0301"},
		{"it's x-ray 3D", "it's x-ray 3d", "IT'S X-RAY 3D", "It'S X-Ray 3D", "It's x-ray 3d", "IT'S X-RAY 3d", "it's x-ray 3d"},
		{"\u65e5\u672c \uff11\uff12", "\u65e5\u672c \uff11\uff12", "\u65e5\u672c \uff11\uff12", "\u65e5\u672c \uff11\uff12", "\u65e5\u672c \uff11\uff12", "\u65e5\u672c \uff11\uff12", "\u65e5\u672c \uff11\uff12"},
	} {
		assert.Equal(t, c.lower, Lower(c.text), c.text)
		assert.Equal(t, c.upper, Upper(c.text), c.text)
		assert.Equal(t, c.title, Title(c.text), c.text)
		assert.Equal(t, c.capitalize, Capitalize(c.text), c.text)
		assert.Equal(t, c.swap, SwapCase(c.text), c.text)
		assert.Equal(t, c.fold, CaseFold(c.text), c.text)
	}
}

// TestClasses checks which methods are true for a text.
func TestClasses(t *testing.T) {
	classes := map[string]func(string) bool{
		"alnum": IsAlnum, "alpha": IsAlpha, "ascii": IsASCII, "decimal": IsDecimal, "digit": IsDigit, "identifier": IsIdentifier,
		"lower": IsLower, "numeric": IsNumeric, "printable": IsPrintable, "space": IsSpaces, "title": IsTitle, "upper": IsUpper,
	}
	for text, want := range map[string][]string{
		"":          {"ascii", "printable"},
		"abc":       {"alnum", "alpha", "ascii", "identifier", "lower", "printable"},
		"ABC":       {"alnum", "alpha", "ascii", "identifier", "printable", "upper"},
		"Abc Def":   {"ascii", "printable", "title"},
		"aB":        {"alnum", "alpha", "ascii", "identifier", "printable"},
		"12":        {"alnum", "ascii", "decimal", "digit", "numeric", "printable"},
		"\u00b2":    {"alnum", "digit", "numeric", "printable"},
		"\u00bd":    {"alnum", "numeric", "printable"},
		"\u4e00":    {"alnum", "alpha", "identifier", "numeric", "printable"},
		"\u0663":    {"alnum", "decimal", "digit", "numeric", "printable"},
		"a1":        {"alnum", "ascii", "identifier", "lower", "printable"},
		"1a":        {"alnum", "ascii", "lower", "printable"},
		"_x":        {"ascii", "identifier", "lower", "printable"},
		"a b":       {"ascii", "lower", "printable"},
		" \t\u2003": {"space"},
		"\n":        {"ascii", "space"},
		"\u200b":    {},
		"\u00e9":    {"alnum", "alpha", "identifier", "lower", "printable"},
		"\u01c5":    {"alnum", "alpha", "identifier", "printable", "title"},
		"\u00aa":    {"alnum", "alpha", "identifier", "lower", "printable"},
		"\u2167":    {"alnum", "identifier", "numeric", "printable", "title", "upper"},
		"a\u01c5":   {"alnum", "alpha", "identifier", "printable"},
		"Ab1Cd":     {"alnum", "ascii", "identifier", "printable", "title"},
		"1":         {"alnum", "ascii", "decimal", "digit", "numeric", "printable"},
	} {
		for name, is := range classes {
			if assert.NotNil(t, is) && is(text) {
				assert.Contains(t, want, name, "%q", text)
			} else {
				assert.NotContains(t, want, name, "%q", text)
			}
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text            string
		limit           int
		fields, rfields []string
		rsplit          []string
		lines, kept     []string
	}{
		{"", -1, []string{}, []string{}, []string{""}, []string{}, []string{}},
		{"", 0, []string{}, []string{}, []string{""}, []string{}, []string{}},
		{"", 1, []string{}, []string{}, []string{""}, []string{}, []string{}},
		{"", 2, []string{}, []string{}, []string{""}, []string{}, []string{}},
		{" ", -1, []string{}, []string{}, []string{" "}, []string{" "}, []string{" "}},
		{" ", 0, []string{}, []string{}, []string{" "}, []string{" "}, []string{" "}},
		{" ", 1, []string{}, []string{}, []string{" "}, []string{" "}, []string{" "}},
		{" ", 2, []string{}, []string{}, []string{" "}, []string{" "}, []string{" "}},
		{"a b", -1, []string{"a", "b"}, []string{"a", "b"}, []string{"a b"}, []string{"a b"}, []string{"a b"}},
		{"a b", 0, []string{"a b"}, []string{"a b"}, []string{"a b"}, []string{"a b"}, []string{"a b"}},
		{"a b", 1, []string{"a", "b"}, []string{"a", "b"}, []string{"a b"}, []string{"a b"}, []string{"a b"}},
		{"a b", 2, []string{"a", "b"}, []string{"a", "b"}, []string{"a b"}, []string{"a b"}, []string{"a b"}},
		{" a  b c ", -1, []string{"a", "b", "c"}, []string{"a", "b", "c"}, []string{" a  b c "}, []string{" a  b c "}, []string{" a  b c "}},
		{" a  b c ", 0, []string{"a  b c "}, []string{" a  b c"}, []string{" a  b c "}, []string{" a  b c "}, []string{" a  b c "}},
		{" a  b c ", 1, []string{"a", "b c "}, []string{" a  b", "c"}, []string{" a  b c "}, []string{" a  b c "}, []string{" a  b c "}},
		{" a  b c ", 2, []string{"a", "b", "c "}, []string{" a", "b", "c"}, []string{" a  b c "}, []string{" a  b c "}, []string{" a  b c "}},
		{"a\u2003b\u001c\u0085c", -1, []string{"a", "b", "c"}, []string{"a", "b", "c"}, []string{"a\u2003b\u001c\u0085c"}, []string{"a\u2003b", "", "c"}, []string{"a\u2003b\u001c", "\u0085", "c"}},
		{"a\u2003b\u001c\u0085c", 0, []string{"a\u2003b\u001c\u0085c"}, []string{"a\u2003b\u001c\u0085c"}, []string{"a\u2003b\u001c\u0085c"}, []string{"a\u2003b", "", "c"}, []string{"a\u2003b\u001c", "\u0085", "c"}},
		{"a\u2003b\u001c\u0085c", 1, []string{"a", "b\u001c\u0085c"}, []string{"a\u2003b", "c"}, []string{"a\u2003b\u001c\u0085c"}, []string{"a\u2003b", "", "c"}, []string{"a\u2003b\u001c", "\u0085", "c"}},
		{"a\u2003b\u001c\u0085c", 2, []string{"a", "b", "c"}, []string{"a", "b", "c"}, []string{"a\u2003b\u001c\u0085c"}, []string{"a\u2003b", "", "c"}, []string{"a\u2003b\u001c", "\u0085", "c"}},
		{"x\r\ny\n\nz\u2028", -1, []string{"x", "y", "z"}, []string{"x", "y", "z"}, []string{"x\r\ny\n\nz\u2028"}, []string{"x", "y", "", "z"}, []string{"x\r\n", "y\n", "\n", "z\u2028"}},
		{"x\r\ny\n\nz\u2028", 0, []string{"x\r\ny\n\nz\u2028"}, []string{"x\r\ny\n\nz"}, []string{"x\r\ny\n\nz\u2028"}, []string{"x", "y", "", "z"}, []string{"x\r\n", "y\n", "\n", "z\u2028"}},
		{"x\r\ny\n\nz\u2028", 1, []string{"x", "y\n\nz\u2028"}, []string{"x\r\ny", "z"}, []string{"x\r\ny\n\nz\u2028"}, []string{"x", "y", "", "z"}, []string{"x\r\n", "y\n", "\n", "z\u2028"}},
		{"x\r\ny\n\nz\u2028", 2, []string{"x", "y", "z\u2028"}, []string{"x", "y", "z"}, []string{"x\r\ny\n\nz\u2028"}, []string{"x", "y", "", "z"}, []string{"x\r\n", "y\n", "\n", "z\u2028"}},
		{"aXbXXc", -1, []string{"aXbXXc"}, []string{"aXbXXc"}, []string{"a", "b", "", "c"}, []string{"aXbXXc"}, []string{"aXbXXc"}},
		{"aXbXXc", 0, []string{"aXbXXc"}, []string{"aXbXXc"}, []string{"aXbXXc"}, []string{"aXbXXc"}, []string{"aXbXXc"}},
		{"aXbXXc", 1, []string{"aXbXXc"}, []string{"aXbXXc"}, []string{"aXbX", "c"}, []string{"aXbXXc"}, []string{"aXbXXc"}},
		{"aXbXXc", 2, []string{"aXbXXc"}, []string{"aXbXXc"}, []string{"aXb", "", "c"}, []string{"aXbXXc"}, []string{"aXbXXc"}},
	} {
		assert.Equal(t, c.fields, Fields(c.text, c.limit), "%q %d", c.text, c.limit)
		assert.Equal(t, c.rfields, RFields(c.text, c.limit), "%q %d", c.text, c.limit)
		assert.Equal(t, c.rsplit, RSplit(c.text, "X", c.limit), "%q %d", c.text, c.limit)
		assert.Equal(t, c.lines, Lines(c.text, false), "%q", c.text)
		assert.Equal(t, c.kept, Lines(c.text, true), "%q", c.text)
	}
}

func TestStrip(t *testing.T) {
	assert.Equal(t, "a \u3000b", Strip("\u2003\u001c a \u3000b \n\u0085"))
	assert.Equal(t, "a \u3000b \n\u0085", LStrip("\u2003\u001c a \u3000b \n\u0085"))
	assert.Equal(t, "\u2003\u001c a \u3000b", RStrip("\u2003\u001c a \u3000b \n\u0085"))
}

func TestExpandTabs(t *testing.T) {
	assert.Equal(t, "a       b               c", ExpandTabs("a\tb\t\tc", 8))
	assert.Equal(t, "\u00e9   b\n    c", ExpandTabs("\u00e9\tb\n\tc", 4))
	assert.Equal(t, "   a\r   ", ExpandTabs("\ta\r\t", 3))
	assert.Equal(t, "ab", ExpandTabs("a\tb", 0))
}

func TestRepr(t *testing.T) {
	for _, c := range []struct{ text, repr, ascii string }{
		{"a", "'a'", "'a'"},
		{"it's", "\"it's\"", "\"it's\""},
		{"\"", "'\"'", "'\"'"},
		{"'\"", "'\\'\"'", "'\\'\"'"},
		{"\\\n\r\t\u0000\u007f\u00a0\u200b\u2028\u00e9\u65e5\U0001f600\U000e0001", "'\\\\\\n\\r\\t\\x00\\x7f\\xa0\\u200b\\u2028\u00e9\u65e5\U0001f600\\U000e0001'", "'\\\\\\n\\r\\t\\x00\\x7f\\xa0\\u200b\\u2028\\xe9\\u65e5\\U0001f600\\U000e0001'"},
	} {
		assert.Equal(t, c.repr, repr(c.text, false))
		assert.Equal(t, c.ascii, repr(c.text, true))
	}
}

func repr(text string, ascii bool) string {
	var b strings.Builder
	Repr(&b, text, ascii)
	return b.String()
}
