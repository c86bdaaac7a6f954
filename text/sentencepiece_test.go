package text

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// pieceModel returns the model in testdata.
func pieceModel(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/pieces/tokenizer.model")
	require.NoError(t, err)
	return data
}

// pieceTexts are texts, and what sentencepiece 0.2.3 makes of them and of their ids.
var pieceTexts = []struct {
	text    string
	ids     []int32
	decoded string
}{
	{"the time", []int32{300, 296, 299, 297, 300, 296, 298, 295, 297}, "the time"},
	{"", []int32{}, ""},
	{"two  words é 🙂", []int32{300, 296, 281, 282, 300, 300, 281, 282, 290, 104, 293, 267, 300, 244, 163, 157, 134}, "two  words é 🙂"},
	{"<s>", []int32{300, 64, 293, 66}, "<s>"},
	{"a\x00b", []int32{300, 292, 4, 102}, "a\x00b"},
	{"a\xffb", []int32{300, 292, 243, 195, 193, 102}, "a\uFFFDb"},
}

func TestOpen_sentencePiece(t *testing.T) {
	for _, path := range []string{"testdata/pieces", "testdata/pieces/tokenizer.model"} {
		tokenizer, err := Open(path)
		require.NoError(t, err)
		defer tokenizer.Close()
		require.Equal(t, Special{1, 2, -1, "<s>", "</s>", ""}, tokenizer.Special())
		for _, c := range pieceTexts {
			e, err := tokenizer.Encode(t.Context(), []string{c.text}, EncodeOptions{})
			require.NoError(t, err)
			require.Equal(t, c.ids, e.IDs)
			texts, err := tokenizer.Decode(t.Context(), [][]int32{c.ids}, DecodeOptions{})
			require.NoError(t, err)
			require.Equal(t, c.decoded, texts[0])
		}
		texts, err := tokenizer.Decode(t.Context(), [][]int32{{1, 300, 292, 0, 3, 2, 1 << 20, -1}}, DecodeOptions{KeepSpecialTokens: true})
		require.NoError(t, err)
		require.Equal(t, "<s>a ⁇ <ctrl></s>", texts[0])
	}
}

func TestOpen_sentencePiece_settings(t *testing.T) {
	fsys := fstest.MapFS{
		"m/spiece.model":           {Data: pieceModel(t)},
		"m/config.json":            {Data: []byte(`{"model_type": "t5"}`)},
		"m/tokenizer_config.json":  {Data: []byte(`{"extra_ids": 2, "model_max_length": 4, "padding_side": "left", "chat_template": "hi"}`)},
		"m/generation_config.json": {Data: []byte(`{"bos_token_id": 1}`)},
	}
	tokenizer, err := OpenFS(fsys, "m")
	require.NoError(t, err)
	defer tokenizer.Close()
	require.Equal(t, "hi", tokenizer.ChatTemplate())
	require.Equal(t, Special{1, 2, 304, "<s>", "</s>", "<pad>"}, tokenizer.Special())
	require.Equal(t, Defaults{MaxLength: 4, PaddingSide: PaddingLeft, PadID: 304}, tokenizer.Defaults())

	e, err := tokenizer.Encode(t.Context(), []string{"the time", "a </s>", "<extra_id_0>"}, EncodeOptions{Truncation: true})
	require.NoError(t, err)
	require.Equal(t, []int32{300, 296, 299, 2, 300, 292, 300, 2, 304, 304, 303, 2}, e.IDs)
	require.Equal(t, []uint8{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1}, e.Mask)
	e, err = tokenizer.Encode(t.Context(), []string{"a</s>"}, EncodeOptions{Pairs: []string{"</s>"}})
	require.NoError(t, err)
	require.Equal(t, []int32{300, 292, 2, 2}, e.IDs)
	n, err := tokenizer.CountTokens(t.Context(), "a</s>", true)
	require.NoError(t, err)
	require.Equal(t, 3, n)
}

func TestOpen_sentencePiece_errors(t *testing.T) {
	for _, c := range []struct{ model, config, err string }{
		{"\x0a", "", "tokenizer.model: field 1 at byte 0 of the model is damaged"},
		{"IQ== 0\nIg== 1\n", "", "tokenizer.model: none of the pieces is unknown"},
		{"", `{"tokenizer_class": "OddTokenizer"}`, `tokenizer.model: tokenizer_class is "OddTokenizer"`},
		{"", `{`, "tokenizer.model: tokenizer_config.json: unexpected end"},
		{"", `{"tokenizer_class": "T5Tokenizer", "extra_ids": -1}`, "tokenizer.model: tokenizer_config.json: extra_ids is -1, expected 0 to 1048576"},
	} {
		fsys := fstest.MapFS{"tokenizer.model": {Data: pieceModel(t)}}
		if c.model != "" {
			fsys["tokenizer.model"].Data = []byte(c.model)
		}
		if c.config != "" {
			fsys["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(c.config)}
		}
		_, err := OpenFS(fsys, ".")
		require.ErrorContains(t, err, c.err)
	}
	var o Options
	o.Limits.MaxTotalBytes = 1 << 20
	_, err := o.Open("testdata/pieces")
	require.ErrorContains(t, err, "the tokenizer needs more than the limit of 1048576 bytes")
	o.Limits.MaxTotalBytes = 8 << 20
	tokenizer, err := o.Open("testdata/pieces")
	require.NoError(t, err)
	_, err = tokenizer.Encode(t.Context(), []string{strings.Repeat("ab ", 1<<20)}, EncodeOptions{})
	require.ErrorContains(t, err, "the texts need more than the limit of 8388608 bytes")
	_, err = Open("testdata/README.md")
	require.ErrorContains(t, err, "README.md: ")
}

// FuzzOpen_sentencePiece opens a model with a tokenizer_config.json, and encodes and decodes a
// text.
func FuzzOpen_sentencePiece(f *testing.F) {
	model := pieceModel(f)
	for _, class := range []string{"", "LlamaTokenizer", "GemmaTokenizer", "T5Tokenizer", "XLMRobertaTokenizer"} {
		f.Add(model, `{"legacy": false, "added_tokens_decoder": {"7": {"content": "a"}}, "tokenizer_class": "`+class+`"}`, "a é <s>")
	}
	f.Add([]byte{}, "{}", "")
	var o Options
	o.Limits.MaxTotalBytes = 64 << 20
	f.Fuzz(func(t *testing.T, model []byte, config, text string) {
		tokenizer, err := o.OpenFS(fstest.MapFS{"tokenizer.model": {Data: model}, "tokenizer_config.json": {Data: []byte(config)}}, ".")
		if err != nil {
			return
		}
		defer tokenizer.Close()
		e, err := tokenizer.Encode(t.Context(), []string{text, "b"}, EncodeOptions{Pairs: []string{"c"}})
		if err != nil {
			return
		}
		for _, id := range e.IDs {
			require.GreaterOrEqual(t, id, int32(0))
		}
		_, _ = tokenizer.Decode(t.Context(), [][]int32{e.IDs}, DecodeOptions{KeepSpecialTokens: true})
		_, _ = tokenizer.Decode(t.Context(), [][]int32{e.IDs}, DecodeOptions{})
	})
}
