package sptokenizer

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/hf"
)

// kase is a line of testdata/cases.jsonl.
type kase struct {
	Kind  string
	Model []byte
	Files map[string]json.RawMessage
	Cases []struct {
		Text, Second      string
		IDs, Pair, Tokens []int32
		Decoded           []string
	}
}

// files returns the files of a line.
func (k *kase) files() *Files {
	f := &Files{
		Model: k.Model, Vocabulary: k.Files["vocab.json"], TokenizerConfig: k.Files["tokenizer_config.json"],
		SpecialTokensMap: k.Files["special_tokens_map.json"], AddedTokens: k.Files["added_tokens.json"],
	}
	if f.Vocabulary != nil {
		f.Target = k.Model
	}
	return f
}

func cases(t testing.TB) []kase {
	t.Helper()
	file, err := os.Open("testdata/cases.jsonl")
	require.NoError(t, err)
	defer file.Close()
	var list []kase
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var k kase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &k))
		list = append(list, k)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, list)
	return list
}

// row joins the tokens of texts.
func row(segments []hf.Segment, texts ...[]int32) []int32 {
	ids := []int32{}
	for i, s := range segments {
		part := s.IDs
		if s.Text > 0 {
			part = texts[s.Text-1]
		} else if s.Once {
			if text := texts[segments[i-1].Text-1]; len(text) > 0 && text[len(text)-1] == part[0] {
				continue
			}
		}
		ids = append(ids, part...)
	}
	return ids
}

func TestTokenizer(t *testing.T) {
	for i, k := range cases(t) {
		tokenizer, err := New(k.files(), nil, nil)
		require.NoError(t, err)
		s := &Scratch{}
		for _, x := range k.Cases {
			first, err := tokenizer.Append(nil, x.Text, s)
			require.NoError(t, err)
			second, err := tokenizer.Append(nil, x.Second, s)
			require.NoError(t, err)
			assert.Equal(t, x.IDs, row(tokenizer.Single, first), "line %d: %q", i+1, x.Text)
			assert.Equal(t, x.Pair, row(tokenizer.Pair, first, second), "line %d: %q and %q", i+1, x.Text, x.Second)
			for keep, want := range x.Decoded {
				text, err := tokenizer.Decode([]byte("a"), x.Tokens, keep == 1, s)
				require.NoError(t, err)
				assert.Equal(t, "a"+want, string(text), "line %d: %v, keep %v", i+1, x.Tokens, keep == 1)
			}
		}
	}
}
