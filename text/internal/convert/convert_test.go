package convert

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
	"github.com/vinoir/vinoir/plugin"
)

func rules(t testing.TB) infer.Rules {
	t.Helper()
	registry, err := plugin.NewRegistry(append(builtin.Ops(), extension.Ops()...)...)
	require.NoError(t, err)
	return registry
}

// models converts a tokenizer.json.
func models(t testing.TB, text string, o Options) (*Models, error) {
	t.Helper()
	file, err := hf.Parse([]byte(text))
	require.NoError(t, err)
	tokenizer, err := hf.New(file, nil, nil)
	require.NoError(t, err)
	if o.IDs == ir.Dynamic {
		o.IDs = ir.I64
	}
	return Tokenizer(t.Context(), rules(t), file, tokenizer, &o)
}

// The models of small tokenizers.
const (
	wordLevelModel = `{"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "a": 1, "c": 3}}`
	bpeModel       = `{"type": "BPE", "vocab": {"Ġ": 0, "a": 1, "Ġa": 2, "é": 3, "€": 4}, "merges": ["Ġ a"], "unk_token": "a", "end_of_word_suffix": "</w>"}`
	unigramModel   = `{"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [["?", -3], ["▁a", -1.5], ["<0x41>", -4], ["<0xzz>", -5]]}`
	wordPieceModel = `{"type": "WordPiece", "unk_token": "?", "continuing_subword_prefix": "##", "vocab": {"?": 0, "a": 1, "##b": 2, ".": 3}}`
	added          = `[{"id": 9, "content": "<s>", "special": true}, {"id": 10, "content": "<s>b", "rstrip": true}, {"id": 1, "content": "a"}]`
)

// describe lists the layers of a model, with their constants that are texts or few numbers.
func describe(m *ir.Model) string {
	var lines []string
	for _, layer := range m.Order {
		switch layer.Type {
		case "Constant", "Parameter", "Result", "ShapeOf", "Gather", "Range", "Add", "Convert", "Assign", "StringTensorUnpack", "StringTensorPack":
			continue
		}
		line := layer.Type
		for _, a := range layer.Data {
			line += " " + a.Name + "=" + a.Value
		}
		for _, in := range layer.Inputs {
			if constant := in.Source.Constant; constant != nil {
				line += " " + value(constant)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func value(t *ir.Tensor) string {
	switch t.ElementType() {
	case ir.U8:
		return fmt.Sprintf("%q", t.Bytes())
	case ir.I32:
		return fmt.Sprint(ir.Data[int32](t))
	case ir.F32:
		return fmt.Sprint(ir.Data[float32](t))
	}
	return t.ElementType().String()
}

// TestComponents has the layers of components, between SpecialTokensSplit and the model.
func TestComponents(t *testing.T) {
	chars := func(form string, fold, spaces bool) string {
		return fmt.Sprintf("CharsMapNormalization add_dummy_prefix=false remove_extra_whitespaces=%v escape_whitespaces=false "+
			"normalization_form=%s case_fold=%v nmt=false", spaces, form, fold)
	}
	replaced := func(pattern, content string) string {
		return fmt.Sprintf("RegexNormalization global_replace=true %q %q", pattern, content)
	}
	split := func(behavior string, invert bool, pattern string) string {
		return fmt.Sprintf("RegexSplit behaviour=%s invert=%v max_splits=-1 %q", behavior, invert, pattern)
	}
	for _, c := range []struct {
		normalizer, pretokenizer string
		want                     []string
	}{
		{`{"type": "NFKC"}`, `null`, []string{chars("nfkc", false, false)}},
		{`{"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]}`, `null`, []string{
			chars("nfd", true, false), replaced(`\p{Mn}`, ""),
		}},
		{`{"type": "BertNormalizer"}`, `{"type": "BertPreTokenizer"}`, []string{
			replaced(controls, ""), replaced(`\s`, " "), replaced(chinese, " $1 "), chars("nfd", true, false), replaced(`\p{Mn}`, ""),
			split("remove", false, `\s+`), split("isolate", false, bertPunctuation),
		}},
		{`{"type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": false, "strip_accents": true, "lowercase": false}`, `null`, []string{
			chars("nfd", false, false), replaced(`\p{Mn}`, ""),
		}},
		{`{"type": "Replace", "pattern": {"String": "a.b"}, "content": "c"}`, `null`, []string{replaced("a.b", "c")}},
		{`{"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""}`, `null`, []string{replaced("a+", "")}},
		{`{"type": "Prepend", "prepend": "_"}`, `null`, []string{replaced(`(?:^)([\s\S])`, "_$1")}},
		{`{"type": "Strip", "strip_left": true, "strip_right": true}`, `null`, []string{replaced(`^\s*|\s*$`, "")}},
		{`{"type": "Strip", "strip_right": true}`, `null`, []string{replaced(`\s*$`, "")}},
		{`null`, `{"type": "Whitespace"}`, []string{split("remove", true, wordsPattern)}},
		{`null`, `{"type": "WhitespaceSplit"}`, []string{split("remove", true, wordsPattern)}},
		{`null`, `{"type": "Punctuation", "behavior": "MergedWithNext"}`, []string{split("mergedwithnext", false, `\p{P}`)}},
		{`null`, `{"type": "Punctuation"}`, []string{split("isolate", false, `\p{P}`)}},
		{`null`, `{"type": "Digits"}`, []string{split("contiguous", false, numbersPattern)}},
		{`null`, `{"type": "Split", "pattern": {"String": ""}, "behavior": "Removed"}`, []string{split("isolate", false, ".")}},
		{`null`, `{"type": "Split", "pattern": {"Regex": "x|y"}, "behavior": "Removed", "invert": true}`, []string{split("remove", true, "x|y")}},
		{`null`, `{"type": "Metaspace", "replacement": "▁"}`, []string{
			replaced(" ", "▁"), replaced("(^)([^▁])", "▁$2"), split("mergedwithnext", false, "▁"),
		}},
		{`null`, `{"type": "Metaspace", "replacement": "_", "add_prefix_space": false, "split": false}`, []string{replaced(" ", "_")}},
		{`null`, `{"type": "ByteLevel", "use_regex": false}`, []string{replaced(`^(\S)`, " $1"), "BytesToChars"}},
		{`null`, `{"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"}]}`, []string{
			replaced(" ", "▁"), split("mergedwithnext", false, "▁"),
		}},
		{`null`, `{"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": true}, {"type": "ByteLevel", "add_prefix_space": false}]}`, []string{
			split("isolate", false, byteLevelDigits), "BytesToChars",
		}},
		{`null`, `{"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": true}, {"type": "WhitespaceSplit"}, {"type": "Punctuation"}, {"type": "Digits"}]}`, []string{
			split("isolate", false, numbersPattern+`|\p{P}`), split("contiguous", false, numbersPattern), split("remove", true, wordsPattern),
		}},
	} {
		m, err := models(t, `{"normalizer": `+c.normalizer+`, "pre_tokenizer": `+c.pretokenizer+`, "model": `+wordLevelModel+`}`, Options{})
		require.NoError(t, err, c)
		got, _, _ := strings.Cut(describe(m.Tokenizer), "VocabEncoder")
		got = strings.TrimPrefix(got, readTruncation)
		require.Equal(t, strings.Join(c.want, "\n"), strings.TrimSpace(got), "%v", c)
	}
}

// readTruncation is the layer that the order starts with.
const readTruncation = "ReadValue variable_id=truncation variable_type=dynamic variable_shape=... boolean\n"

func TestComponents_refused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`"normalizer": {"type": "Nmt"}`, `normalizer: type "Nmt"`},
		{`"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "NFKC"}]}`, `normalizer: the forms nfc and nfkc in one tokenizer`},
		{`"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "FixedLength"}]}`, `pre_tokenizer.pretokenizers[0]: type "FixedLength"`},
		{`"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"}, {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"}]}`,
			`pre_tokenizer.pretokenizers[1]: a second Metaspace with prepend_scheme "first"`},
		{`"decoder": {"type": "CTC"}`, `decoder: type "CTC"`},
		{`"decoder": {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteLevel"}]}`, `decoder.decoders[1]: ByteLevel behind a component that joins the tokens`},
		{`"decoder": {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"Regex": "a"}, "content": ""}]}`, `decoder.decoders[0]: Replace with a Regex`},
		{`"post_processor": {"type": "TemplateProcessing", "single": [], "pair": []}`, `post_processor.single: the text is there 0 times, expected once`},
		{`"post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}], "special_tokens": {"x": {"ids": []}}}`,
			`post_processor.single: the special token "x" has no id`},
		{`"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "continuing_subword_prefix": "##"}`, `model.continuing_subword_prefix: "##"`},
		{`"model": {"type": "BPE", "vocab": {}, "merges": []}`, `model.vocab: there are no words`},
		{`"model": {"type": "WordPiece", "vocab": {"a": 0}}`, `model.unk_token: "[UNK]" is not in the vocabulary`},
		{`"model": {"type": "Unigram", "vocab": [["a", 0]]}`, `model.unk_id: there is none`},
	} {
		text := c.text
		if !strings.HasPrefix(text, `"model"`) {
			text += `, "model": ` + wordLevelModel
		}
		_, err := models(t, "{"+text+"}", Options{})
		var refused *RefusedError
		require.ErrorAs(t, err, &refused, c)
		require.Equal(t, []string{c.want}, refused.Components)
	}
}

func TestTokenizer_stopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file, err := hf.Parse([]byte(`{"model": ` + wordLevelModel + `}`))
	require.NoError(t, err)
	tokenizer, err := hf.New(file, nil, nil)
	require.NoError(t, err)
	_, err = Tokenizer(ctx, rules(t), file, tokenizer, &Options{IDs: ir.I64})
	require.ErrorIs(t, err, context.Canceled)
}
