package sptokenizer

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdded(t *testing.T) {
	model, err := os.ReadFile("../../../text/testdata/pieces/tokenizer.model")
	require.NoError(t, err)
	open := func(config string) *Tokenizer {
		tokenizer, err := New(&Files{Model: model, TokenizerConfig: json.RawMessage(config)}, nil, nil)
		require.NoError(t, err)
		return tokenizer
	}
	tokenizer := open(`{"tokenizer_class": "LlamaTokenizer", "added_tokens_decoder": {"301": {"content": "<s>x"}}}`)
	require.Equal(t, []AddedToken{{"<unk>", 0, true}, {"<s>x", 301, false}, {"<s>", 1, true}, {"</s>", 2, true}}, tokenizer.Added())
	require.NotNil(t, tokenizer.Model())
	require.Nil(t, open(`{"tokenizer_class": "XLMRobertaTokenizer"}`).Model())
}
