package charsmap

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// plainly keeps spaces as they are.
var plainly = Options{}

func normalize(t testing.TB, n *Normalizer, text string) string {
	t.Helper()
	got, err := n.Append([]byte("<"), []byte(text), &Work{})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(got), "<"))
	return string(got[1:])
}

func mustBuiltin(t testing.TB, form string, fold bool) *Map {
	t.Helper()
	m, err := Builtin(form, fold)
	require.NoError(t, err)
	return m
}

// forms are the built-in maps, with the names of their tables in the corpus.
var forms = []struct {
	table, form string
	fold        bool
}{
	{"casefold", "identity", true}, {"nfc", "nfc", false}, {"nfd", "nfd", false}, {"nfkc", "NFKC", false}, {"nfkd", "nfkd", false},
	{"nfc_casefold", "nfc", true}, {"nfd_casefold", "nfd", true}, {"nfkc_casefold", "nfkc", true}, {"nfkd_casefold", "nfkd", true},
}

// TestBuiltin_tables compares each code point alone with the tables of the corpus.
func TestBuiltin_tables(t *testing.T) {
	corpus := os.Getenv("VINOIR_CORPUS")
	if corpus == "" {
		t.Skip("VINOIR_CORPUS is not set")
	}
	for _, f := range forms {
		want := readTable(t, filepath.Join(corpus, "text", "unicode", f.table+".tsv"))
		n := New(mustBuiltin(t, f.form, f.fold), plainly)
		hangul := strings.HasPrefix(f.table, "nfd") || strings.HasPrefix(f.table, "nfkd")
		var dst, text []byte
		var w Work
		for r := rune(0); r <= 0x10FFFF; r++ {
			if r >= surrogates && r < surrogates+surrogateCount || hangul && r >= syllables && r < syllables+leadings*vowels*trailings {
				continue
			}
			text = utf8.AppendRune(text[:0], r)
			expected, ok := want[r]
			if !ok {
				expected = string(text)
			}
			var err error
			if dst, err = n.Append(dst[:0], text, &w); err != nil || string(dst) != expected {
				require.NoError(t, err)
				require.Equal(t, expected, string(dst), "%s, U+%04X", f.table, r)
			}
		}
	}
}

func readTable(t testing.TB, file string) map[rune]string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	points := func(text string) string {
		out := ""
		for field := range strings.FieldsSeq(text) {
			r, err := strconv.ParseUint(field, 16, 32)
			require.NoError(t, err)
			out += string(rune(r))
		}
		return out
	}
	table := map[rune]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "\t")
		table[[]rune(points(key))[0]] = points(value)
	}
	return table
}

// TestBuiltin has results of OpenVINO.
func TestBuiltin(t *testing.T) {
	for _, c := range []struct {
		form       string
		fold       bool
		text, want string
	}{
		{"nfc", false, "u\u0304 e\u0301\u0301 \u00FC\u0304 u\u0308\u0304", "\u016B \u00E9\u0301 \u00FC\u0304 \u01D6"},
		{"nfc", false, "a\u0302\u0323", "\u00E2\u0323"},
		{"nfc", false, "\u1100\u1161\u11A8 \u1100\u1161 \uAC00\u11A8 \u1161 \u1100", "\uAC01 \uAC00 \uAC00\u11A8 \u1161 \u1100"},
		{"nfc", false, "\u1100\u1161\u11A7", "\uAC00\u11A7"},
		{"nfc", true, "E\u0301\u212B", "\u00E9\u00E5"},
		{"nfc", false, "\u0958 \u0340a\u0340", "\u0915\u093C \u0300\u00E0"},
		{"nfd", false, "\uAC01\uAC00\u00E9\uD7A3", "\u1100\u1161\u11A8\u1100\u1161e\u0301\u1112\u1175\u11C2"},
		{"nfd", true, "\u00C9\u1E9E", "e\u0301\u00DF"},
		{"nfkc", false, "\uFF21\u0301 \u3131\u314F \uFB01 \u320E \u00A8\u0301", "\u00C1 \uAC00 fi (\uAC00)  \u0308\u0301"},
		{"nfkc", true, "\uFF21\u0301\u2126", "\u00E1\u03C9"},
		{"nfkc", false, "\u017F\u0307 \uFF76\uFF9E", "\u1E61 \u30AC"},
		{"nfkd", false, "\u1E9B \uFDFA"[:6], "s\u0307 \uFFFD\uFFFD"},
		{"identity", true, "\u00DF\u1E9E\u03C2\u0130ABC xyz", "\u00DF\u00DF\u03C3\u0130abc xyz"},
		{"nfc", false, "e", "e"},
		{"nfc", false, "e\x80\u0301", "e\uFFFD\u0301"},
	} {
		assert.Equal(t, c.want, normalize(t, New(mustBuiltin(t, c.form, c.fold), plainly), c.text), "%s %q", c.form, c.text)
	}
	_, err := Builtin("identity", false)
	assert.EqualError(t, err, `normalization form "identity" with case_fold=false, expected nfc, nfd, nfkc, nfkd, or identity with case folding`)
	_, err = Builtin("nfx", true)
	assert.ErrorContains(t, err, `normalization form "nfx"`)
}

// letters keeps an x, and a space behind it.
type letters struct{}

func (letters) Longest(text []byte) int {
	switch {
	case strings.HasPrefix(string(text), "X "):
		return 2
	case strings.HasPrefix(string(text), "X"):
		return 1
	}
	return 0
}

func (letters) Starts(b byte) bool { return b == 'X' }

func TestAppend_spaces(t *testing.T) {
	fold := mustBuiltin(t, "nfkc", true)
	for _, c := range []struct {
		options    Options
		text, want string
	}{
		{Options{RemoveExtraWhitespaces: true}, "  a  b c\u00A0 \u3000D ", "a b c d"},
		{Options{RemoveExtraWhitespaces: true}, " \u00A0 ", ""},
		{Options{RemoveExtraWhitespaces: true, AddDummyPrefix: true}, "  ", ""},
		{Options{RemoveExtraWhitespaces: true, AddDummyPrefix: true, WhitespaceAsSuffix: true}, "  ", ""},
		{Options{RemoveExtraWhitespaces: true, AddDummyPrefix: true, WhitespaceAsSuffix: true}, " a ", "a "},
		{Options{RemoveExtraWhitespaces: true, AddDummyPrefix: true}, " a ", " a"},
		{Options{RemoveExtraWhitespaces: true, AddDummyPrefix: true, EscapeWhitespaces: true}, " a  b\u2581 ", "\u2581a\u2581b"},
		{Options{AddDummyPrefix: true, EscapeWhitespaces: true}, " a\u00A0 B ", "\u2581\u2581a\u2581\u2581b\u2581"},
		{Options{EscapeWhitespaces: true}, "\u00A8x\u00A8", "\u2581\u0308x\u2581\u0308"},
		{Options{RemoveExtraWhitespaces: true}, "x\u00A8 \u00A8", "x \u0308 \u0308"},
		{Options{AddDummyPrefix: true}, "", ""},
		{Options{AddDummyPrefix: true}, " ", "  "},
		{Options{RemoveExtraWhitespaces: true, Kept: letters{}}, "aX  X b", "aX X b"},
		{Options{Kept: letters{}}, "XA\u0301\xFF", "X\u00E1\uFFFD"},
	} {
		assert.Equal(t, c.want, normalize(t, New(fold, c.options), c.text), "%+v %q", c.options, c.text)
		got := places(t, New(fold, c.options), c.text)
		assert.Len(t, got, len(c.want), "%+v %q", c.options, c.text)
		assert.True(t, slices.IsSortedFunc(got, func(a, b align.Span) int { return int(a.Begin - b.Begin) }), "%v", got)
	}
	assert.Equal(t, "a\uFFFD\u2581b", normalize(t, New(nil, Options{RemoveExtraWhitespaces: true, EscapeWhitespaces: true}), " a\xFF b"))
}

// places returns where the bytes of the normalized text are in the text.
func places(t *testing.T, n *Normalizer, text string) []align.Span {
	t.Helper()
	w := &Work{Sources: &align.Sources{}}
	_, err := n.Append(nil, []byte(text), w)
	require.NoError(t, err)
	places, err := align.AppendText(nil, text, &w.Limits)
	require.NoError(t, err)
	places, err = w.Sources.Append(nil, places, 0)
	require.NoError(t, err)
	return places
}

func TestAppend_sources(t *testing.T) {
	for _, c := range []struct {
		options Options
		text    string
		want    []align.Span
	}{
		{Options{RemoveExtraWhitespaces: true, AddDummyPrefix: true}, " A  b ", []align.Span{
			{Begin: 1, End: 1}, {Begin: 1, End: 2}, {Begin: 2, End: 3}, {Begin: 4, End: 5},
		}},
		{Options{AddDummyPrefix: true, WhitespaceAsSuffix: true}, "xﬁ", []align.Span{{Begin: 0, End: 1}, {Begin: 1, End: 4}, {Begin: 1, End: 4}, {Begin: 4, End: 4}}},
		{Options{}, "e\u0301\xff", []align.Span{{Begin: 0, End: 3}, {Begin: 0, End: 3}, {Begin: 3, End: 4}, {Begin: 3, End: 4}, {Begin: 3, End: 4}}},
	} {
		assert.Equal(t, c.want, places(t, New(mustBuiltin(t, "nfkc", true), c.options), c.text), "%q", c.text)
	}
}

// TestAppend_long has texts that are longer than the pieces that are copied at a time.
func TestAppend_long(t *testing.T) {
	n := New(mustBuiltin(t, "nfc", true), plainly)
	long := strings.Repeat("E", kept)
	lower := strings.ToLower(long)
	assert.Equal(t, lower[1:]+"\u00E9"+lower, normalize(t, n, long+"\u0301"+long))
	assert.Equal(t, lower+"\u00E9", normalize(t, n, long+"E\u0301"))
	assert.Equal(t, lower+lower, normalize(t, n, long+long))
	han := strings.Repeat("\u6587", kept/3+1)
	assert.Equal(t, han+han+lower, normalize(t, n, han+han+long))
}

func TestAppend_limits(t *testing.T) {
	refused := errors.New("refused")
	for _, options := range []Options{{AddDummyPrefix: true}, {}, {EscapeWhitespaces: true}, {AddDummyPrefix: true, WhitespaceAsSuffix: true, RemoveExtraWhitespaces: true}} {
		for _, text := range []string{" a", "\uFDFA"} {
			calls := 0
			w := Work{Limits: limits.Limits{Reserve: func(int64) error {
				if calls++; calls > 1 {
					return refused
				}
				return nil
			}}}
			n := New(mustBuiltin(t, "nfkc", false), options)
			got, err := n.Append(nil, []byte(strings.Repeat(text, 99)), &w)
			if err != nil {
				assert.Equal(t, refused, err)
			} else {
				assert.Equal(t, 1, calls, "%q", got)
			}
		}
	}
	stop := make(chan struct{})
	close(stop)
	n := New(nil, Options{RemoveExtraWhitespaces: true})
	for _, text := range []string{" ", "a", "a "} {
		w := Work{Limits: limits.Limits{Stop: stop}}
		_, err := n.Append(nil, []byte(strings.Repeat(text, 1<<18)), &w)
		assert.Equal(t, parallel.ErrStopped, err)
	}
}

func TestAppend_allocations(t *testing.T) {
	n := New(mustBuiltin(t, "nfkc", true), Options{RemoveExtraWhitespaces: true, EscapeWhitespaces: true, AddDummyPrefix: true})
	text := []byte("A line of Text, \u00E9t\u00E9 E\u0301 \uFB01 \u1100\u1161 \u6587\u5B57")
	dst := make([]byte, 0, 200)
	var w Work
	assert.Zero(t, testing.AllocsPerRun(10, func() { dst, _ = n.Append(dst[:0], text, &w) }))
}
