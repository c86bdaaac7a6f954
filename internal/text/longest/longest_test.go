package longest

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
)

// all returns the matches of a pattern as package regexp counts them: an empty one does not follow
// another match at once.
func all(t testing.TB, m *Matcher, text string) [][]int {
	t.Helper()
	var list [][]int
	meter := parallel.Stop(nil).Meter()
	for at, last := 0, -1; at <= len(text); {
		begin, end, err := m.Find(text, at, &meter)
		require.NoError(t, err)
		if begin < 0 {
			break
		}
		require.GreaterOrEqual(t, begin, at)
		if end > begin || begin != last {
			list = append(list, []int{begin, end})
		}
		at, last = end, end
		if end == begin {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += max(n, 1)
		}
	}
	return list
}

// check compares with package regexp.
func check(t testing.TB, pattern, text string) {
	t.Helper()
	want, err := regexp.Compile(pattern)
	require.NoError(t, err)
	want.Longest()
	whole := want.FindStringIndex(text)
	re, err := Compile(pattern)
	require.NoError(t, err)
	m := re.Matcher()
	require.Equal(t, want.FindAllStringIndex(text, -1), all(t, m, text), "%q in %q", pattern, text)
	require.Equal(t, want.FindAllStringIndex(text, -1), all(t, m, text), "%q in %q, again", pattern, text)
	meter := parallel.Stop(nil).Meter()
	matches, err := m.Matches(text, &meter)
	require.NoError(t, err)
	require.Equal(t, whole != nil && whole[0] == 0 && whole[1] == len(text), matches, "%q in %q, whole", pattern, text)
}

var patterns = []string{
	`[a-zA-Z0-9_]+`, `a|ab|abc`, `(a|ab)(c|bcd)`, `a*`, `a*?b`, `\bw\w+\b`, `\bw\w+\b`, `^a|b$`, `(?m)^.*$`, `(?s).`, `.`, `(?i)straße|k`,
	`\pL+`, `[^\s]+`, `\s`, `[.]`, `x{2,3}`, `\Ba\B`, `\z`, `\A`, ``, `[[:^alpha:]]`, `\p{Greek}+|\d`, `(?:a?){5}a{5}`, `[^\x00-\x{10FFFF}]`, `\x{FFFD}`,
}

var texts = []string{
	"", "a", "abcd", "ab abc, abcd.", "word wow w.", "Hello, wörld! straSSE STRASSE K\u212a \u017f", "xxxx xx x", "a\nb\n\na", "aaaaaaaa", "αβγ 12 δ",
	"a\xffb\xc3", "\ufffd\xff", "ba", " \t\u00a0", strings.Repeat("ab", 300),
}

func TestFind(t *testing.T) {
	for _, pattern := range patterns {
		for _, text := range texts {
			check(t, pattern, text)
		}
	}
}

// TestFind_before checks that what is before the place counts.
func TestFind_before(t *testing.T) {
	meter := parallel.Stop(nil).Meter()
	for _, c := range []struct {
		pattern, text    string
		from, begin, end int
	}{
		{`\ba`, "aa a", 1, 3, 4},
		{`^a`, "aa", 1, -1, -1},
		{`(?m)^a`, "b\na", 2, 2, 3},
		{`\Bé`, "aéé", 1, 3, 5},
		{`b`, "ab", 2, -1, -1},
		{`b*`, "ab", 2, 2, 2},
	} {
		re, err := Compile(c.pattern)
		require.NoError(t, err)
		begin, end, err := re.Matcher().Find(c.text, c.from, &meter)
		require.NoError(t, err)
		assert.Equal(t, []int{c.begin, c.end}, []int{begin, end}, "%q in %q from %d", c.pattern, c.text, c.from)
	}
}

// TestFind_manyStates empties the table again and again.
func TestFind_manyStates(t *testing.T) {
	var text strings.Builder
	for i := range uint32(1500) {
		text.WriteByte("ab"[i*2654435761>>31])
	}
	check(t, `(a|b)*a(a|b){12}c|b`, text.String())
	re, err := Compile(`a(a|b){12}c`)
	require.NoError(t, err)
	m, meter := re.Matcher(), parallel.Stop(nil).Meter()
	_, _, err = m.Find(text.String(), 0, &meter)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(m.states), re.limit())
	assert.LessOrEqual(t, int64(4*cap(m.next)), re.Bytes())
}

func TestCompile_errors(t *testing.T) {
	for pattern, want := range map[string]string{
		"(":     "error parsing regexp: missing closing )",
		`(?=a)`: "error parsing regexp: invalid or unsupported Perl syntax",
		`(?:(?:abc){100}){10}` + strings.Repeat("x", 8192): "the expression has more than 8192 parts, with those that are repeated",
		manyClasses(): "the expression has 4001 classes of characters, with 8003 ranges",
	} {
		_, err := Compile(pattern)
		assert.ErrorContains(t, err, want)
	}
}

// manyClasses returns an expression whose characters are of many classes.
func manyClasses() string {
	var b strings.Builder
	for i := range 4001 {
		b.WriteString("[" + string(rune(0x4e00+3*i)) + "-" + string(rune(0x4e01+3*i)) + "]")
	}
	return b.String()
}

func TestFind_stop(t *testing.T) {
	done := make(chan struct{})
	close(done)
	meter := parallel.Stop(done).Meter()
	re, err := Compile(`a*b`)
	require.NoError(t, err)
	_, _, err = re.Matcher().Find(strings.Repeat("a", 1<<17), 0, &meter)
	assert.Equal(t, parallel.ErrStopped, err)
}

func FuzzFind(f *testing.F) {
	for i, pattern := range patterns {
		f.Add(pattern, texts[i%len(texts)])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		// Package regexp takes long for a long text and a large expression.
		if re, err := Compile(pattern); err == nil && len(text)*len(re.prog.Inst) < 1<<15 {
			check(t, pattern, text)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("The quick brown fox, jumps over the lazy dog. ", 100)
	for _, pattern := range []string{`[a-zA-Z0-9_]+`, `\b\w\w+\b`, ` |[.]|,`} {
		b.Run(pattern, func(b *testing.B) {
			re, err := Compile(pattern)
			require.NoError(b, err)
			m := re.Matcher()
			b.SetBytes(int64(len(text)))
			meter := parallel.Stop(nil).Meter()
			for b.Loop() {
				for at := 0; at >= 0; {
					if _, at, err = m.Find(text, at, &meter); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
