package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallTokenizer is a folder with a tokenizer.json.
func smallTokenizer(t *testing.T, model string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(`{"pre_tokenizer": {"type": "Whitespace"},
		"post_processor": {"type": "BertProcessing", "cls": ["<s>", 0], "sep": ["</s>", 1]}, "model": `+model+`}`), 0o600))
	return dir
}

const smallWords = `{"type": "WordLevel", "unk_token": "?", "vocab": {"<s>": 0, "</s>": 1, "?": 2, "Hi": 3, "you": 4}}`

// TestTokenizerConvert converts a tokenizer.json, and tokenizes with the models.
func TestTokenizerConvert(t *testing.T) {
	dir, out := smallTokenizer(t, smallWords), filepath.Join(t.TempDir(), "new", "folder")
	got := vinoir("", "tokenizer", "convert", dir, out)
	require.Equal(t, exitGood, got.code, got.stderr)
	assert.Regexp(t, `^\S+openvino_tokenizer.xml: \d+ bytes\n\S+.bin: \d+ bytes\n\S+openvino_detokenizer.xml: \d+ bytes\n\S+.bin: \d+ bytes\n$`, got.stdout)
	assert.Equal(t, outcome{exitGood, "0 3 4 2 1\n", ""}, vinoir("", "tokenize", out, "Hi you!"))
	assert.Equal(t, outcome{exitGood, "Hi you\n", ""}, vinoir("", "detokenize", out, "3", "4"))

	report := decode[tokenizerConversion](t, vinoir("", "tokenizer", "convert", dir, out, "--no-special", "--clean-up=true", "--ids", "i32", "--json"))
	assert.Equal(t, dir, report.Tokenizer)
	assert.Len(t, report.Files, 4)
	assert.Equal(t, outcome{exitGood, "3\n", ""}, vinoir("", "tokenize", out, "Hi"))
}

func TestTokenizerConvert_fails(t *testing.T) {
	dir := smallTokenizer(t, smallWords)
	file := filepath.Join(dir, "tokenizer.json")
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{nil, "no command is given", exitUsage},
		{[]string{"covert"}, `unknown command "covert": did you mean convert?`, exitUsage},
		{[]string{"convert", dir}, "a DIR with a tokenizer and the folder OUT are needed", exitUsage},
		{[]string{"convert", dir, dir, "--ids", "u8"}, "--ids u8 is none of i64, i32", exitUsage},
		{[]string{"convert", dir, dir, "--padding-side", "up"}, `the padding side "up", expected left or right`, exitUsage},
		{[]string{"convert", t.TempDir(), dir}, "has neither tokenizer.json nor a SentencePiece model", exitFault},
		{[]string{"convert", dir, file}, "not a directory", exitFault},
		{[]string{"convert", smallTokenizer(t, `{"type": "BPE", "vocab": {"a": 0}, "merges": [], "continuing_subword_prefix": "#"}`), dir},
			`no layer of OpenVINO Tokenizers computes this, but text.Open does: model.continuing_subword_prefix: "#"`, exitFault},
	} {
		got := vinoir("", append([]string{"tokenizer"}, c.args...)...)
		assert.Equal(t, c.code, got.code, "%v", c.args)
		assert.Contains(t, got.stderr, c.want, "%v", c.args)
	}
}
