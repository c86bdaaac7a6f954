package text

import (
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// offsets returns the offsets of texts.
func offsets(t *testing.T, tokenizer *Tokenizer, options EncodeOptions, texts ...string) []Offset {
	t.Helper()
	plain, err := tokenizer.Encode(t.Context(), texts, options)
	require.NoError(t, err)
	require.Nil(t, plain.Offsets)
	options.Offsets = true
	e, err := tokenizer.Encode(t.Context(), texts, options)
	require.NoError(t, err)
	require.Len(t, e.Offsets, len(e.IDs))
	list := e.Offsets
	e.Offsets = nil
	require.Equal(t, plain, e)
	return list
}

// TestEncode_offsets has those of a tokenizer.json. The values are those of the library.
func TestEncode_offsets(t *testing.T) {
	tokenizer, err := OpenFS(fstest.MapFS{"tokenizer.json": {Data: []byte(smallJSON)}}, ".")
	require.NoError(t, err)
	defer tokenizer.Close()
	require.Equal(t, []Offset{
		{0, 0}, {0, 2}, {2, 3}, {4, 6}, {6, 7}, {0, 0},
		{0, 0}, {0, 0}, {0, 0}, {0, 3}, {3, 6}, {0, 0},
	}, offsets(t, tokenizer, EncodeOptions{}, "abc ab.", "<s>éx"))
	require.Equal(t, []Offset{{0, 0}, {0, 0}, {0, 2}, {0, 0}, {1, 3}, {0, 0}},
		offsets(t, tokenizer, EncodeOptions{Truncation: true, PadToMaxLength: true, Pairs: []string{" ab c"}}, "abc ab."))
	require.Equal(t, []Offset{{1, 2}}, offsets(t, tokenizer, EncodeOptions{NoSpecialTokens: true}, " é"[:2]))
}

const trimmedJSON = `{
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
  "post_processor": {"type": "RobertaProcessing", "cls": ["a", 1], "sep": ["b", 2], "trim_offsets": true, "add_prefix_space": true},
  "model": {"type": "BPE", "vocab": {"Ġ": 0, "a": 1, "b": 2, "Ġa": 3}, "merges": ["Ġ a"]}
}`

// TestEncode_offsetsOfRows trims the part that each row has of a text: what is first in the one can
// be cut off in the other.
func TestEncode_offsetsOfRows(t *testing.T) {
	tokenizer, err := OpenFS(fstest.MapFS{"tokenizer.json": {Data: []byte(trimmedJSON)}}, ".")
	require.NoError(t, err)
	defer tokenizer.Close()
	require.Equal(t, []Offset{{0, 0}, {0, 1}, {2, 3}, {4, 5}, {0, 0}}, offsets(t, tokenizer, EncodeOptions{}, "a a a"))
	require.Equal(t, []Offset{
		{0, 0}, {0, 1}, {2, 3}, {0, 0}, {0, 0}, {0, 1}, {0, 0}, {0, 0},
		{0, 0}, {0, 1}, {2, 3}, {0, 0}, {0, 0}, {0, 1}, {2, 3}, {0, 0},
	}, offsets(t, tokenizer, EncodeOptions{Pairs: []string{"a", "a a"}}, "a a"))
}

// TestEncode_offsetsOfGraphs has those of models that are recognised.
func TestEncode_offsetsOfGraphs(t *testing.T) {
	for name, c := range map[string]struct {
		chain
		text string
		want []Offset
	}{
		"BPE":       {chain{specials: true, normalizers: []string{"nfkc"}, splits: words[1:], tokenizer: "BPETokenizer"}, "ab e\u0301  <s>", []Offset{{0, 1}, {1, 2}, {2, 3}, {3, 6}, {8, 11}}},
		"WordPiece": {chain{specials: true, normalizers: []string{"digits", "fold"}, splits: words, tokenizer: "WordpieceTokenizer"}, "AB 7", []Offset{{0, 1}, {1, 2}, {3, 4}}},
		"Unigram":   {chain{first: true, specials: true, splits: words, tokenizer: "UnigramTokenizer"}, "ab 7Ω", []Offset{{0, 1}, {1, 2}, {3, 4}, {4, 6}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := usual
			f.tokens = c.add
			tokenizer := open(t, files(t, f))
			require.Equal(t, c.want, offsets(t, tokenizer, EncodeOptions{NoSpecialTokens: true}, c.text))
			rng := rand.New(rand.NewPCG(1, 2))
			for range 60 {
				text := randomText(rng)
				for _, o := range offsets(t, tokenizer, EncodeOptions{}, text) {
					require.True(t, 0 <= o.Begin && o.Begin <= o.End && o.End <= len(text), "%v of %q", o, text)
				}
			}
		})
	}
}

// TestEncode_noOffsets names the layer through which texts are not followed.
func TestEncode_noOffsets(t *testing.T) {
	f := usual
	f.tokens = (&chain{start: 2, splits: words, tokenizer: "WordpieceTokenizer"}).add
	_, err := open(t, files(t, f)).Encode(t.Context(), []string{"a"}, EncodeOptions{Offsets: true})
	require.ErrorContains(t, err, "the offsets of tokens are not known: ")
	require.ErrorContains(t, err, "StringTensorUnpack")
	_, err = open(t, files(t, usual)).Encode(t.Context(), []string{"a"}, EncodeOptions{Offsets: true})
	require.ErrorContains(t, err, "ByteTokens")

	model := &ir.Model{}
	one := &ir.Layer{Type: "WordTokenizer"}
	model.Layers = []*ir.Layer{one, {Type: "Result", Inputs: []ir.Input{{Source: one}}}}
	model.Results = model.Layers[1:]
	require.Equal(t, one, endOf(model))
	one.Type = "Identity"
	require.Equal(t, one, endOf(model))
	_, err = (&encoder{other: one.String()}).encodeWhole(t.Context(), nil, &EncodeOptions{Offsets: true})
	require.ErrorContains(t, err, "Identity")
}
