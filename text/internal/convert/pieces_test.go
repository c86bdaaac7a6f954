package convert

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/sptokenizer"
	"github.com/vinoir/vinoir/ir"
)

// pieceModels converts the model in testdata of package text, as one of BPE.
func pieceModels(t testing.TB, ctx context.Context, config string, o Options) (*Models, error) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/pieces/tokenizer.model")
	require.NoError(t, err)
	data = append(data, 0x12, 2, 0x18, 2) // trainer_spec: model_type
	tokenizer, err := sptokenizer.New(&sptokenizer.Files{Model: data, TokenizerConfig: []byte(config)}, nil, nil)
	require.NoError(t, err)
	o.IDs = ir.I64
	return Pieces(ctx, rules(t), data, tokenizer, &o)
}

// layers lists the types of the layers of a model.
func layers(m *ir.Model) (types []string) {
	for line := range strings.Lines(describe(m)) {
		layer, _, _ := strings.Cut(line, " ")
		types = append(types, strings.TrimSpace(layer))
	}
	return types
}

func TestPieces(t *testing.T) {
	m, err := pieceModels(t, t.Context(), `{"tokenizer_class": "LlamaTokenizer"}`, Options{Pad: 7})
	require.NoError(t, err)
	require.Subset(t, layers(m.Tokenizer), []string{"SentencepieceTokenizer", "Broadcast", "ScatterNDUpdate", "Concat"})
	require.NotContains(t, layers(m.Tokenizer), "Reverse")
	require.Contains(t, describe(m.Tokenizer), `[0 5 8] [5 8 12] "<unk><s></s>" [0 1 2]`)
	require.Contains(t, describe(m.Tokenizer), "Broadcast mode=numpy [7]")
	require.Equal(t, []string{"SentencepieceDetokenizer", "UTF8Validate"}, layers(m.Detokenizer))

	left := Options{PadLeft: true, Truncate: true, MaxLength: 5, Streaming: true, CleanUp: true, InvalidUTF8: Keep}
	m, err = pieceModels(t, t.Context(), `{"tokenizer_class": "LlamaTokenizer", "add_eos_token": true}`, left)
	require.NoError(t, err)
	require.Subset(t, layers(m.Tokenizer), []string{"Equal", "Select", "Reverse", "Slice"})
	require.Contains(t, describe(m.Tokenizer), "add_bos=false add_eos=false reverse=true")
	require.Equal(t, []string{"SentencepieceStreamDetokenizer", "RegexNormalization", "RegexNormalization"}, layers(m.Detokenizer))

	left.NoSpecialTokens = true
	m, err = pieceModels(t, t.Context(), `{"tokenizer_class": "LlamaTokenizer", "add_eos_token": true}`, left)
	require.NoError(t, err)
	require.NotContains(t, layers(m.Tokenizer), "Select")

	m, err = pieceModels(t, t.Context(), `{"add_bos_token": true, "add_eos_token": true}`, Options{})
	require.NoError(t, err)
	require.Contains(t, describe(m.Tokenizer), "add_bos=true add_eos=true reverse=false")
	m, err = pieceModels(t, t.Context(), `{"tokenizer_class": "LlamaTokenizer", "added_tokens_decoder": {"303": {"content": "x"}}}`, Options{})
	require.NoError(t, err)
	require.Contains(t, describe(m.Tokenizer), "<empty_302>")
}

func TestPieces_refused(t *testing.T) {
	_, err := pieceModels(t, t.Context(), `{"tokenizer_class": "XLMRobertaTokenizer"}`, Options{})
	require.EqualError(t, err, "no layer of OpenVINO Tokenizers computes this, but text.Open does: "+
		"tokenizer_config.json: a tokenizer_class whose ids are not those of the pieces")
	_, err = pieceModels(t, t.Context(), `{"added_tokens_decoder": {"1100000": {"content": "x"}}}`, Options{})
	require.EqualError(t, err, `token "x" has id 1100000, the model has 302 pieces`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = pieceModels(t, ctx, `{}`, Options{})
	require.Error(t, err)
}
