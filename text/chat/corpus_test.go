package chat_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/text/chat"
)

// corpusFile is a file of corpus/text/templates: see its README.
type corpusFile struct {
	Template string  `json:"template"`
	BOS      *string `json:"bos_token"`
	EOS      *string `json:"eos_token"`
	Pad      *string `json:"pad_token"`
	Made     string  `json:"made"`
	Cases    []struct {
		Case     string            `json:"case"`
		Messages []chat.Message    `json:"messages"`
		Tools    []json.RawMessage `json:"tools"`
		Extra    *chat.Object      `json:"extra"`
		Prompt   bool              `json:"add_generation_prompt"`
		HF       *string           `json:"hf"`
		HFError  string            `json:"hf_error"`
	} `json:"cases"`
}

// TestCorpus renders the templates of the corpus, where there is one, and compares the text with
// that of Hugging Face's transformers.
func TestCorpus(t *testing.T) {
	corpus := os.Getenv("VINOIR_CORPUS")
	if corpus == "" {
		t.Skip("VINOIR_CORPUS is not set")
	}
	paths, err := filepath.Glob(filepath.Join(corpus, "text", "templates", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) { runCorpusFile(t, path) })
	}
}

func runCorpusFile(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var file corpusFile
	require.NoError(t, json.Unmarshal(data, &file))
	source, err := os.ReadFile(filepath.Join(filepath.Dir(path), file.Template))
	require.NoError(t, err)
	template, err := chat.Parse(string(source))
	require.NoError(t, err)
	made, err := time.Parse(time.DateOnly, file.Made)
	require.NoError(t, err)
	for _, c := range file.Cases {
		in := chat.Input{Messages: c.Messages, AddGenerationPrompt: c.Prompt, Now: made, Tokens: map[string]string{}, Variables: map[string]any{}}
		for name, token := range map[string]*string{"bos_token": file.BOS, "eos_token": file.EOS, "pad_token": file.Pad} {
			if token != nil {
				in.Tokens[name] = *token
			}
		}
		for _, tool := range c.Tools {
			in.Tools = append(in.Tools, tool)
		}
		for name, v := range c.Extra.All() {
			in.Variables[name] = v
		}
		text, err := template.Render(t.Context(), in)
		if c.HF == nil {
			assert.Error(t, err, "%s: Hugging Face says %s", c.Case, c.HFError)
			continue
		}
		if assert.NoError(t, err, c.Case) {
			assert.Equal(t, *c.HF, text, c.Case)
		}
	}
}
