package text

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/plugin"
)

// textString is a byte string of the corpus: a JSON string, or the field "hex" of an object.
type textString string

func (s *textString) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(s))
	}
	var object struct{ Hex string }
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	decoded, err := hex.DecodeString(object.Hex)
	*s = textString(decoded)
	return err
}

// corpusCase is a case of encode.json, decode.json or genai.json.
type corpusCase struct {
	Text    textString
	IDs     []int32
	Batch   [][]int32
	Texts   []textString
	Pairs   []textString
	Decoded *textString

	InputIDs      [][]int32 `json:"input_ids"`
	AttentionMask [][]uint8 `json:"attention_mask"`
	Error         string    `json:"error"`

	AddSpecialTokens  *bool  `json:"add_special_tokens"`
	SkipSpecialTokens *bool  `json:"skip_special_tokens"`
	MaxLength         int    `json:"max_length"`
	Truncation        bool   `json:"truncation"`
	PadToMaxLength    bool   `json:"pad_to_max_length"`
	PaddingSide       string `json:"padding_side"`
}

type corpusFile struct {
	Pad, BOS, EOS []any
	Cases         []corpusCase
}

func readCorpus(t *testing.T, path string) *corpusFile {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var file corpusFile
	require.NoError(t, json.Unmarshal(data, &file), path)
	return &file
}

// openCorpus opens a tokenizer of the corpus. It skips those with layer types that are missing.
func openCorpus(t *testing.T, dir string) *Tokenizer {
	t.Helper()
	tokenizer, err := Open(dir)
	var unsupported *plugin.UnsupportedError
	if errors.As(err, &unsupported) {
		t.Skip("SKIPPED: ", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tokenizer.Close()) })
	return tokenizer
}

// TestCorpus compares the tokens of all texts, and the texts of all tokens, with those of OpenVINO.
func TestCorpus(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(optest.Corpus(t), "text", "tokenizers", "*"))
	require.NoError(t, err)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			tokenizer := openCorpus(t, dir)
			cases := readCorpus(t, filepath.Join(dir, "encode.json")).Cases
			checkPipeline(t, tokenizer, cases)
			for _, c := range cases {
				got, err := tokenizer.AppendEncode(t.Context(), nil, string(c.Text), true)
				require.NoError(t, err, "%q", c.Text)
				assert.Equal(t, append([]int32{}, c.IDs...), append([]int32{}, got...), "%q", c.Text)
			}
			empty, err := tokenizer.Encode(t.Context(), []string{"", "", ""}, EncodeOptions{})
			require.NoError(t, err)
			assert.Equal(t, slices.Repeat(empty.Row(0), 3), empty.IDs, "texts that are all empty")
			model, err := irxml.ReadFile(filepath.Join(dir, detokenizerXML), irxml.ReadOptions{})
			require.NoError(t, err)
			defer model.Close()
			run, err := newModelDecoder(t.Context(), tokenizer, model)
			require.NoError(t, err)
			defer run.close()
			for _, c := range readCorpus(t, filepath.Join(dir, "decode.json")).Cases {
				if c.Batch == nil {
					c.Batch, c.Texts = [][]int32{c.IDs}, []textString{c.Text}
				}
				got, err := tokenizer.Decode(t.Context(), c.Batch, DecodeOptions{})
				require.NoError(t, err)
				for i := range got {
					byModel, err := run.run(t.Context(), nil, c.Batch[i], DecodeOptions{})
					require.NoError(t, err)
					assert.Equal(t, string(byModel), got[i], "%v", c.Batch[i])
					assert.Equal(t, string(c.Texts[i]), got[i], "%v", c.Batch[i])
				}
			}
		})
	}
}

// checkPipeline compares the tokens of texts, one by one and together, with those of the graph.
func checkPipeline(t *testing.T, tokenizer *Tokenizer, cases []corpusCase) {
	t.Helper()
	if tokenizer.encoder.tail == nil {
		return
	}
	graph := *tokenizer.encoder
	graph.direct = nil
	all := make([]string, len(cases))
	for i, c := range cases {
		all[i] = string(c.Text)
		want, err := graph.encode(t.Context(), all[i:i+1], &EncodeOptions{})
		require.NoError(t, err)
		got, err := tokenizer.encoder.encode(t.Context(), all[i:i+1], &EncodeOptions{})
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", all[i])
	}
	want, err := graph.encode(t.Context(), all, &EncodeOptions{})
	require.NoError(t, err)
	got, err := tokenizer.encoder.encode(t.Context(), all, &EncodeOptions{})
	require.NoError(t, err)
	assert.Equal(t, want, got)
	t.Logf("the graph is recognised: %v", tokenizer.encoder.direct != nil)
}

// TestCorpus_genAI compares with the Tokenizer of OpenVINO GenAI, which has options.
func TestCorpus_genAI(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(optest.Corpus(t), "text", "tokenizers", "*"))
	require.NoError(t, err)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			tokenizer := openCorpus(t, dir)
			file := readCorpus(t, filepath.Join(dir, "genai.json"))
			special := tokenizer.Special()
			for i, want := range [][]any{file.BOS, file.EOS, file.Pad} {
				id, text := []int32{special.BOSID, special.EOSID, special.PadID}[i], []string{special.BOS, special.EOS, special.Pad}[i]
				assert.Equal(t, []any{float64(id), text}, want)
			}
			for _, c := range file.Cases {
				if c.Texts == nil && c.Error != "" {
					continue // a pair for which GenAI fails
				}
				if c.Texts == nil {
					got, err := tokenizer.Decode(t.Context(), [][]int32{c.IDs}, DecodeOptions{KeepSpecialTokens: c.SkipSpecialTokens != nil && !*c.SkipSpecialTokens})
					require.NoError(t, err)
					assert.Equal(t, string(c.Text), got[0], "%v", c.IDs)
					continue
				}
				checkGenAI(t, tokenizer, &c)
			}
		})
	}
}

func checkGenAI(t *testing.T, tokenizer *Tokenizer, c *corpusCase) {
	t.Helper()
	options := EncodeOptions{
		NoSpecialTokens: c.AddSpecialTokens != nil && !*c.AddSpecialTokens, MaxLength: c.MaxLength, Truncation: c.Truncation,
		PadToMaxLength: c.PadToMaxLength, PaddingSide: PaddingSide(c.PaddingSide),
	}
	var texts []string
	for _, text := range c.Texts {
		texts = append(texts, string(text))
	}
	for _, text := range c.Pairs {
		options.Pairs = append(options.Pairs, string(text))
	}
	got, err := tokenizer.Encode(t.Context(), texts, options)
	if c.Error != "" {
		assert.Error(t, err)
		return
	}
	if !assert.NoError(t, err, "%+v", options) {
		return
	}
	require.Equal(t, len(c.InputIDs), got.Rows)
	for i, row := range c.InputIDs {
		assert.Equal(t, row, got.Row(i), "%q %+v", texts, options)
		assert.Equal(t, c.AttentionMask[i], got.Mask[i*got.Length:(i+1)*got.Length], "%q %+v", texts, options)
	}
}
