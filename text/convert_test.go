package text

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// converted converts the tokenizer in a folder, and opens the models.
func converted(t testing.TB, files fstest.MapFS, o ConvertOptions) *Tokenizer {
	t.Helper()
	models, err := ConvertFS(t.Context(), files, ".", o)
	require.NoError(t, err)
	dir := t.TempDir()
	paths, err := models.Write(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, paths, 4)
	tokenizer, err := Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tokenizer.Close() })
	return tokenizer
}

var smallFiles = fstest.MapFS{
	"tokenizer.json":          {Data: []byte(smallJSON)},
	"tokenizer_config.json":   {Data: []byte(`{"chat_template": "{{ \"<hi>\" }}\n", "tokenizer_class": "Small"}`)},
	"special_tokens_map.json": {Data: []byte(`{"bos_token": "<s>", "eos_token": {"content": "</s>"}, "pad_token": "<pad>"}`)},
}

func TestConvert(t *testing.T) {
	want, err := OpenFS(smallFiles, ".")
	require.NoError(t, err)
	defer want.Close()
	got := converted(t, smallFiles, ConvertOptions{})
	require.Equal(t, want.Special(), got.Special())
	require.Equal(t, want.ChatTemplate(), got.ChatTemplate())
	texts := []string{"abc ab.", "<s>x", ""}
	for _, o := range []EncodeOptions{{}, {NoSpecialTokens: true}, {Truncation: true}, {MaxLength: 3, PadToMaxLength: true, Truncation: true}} {
		a, err := want.Encode(t.Context(), texts, o)
		require.NoError(t, err)
		b, err := got.Encode(t.Context(), texts, o)
		require.NoError(t, err)
		if o.MaxLength == 0 { // the model has no length that all rows get
			for i := range a.Rows {
				require.Equal(t, tokens(a, i), tokens(b, i), "%+v", o)
			}
		} else {
			require.Equal(t, a.IDs, b.IDs, "%+v", o)
		}
	}
	pair := EncodeOptions{Pairs: []string{"ab"}}
	a, err := want.Encode(t.Context(), texts[:1], pair)
	require.NoError(t, err)
	b, err := got.Encode(t.Context(), texts[:1], pair)
	require.NoError(t, err)
	require.Equal(t, tokens(a, 0), tokens(b, 0))
	decoded, err := got.Decode(t.Context(), [][]int32{{0, 4, 5, 4, 6, 1}, nil}, DecodeOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"abc ab.", ""}, decoded)
}

// tokens returns the tokens of a row without padding.
func tokens(e *Encoding, row int) (ids []int32) {
	for i, id := range e.Row(row) {
		if e.Mask[row*e.Length+i] != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

func TestConvert_options(t *testing.T) {
	yes, no := true, false
	models, err := ConvertFS(t.Context(), smallFiles, ".", ConvertOptions{
		NoSpecialTokens: true, KeepSpecialTokens: true, CleanUp: &yes, InvalidUTF8: "ignore", MaxLength: 4, Truncation: true,
		PadToMaxLength: true, PaddingSide: "right", TruncationSide: "left", TypeIDs: &no, IDs: ir.I32,
	})
	require.NoError(t, err)
	require.Len(t, models.Tokenizer.Results, 2)
	require.Equal(t, ir.I32, models.Tokenizer.Results[0].Inputs[0].Source.Outputs[0].DeclaredType)
	values := map[string]string{}
	for _, element := range models.Detokenizer.RTInfo.ChildElements() {
		values[element.Tag] = element.SelectAttrValue("value", "")
	}
	require.Equal(t, map[string]string{
		"add_attention_mask": "True", "add_special_tokens": "False", "bos_token_id": "0", "chat_template": "{{ \"<hi>\" }}\n",
		"clean_up_tokenization_spaces": "True", "detokenizer_input_type": "i32", "eos_token_id": "1", "max_length": "4",
		"number_of_inputs": "1", "openvino_tokenizers_version": "2026.4.1.0",
		"original_post_processor_template": `{"type":"BertProcessing","cls":["<s>",0],"sep":["</s>",1]}`,
		"original_tokenizer_class":         "Small", "pad_token_id": "2",
		"processed_post_processor_template": `{"pair":{"ids":[0,-1,1,-2,1],"type_ids":[0,0,0,1,1]},"single":{"ids":[0,-1,1],"type_ids":[0,0,0]}}`,
		"skip_special_tokens":               "False", "streaming_detokenizer": "False", "tokenizer_output_type": "i32", "truncation": "True", "use_max_padding": "True",
		"utf8_replace_mode": "ignore", "with_detokenizer": "True",
	}, values)
	for _, c := range []struct {
		o    ConvertOptions
		want string
	}{
		{ConvertOptions{IDs: ir.F32}, "a wrong option: ids of type f32, expected i64 or i32"},
		{ConvertOptions{MaxLength: -1}, "a wrong option: a largest length of -1 tokens, expected 0 for none or more"},
		{ConvertOptions{PaddingSide: "up"}, `a wrong option: the padding side "up", expected left or right`},
		{ConvertOptions{TruncationSide: "up"}, `a wrong option: the truncation side "up", expected left or right`},
		{ConvertOptions{InvalidUTF8: "x"}, `a wrong option: "x" for invalid UTF-8, expected replace, ignore or disable`},
	} {
		_, err := ConvertFS(t.Context(), smallFiles, ".", c.o)
		require.EqualError(t, err, c.want)
	}
	_, err = ConvertFS(t.Context(), fstest.MapFS{}, "m", ConvertOptions{})
	require.ErrorIs(t, err, os.ErrNotExist)
	var limited ConvertOptions
	limited.Limits.MaxTotalBytes = 100
	_, err = ConvertFS(t.Context(), smallFiles, ".", limited)
	require.ErrorContains(t, err, "limit of 100 bytes")
	blocked := filepath.Join(t.TempDir(), "missing")
	_, err = models.Write(t.Context(), blocked)
	require.Error(t, err)
}

// hfCase is a line of the cases of package hf.
type hfCase struct {
	Tokenizer json.RawMessage
	Cases     []struct{ Text, Second string }
}

func hfCases(t testing.TB) []hfCase {
	t.Helper()
	file, err := os.Open("../internal/text/hf/testdata/cases.jsonl")
	require.NoError(t, err)
	defer file.Close()
	var list []hfCase
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c hfCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		list = append(list, c)
	}
	require.NoError(t, lines.Err())
	return list
}

// TestConvert_cases compares the ids of models with those of the tokenizer.json that they were made
// of. What the layers of OpenVINO Tokenizers do not compute is in the tables.
func TestConvert_cases(t *testing.T) {
	refused := map[int]string{
		2:  `normalizer.normalizers[2]: type "Nmt"`,
		6:  `pre_tokenizer.pretokenizers[0]: type "CharDelimiterSplit"`,
		10: `pre_tokenizer.pretokenizers[0]: type "CharDelimiterSplit"`,
		13: `normalizer: type "Nmt"`,
		16: `pre_tokenizer: type "CharDelimiterSplit"; decoder.decoders[2]: ByteLevel behind a component that joins the tokens`,
		18: `decoder.decoders[2]: type "CTC"`,
		19: `model.continuing_subword_prefix: "##"`,
		21: `model.continuing_subword_prefix: "##"`,
		22: `pre_tokenizer: type "FixedLength"; normalizer: the forms nfkc and nfc in one tokenizer`,
		23: `normalizer.normalizers[0]: type "ByteLevel"`,
	}
	differs := map[int]struct {
		texts  int
		reason string
	}{
		1:  {9, "WordpieceTokenizer has no largest number of characters of a word"},
		4:  {2, `\w has neither joiners nor marks that take space`},
		8:  {3, "an added token that is no word of a WordPiece model has no id"},
		9:  {5, "an added token that is no word of a WordPiece model has no id"},
		11: {3, `\w has neither joiners nor marks that take space`},
		14: {7, "WhitespaceSplit cuts at punctuation marks, too"},
		17: {6, "WordpieceTokenizer has no largest number of characters of a word"},
		20: {8, "WhitespaceSplit cuts at punctuation marks, too"},
	}
	for i, c := range hfCases(t) {
		files := fstest.MapFS{"tokenizer.json": {Data: c.Tokenizer}}
		if reason := refused[i]; reason != "" {
			_, err := ConvertFS(t.Context(), files, ".", ConvertOptions{})
			require.EqualError(t, err, "tokenizer.json: no layer of OpenVINO Tokenizers computes this, but text.Open does: "+reason)
			continue
		}
		want, err := OpenFS(files, ".")
		require.NoError(t, err)
		got, others := converted(t, files, ConvertOptions{}), 0
		for _, x := range c.Cases {
			for _, one := range []string{x.Text, x.Second} {
				a, err := want.AppendEncode(t.Context(), nil, one, true)
				require.NoError(t, err)
				b, err := got.AppendEncode(t.Context(), nil, one, true)
				require.NoError(t, err)
				if !slices.Equal(a, b) {
					others++
				}
			}
		}
		require.Equal(t, differs[i].texts, others, "line %d: %s", i+1, differs[i].reason)
		require.NoError(t, want.Close())
	}
}

// FuzzConvert_sentencePiece is FuzzConvert for a SentencePiece model and its tokenizer_config.json.
func FuzzConvert_sentencePiece(f *testing.F) {
	for _, config := range []string{`{}`, `{"tokenizer_class": "LlamaTokenizer", "add_eos_token": true, "padding_side": "left"}`, `{"tokenizer_class": "T5Tokenizer"}`} {
		f.Add(pieceModel(f), config, "the <s> é")
		f.Add(append(pieceModel(f), 0x12, 2, 0x18, 2), config, "the <s> é")
	}
	f.Fuzz(func(t *testing.T, data []byte, config, one string) {
		fuzzConvert(t, fstest.MapFS{"tokenizer.model": {Data: data}, "tokenizer_config.json": {Data: []byte(config)}}, one)
	})
}

// FuzzConvert converts a tokenizer.json, reads the models back and encodes a text with them.
func FuzzConvert(f *testing.F) {
	f.Add([]byte(smallJSON), "abc <s>")
	for _, model := range []string{
		`{"type": "BPE", "vocab": {"Ġ": 0, "a": 1, "Ġa": 2}, "merges": ["Ġ a"], "unk_token": "a"}, "pre_tokenizer": {"type": "ByteLevel"}, "decoder": {"type": "ByteLevel"}`,
		`{"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [["?", -3], ["▁a", -1.5], ["<0x41>", -4]]}, "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}`,
		`{"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "c": 3}}, "normalizer": {"type": "BertNormalizer"}, "added_tokens": [{"id": 1, "content": "<s>", "lstrip": true}]`,
	} {
		f.Add([]byte(`{"model": `+model+"}"), "A a <s>c")
	}
	for _, c := range hfCases(f) {
		f.Add([]byte(c.Tokenizer), c.Cases[0].Text)
	}
	f.Fuzz(func(t *testing.T, data []byte, one string) {
		fuzzConvert(t, fstest.MapFS{"tokenizer.json": {Data: data}}, one)
	})
}

func fuzzConvert(t *testing.T, files fstest.MapFS, one string) {
	var limited ConvertOptions
	limited.Limits.MaxTotalBytes = 64 << 20
	models, err := ConvertFS(t.Context(), files, ".", limited)
	if err != nil {
		return
	}
	dir := t.TempDir()
	_, err = models.Write(t.Context(), dir)
	require.NoError(t, err)
	tokenizer, err := Options{Limits: limited.Limits}.Open(dir)
	if err != nil {
		return // such as a merge whose parts are no words
	}
	defer tokenizer.Close()
	ids, err := tokenizer.AppendEncode(t.Context(), nil, one, true)
	if err == nil {
		_, _ = tokenizer.Decode(t.Context(), [][]int32{ids}, DecodeOptions{})
	}
}

// TestConvert_sentencePiece compares the models of a SentencePiece model with what Open makes of
// it.
func TestConvert_sentencePiece(t *testing.T) {
	const llama = `"tokenizer_class": "LlamaTokenizer"`
	unigram := pieceModel(t)
	bpe := append(pieceModel(t), 0x12, 2, 0x18, 2) // trainer_spec: model_type
	for _, c := range []struct {
		model  []byte
		config string
	}{
		{unigram, `{}`}, {bpe, `{}`}, {unigram, `{"add_eos_token": true, "add_bos_token": true}`}, {unigram, `{` + llama + `, "pad_token": "<pad>", "model_max_length": 8}`},
		{bpe, `{` + llama + `, "pad_token": "<pad>"}`}, {bpe, `{` + llama + `, "add_eos_token": true, "padding_side": "left", "model_max_length": 8}`},
	} {
		files := fstest.MapFS{"tokenizer.model": {Data: c.model}, "tokenizer_config.json": {Data: []byte(c.config)}}
		want, err := OpenFS(files, ".")
		require.NoError(t, err)
		texts := []string{"the time", "", "two  words é 🙂", "a"}
		if &c.model[0] == &bpe[0] && strings.Contains(c.config, llama) { // special tokens are found
			texts = append(texts, "<s>a</s>b", "<unk>")
		}
		for _, special := range []bool{false, true} {
			got := converted(t, files, ConvertOptions{NoSpecialTokens: special})
			a, err := want.Encode(t.Context(), texts, EncodeOptions{NoSpecialTokens: special})
			require.NoError(t, err)
			b, err := got.Encode(t.Context(), texts, EncodeOptions{})
			require.NoError(t, err)
			require.Equal(t, a, b, "%s %v", c.config, special)
		}
		got := converted(t, files, ConvertOptions{KeepSpecialTokens: true, CleanUp: new(bool)})
		require.Equal(t, want.Special(), got.Special())
		decoded, err := got.Decode(t.Context(), [][]int32{{300, 296, 299, 297}}, DecodeOptions{})
		require.NoError(t, err)
		require.Equal(t, []string{"the"}, decoded)
		require.NoError(t, want.Close())
	}
}

func TestConvert_sentencePiece_options(t *testing.T) {
	files := fstest.MapFS{
		"spiece.model": {Data: pieceModel(t)}, "config.json": {Data: []byte(`{"model_type": "t5"}`)}, "tokenizer_config.json": {Data: []byte(`{"extra_ids": 2}`)},
	}
	yes := true
	got := converted(t, files, ConvertOptions{Streaming: true, CleanUp: &yes, MaxLength: 3, Truncation: true, PaddingSide: "left", IDs: ir.I32})
	e, err := got.Encode(t.Context(), []string{"the time", "a", "<extra_id_0>"}, EncodeOptions{})
	require.NoError(t, err)
	require.Equal(t, []int32{295, 297, 2, 300, 292, 2, 300, 303, 2}, e.IDs)
	decoded, err := got.Decode(t.Context(), [][]int32{{300, 292}}, DecodeOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{" a"}, decoded, "the space stays")

	files["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"tokenizer_class": "XLMRobertaTokenizer"}`)}
	_, err = ConvertFS(t.Context(), files, ".", ConvertOptions{})
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	files["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"tokenizer_class": "LlamaTokenizer"}`)}
	files["added_tokens.json"] = &fstest.MapFile{Data: []byte(`{"far": 1100000}`)}
	_, err = ConvertFS(t.Context(), files, ".", ConvertOptions{})
	require.ErrorContains(t, err, `token "far" has id 1100000, the model has 302 pieces`)
	_, err = ConvertFS(t.Context(), files, ".", ConvertOptions{IDs: ir.F32})
	require.ErrorIs(t, err, ErrOption)
}
