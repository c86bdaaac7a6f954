package stringtransform

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/text/longest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// texts returns a vector of strings.
func texts(t testing.TB, values ...string) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorFrom(values, len(values))
	require.NoError(t, err)
	return tensor
}

// op returns a layer type.
func op(t testing.TB, name string) *ops.Op { return layertest.FindType(t, Ops, name+"-vinoir") }

// run runs a layer with two outputs at most.
func run(t testing.TB, name string, attributes layertest.Attributes, outputs int, inputs ...*ir.Tensor) ([]*ir.Tensor, error) {
	t.Helper()
	return layertest.RunOutputs(op(t, name), attributes, 1, outputs, inputs...)
}

func TestStringSplit(t *testing.T) {
	for _, c := range []struct {
		delimiter string
		limit     int
		text      string
		want      []string
	}{
		{",", -1, "a,,b,", []string{"a", "", "b", ""}},
		{",", -1, "", []string{""}},
		{"::", -1, "a:::b", []string{"a", ":b"}},
		{",", 1, "a,b,c", []string{"a", "b,c"}},
		{",", 0, "a,b", []string{"a,b"}},
		{"", -1, " a \t b\u00a0c ", []string{"a", "b", "c"}},
		{"", -1, "  ", nil},
		{"", 1, " a b c ", []string{"a", "b c"}},
		{"", 5, "a ", []string{"a"}},
	} {
		out, err := run(t, "StringSplit", layertest.Attributes{"maxsplit", fmt.Sprint(c.limit)}, 2, texts(t, c.text), texts(t, c.delimiter))
		require.NoError(t, err)
		assert.Equal(t, c.want, append([]string(nil), out[0].Strings()...), "%q", c.text)
		assert.Equal(t, int64(len(c.want)), ir.Data[int64](out[1])[0])
	}
	out, err := run(t, "StringSplit", nil, 2, texts(t), texts(t, ","))
	require.NoError(t, err)
	assert.Equal(t, ir.Shape{0, 0}, out[0].Shape())
}

// FuzzStringSplit compares with package strings.
func FuzzStringSplit(f *testing.F) {
	f.Add("a b", " ", -1)
	f.Add(" a\u00a0é \t b ", "", 1)
	f.Fuzz(func(t *testing.T, text, delimiter string, limit int) {
		limit %= 5
		out, err := run(t, "StringSplit", layertest.Attributes{"maxsplit", fmt.Sprint(limit)}, 2, texts(t, text), texts(t, delimiter))
		require.NoError(t, err)
		got := append([]string{}, out[0].Strings()...)
		require.Equal(t, []int64{int64(len(got))}, ir.Data[int64](out[1]))
		switch {
		case delimiter != "" && limit >= 0:
			require.Equal(t, strings.SplitN(text, delimiter, limit+1), got)
		case delimiter != "":
			require.Equal(t, strings.Split(text, delimiter), got)
		case limit < 0 || len(strings.Fields(text)) <= limit:
			require.Equal(t, append([]string{}, strings.Fields(text)...), got)
		default: // the last part is all that is left, without white space around it
			fields := strings.Fields(text)
			parts := min(len(fields), limit+1)
			require.Len(t, got, parts)
			if parts > 0 {
				require.Equal(t, fields[:parts-1], got[:parts-1])
				require.Equal(t, fields[parts-1:], strings.Fields(got[parts-1]))
				require.True(t, strings.HasSuffix(strings.TrimSpace(text), got[parts-1]))
			}
		}
	})
}

func TestStringNormalizer(t *testing.T) {
	data := texts(t, "The", "cat", "THE")
	for _, c := range []struct {
		letters, sensitive string
		want               []string
	}{
		{"none", "true", []string{"The", "cat", "THE"}},
		{"none", "false", []string{"cat"}},
		{"upper", "true", []string{"THE", "CAT", "THE"}},
		{"lower", "false", []string{"cat"}},
	} {
		out, err := run(t, "StringNormalizer", layertest.Attributes{"case", c.letters, "sensitive", c.sensitive}, 1, data, texts(t, "the"))
		require.NoError(t, err)
		assert.Equal(t, c.want, out[0].Strings())
	}
	row, err := ir.TensorFrom([]string{"a", "a"}, 1, 2)
	require.NoError(t, err)
	out, err := run(t, "StringNormalizer", nil, 1, row, texts(t, "a"))
	require.NoError(t, err)
	assert.Equal(t, ir.Shape{1, 1}, out[0].Shape())
	assert.Equal(t, []string{""}, out[0].Strings())
}

// TestGrowth checks how much longer a letter can be in another case.
func TestGrowth(t *testing.T) {
	for c := range rune(0x20000) {
		s := string(c)
		for _, other := range []string{strings.ToLower(s), strings.ToUpper(s)} {
			require.LessOrEqual(t, len(other), growth*len(s), s)
		}
	}
}

func TestStringConcat(t *testing.T) {
	out, err := run(t, "StringConcat", nil, 1, texts(t, "a", "", "é"), texts(t, "b", "c", ""))
	require.NoError(t, err)
	assert.Equal(t, []string{"ab", "c", "é"}, out[0].Strings())
}

func TestRegexFullMatch(t *testing.T) {
	out, err := run(t, "RegexFullMatch", nil, 1, texts(t, "ab", "abc", "", "a\nb"), texts(t, "a.*b|"))
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 0, 1, 0}, out[0].Bytes())
	for _, pattern := range []string{"a)", "a)|(b"} {
		_, err = run(t, "RegexFullMatch", nil, 1, texts(t, "ab"), texts(t, pattern))
		assert.ErrorContains(t, err, fmt.Sprintf("pattern %q is no regular expression: error parsing regexp", pattern))
	}
}

// FuzzRegexFullMatch compares with the longest match.
func FuzzRegexFullMatch(f *testing.F) {
	f.Add("ab|a", "ab")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		expression, err := regexp.Compile(pattern)
		if err != nil {
			t.Skip()
		}
		expression.Longest()
		at := expression.FindStringIndex(text)
		out, err := run(t, "RegexFullMatch", nil, 1, texts(t, text), texts(t, pattern))
		if err != nil {
			t.Skip() // the expression is too large
		}
		if at != nil && at[0] == 0 && at[1] == len(text) {
			require.Equal(t, byte(1), out[0].Bytes()[0])
		}
	})
}

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: "StringConcat-vinoir", Inputs: []string{"string[2,?]", "string[?,3]"}, Want: "string[2,3]"},
		{Type: "StringConcat-vinoir", Inputs: []string{"string[2]", "string[3]"}, Error: "a has shape [2], b has [3]"},
		{Type: "StringConcat-vinoir", Inputs: []string{"string[2]", "i64[2]"}, Error: "b is i64, expected string"},
		{Type: "RegexFullMatch-vinoir", Inputs: []string{"string[...]", "string[]"}, Want: "boolean[...]"},
		{Type: "RegexFullMatch-vinoir", Inputs: []string{"u8[1]", "string[]"}, Error: "data is u8, expected string"},
		{Type: "StringSplit-vinoir", Inputs: []string{"string[2]", "string[]"}, Want: "string[2,?]"},
		{Type: "StringSplit-vinoir", Inputs: []string{"string[...]", "string[1]"}, Want: "string[...]"},
		{Type: "StringNormalizer-vinoir", Inputs: []string{"string[2]", "string[1]"}, Want: "string[?]"},
		{Type: "StringNormalizer-vinoir", Inputs: []string{"string[?,2]", "string[1]"}, Want: "string[1,?]"},
		{Type: "StringNormalizer-vinoir", Inputs: []string{"string[2,2]", "string[1]"}, Error: "data has shape [2,2], expected [n] or [1,n]"},
	})
}

// TestStop checks that all kernels end early, and that the memory of one run counts.
func TestStop(t *testing.T) {
	many := texts(t, make([]string, 1<<16)...)
	for i := range many.Strings() {
		many.Strings()[i] = "ab"
	}
	done := make(chan struct{})
	close(done)
	expression, err := longest.Compile("a")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		outputs  int
		second   *ir.Tensor
		reserved int64
	}{
		"StringConcat": {1, many, 4 << 16}, "RegexFullMatch": {1, texts(t, "a"), expression.Bytes()},
		"StringSplit": {2, texts(t, ","), 0}, "StringNormalizer": {1, texts(t, "a"), growth * 2 << 16},
	} {
		kernel, r, err := layertest.PrepareOutputs(op(t, name), nil, 1, c.outputs, many, c.second)
		require.NoError(t, err)
		reserved := int64(0)
		r.Charge = func(bytes int64) error { reserved += bytes; return nil }
		require.NoError(t, kernel(r))
		require.NoError(t, kernel(r))
		assert.Equal(t, c.reserved, reserved, name)
		r.Stop = done
		assert.Equal(t, parallel.ErrStopped, kernel(r), name)
		r.Pool.Close()
	}
}

func BenchmarkLayer(b *testing.B) {
	lines := make([]string, 1000)
	for i := range lines {
		lines[i] = strings.Repeat("word ", 5+i%10)
	}
	layertest.BenchmarkOf(b, "StringSplit", op(b, "StringSplit"), nil, 2, texts(b, lines...), texts(b, ""))
}
