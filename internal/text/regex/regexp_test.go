package regex_test

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// all returns the bounds of all matches, as PCRE2's substitution finds them: after an empty match,
// it looks for one at the same position that is not empty, or further on.
func all(m *regex.Matcher, re *regex.Regexp, text []byte, flags regex.Flags) ([]int, error) {
	m.Reset(re, text)
	bounds := []int{}
	for at, now := 0, flags; ; {
		found, err := m.Find(at, now)
		if err != nil || !found {
			return bounds, err
		}
		begin, end := m.Group(0)
		bounds = append(bounds, begin, end)
		if at, now = end, flags; begin == end {
			now |= regex.NotEmpty
		}
	}
}

// TestPCRE2 compares the matches with those of PCRE2.
func TestPCRE2(t *testing.T) {
	file, err := os.ReadFile("testdata/pcre2.json")
	require.NoError(t, err)
	var data struct {
		Texts    []string
		Patterns [][]any
	}
	require.NoError(t, json.Unmarshal(file, &data))
	require.NotEmpty(t, data.Patterns)
	var m regex.Matcher
	for _, item := range data.Patterns {
		pattern := item[0].(string)
		re, err := regex.CompileWords([]byte(pattern))
		if item[1] == nil {
			assert.Error(t, err, pattern)
			assert.NotErrorIs(t, err, regex.ErrUnsupported, pattern)
			continue
		}
		if errors.Is(err, regex.ErrUnsupported) {
			continue
		}
		if !assert.NoError(t, err, pattern) {
			continue
		}
		for i, text := range data.Texts {
			want := []int{}
			for _, bound := range item[1].([]any)[i].([]any) {
				want = append(want, int(bound.(float64)))
			}
			for _, flags := range []regex.Flags{0, regex.NoGroups} {
				got, err := all(&m, re, []byte(text), flags)
				assert.NoError(t, err)
				assert.Equal(t, want, got, "%s in %q", pattern, text)
			}
		}
	}
}

func TestCompile_unsupported(t *testing.T) {
	for _, pattern := range []string{`(?R)`, `(?1)(a)`, `(?+1)(a)`, `(?&n)(?<n>a)`, `(?P>n)(?<n>a)`, `\g<1>(a)`, `(?(R)a)`, `(?(VERSION>=10)a)`,
		`a(*SKIP)b`, `(*ACCEPT)`, `(*MARK:a)`, `(*:a)`, `(*pla:a)`, `(?*a)`, `(?<*a)b`, `\C`, `\p{bc=R}`} {
		_, err := regex.Compile([]byte(pattern))
		assert.ErrorIs(t, err, regex.ErrUnsupported, pattern)
	}
}

func TestCompile_limits(t *testing.T) {
	for pattern, message := range map[string]string{
		"\xff":                                  "regular expression, byte 0: the pattern is not UTF-8",
		"a{65536}":                              "regular expression, byte 1: the number of repeats is greater than 65535",
		"a{3,2}":                                "regular expression, byte 1: at least 3 and at most 2 repeats",
		strings.Repeat("(", 300):                "regular expression, byte 251: parentheses are nested more than 250 deep",
		"(?<n>a)(?<n>b)":                        `regular expression, byte 7: two groups have the name "n"`,
		"(?|(?<n>a)|(?<m>b))":                   `regular expression, byte 11: group 1 has the names "n" and "m"`,
		`\p{Foo}`:                               `regular expression, byte 0: unknown property "foo"`,
		`\p{sc:Foo}`:                            `regular expression, byte 0: unknown script "foo"`,
		"(?<=a{1,256})":                         "regular expression, byte 0: the lookbehind is too long",
		"(?<=a*)":                               "regular expression, byte 0: the lookbehind has no greatest length",
		"a|*":                                   "regular expression, byte 2: there is nothing to repeat",
		`(a)\2`:                                 "regular expression, byte 3: group 2 does not exist, there are 1",
		`\k<n>`:                                 `regular expression, byte 0: no group has the name "n"`,
		"[b-a]":                                 "regular expression, byte 1: a range from 0x62 to 0x61",
		`\x{110000}`:                            "regular expression, byte 0: there is no character 0x110000",
		"(?<" + strings.Repeat("n", 129) + ">)": "regular expression, byte 3: the name of a group has more than 128 characters",
	} {
		_, err := regex.Compile([]byte(pattern))
		assert.EqualError(t, err, message, pattern)
	}
	_, err := regex.Compile(make([]byte, 5<<20))
	assert.ErrorContains(t, err, "are too long")
	_, err = regex.Compile([]byte(strings.Repeat("(a)?", 200000)))
	assert.Error(t, err, "more groups than PCRE2 counts")
	_, err = regex.Compile([]byte(strings.Repeat("(?:a|b*)", 200000)))
	assert.ErrorContains(t, err, "the program has more than")
}

func TestMatcher_Group(t *testing.T) {
	re, err := regex.Compile([]byte(`(?<year>\d+)-(\d+)(x)?`))
	require.NoError(t, err)
	assert.Equal(t, 4, re.Groups())
	assert.Equal(t, []int{1}, re.Named("year"))
	assert.Nil(t, re.Named("month"))
	var m regex.Matcher
	m.Reset(re, []byte("in 2026-11"))
	found, err := m.Find(0, 0)
	require.NoError(t, err)
	require.True(t, found)
	for i, want := range [][2]int{{3, 10}, {3, 7}, {8, 10}, {-1, -1}} {
		begin, end := m.Group(i)
		assert.Equal(t, want, [2]int{begin, end})
	}
	assert.Equal(t, 4, regex.NameLength([]byte("year-")))
	assert.Equal(t, 0, regex.NameLength([]byte("1")))
}

// TestMatcher_bad checks bytes that are no UTF-8: each is a character that only ., \S and a class
// with ^ match.
func TestMatcher_bad(t *testing.T) {
	text := []byte("a\xff\xc3 \xe4\xb8b")
	for pattern, want := range map[string][]int{
		`.`:          {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7},
		`\S+`:        {0, 3, 4, 7},
		`[^a]+`:      {1, 7},
		`[\S]`:       {0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7},
		`\W`:         {3, 4},
		`\P{L}`:      {3, 4},
		`[^\S]`:      {1, 2, 2, 3, 3, 4, 4, 5, 5, 6},
		`(?i)\xff`:   {},
		`(?<=\S)b`:   {6, 7},
		`\S+?b`:      {4, 7},
		`.*b`:        {0, 7},
		`(?s).{3}b`:  {3, 7},
		`\X`:         {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7},
		`(?<=.{2})b`: {6, 7},
		`\b`:         {0, 0, 1, 1, 6, 6, 7, 7},
		`(.)\1`:      {},
	} {
		re, err := regex.Compile([]byte(pattern))
		require.NoError(t, err, pattern)
		var m regex.Matcher
		got, err := all(&m, re, text, 0)
		assert.NoError(t, err)
		assert.Equal(t, want, got, pattern)
	}
	re, err := regex.Compile([]byte(`(?i)(.)\1`))
	require.NoError(t, err)
	var m regex.Matcher
	got, err := all(&m, re, []byte("\xff\xfe\xff\xff"), 0)
	assert.NoError(t, err)
	assert.Equal(t, []int{2, 4}, got, "bytes that are no character equal only themselves")
}

func TestMatcher_limit(t *testing.T) {
	for _, pattern := range []string{`(a+)+$`, `(?:a|aa)*c`, `(a*)*c`, `(.*)(.*)(.*)(.*)(.*)[^a]x`, `(?=(a+)+c)`} {
		re, err := regex.Compile([]byte(pattern))
		require.NoError(t, err, pattern)
		var m regex.Matcher
		// What each match needs is there, but not where it would match.
		_, err = all(&m, re, []byte(strings.Repeat("a", 100)+"bcax"), 0)
		assert.ErrorIs(t, err, regex.ErrLimit, pattern)
	}
	// What the stack of a match may hold is asked for.
	re, err := regex.Compile([]byte(`(?:(a)|b)*c`))
	require.NoError(t, err)
	asked, refused := int64(0), errors.New("no memory")
	var m regex.Matcher
	m.Reserve = func(bytes int64) error {
		if asked += bytes; asked > 1<<14 {
			return refused
		}
		return nil
	}
	_, err = all(&m, re, []byte(strings.Repeat("a", 5000)+"xc"), 0)
	assert.Equal(t, refused, err)
	m.Reserve = nil
	_, err = all(&m, re, []byte(strings.Repeat("a", 50000)+"xc"), 0)
	assert.ErrorIs(t, err, regex.ErrLimit)
}

func TestMatcher_stop(t *testing.T) {
	re, err := regex.Compile([]byte(`(a+)+$`))
	require.NoError(t, err)
	stop := make(chan struct{})
	close(stop)
	var m regex.Matcher
	m.Stop = stop
	_, err = all(&m, re, []byte(strings.Repeat("a", 100)+"b"), 0)
	assert.ErrorIs(t, err, parallel.ErrStopped)
}

func TestMatcher_allocations(t *testing.T) {
	re, err := regex.Compile([]byte(`(?i)(\w+)\s+\1|\p{L}+(?=!)|(?:ab|c)*d`))
	require.NoError(t, err)
	var m regex.Matcher
	text := []byte("the The quick ábc! ababcd ccc")
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		m.Reset(re, text)
		for at := 0; ; {
			found, err := m.Find(at, 0)
			if !found || err != nil {
				break
			}
			_, at = m.Group(0)
		}
	}))
}

// FuzzMatch compiles any pattern and searches any text: there is no panic, and each match is on
// characters.
func FuzzMatch(f *testing.F) {
	for _, pattern := range []string{`(a|b)*?c\1`, `(?<=\w{1,3})(?!x)\X`, `(?>a+|[^\p{Lu}\d])++$`, `(?(1)a|b)(c)?`, `'(?i:[sdmt]|ll)|\s+(?!\S)`, `(?|(a)|(b))\R`, `\Q.\E[[:alpha:]_-]{2,}+`} {
		f.Add(pattern, "a b\xffCc 'll \r\n é\u0301")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 || len(text) > 200 {
			return
		}
		re, err := regex.CompileWords([]byte(pattern))
		if err != nil {
			return
		}
		var m regex.Matcher
		bounds, err := all(&m, re, []byte(text), 0)
		if err != nil {
			return
		}
		for i := 0; i < len(bounds); i += 2 {
			begin, end := bounds[i], bounds[i+1]
			if begin < 0 || begin > end || end > len(text) {
				t.Fatalf("%q in %q: %v", pattern, text, bounds)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[begin:end]) {
				t.Fatalf("%q in %q: %v", pattern, text, bounds)
			}
		}
		fast, err := all(&m, re, []byte(text), regex.NoGroups)
		if err == nil {
			assert.Equal(t, bounds, fast, "%q in %q", pattern, text)
		}
	})
}

// FuzzRE2 compares matches with those of package regexp, for what both write and mean alike.
func FuzzRE2(f *testing.F) {
	for _, pattern := range []string{`(a|ab)(c|bcd)(d*)`, `[a-c]+?x|(?:bc){1,2}|^a$`, `a*(b|c)*`, `(?i)[^k]+`, `\x{e9}+|é`} {
		f.Add(pattern, "abcd xabcé bcbc K")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		// Perl's classes and \b are those of ASCII in RE2, and a repeat of something empty differs.
		if len(pattern) > 100 || len(text) > 200 || !utf8.ValidString(text) || strings.ContainsAny(pattern, `\[{$#`) || strings.Contains(pattern, "(?") ||
			strings.Contains(pattern, "(*") {
			return
		}
		theirs, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		ours, err := regex.Compile([]byte(pattern))
		if err != nil {
			return
		}
		loc := theirs.FindStringIndex(text)
		var m regex.Matcher
		m.Reset(ours, []byte(text))
		found, err := m.Find(0, 0)
		if err != nil || emptyLoop(pattern) {
			return
		}
		if !assert.Equal(t, loc != nil, found, "%q in %q", pattern, text) || !found {
			return
		}
		begin, end := m.Group(0)
		assert.Equal(t, loc, []int{begin, end}, "%q in %q", pattern, text)
	})
}

// emptyLoop reports whether a group is repeated.
func emptyLoop(pattern string) bool {
	return strings.Contains(pattern, ")*") || strings.Contains(pattern, ")+") || strings.Contains(pattern, ")?")
}

// TestShared compares the two ways to find the end of a match, for the patterns of tokenizers.
func TestShared(t *testing.T) {
	texts := []string{"I'll've don't IT'S 12345 a1b22", "  two  spaces \n\n\r\n x\t\t", "日本語テキスト mixed ÄÖü ǅx ªº", "\xff\xc3 bad \xe4\xb8", "a\n", " \n", "\n", "e\u0301 \u00a0\u3000 \u180e",
		"<|endoftext|>!?... ---\r\n\r\n  /path//", "x  ", "ſ'ſ 'S K", "▁a▁▁b", "²³ ½ ٣٤٥٦", "😀👍🏽 ok", "", "'", " '", "a  \n  b"}
	for _, c := range shared {
		re, err := regex.CompileWords([]byte(c.pattern))
		require.NoError(t, err)
		var m regex.Matcher
		for _, text := range texts {
			slow, err := all(&m, re, []byte(text), 0)
			require.NoError(t, err)
			fast, err := all(&m, re, []byte(text), regex.NoGroups)
			require.NoError(t, err)
			assert.Equal(t, slow, fast, "%s in %q", c.name, text)
			m.Reset(re, []byte(text))
			next := []int{}
			for at := 0; ; {
				begin, end, err := m.Next(at)
				require.NoError(t, err)
				if begin == end {
					break
				}
				next, at = append(next, begin, end), end
			}
			assert.Equal(t, slow, next, "%s in %q", c.name, text)
		}
	}
}

// FuzzShared does so with other texts.
func FuzzShared(f *testing.F) {
	var compiled []*regex.Regexp
	for i := range shared {
		re, err := regex.CompileWords([]byte(shared[i].pattern))
		require.NoError(f, err)
		compiled = append(compiled, re)
		f.Add(i, "I'll 123\r\n  \t日本\xff é \n")
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		re := compiled[uint(i)%uint(len(compiled))]
		var m regex.Matcher
		slow, err := all(&m, re, []byte(text), 0)
		require.NoError(t, err)
		fast, err := all(&m, re, []byte(text), regex.NoGroups)
		require.NoError(t, err)
		assert.Equal(t, slow, fast, text)
	})
}

// TestMatcher_Next_text has texts between whose matches are few and many bytes.
func TestMatcher_Next_text(t *testing.T) {
	re, err := regex.CompileWords([]byte("▁b"))
	require.NoError(t, err)
	var m regex.Matcher
	for gap := range 40 {
		text := []byte(strings.Repeat("a", gap) + "▁a▁▁b" + strings.Repeat("é", gap) + "▁b")
		m.Reset(re, text)
		at := 0
		for _, want := range []int{gap + 7, gap + 11 + 2*gap} {
			begin, end, err := m.Next(at)
			require.NoError(t, err)
			require.Equal(t, []int{want, want + 4}, []int{begin, end}, "%q", text)
			at = end
		}
		begin, end, err := m.Next(at)
		require.NoError(t, err)
		require.Equal(t, []int{at, at}, []int{begin, end}, "%q", text)
	}
}

// TestRegexp_Class_character has a pattern that is a character.
func TestRegexp_Class_character(t *testing.T) {
	for pattern, member := range map[string]string{" ": " ", "(▁)": "▁"} {
		re, err := regex.Compile([]byte(pattern))
		require.NoError(t, err)
		class, ok := re.Class()
		require.True(t, ok)
		require.Equal(t, member == " ", class.HasByte(' '))
		length, in := class.Character([]byte(member + "a"))
		require.Equal(t, len(member), length)
		require.True(t, in)
		_, in = class.Character([]byte("\xffa"))
		require.False(t, in)
	}
}
