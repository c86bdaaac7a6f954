package text

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const smallJSON = `{
  "truncation": {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0},
  "padding": {"strategy": {"Fixed": 6}, "direction": "Left", "pad_id": 2, "pad_type_id": 3, "pad_token": "<pad>"},
  "added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "</s>", "special": true}],
  "pre_tokenizer": {"type": "Whitespace"},
  "post_processor": {"type": "BertProcessing", "cls": ["<s>", 0], "sep": ["</s>", 1]},
  "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": false},
  "model": {"type": "WordPiece", "unk_token": "?", "vocab": {"<s>": 0, "</s>": 1, "<pad>": 2, "?": 3, "ab": 4, "##c": 5, ".": 6}}
}`

func TestOpen_tokenizerJSON(t *testing.T) {
	fsys := fstest.MapFS{
		"m/tokenizer.json":          {Data: []byte(smallJSON)},
		"m/tokenizer_config.json":   {Data: []byte(`{"chat_template": "hi", "clean_up_tokenization_spaces": true}`)},
		"m/special_tokens_map.json": {Data: []byte(`{"bos_token": "<s>", "eos_token": {"content": "</s>"}, "pad_token": "<pad>"}`)},
	}
	tokenizer, err := OpenFS(fsys, "m")
	require.NoError(t, err)
	defer tokenizer.Close()
	require.Equal(t, Special{0, 1, 2, "<s>", "</s>", "<pad>"}, tokenizer.Special())
	require.Equal(t, "hi", tokenizer.ChatTemplate())

	e, err := tokenizer.Encode(t.Context(), []string{"abc ab.", "<s>x"}, EncodeOptions{})
	require.NoError(t, err)
	require.Equal(t, &Encoding{
		Rows: 2, Length: 6, IDs: []int32{0, 4, 5, 4, 6, 1, 2, 2, 0, 0, 3, 1}, Mask: []uint8{1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1},
		TypeIDs: []int32{0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0},
	}, e)
	e, err = tokenizer.Encode(t.Context(), []string{"abc ab."}, EncodeOptions{Truncation: true, PadToMaxLength: true, Pairs: []string{"ab"}})
	require.NoError(t, err)
	require.Equal(t, []int32{2, 0, 4, 1, 4, 1}, e.IDs)
	require.Equal(t, []int32{3, 0, 0, 0, 1, 1}, e.TypeIDs)
	e, err = tokenizer.Encode(t.Context(), nil, EncodeOptions{})
	require.NoError(t, err)
	require.Zero(t, e.Length)

	texts, err := tokenizer.Decode(t.Context(), [][]int32{{0, 4, 5, 4, 6, 1}, nil}, DecodeOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"abc ab.", ""}, texts)
	texts, err = tokenizer.Decode(t.Context(), [][]int32{{0, 4}}, DecodeOptions{KeepSpecialTokens: true})
	require.NoError(t, err)
	require.Equal(t, []string{"<s> ab"}, texts)
}

func TestOpen_tokenizerJSON_errors(t *testing.T) {
	_, err := OpenFS(fstest.MapFS{}, ".")
	require.ErrorContains(t, err, "openvino_tokenizer.xml")
	_, err = OpenFS(fstest.MapFS{"tokenizer.json": {Data: []byte("{")}}, ".")
	require.ErrorContains(t, err, "tokenizer.json: byte 1")
	_, err = OpenFS(fstest.MapFS{"tokenizer.json": {Data: []byte(`{"decoder": {"type": "Odd"}, "model": {"vocab": {}}}`)}}, ".")
	require.ErrorContains(t, err, `tokenizer.json: not supported: decoder: type "Odd"`)
	_, err = OpenFS(fstest.MapFS{"m/tokenizer.json": {Data: []byte("{")}}, "m")
	require.ErrorContains(t, err, "m/tokenizer.json: byte 1")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, tokenizerJSON), []byte("{"), 0o600))
	_, err = Open(dir)
	require.ErrorContains(t, err, dir+": tokenizer.json: byte 1")
	var o Options
	o.Limits.MaxTotalBytes = 1 << 20
	tokenizer, err := o.OpenFS(fstest.MapFS{"tokenizer.json": {Data: []byte(smallJSON)}}, ".")
	require.NoError(t, err)
	_, err = tokenizer.Encode(t.Context(), []string{strings.Repeat("ab ", 1<<20)}, EncodeOptions{})
	require.ErrorContains(t, err, "the texts need more than the limit of 1048576 bytes")
}
