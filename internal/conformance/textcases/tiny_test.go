package textcases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/generate/llm"
	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/textcases"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
	"github.com/vinoir/vinoir/text/chat"
)

type object = map[string]any

// tiny copies the model of package generate's tests into a folder text/llm/tiny, and writes the
// files of cases with the answers that it gives.
func tiny(t *testing.T, r *conformance.Runner) string {
	t.Helper()
	const from = "../../../generate/testdata/tiny"
	dir := filepath.Join(t.TempDir(), "text", "llm", "tiny")
	entries, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(from, entry.Name()))
		require.NoError(t, err)
		write(t, dir, entry.Name(), string(data))
	}
	p, err := llm.Options{Model: generate.Options{Ops: r.Ops(), CompileOptions: r.CompileOptions()}}.Open(dir)
	require.NoError(t, err)
	defer p.Close()
	config := p.Config()
	config.MaxNewTokens, config.ApplyChatTemplate = 5, false
	ids := func(text string) []int {
		var list []int
		for _, c := range []byte(text) {
			list = append(list, int(c))
		}
		return list
	}
	answer := func(prompt string) generate.Sequence {
		result, err := p.Generate(t.Context(), prompt, config)
		require.NoError(t, err)
		return result.Sequences[0]
	}
	hi := answer("Hi")
	var pieces []string
	for piece, err := range p.Stream(t.Context(), "Hi", config) {
		require.NoError(t, err)
		pieces = append(pieces, piece)
	}
	talk, err := p.NewChat("")
	require.NoError(t, err)
	first, err := talk.Send(t.Context(), "Hi", config)
	require.NoError(t, err)
	logits, err := p.Model().NewSession().Logits(t.Context(), []int32{'H', 'i'})
	require.NoError(t, err)
	const rendered = "user: Hi<|end|>\nassistant: "
	tokens := append(append(ids("user: Hi"), 256), ids("\nassistant: ")...)
	said := answer(rendered)
	for name, file := range map[string]object{
		"generate.json": {"cases": []object{
			{
				"config": "greedy", "max_new_tokens": 5, "prompt": "Hi", "prompt_ids": ids("Hi"), "tokens": [][]int32{hi.Tokens}, "finish": []string{hi.Finish.String()},
				"scores": []float32{hi.Score}, "texts": []string{hi.Text}, "streamed": pieces,
			},
			{"config": "batch", "max_new_tokens": 5, "prompts": []string{"Hi", "You"}, "texts": []string{hi.Text, answer("You").Text}},
			{"config": "turns", "max_new_tokens": 5, "turns": [][2]string{{"Hi", first.Sequences[0].Text}}},
			{"config": "message", "max_new_tokens": 5, "prompt": "Hi", "text": first.Sequences[0].Text},
			{
				"config": "history", "max_new_tokens": 5, "messages": []chat.Message{{Role: "user", Content: "Hi"}}, "rendered": rendered, "prompt_ids": tokens,
				"tokens": [][]int32{said.Tokens}, "text": said.Text,
			},
		}},
		"logits.json": {"cases": []object{{"ids": ids("Hi"), "logits_of_last": logits}}},
		"genai.json": {"pad": []any{256, "<|end|>"}, "bos": []any{-1, ""}, "eos": []any{256, "<|end|>"}, "cases": []object{
			{"texts": []string{"Hi", "You"}, "input_ids": [][]int{{'H', 'i', 256}, {'Y', 'o', 'u'}}, "attention_mask": [][]int{{1, 1, 0}, {1, 1, 1}}},
			{"ids": ids("Hi"), "text": "Hi"},
		}},
		"stream.json": {"cases": []object{{"ids": ids("Hi\n"), "chunks": []string{"Hi\n"}, "chunks_after_token": []int{0, 0, 1}}}},
	} {
		writeJSON(t, dir, name, file)
	}
	return dir
}

// TestFind_tiny has all kinds of cases of a language model. Those whose expected values are changed
// fail.
func TestFind_tiny(t *testing.T) {
	r, err := conformance.NewRunner(append(builtin.Ops(), extension.Ops()...)...)
	require.NoError(t, err)
	dir := tiny(t, r)
	results := run(t, dir)
	require.Len(t, results, 8)
	for name, got := range results {
		assert.Equal(t, conformance.Passed, got.Outcome, "%s: %s", name, got.Message)
	}
	for _, c := range []struct{ file, before, after, fails, message string }{
		{"generate.json", `"tokens":[[`, `"tokens":[[7,`, "greedy", "the list of tokens"},
		{"generate.json", `"finish":["`, `"finish":["x`, "greedy", "the reason to end"},
		{"generate.json", `"scores":[`, `"scores":[9`, "greedy", "the score is"},
		{"generate.json", `"prompt_ids":[`, `"prompt_ids":[7,`, "greedy", "the list of the prompt's tokens"},
		{"generate.json", `"streamed":["`, `"streamed":["x`, "greedy", "the list of pieces"},
		{"generate.json", `"prompts":["Hi"`, `"prompts":["Ho"`, "batch", "the list of texts"},
		{"generate.json", `"turns":[["Hi","`, `"turns":[["Hi","x`, "turns", "turn 0: the text"},
		{"generate.json", `"rendered":"`, `"rendered":"x`, "history", "the chat is"},
		{"logits.json", `"logits_of_last":[`, `"logits_of_last":[9,`, "logits", "the number of logits"},
		{"logits.json", `"ids":[72,`, `"ids":[73,`, "logits", "logit "},
		{"genai.json", `"input_ids":[[`, `"input_ids":[[7,`, "genai", "row 0 of the tokens"},
		{"genai.json", `"text":"Hi"`, `"text":"Ho"`, "genai", "the text is"},
		{"genai.json", `"pad":[`, `"pad":[1`, "genai", "the token for padding"},
		{"stream.json", `"chunks":["`, `"chunks":["x`, "stream", "the list of pieces"},
		{"stream.json", `"chunks_after_token":[0`, `"chunks_after_token":[1`, "stream", "the number of pieces after token 0"},
	} {
		path := filepath.Join(dir, c.file)
		right, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(right), c.before)
		write(t, dir, c.file, strings.Replace(string(right), c.before, c.after, 1))
		cases, err := textcases.Find(path)
		require.NoError(t, err)
		for _, found := range cases {
			if filepath.Base(found.Name) == c.fails {
				got := r.Run(t.Context(), found)
				assert.Equal(t, conformance.Failed, got.Outcome, c.after)
				assert.Contains(t, got.Message, c.message)
			}
		}
		write(t, dir, c.file, string(right))
	}
}
