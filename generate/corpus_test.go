package generate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/text/chat"
)

// models are the folders of language models in the corpus.
func models(t testing.TB) []string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(corpus(t, "llm"), "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	return folders
}

func readFile(t testing.TB, to any, parts ...string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, to))
}

// TestCorpus_logits compares the logits of prompts with OpenVINO's.
func TestCorpus_logits(t *testing.T) {
	for _, folder := range models(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var file struct {
				Cases []struct {
					IDs    []int32   `json:"ids"`
					Logits []float32 `json:"logits_of_last"`
				}
			}
			readFile(t, &file, folder, "logits.json")
			m := openCorpus(t, folder)
			assert.GreaterOrEqual(t, m.rows, 0, "the product with the vocabulary was found")
			session := m.NewSession()
			for _, c := range file.Cases {
				got, err := session.Logits(background, c.IDs)
				require.NoError(t, err)
				assert.InDeltaSlice(t, c.Logits, got, 1e-3)
			}
		})
	}
}

// corpusCase is a case of generate.json.
type corpusCase struct {
	Name    string `json:"config"`
	config  Config
	Prompt  []int32   `json:"prompt_ids"`
	Tokens  any       `json:"tokens"`
	Scores  []float32 `json:"scores"`
	Finish  []string  `json:"finish"`
	Text    string    `json:"text"`
	Texts   []string  `json:"texts"`
	Prompts []string  `json:"prompts"`
}

// UnmarshalJSON implements json.Unmarshaler: the settings are among the other fields.
func (c *corpusCase) UnmarshalJSON(data []byte) error {
	type plain corpusCase
	if err := json.Unmarshal(data, (*plain)(c)); err != nil {
		return err
	}
	c.config = DefaultConfig()
	return json.Unmarshal(data, &c.config)
}

// TestCorpus_tokens compares the tokens of all cases that need no tokenizer with GenAI's.
func TestCorpus_tokens(t *testing.T) {
	for _, folder := range models(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var file struct{ Cases []corpusCase }
			readFile(t, &file, folder, "generate.json")
			m := openCorpus(t, folder)
			session := m.NewSession()
			for _, c := range file.Cases {
				want, ok := c.Tokens.([]any)
				if !ok || len(c.Prompt) == 0 || len(c.config.StopStrings) > 0 || c.Name == "chat_history" {
					continue
				}
				c.config.StopTokenIDs = union(c.config.StopTokenIDs, m.Config().StopTokenIDs)
				results, err := session.Generate(background, [][]int32{c.Prompt}, c.config)
				require.NoError(t, err, c.Name)
				require.Len(t, results[0].Sequences, len(want), c.Name)
				for i, s := range results[0].Sequences {
					var tokens []int32
					for _, id := range want[i].([]any) {
						tokens = append(tokens, int32(id.(float64)))
					}
					if !assert.Equal(t, tokens, s.Tokens, "%s %v", c.Name, c.Prompt) {
						continue
					}
					if len(c.Scores) > 0 {
						assert.InDelta(t, c.Scores[i], s.Score, 1e-3, c.Name)
					}
					assert.Equal(t, c.Finish[i], s.Finish.String(), c.Name)
				}
			}
		})
	}
}

// openCorpus opens a model as it was opened for the expected values.
func openCorpus(t testing.TB, folder string) *Model {
	t.Helper()
	m, err := Options{Ops: builtin.Ops(), CompileOptions: plugin.CompileOptions{KVCachePrecision: ir.F32}}.Open(folder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// TestCorpus_sequences draws several answers. The tokens are those of GenAI 2026.4.1 with its paged
// attention, f32.
func TestCorpus_sequences(t *testing.T) {
	m := openCorpus(t, corpus(t, "llm", "llama"))
	config := limited(m, 12)
	config.DoSample, config.NumReturnSequences, config.Temperature, config.RNGSeed = true, 3, 1.5, 3
	config.TopK = 20
	penalties := config
	penalties.MaxNewTokens, penalties.TopK, penalties.RepetitionPenalty, penalties.FrequencyPenalty = 8, 0, 1.5, 0.5
	search := beams(m, 4, 16)
	search.NumBeamGroups, search.DiversityPenalty, search.LengthPenalty = 2, 0.5, 0.7
	search.StopTokenIDs = []int32{439, 461}
	for _, c := range []struct {
		config Config
		scores []float32
		tokens [][]int32
	}{
		{config, []float32{-17.59557, -28.31227, -34.33786}, [][]int32{
			{255, 209, 193, 312, 452, 627, 87, 626, 350, 242, 454, 552},
			{611, 459, 252, 459, 317, 353, 96, 401, 209, 163, 512, 340},
			{255, 232, 459, 163, 262, 341, 627, 439, 268, 548, 79, 162},
		}},
		{penalties, []float32{-11.99355, -14.1491, -18.32567}, [][]int32{
			{255, 459, 53, 337, 194, 95, 344, 141}, {23, 322, 299, 612, 61, 154, 279, 48}, {255, 209, 317, 15, 356, 163, 580, 82},
		}},
		{search, []float32{-0.88494, -0.99075, -1.63121, -1.73699}, [][]int32{
			{255, 209, 193, 312, 675, 6, 229, 163, 23, 515, 439}, {255, 209, 193, 312, 675, 6, 229, 163, 23, 356, 461},
			{255, 209, 193, 312, 675, 6, 392, 461}, {255, 209, 193, 312, 675, 6, 229, 526, 201, 29, 610, 436, 590, 262, 53, 250},
		}},
	} {
		results, err := m.NewSession().Generate(background, [][]int32{{695, 39, 380, 78}}, c.config)
		require.NoError(t, err)
		require.Len(t, results[0].Sequences, len(c.tokens))
		for i, s := range results[0].Sequences {
			assert.Equal(t, c.tokens[i], s.Tokens)
			assert.InDelta(t, c.scores[i], s.Score, 1e-3)
		}
	}
}

// TestCorpus_templates renders the chats of all models. Where Hugging Face's template refuses a
// message of the system, GenAI rewrites it.
func TestCorpus_templates(t *testing.T) {
	for _, folder := range models(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			source, err := os.ReadFile(filepath.Join(folder, "chat_template.jinja"))
			require.NoError(t, err)
			template, err := chat.Parse(string(source))
			require.NoError(t, err)
			var names map[string]any
			readFile(t, &names, folder, "tokenizer_config.json")
			tokens := make(map[string]string)
			for name, value := range names {
				if text, ok := value.(string); ok {
					tokens[name] = text
				}
			}
			render := ChatTemplate(template, chat.Input{Tokens: tokens})
			var file struct {
				Cases []struct {
					Messages []chat.Message `json:"messages"`
					Rendered string         `json:"rendered"`
				}
			}
			readFile(t, &file, folder, "generate.json")
			n := 0
			for _, c := range file.Cases {
				if c.Messages == nil {
					continue
				}
				text, err := render(background, c.Messages)
				if err != nil {
					assert.ErrorContains(t, err, "System role not supported")
					continue
				}
				assert.Equal(t, c.Rendered, text)
				n++
			}
			assert.Positive(t, n)
		})
	}
}
