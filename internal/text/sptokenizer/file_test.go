package sptokenizer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// modelOf returns the first model of testdata whose class has a name.
func modelOf(t testing.TB, class string) *kase {
	t.Helper()
	for _, k := range cases(t) {
		if strings.Contains(string(k.Files["tokenizer_config.json"]), class) {
			return &k
		}
	}
	require.Fail(t, "no model of "+class)
	return nil
}

func TestNew_errors(t *testing.T) {
	model := cases(t)[0].Model
	for _, c := range []struct {
		config, special, added, model string
		err                           string
	}{
		{config: "[]", err: "tokenizer_config.json: json"},
		{config: `{"tokenizer_class": 1}`, err: "tokenizer_config.json: tokenizer_class: json"},
		{config: `{"tokenizer_class": "Odd"}`, err: `tokenizer_class is "Odd", which has no tokens without tokenizer.json; expected none, or one of AlbertTokenizer, `},
		{model: "{", err: "config.json: unexpected end"},
		{config: `{"added_tokens_decoder": {"x": {"content": "a"}}}`, err: `added_tokens_decoder: "x" is no id of a token`},
		{config: `{"added_tokens_decoder": {"1": null}}`, err: `added_tokens_decoder: "1" is no id of a token`},
		{config: `{"added_tokens_decoder": {"16777216": {"content": "a"}}}`, err: `token "a" has id 16777216, expected 0 to 16777215`},
		{config: `{"added_tokens_decoder": []}`, err: "added_tokens_decoder: json"},
		{special: "1", err: "special_tokens_map.json: json"},
		{special: `{"bos_token": 1}`, err: "bos_token: json"},
		{special: `{"additional_special_tokens": 1}`, err: "additional_special_tokens: json"},
		{added: `{"a": "b"}`, err: "added_tokens.json: json"},
		{added: `{"a": -1}`, err: `added_tokens.json: token "a" has id -1`},
		{config: `{"add_bos_token": 1}`, err: "tokenizer_config.json: add_bos_token: json"},
		{config: `{"add_eos_token": 1}`, err: "tokenizer_config.json: add_eos_token: json"},
		{config: `{"tokenizer_class": "LlamaTokenizer", "legacy": 1}`, err: "tokenizer_config.json: legacy: json"},
		{config: `{"tokenizer_class": "T5Tokenizer", "extra_ids": "1"}`, err: "tokenizer_config.json: extra_ids: json"},
		{config: `{"tokenizer_class": "T5Tokenizer", "additional_special_tokens": ["<extra_id_0>"]}`, err: "has 1 tokens <extra_id_...>, extra_ids is 100"},
		{config: `{"tokenizer_class": "T5Tokenizer", "eos_token": null}`, err: `there is no token for 'O' of a row "AO"`},
		{config: `{"tokenizer_class": "XLMRobertaTokenizer", "unk_token": null}`, err: "there is no unk_token"},
		{config: `{"tokenizer_class": "XLMRobertaTokenizer", "cls_token": null}`, err: `there is no token for 'C' of a row "CAS"`},
		{config: `{"tokenizer_class": "AlbertTokenizer", "do_lower_case": 1}`, err: "tokenizer_config.json: do_lower_case: json"},
		{config: `{"tokenizer_class": "MarianTokenizer"}`, err: "vocab.json is missing"},
	} {
		f := &Files{Model: model}
		for text, to := range map[string]*[]byte{c.config: &f.TokenizerConfig, c.special: &f.SpecialTokensMap, c.added: &f.AddedTokens, c.model: &f.Config} {
			if text != "" {
				*to = []byte(text)
			}
		}
		_, err := New(f, nil, nil)
		assert.ErrorContains(t, err, c.err)
	}
	marian := []byte(`{"tokenizer_class": "MarianTokenizer"}`)
	_, err := New(&Files{Model: model, TokenizerConfig: marian, Vocabulary: []byte(`{"a": -1}`)}, nil, nil)
	assert.EqualError(t, err, `vocab.json: token "a" has id -1, expected 0 to 16777215`)
	_, err = New(&Files{Model: model, TokenizerConfig: marian, Vocabulary: []byte(`{"a": 1.5}`)}, nil, nil)
	assert.ErrorContains(t, err, "vocab.json: json")
	_, err = New(&Files{Model: model, Target: []byte{10}}, nil, nil)
	assert.ErrorContains(t, err, "the model of target texts: ")
	assert.Greater(t, (&Files{Model: model, Target: model}).Bytes(), 2*(&Files{Model: model}).Bytes()-1000)
}

func TestNew_longPiece(t *testing.T) {
	piece := func(text string, kind byte) []byte {
		message := append([]byte{10, byte(len(text)&0x7f | 0x80), byte(len(text) >> 7)}, text...)
		message = append(message, 24, kind)
		return append([]byte{10, byte(len(message)&0x7f | 0x80), byte(len(message) >> 7)}, message...)
	}
	for n, want := range map[int]string{maxPiece: "", maxPiece + 1: "piece 1 has 4097 bytes, expected at most 4096"} {
		_, err := New(&Files{Model: append(piece("?", 2), piece(strings.Repeat("a", n), 1)...)}, nil, nil)
		if want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, want)
		}
	}
}

func TestNew_longToken(t *testing.T) {
	config := []byte(`{"bos_token": "` + strings.Repeat("a", maxPiece+1) + `"}`)
	_, err := New(&Files{Model: cases(t)[0].Model, TokenizerConfig: config}, nil, nil)
	assert.EqualError(t, err, "added token 302 has 4097 bytes, expected at most 4096")
}

func TestClassName(t *testing.T) {
	for _, c := range []struct{ tokenizer, model, want string }{
		{"", "", ""},
		{`{"tokenizer_class": "LlamaTokenizerFast"}`, `{"model_type": "t5"}`, "LlamaTokenizerFast"},
		{`{"tokenizer_class": null}`, `{"tokenizer_class": "T5Tokenizer", "model_type": "llama"}`, "T5Tokenizer"},
		{"", `{"model_type": "xlm-roberta"}`, "XLMRobertaTokenizer"},
		{"", `{"model_type": "odd"}`, ""},
	} {
		s := &settings{}
		if c.tokenizer != "" {
			require.NoError(t, json.Unmarshal([]byte(c.tokenizer), &s.fields))
		}
		var config []byte
		if c.model != "" {
			config = []byte(c.model)
		}
		name, err := s.className(config)
		require.NoError(t, err)
		assert.Equal(t, c.want, name)
	}
	mt5, err := classOf("MT5TokenizerFast")
	require.NoError(t, err)
	assert.Same(t, classes["T5Tokenizer"], mt5)
}

// TestTokenizer_limits checks that each refusal of memory is returned, when it opens files and when
// it encodes and decodes.
func TestTokenizer_limits(t *testing.T) {
	full := errors.New("full")
	for _, class := range []string{"Llama", "T5", "XLMRoberta", "Albert", "Marian"} {
		k := modelOf(t, class)
		refuse := func(n int) func(int64) error {
			return func(int64) error {
				if n--; n < 0 {
					return full
				}
				return nil
			}
		}
		var tokenizer *Tokenizer
		for n := 0; ; n++ {
			var err error
			if tokenizer, err = New(k.files(), refuse(n), nil); err == nil {
				break
			}
			require.ErrorIs(t, err, full)
			require.Less(t, n, 1000)
		}
		text := strings.Repeat("the é <s> Ω<mask> [SEP]snake_case 日本x 12,", 40)
		for n := 0; ; n++ {
			s := &Scratch{Limits: limits.Limits{Reserve: refuse(n)}}
			ids, err := tokenizer.Append(nil, text, s)
			if err == nil {
				_, err = tokenizer.Decode(nil, ids, true, s)
			}
			if err == nil {
				break
			}
			require.ErrorIs(t, err, full)
			require.Less(t, n, 1000)
		}
		stopped := make(chan struct{})
		close(stopped)
		s := &Scratch{Limits: limits.Limits{Stop: parallel.Stop(stopped)}}
		_, err := tokenizer.Append(nil, strings.Repeat(text, 100), s)
		assert.ErrorIs(t, err, parallel.ErrStopped)
		_, err = tokenizer.Decode(nil, make([]int32, 1<<16), true, s)
		assert.ErrorIs(t, err, parallel.ErrStopped)
		_, err = New(k.files(), nil, parallel.Stop(stopped))
		assert.ErrorIs(t, err, parallel.ErrStopped)
	}
}

func TestTokenizer_Token(t *testing.T) {
	tokenizer, err := New(modelOf(t, "XLMRoberta").files(), nil, nil)
	require.NoError(t, err)
	for id, want := range map[int32]string{-1: "", 0: "<s>", 1: "<pad>", 2: "</s>", 3: "<unk>", 1 << 20: ""} {
		assert.Equal(t, want, tokenizer.Token(id))
	}
}
