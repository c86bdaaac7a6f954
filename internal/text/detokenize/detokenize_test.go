package detokenize

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAppendBytes(t *testing.T) {
	for token, want := range map[string]string{
		"<0x41>": "A", "<0x00>": "\x00", "<0xFF>": "\xff", "<0xE4>": "\xe4",
		"<0xe4>": "\xff", "<0xZZ>": "\xff", "<aaaa>": "\xff", "<><><>": "<><><>", "<>>>>>": "\xff", "<0X41>": "\xff",
		"": "", "<0x4>": "<0x4>", "<0x411>": "<0x411>", "0x4141": "0x4141", "<0x41)": "<0x41)", "word": "word",
	} {
		assert.Equal(t, "a"+want, string(AppendBytes([]byte("a"), []byte(token))), token)
		assert.Equal(t, len(want), BytesLen([]byte(token)), token)
	}
}

func TestAppendValid(t *testing.T) {
	for text, marks := range map[string]string{ // with ? for U+FFFD
		"": "", "abc é 字 😀": "abc é 字 😀",
		"\x80":                   "?",
		"a\xffb":                 "a?b",
		"\xc3":                   "?",
		"\xe5\xad":               "?",
		"\xe5\xadx":              "?x",
		"\xe5\xc3\xa9":           "?é",
		"\xf0\x9f\x98":           "?",
		"\xc0\xaf":               "??",
		"\xe0\x80\xaf":           "???",
		"\xf0\x80\x80\xaf!":      "????!",
		"\xed\xa0\x80":           "\xed\xa0\x80",
		"\xf4\x90\x80\x80":       "\xf4\x90\x80\x80",
		"\xf7\xbf\xbf\xbf":       "\xf7\xbf\xbf\xbf",
		"\xf8\x88\x80\x80\x80":   "?????",
		"\xc3\xc3\xa9\xa9\xe5":   "?é??",
		strings.Repeat("ab", 99): strings.Repeat("ab", 99),
	} {
		for _, replace := range []bool{false, true} {
			want := strings.ReplaceAll(marks, "?", map[bool]string{true: "\uFFFD"}[replace])
			assert.Equal(t, "x"+want, string(AppendValid([]byte("x"), []byte(text), replace)), "%q", text)
			assert.Equal(t, len(want), ValidLen([]byte(text), replace), "%q", text)
		}
	}
}

// FuzzAppendValid compares with package utf8, where the two agree on what is valid.
func FuzzAppendValid(f *testing.F) {
	f.Add([]byte("a\xe5\xad\xc3\xa9"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, replace := range []bool{false, true} {
			got := AppendValid(nil, text, replace)
			require.Len(t, got, ValidLen(text, replace))
			require.Equal(t, string(got), string(AppendValid(nil, got, replace)), "the result is valid")
		}
		require.Equal(t, IsValid(text), string(text) == string(AppendValid(nil, text, false)))
		if utf8.Valid(text) {
			require.Equal(t, string(text), string(AppendValid(nil, text, true)))
		}
		require.Len(t, AppendBytes(nil, text), BytesLen(text))
	})
}

func BenchmarkAppendValid(b *testing.B) {
	text := []byte(strings.Repeat("some text, ein wenig Text, несколько слов. ", 100))
	dst := make([]byte, 0, len(text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = AppendValid(dst[:0], text, true)
	}
}
