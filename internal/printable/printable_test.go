package printable_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/printable"
)

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{`Relu 日本 "a" c:\new`, `Relu 日本 "a" c:\new`},
		{"a\x1b[31mb\n\r\tc\x7f", `a\x1b[31mb\n\r\tc\x7f`},
		{"\u009b2J\u202e\u2066\u2028\u2029\ufeff", `\u009b2J\u202e\u2066\u2028\u2029\ufeff`},
		{"\xffa\xc3", `\xffa\xc3`},
		{"a # b", "a # b"},
		{"x ##[error]y ##vso[task.setvariable variable=z]1", `x #\x23[error]y #\x23vso[task.setvariable variable=z]1`},
		{"###teamcity[", `#\x23#teamcity[`},
		{"std::vector", "std::vector"},
		{"  ::error file=x::y", `  :\x3aerror file=x::y`},
		{"\ufffd\U000e0001", "\ufffd" + `\U000e0001`},
	} {
		assert.Equal(t, tt.want, printable.Escape(tt.text))
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x1b\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := printable.Escape(s)
		assert.True(t, utf8.ValidString(got))
		assert.Equal(t, -1, strings.IndexFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", got)
		assert.NotContains(t, got, "##")
		assert.False(t, strings.HasPrefix(strings.TrimLeft(got, " "), "::"), "%q", got)
		assert.Equal(t, got, printable.Escape(got))
	})
}

func TestCut(t *testing.T) {
	assert.Equal(t, "abc", printable.Cut("abc", 3))
	assert.Equal(t, "äöü", printable.Cut("äöü", 3))
	assert.Equal(t, "äö... (6 bytes)", printable.Cut("äöü", 2))
	assert.Equal(t, "\xff\xff... (3 bytes)", printable.Cut("\xff\xff\xff", 2))
	assert.Equal(t, `"a\n"`, printable.Quote("a\n", 2))
	assert.Equal(t, `"#\x23[error]"`, printable.Quote("##[error]", 20))
	assert.Equal(t, `"a\n"... (3 bytes)`, printable.Quote("a\nb", 2))
	assert.Equal(t, `a\n... (3 bytes)`, printable.Name("a\nb", 2))
}
