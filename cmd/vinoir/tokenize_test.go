package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTokenize prints tokens in all forms. Those of the tiny model are bytes.
func TestTokenize(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text.txt")
	require.NoError(t, os.WriteFile(file, []byte("Hi\r\n"), 0o600))
	for _, c := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{"Hi", "", "a b"}, "72 105\n\n97 32 98\n"},
		{"Hi\n", nil, "72 105\n"},
		{"", []string{"--file", file}, "72 105\n"},
		{"", []string{"Hi", "a", "--count"}, "2\n1\n"},
		{"", []string{"H \x1b<|end|>", "--pieces", "--no-special"}, `"H" " " "\x1b" "<|end|>"` + "\n"},
		{"", []string{"Hi", "--pieces", "--color", "always"}, "\x1b[44;97mH\x1b[0m\x1b[42;30mi\x1b[0m\n"},
		{"", []string{"é", "--pieces"}, "\"\ufffd\" \"\ufffd\"\n"},
		{"", []string{"aé", "", "--offsets"}, "97@0-1 195@1-3 169@1-3\n\n"},
		{"", []string{"a<|end|>", "--offsets", "--pieces"}, "\"a\"@0-1 \"<|end|>\"@1-8\n"},
	} {
		got := vinoir(c.stdin, append([]string{"tokenize", tiny}, c.args...)...)
		assert.Equal(t, outcome{exitGood, c.want, ""}, got, "%v", c.args)
	}
	report := decode[tokenization](t, vinoir("", "tokenize", tiny, "Hi", "", "--pieces", "--json"))
	assert.Equal(t, []textTokens{{2, []int32{72, 105}, []string{"H", "i"}, nil}, {0, []int32{}, nil, nil}}, report.Texts)
	report = decode[tokenization](t, vinoir("", "tokenize", tiny, "Hi", "", "--offsets", "--json"))
	assert.Equal(t, []textTokens{{2, []int32{72, 105}, nil, []offset{{0, 1}, {1, 2}}}, {0, []int32{}, nil, nil}}, report.Texts)
}

func TestDetokenize(t *testing.T) {
	for _, c := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{"72", "105", "256"}, "Hi\n"},
		{"", []string{"[72,", "105]"}, "Hi\n"},
		{"", []string{"72", "256", "--keep-special"}, "H<|end|>\n"},
		{"72 105\n72\n", nil, "HiH\n"},
		{"", []string{"195"}, "\ufffd\n"},
	} {
		got := vinoir(c.stdin, append([]string{"detokenize", tiny}, c.args...)...)
		assert.Equal(t, outcome{exitGood, c.want, ""}, got, "%v", c.args)
	}
	assert.Equal(t, "Hi", decode[detokenization](t, vinoir("", "detokenize", tiny, "72", "105", "--json")).Text)
}
