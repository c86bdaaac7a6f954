package tokenizer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// texts returns a vector of strings.
func texts(t testing.TB, values ...string) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorFrom(values, len(values))
	require.NoError(t, err)
	return tensor
}

// with returns attributes.
func with(mode string, shortest int, mark bool) layertest.Attributes {
	return layertest.Attributes{"mode", mode, "mincharnum", fmt.Sprint(shortest), "mark", fmt.Sprint(mark)}
}

// run returns the tokens of texts, each followed by a bar, and each row by a line feed.
func run(t testing.TB, attributes layertest.Attributes, patterns []string, values ...string) (string, error) {
	t.Helper()
	out, err := layertest.Run(&Ops[0], attributes, 1, texts(t, values...), texts(t, patterns...), texts(t, "#"))
	if err != nil {
		return "", err
	}
	require.Equal(t, len(values), out.Shape()[0])
	var b strings.Builder
	for row := range slices.Chunk(out.Strings(), max(out.Shape()[1], 1)) {
		b.WriteString(strings.Join(row, "|") + "\n")
	}
	return b.String(), nil
}

func TestKernel(t *testing.T) {
	for _, c := range []struct {
		attributes layertest.Attributes
		patterns   []string
		data       []string
		want       string
	}{
		{with("characters", 1, false), nil, []string{"abc", "hé", ""}, "a|b|c\nh|é|#\n#|#|#\n"},
		{with("characters", 1, true), nil, []string{"hé", "a"}, "\x02|h|é|\x03\n\x02|a|\x03|#\n"},
		{with("characters", 1, true), nil, []string{"", ""}, ""},
		{with("separators", 1, false), []string{" ", ","}, []string{"a bb, c", "héllo wörld"}, "a|bb|c\nhéllo|wörld|#\n"},
		{with("separators", 2, true), []string{`[\s.]+`}, []string{"a bb. cc", ""}, "\x02|bb|cc|\x03\n\x02|\x03|#|#\n"},
		{with("separators", 1, false), []string{"a|ab"}, []string{"xaby"}, "x|y\n"},
		{with("separators", 1, false), []string{"b", "^c"}, []string{"abcbcd"}, "a|d\n"},
		{with("separators", 1, false), []string{"x*"}, []string{"abxc"}, ""},
		{with("tokens", 1, false), []string{"[a-z]+"}, []string{"ab12 cd", "x"}, "ab|cd\nx|#\n"},
		{with("tokens", 2, false), []string{"[a-z]+|1"}, []string{"a1bc", "é"}, "bc\n#\n"},
		{with("tokens", 1, false), []string{"a|ab"}, []string{"abab"}, "ab|ab\n"},
		{with("tokens", 2, false), []string{"aa?|b+"}, []string{"aaabb"}, "aa|bb\n"},
		{with("tokens", 1, false), []string{"x*"}, []string{"axxb", "é"}, "xx\n#\n"},
		{with("tokens", 1, true), []string{`\b\w\w+\b`}, []string{"a word, or two"}, "\x02|word|or|two|\x03\n"},
		{with("tokens", 1, true), []string{`x`}, []string{"a", "b"}, ""},
	} {
		got, err := run(t, c.attributes, c.patterns, c.data...)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%v %q", c.attributes, c.patterns)
	}
	// Tokens have an axis behind those of data.
	grid, err := ir.TensorFrom([]string{"a b", "c", "", "d"}, 2, 2)
	require.NoError(t, err)
	out, err := layertest.Run(&Ops[0], with("separators", 1, false), 1, grid, texts(t, " "), texts(t, ""))
	require.NoError(t, err)
	assert.Equal(t, ir.Shape{2, 2, 2}, out.Shape())
	assert.Equal(t, []string{"a", "b", "c", "", "", "", "d", ""}, out.Strings())
}

func TestKernel_errors(t *testing.T) {
	for _, c := range []struct {
		attributes layertest.Attributes
		patterns   []string
		text, want string
	}{
		{with("characters", 1, false), []string{"a"}, "", "patterns has 1 elements"},
		{with("tokens", 1, false), []string{"a", "b"}, "", "patterns has 2 elements"},
		{with("separators", 1, false), nil, "", "patterns has 0 elements"},
		{with("tokens", 1, false), []string{"("}, "", `pattern "(" is no regular expression: error parsing regexp: missing closing ): ` + "`(`"},
		{with("characters", 1, false), nil, "a\xff", `element 0 of data is "a\xff", which is not UTF-8`},
	} {
		_, err := run(t, c.attributes, c.patterns, c.text)
		assert.EqualError(t, err, c.want)
	}
}

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Inputs: []string{"string[2]", "string[0]", "string[]"}, Want: "string[2,?]"},
		{Inputs: []string{"string[?,3]", "string[?]", "string[1]"}, Want: "string[?,3,?]"},
		{Inputs: []string{"string[...]", "string[...]", "string[...]"}, Want: "string[...]"},
		{Inputs: []string{"i64[2]", "string[0]", "string[]"}, Error: "data is i64, expected string"},
		{Inputs: []string{"string[2]", "string[]", "string[]"}, Error: "patterns has shape [], expected rank 1"},
		{Inputs: []string{"string[2]", "string[1]", "string[2]"}, Error: "pad_value has shape [2], not that of a scalar or of one element"},
		{Attributes: with("tokens", 0, false), Inputs: []string{"string[2]", "string[0]", "string[]"}, Error: "mincharnum is 0"},
		{Attributes: with("characters", 2, false), Inputs: []string{"string[2]", "string[0]", "string[]"}, Error: "mincharnum is 2"},
	})
}

// FuzzSeparators compares one separator that matches no empty text with package regexp.
func FuzzSeparators(f *testing.F) {
	f.Add("a b, c", "[ ,]+", 1)
	f.Fuzz(func(t *testing.T, text, pattern string, shortest int) {
		re, err := regexp.Compile(pattern)
		if err != nil || re.MatchString("") || !utf8.ValidString(text) || len(text) > 1000 {
			t.Skip()
		}
		re.Longest()
		shortest = 1 + shortest&3
		var want []string
		at := 0
		for _, match := range append(re.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
			if match[0] == match[1] && match[0] < len(text) {
				t.Skip()
			}
			if piece := text[at:match[0]]; utf8.RuneCountInString(piece) >= shortest {
				want = append(want, piece)
			}
			at = match[1]
		}
		out, err := layertest.Run(&Ops[0], with("separators", shortest, false), 1, texts(t, text), texts(t, pattern), texts(t, ""))
		if err != nil {
			t.Skip() // the expression is too large
		}
		require.Equal(t, append([]string{}, want...), append([]string{}, out.Strings()...), "%q in %q", pattern, text)
	})
}

// FuzzTokens checks that tokens are parts of the text in their order, whatever the expression is.
func FuzzTokens(f *testing.F) {
	f.Add("a word", `\w+`, "tokens", 2, true)
	f.Fuzz(func(t *testing.T, text, pattern, mode string, shortest int, mark bool) {
		out, err := layertest.Run(&Ops[0], with(mode, shortest, mark), 1, texts(t, text), texts(t, pattern), texts(t, ""))
		if err != nil {
			t.Skip()
		}
		found := out.Strings()
		if mark && len(found) > 0 {
			require.Equal(t, []string{startMark, endMark}, []string{found[0], found[len(found)-1]})
			found = found[1 : len(found)-1]
		}
		for _, token := range found {
			_, text, _ = strings.Cut(text, token)
			require.GreaterOrEqual(t, utf8.RuneCountInString(token), shortest)
		}
	})
}

// lines returns many texts.
func lines() []string {
	list := make([]string, 1000)
	for i := range list {
		list[i] = strings.Repeat("the quick, brown fox ", 2+i%5)
	}
	return list
}

// TestKernel_reserves checks that memory is reserved once, and that stopping ends all modes.
func TestKernel_reserves(t *testing.T) {
	done := make(chan struct{})
	close(done)
	for mode, patterns := range map[string][]string{"characters": nil, "separators": {" ", ","}, "tokens": {`\w+`}} {
		kernel, r, err := layertest.Prepare(&Ops[0], with(mode, 1, false), 1, texts(t, lines()...), texts(t, patterns...), texts(t, ""))
		require.NoError(t, err)
		defer r.Pool.Close()
		reserved, limit := int64(0), int64(1)<<40
		r.Charge = func(bytes int64) error {
			if reserved += bytes; reserved > limit {
				return assert.AnError
			}
			return nil
		}
		require.NoError(t, kernel(r))
		first := reserved
		assert.Greater(t, first, int64(16*1000))
		require.NoError(t, kernel(r))
		assert.Equal(t, first, reserved, mode)
		r.Stop = done
		assert.Equal(t, parallel.ErrStopped, kernel(r), mode)

		kernel, r, err = layertest.Prepare(&Ops[0], with(mode, 1, false), 1, texts(t, lines()...), texts(t, patterns...), texts(t, ""))
		require.NoError(t, err)
		defer r.Pool.Close()
		r.Charge = func(int64) error { return assert.AnError }
		assert.Equal(t, assert.AnError, kernel(r), mode)
	}
}

func BenchmarkLayer(b *testing.B) {
	for mode, patterns := range map[string][]string{"characters": nil, "separators": {" ", ","}, "tokens": {`\w+`}} {
		layertest.Benchmark(b, mode, &Ops[0], with(mode, 1, false), texts(b, lines()...), texts(b, patterns...), texts(b, ""))
	}
}
