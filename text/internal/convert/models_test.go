package convert

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/hf"
)

// TestModels has the model and the end of tokenizers, with and without added tokens, and their
// whole detokenizers.
func TestModels(t *testing.T) {
	const (
		cut    = "\nSelect auto_broadcast=numpy [2147483647] [2147483583]\n" + `Truncate m_num_inputs=1 "right" "longest_first"` + "\n"
		length = "\nSubtract auto_broadcast=numpy\nReduceMax keep_dims=false [0]\n"
		dense  = "RaggedToDense pad_right=true m_pad_max_length=false [0]"
		tail   = cut + "CombineSegments [0]" + length + dense
		repair = "UTF8Validate replace_mode=true"
		space  = `RegexNormalization global_replace=true "^ " ""` + "\n"
	)
	for _, c := range []struct {
		name, text    string
		options       Options
		forward, back string
	}{
		{"words", `"model": ` + wordLevelModel, Options{},
			`VocabEncoder [0 1 2 2] [1 2 2 3] "?ac" [0 1 2 3] [0]` + tail,
			`VocabDecoder skip_tokens= [0 2 4 5] [2 4 5 7] " ? a  c" []` + "\nFuzeRagged\n" + space + repair},
		{"added words", `"added_tokens": ` + added + `, "model": ` + wordLevelModel, Options{KeepSpecialTokens: true, InvalidUTF8: Ignore, CleanUp: true},
			`SpecialTokensSplit "(a|\\<s\\>)|(\\<s\\>b)(?:\\s*)"` + "\n" + `VocabEncoder [0 1 2 2] [1 2 2 3] "?ac" [0 1 2 3] [0]` + tail,
			"Slice [3] [0] [0] [1]\n" + `VocabDecoder skip_tokens= [0 2 4 5] [2 4 5 7] " ? a  c"` + "\nFuzeRagged\n" + space + "UTF8Validate replace_mode=false\n" +
				`RegexNormalization global_replace=true "(?| ([\\\\.\\\\?\\\\!,])| ('[ms])| (') | ('[rv]e)| (n't))" "$1"`},
		{"bytes", `"added_tokens": [{"id": 6, "content": "Ġx"}, {"id": 7, "content": "ｘ"}], "model": ` + bpeModel + `, "pre_tokenizer": {"type": "ByteLevel"},
			"decoder": {"type": "ByteLevel"}`, Options{InvalidUTF8: Keep},
			`SpecialTokensSplit "(ｘ|Ġx)"` + "\n" + `RegexNormalization global_replace=true "^(\\S)" " $1"` + "\n" +
				`RegexSplit behaviour=isolate invert=false max_splits=-1 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"` + "\n" +
				`BPETokenizer unk_token=a fuse_unk=false suffix_indicator= end_suffix=</w> byte_fallback=false cache_capacity=20000 ` +
				`[0 1 2 4 5 5 7] [1 2 4 5 5 7 10] " a a\xe9 xｘ" [0] [1] " " [0] [1] "a" [0 3] [3 6] "Ġxｘ" [5 6]` + tail,
			`VocabDecoder skip_tokens= [0 1 2 4 5 8 10] [1 2 4 5 8 10 13] " a a\xe9€ xｘ" []` + "\nFuzeRagged\n" +
				`RegexNormalization global_replace=true "</w>" " "` + "\n" + `RegexNormalization global_replace=true " $" ""`},
		{"characters", `"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "decoder": {"type": "ByteLevel"}`, Options{},
			`BPETokenizer unk_token= fuse_unk=false suffix_indicator= end_suffix= byte_fallback=false cache_capacity=20000 [0] [1] "a" [] [] ""` + tail,
			`VocabDecoder skip_tokens= [0] [1] "a" []` + "\nCharsToBytes\n" + repair},
		{"scores", `"added_tokens": [{"id": 0, "content": "?"}, {"id": 4, "content": "né"}], "model": ` + unigramModel + `,
			"decoder": {"type": "Sequence", "decoders": [{"type": "Metaspace", "replacement": "▁"}, {"type": "Replace", "pattern": {"String": "a"}, "content": "b"},
			{"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " "}]}`, Options{},
			`SpecialTokensSplit "(né|\\?)"` + "\n" +
				`UnigramTokenizer byte_fallback=true unk_token_id=0 fuse_unk=true min_score=inf [0 1 5 11 17] [1 5 11 17 20] "?▁a<0x41><0xzz>né" [-1.6 -1.5 -4 -5 -3.1]` + tail,
			`VocabDecoder skip_tokens= [0 1 3 4 10] [1 3 4 10 13] "? aA<0xzz>né" []` + "\n" + `RegexNormalization global_replace=true "a" "b"` +
				"\nByteFallback\nFuzeRagged\n" + space + space + repair},
		{"pieces", `"model": ` + wordPieceModel + `, "post_processor": {"type": "Sequence", "processors": [{"type": "ByteLevel"},
			{"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}, {"SpecialToken": {"id": "x", "type_id": 0}},
			{"Sequence": {"id": "A", "type_id": 1}}, {"SpecialToken": {"id": "y", "type_id": 2}}], "special_tokens": {"x": {"ids": [7, 8]}, "y": {"ids": [9]}}}]}`,
			Options{MaxLength: 10, PadToMax: true, PadLeft: true, CutLeft: true, Pad: 5, Types: true},
			`WordpieceTokenizer suffix_indicator=## max_bytes_per_word=100 [0 1 2 5] [1 2 5 6] "?a##b." i64` +
				"\nSelect auto_broadcast=numpy [7] [2147483583]\n" + `Truncate m_num_inputs=1 "left" "longest_first"` + "\n" +
				"CombineSegments [0] [2] [7 7] [0] [1] [9] [0 1 2]" + length +
				"Maximum auto_broadcast=numpy [10]\nRaggedToDense pad_right=false m_pad_max_length=false [5]\nRaggedToDense pad_right=false m_pad_max_length=false [5]",
			`VocabDecoder skip_tokens= [0 1 3 4] [1 3 4 5] "? ab." []` + "\nFuzeRagged\n" + space + repair + "\n" + `RegexNormalization global_replace=true "##" ""`},
		{"switched off", `"model": ` + wordPieceModel + `, "post_processor": {"type": "RobertaProcessing", "cls": ["x", 7], "sep": ["y", 9]}`,
			Options{NoSpecialTokens: true, MaxLength: 10},
			`WordpieceTokenizer suffix_indicator=## max_bytes_per_word=100 [0 1 2 5] [1 2 5 6] "?a##b." i64` +
				"\nSelect auto_broadcast=numpy [10] [2147483583]\n" + `Truncate m_num_inputs=1 "right" "longest_first"` + "\n" +
				"CombineSegments [0] [0] [7] [0] [0] [9] [0 0 0]" + length + dense,
			`VocabDecoder skip_tokens= [0 1 3 4] [1 3 4 5] "? ab." []` + "\nFuzeRagged\n" + space + repair + "\n" + `RegexNormalization global_replace=true "##" ""`},
	} {
		m, err := models(t, "{"+c.text+"}", c.options)
		require.NoError(t, err, c.name)
		require.Equal(t, c.forward, strings.TrimPrefix(describe(m.Tokenizer), readTruncation), c.name)
		require.Equal(t, c.back, describe(m.Detokenizer), c.name)
	}
}

// TestFirst has the pattern of a space before a text that does not start with a special token.
func TestFirst(t *testing.T) {
	const text = `"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}, "model": ` + wordLevelModel
	m, err := models(t, "{"+text+"}", Options{})
	require.NoError(t, err)
	require.Contains(t, describe(m.Tokenizer), `RegexNormalization global_replace=true "(^)([^ ])" "▁$2"`)
	m, err = models(t, `{"added_tokens": `+added+`, `+text+"}", Options{})
	require.NoError(t, err)
	require.Contains(t, describe(m.Tokenizer), `RegexNormalization global_replace=false "(^)((?!a|\\<s\\>b|\\<s\\>| |$)|(?=[\\r\\n\\t\\f\\v]))" "▁$2"`)
}

func TestPrecompiled(t *testing.T) {
	m, err := models(t, `{"normalizer": {"type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": ""}, {"type": "Lowercase"}]}, "model": `+wordLevelModel+`}`, Options{})
	require.NoError(t, err)
	require.Contains(t, describe(m.Tokenizer), "remove_extra_whitespaces=false escape_whitespaces=false normalization_form=identity case_fold=true")
	m, err = models(t, `{"normalizer": {"type": "Precompiled", "precompiled_charsmap": ""}, "model": `+wordLevelModel+`}`, Options{})
	require.NoError(t, err)
	require.Contains(t, describe(m.Tokenizer), `remove_extra_whitespaces=true escape_whitespaces=false normalization_form= case_fold=false nmt=false ""`)
	c := converter{}
	c.mergeCharsMap(&charsMap{chars: []byte("a")}, &charsMap{chars: []byte("b")})
	require.EqualError(t, &c.refused, "no layer of OpenVINO Tokenizers computes this, but text.Open does: normalizer: two Precompiled")
}

func TestTemplates(t *testing.T) {
	_, ok := templates([]hf.Segment{{Text: 1}}, []hf.Segment{{Text: 1}})
	require.False(t, ok, "a pair has one text")
}
