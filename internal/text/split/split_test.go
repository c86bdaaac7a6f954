package split_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/regex"
	"github.com/vinoir/vinoir/internal/text/split"
)

// texts returns the texts of pieces, with * behind those to skip, separated by |.
func texts(text string, pieces []split.Piece) string {
	var all []string
	for _, p := range pieces {
		piece := text[p.Begin:p.End]
		if p.Skip {
			piece += "*"
		}
		all = append(all, piece)
	}
	return strings.Join(all, "|")
}

// TestSplitter compares the pieces with those of OpenVINO Tokenizers 2026.4.1.
func TestSplitter(t *testing.T) {
	in := []string{"-", "a", "a-", "-a", "a-b", "a--b", "--a", "--a--b--c-d", "-a-"}
	for _, c := range []struct {
		behaviour split.Behaviour
		invert    bool
		want      []string
	}{
		{split.Remove, false, []string{"", "a", "a", "a", "a|b", "a|b", "a", "a|b|c|d", "a"}},
		{split.Remove, true, []string{"-", "", "-", "-", "-", "-|-", "-|-", "-|-|-|-|-|-|-", "-|-"}},
		{split.Isolate, false, []string{"-", "a", "a|-", "-|a", "a|-|b", "a|-|-|b", "-|-|a", "-|-|a|-|-|b|-|-|c|-|d", "-|a|-"}},
		{split.Isolate, true, []string{"-", "a", "a|-", "-|a", "a|-|b", "a|-|-|b", "-|-|a", "-|-|a|-|-|b|-|-|c|-|d", "-|a|-"}},
		{split.Contiguous, false, []string{"-", "a", "a|-", "-|a", "a|-|b", "a|--|b", "--|a", "--|a|--|b|--|c|-|d", "-|a|-"}},
		{split.MergedWithPrevious, false, []string{"-", "a", "a-", "-|a", "a-|b", "a-|a--|b", "-|--|a", "-|--|a-|a--|b-|b--|c-|d", "-|a-"}},
		{split.MergedWithPrevious, true, []string{"-", "a", "a|-", "-a", "a|-b", "a|-b", "-a", "-a|-b|-c|-d", "-a|-"}},
		{split.MergedWithNext, false, []string{"-", "a", "a|-", "-a", "a|-b", "a|-b", "-a", "-a|-b|-c|-d", "-a|-"}},
		{split.MergedWithNext, true, []string{"-", "", "a-", "-", "a-", "a-|a--", "-|-", "-|-|a-|a--|b-|b--|c-", "-|a-"}},
	} {
		s, err := split.NewSplitter([]byte("-"), c.behaviour, c.invert, -1)
		require.NoError(t, err)
		for i, text := range in {
			var scratch split.Scratch
			pieces, err := s.Append([]split.Piece{{Begin: 7}}, []byte(text), &scratch)
			require.NoError(t, err)
			assert.Equal(t, split.Piece{Begin: 7}, pieces[0])
			assert.Equal(t, c.want[i], texts(text, pieces[1:]), "%v %v %q", c.behaviour, c.invert, text)
		}
	}
}

func TestSplitter_patterns(t *testing.T) {
	for _, c := range []struct {
		pattern    string
		behaviour  split.Behaviour
		invert     bool
		max        int
		text, want string
	}{
		{"-", split.Remove, false, 1, "a-b-c-d", "a|b-c-d|c|d"},
		{"-", split.Isolate, false, 2, "-a--b", "-|a|--b|-|b"},
		{"-", split.MergedWithPrevious, false, 1, "-a--b", "-|a--b|a--|b"},
		{"-", split.MergedWithNext, true, 1, "a-b-c-d", "a-|b-c-d|c-"},
		{"(", split.Isolate, false, -1, "a(b", "a(b"},
		{"(", split.Remove, true, -1, "a(b", ""},
		{"(", split.MergedWithNext, false, -1, "", ""},
		{"", split.Isolate, false, -1, "ab", "ab"},
		{"b?", split.Isolate, false, -1, "bab", "b|ab"},
		{"a|^b", split.Contiguous, false, -1, "aaba", "aa|b|a"},
		{"a+", split.Contiguous, false, -1, "aaba", "aa|b|a"},
		{"(?<=a)b", split.Isolate, false, -1, "aaba", "aa|b|a"},
		{`\Ga`, split.Isolate, false, -1, "aaba", "a|a|ba"},
		{`a\Kb`, split.Isolate, false, -1, "aaba", "aa|b|a"},
		{"(a+)+$", split.Isolate, false, -1, strings.Repeat("a", 40) + "b", strings.Repeat("a", 40) + "b"},
		{"(x)|((a+)+)(?=c)", split.Isolate, false, -1, "x" + strings.Repeat("a", 40) + "b", "x|" + strings.Repeat("a", 40) + "b"},
	} {
		s, err := split.NewSplitter([]byte(c.pattern), c.behaviour, c.invert, c.max)
		require.NoError(t, err)
		var scratch split.Scratch
		pieces, err := s.Append(nil, []byte(c.text), &scratch)
		require.NoError(t, err)
		assert.Equal(t, c.want, texts(c.text, pieces), c.pattern)
	}
	s, err := split.NewSplitter([]byte("a"), split.MergedWithNext, false, -1)
	require.NoError(t, err)
	pieces, err := s.Append(nil, nil, &split.Scratch{})
	require.NoError(t, err)
	assert.Equal(t, []split.Piece{{}}, pieces, "an empty text is a piece")
}

func TestNew_errors(t *testing.T) {
	for _, max := range []int{0, -2} {
		_, err := split.NewSplitter([]byte("a"), split.Remove, false, max)
		assert.ErrorContains(t, err, "max_splits is")
	}
	_, err := split.NewSplitter([]byte("(?R)"), split.Remove, false, -1)
	assert.ErrorIs(t, err, regex.ErrUnsupported)
	_, err = split.NewSpecials([]byte("(?R)"))
	assert.ErrorIs(t, err, regex.ErrUnsupported)
	_, err = split.NewReplacer([]byte("(?R)"), nil, split.ReplaceOptions{})
	assert.ErrorIs(t, err, regex.ErrUnsupported)
	assert.Greater(t, split.MaxBytes(10), int64(1000))
}

// TestSpecials compares the pieces with those of OpenVINO Tokenizers 2026.4.1.
func TestSpecials(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{"(a)|(b)", "bab", "b*|a*|b*"},
		{"(a)|(b)", "xay", "x|a*|y"},
		{`(?:\s*)(a)(?:\s*)|(b)`, "  a  b", "a*|b*"},
		{`(?:\s*)(a)(?:\s*)|(b)`, "ya a", "y|a*|a*"},
		{"a", "bab", "b|a*|b"},
		{"((a)y)", "xay", "x|a*"},
		{"(x)?a", "a", "a*"},
		{"()a", "xay", "x|a*|y"},
		{"x(?=(a))", "xay", "x*|ay"},
		{"(a)*", "ya a", "ya a"},
		{"(", "ya a", "ya a"},
		{"", "", ""},
		{"(<ab|<abc)", "x<abc", "x|<ab*|c"},
		{"((?:a+)+)c", strings.Repeat("a", 40), strings.Repeat("a", 40)},
	} {
		s, err := split.NewSpecials([]byte(c.pattern))
		require.NoError(t, err)
		var scratch split.Scratch
		pieces, err := s.Append(nil, []byte(c.text), &scratch)
		require.NoError(t, err)
		assert.Equal(t, c.want, texts(c.text, pieces), "%s in %q", c.pattern, c.text)
	}
}

// TestReplacer compares the results with those of OpenVINO Tokenizers 2026.4.1.
func TestReplacer(t *testing.T) {
	old := ` ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't)`
	for _, c := range []struct{ pattern, replacement, text, want string }{
		{"(?<n>a)(b)", "$", "xabx", "xabx"},
		{"(?<n>a)(b)", "$x", "xabx", "xabx"},
		{"(?<n>a)(b)", "${", "xabx", "xabx"},
		{"(?<n>a)(b)", "${1", "xabx", "xabx"},
		{"(?<n>a)(b)", "${n}", "xabx", "xax"},
		{"(?<n>a)(b)", "$<n>", "xabx", "xax"},
		{"(?<n>a)(b)", "$<1>", "xabx", "xabx"},
		{"(?<n>a)(b)", "$1a", "xabx", "xaax"},
		{"(?<n>a)(b)", "$10", "xabx", "xabx"},
		{"(?<n>a)(b)", "$$", "xabx", "x$x"},
		{"(?<n>a)(b)", `\\1`, "xabx", `x\ax`},
		{"(?<n>a)(b)", `\2\1`, "xabx", "xbax"},
		{"(?<n>a)(b)", "$*MARK", "xabx", "xx"},
		{"(?<n>a)(b)", "${*MARK}", "xabx", "xx"},
		{"(?<n>a)(b)", "$*X", "xabx", "xabx"},
		{"(?<n>a)(b)", "$&", "xabx", "xabx"},
		{"(?<n>a)(b)", "$+", "xabx", "xbx"},
		{"(?<n>a)(b)", "${ 1 }", "xabx", "xabx"},
		{"(?<n>a)(b)", "$`", "xabx", "xxx"},
		{"(?<n>a)(b)", "$'", "xabx", "xxx"},
		{"(?<n>a)(b)", "$_", "xabx", "xxabxx"},
		{"(?<n>a)(b)", "$01", "xabx", "xax"},
		{"(?<n>a)(b)", "$n_", "xabx", "xabx"},
		{"(?<n>a)(b)", "\xff", "xabx", "xabx"},
		{"(a)|b", "[$1]", "ab", "ab"},
		{"x*", "-", "axb", "-a--b-"},
		{`\Gx?`, "-", "axb", "-axb"},
		{"$", "-", "a\n", "a-\n-"},
		{"(", "x", "a(", "a("},
		{"(a+)+$", "x", strings.Repeat("a", 40) + "b", strings.Repeat("a", 40) + "b"},
		{old, `\1`, "a . b 's c ' d 've e n't ?", "a. b's c'd've en't?"},
		{"(" + old + ")", `\1`, "a . b", "a . b"},
		{"(^)(.)", `[\2]`, "\nb", "[\n]b"},
		{"(^)(.+)", `[\2]`, "ab", "[a]b"},
		{`\S`, strings.Repeat("$0", 8), strings.Repeat("a", 15), strings.Repeat("a", 120)},
		{`\S`, strings.Repeat("$0", 8), strings.Repeat("a", 16), strings.Repeat("a", 16)},
		{`(\S)|(x)`, strings.Repeat("$1", 8), strings.Repeat("a", 31), strings.Repeat("a", 248)},
		{`(\S)|(x)`, strings.Repeat("$1", 8), strings.Repeat("a", 32), strings.Repeat("a", 32)},
		{`(x)?(\S)`, strings.Repeat("$2", 8), strings.Repeat("a", 39), strings.Repeat("a", 312)},
		{"a", strings.Repeat("$_", 1000), strings.Repeat("a", 100), strings.Repeat("a", 100)},
		{"a", "bc", strings.Repeat("a", 2000), strings.Repeat("bc", 2000)},
	} {
		r, err := split.NewReplacer([]byte(c.pattern), []byte(c.replacement), split.ReplaceOptions{})
		require.NoError(t, err)
		var scratch split.Scratch
		got, err := r.Append([]byte("before"), []byte(c.text), &scratch)
		require.NoError(t, err)
		assert.Equal(t, "before"+c.want, string(got), "%s by %s in %q", c.pattern, c.replacement, c.text)
		text, places := follow(t, r, c.text)
		assert.Equal(t, c.want, text, "%s by %s in %q", c.pattern, c.replacement, c.text)
		assert.Len(t, places, len(c.want), "%s by %s in %q", c.pattern, c.replacement, c.text)
	}
	first, err := split.NewReplacer([]byte("a"), []byte("x"), split.ReplaceOptions{First: true})
	require.NoError(t, err)
	got, err := first.Append(nil, []byte("aba"), &split.Scratch{})
	require.NoError(t, err)
	assert.Equal(t, "xba", string(got))
	for pattern, want := range map[string]string{"a(?=b)": "aba", "(?<!b)a": "aba", "(?!b)a": "aba", "(?:a)(b)": "xa"} {
		old, err := split.NewReplacer([]byte(pattern), []byte("x"), split.ReplaceOptions{RE2: true})
		require.NoError(t, err)
		got, err := old.Append(nil, []byte("aba"), &split.Scratch{})
		require.NoError(t, err)
		assert.Equal(t, want, string(got), pattern)
	}
	got, err = split.Keep(got, []byte("a"), &split.Scratch{})
	require.NoError(t, err)
	assert.Equal(t, "xbaa", string(got))
}

// follow returns text with its matches replaced, and where its bytes come from.
func follow(t *testing.T, r *split.Replacer, text string) (string, []align.Span) {
	t.Helper()
	s := split.Scratch{Sources: &align.Sources{}}
	got, err := r.Append(nil, []byte(text), &s)
	require.NoError(t, err)
	places, err := align.AppendText(nil, text, s.Limit())
	require.NoError(t, err)
	places, err = s.Sources.Append(nil, places, 0)
	require.NoError(t, err)
	return string(got), places
}

func TestReplacer_sources(t *testing.T) {
	for _, c := range []struct {
		pattern, replacement, text string
		want                       []align.Span
	}{
		{"[ _]", "--", "a b", []align.Span{{Begin: 0, End: 1}, {Begin: 1, End: 2}, {Begin: 1, End: 2}, {Begin: 2, End: 3}}},
		{"(^)(.)", `-\2`, "éa", []align.Span{{Begin: 0, End: 2}, {Begin: 0, End: 2}, {Begin: 0, End: 2}, {Begin: 2, End: 3}}},
		{"ab(c)", "-$1", "xabc", []align.Span{{Begin: 0, End: 1}, {Begin: 1, End: 4}, {Begin: 3, End: 4}}},
		{"^", "-", "ab", []align.Span{{Begin: 0, End: 0}, {Begin: 0, End: 1}, {Begin: 1, End: 2}}},
	} {
		r, err := split.NewReplacer([]byte(c.pattern), []byte(c.replacement), split.ReplaceOptions{})
		require.NoError(t, err)
		_, places := follow(t, r, c.text)
		assert.Equal(t, c.want, places, "%s by %s in %q", c.pattern, c.replacement, c.text)
	}
	s := split.Scratch{Sources: &align.Sources{}}
	_, err := split.Keep(nil, []byte("ab"), &s)
	require.NoError(t, err)
	places, err := s.Sources.Append(nil, []align.Span{{Begin: 5, End: 6}, {Begin: 6, End: 7}}, 5)
	require.NoError(t, err)
	assert.Equal(t, []align.Span{{Begin: 5, End: 6}, {Begin: 6, End: 7}}, places)
}

// TestLimits checks that time and memory have limits.
func TestLimits(t *testing.T) {
	text := []byte(strings.Repeat("a ", 5000))
	splitter, err := split.NewSplitter([]byte("a"), split.Isolate, false, -1)
	require.NoError(t, err)
	specials, err := split.NewSpecials([]byte("(a)"))
	require.NoError(t, err)
	replacer, err := split.NewReplacer([]byte("a"), []byte("bb"), split.ReplaceOptions{})
	require.NoError(t, err)
	for _, run := range []func(s *split.Scratch) error{
		func(s *split.Scratch) error { _, err := splitter.Append(nil, text, s); return err },
		func(s *split.Scratch) error { _, err := specials.Append(nil, text, s); return err },
		func(s *split.Scratch) error { _, err := replacer.Append(nil, text, s); return err },
		func(s *split.Scratch) error { _, err := split.Keep(nil, text, s); return err },
	} {
		var s split.Scratch
		refused := errors.New("no memory")
		s.Limit().Reserve = func(bytes int64) error {
			if bytes > 5000 {
				return refused
			}
			return nil
		}
		assert.Equal(t, refused, run(&s))
	}
	stop := make(chan struct{})
	close(stop)
	slow := []byte("(a+)+$")
	text = []byte(strings.Repeat("a", 5000) + "b")
	splitter, err = split.NewSplitter(slow, split.Isolate, false, -1)
	require.NoError(t, err)
	specials, err = split.NewSpecials(slow)
	require.NoError(t, err)
	replacer, err = split.NewReplacer(slow, nil, split.ReplaceOptions{})
	require.NoError(t, err)
	var s split.Scratch
	s.Limit().Stop = stop
	_, err = splitter.Append(nil, text, &s)
	assert.Equal(t, parallel.ErrStopped, err)
	_, err = specials.Append(nil, text, &s)
	assert.Equal(t, parallel.ErrStopped, err)
	_, err = replacer.Append(nil, text, &s)
	assert.Equal(t, parallel.ErrStopped, err)
}

// FuzzSplit splits any text at any pattern: the pieces are in the text, and all bytes are in one if
// nothing is removed.
func FuzzSplit(f *testing.F) {
	f.Add(`\s+(?!\S)|\p{L}+`, "$0-$1", "a b  c\xff")
	f.Add("(a)|(?<n>b)*", "${n}$`", "abab")
	f.Fuzz(func(t *testing.T, pattern, replacement, text string) {
		if len(pattern) > 100 || len(text) > 100 {
			return
		}
		var s split.Scratch
		for behaviour := split.Remove; behaviour <= split.MergedWithNext; behaviour++ {
			splitter, err := split.NewSplitter([]byte(pattern), behaviour, len(text)%2 == 0, -1)
			if err != nil {
				return
			}
			pieces, err := splitter.Append(nil, []byte(text), &s)
			require.NoError(t, err)
			joined := ""
			for _, p := range pieces {
				joined += text[p.Begin:p.End]
			}
			if behaviour == split.Isolate || behaviour == split.Contiguous {
				assert.Equal(t, text, joined)
			}
		}
		specials, err := split.NewSpecials([]byte(pattern))
		require.NoError(t, err)
		pieces, err := specials.Append(nil, []byte(text), &s)
		require.NoError(t, err)
		for _, p := range pieces {
			assert.LessOrEqual(t, p.Begin, p.End)
		}
		replacer, err := split.NewReplacer([]byte(pattern), []byte(replacement), split.ReplaceOptions{})
		require.NoError(t, err)
		got, err := replacer.Append(nil, []byte(text), &s)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(got), 4*(len(text)+len(replacement)*(1+len(pattern))))
	})
}
