package textcases_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/textcases"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// run returns the outcomes and messages of the cases below dir by their names.
func run(t *testing.T, dir string) map[string]conformance.Result {
	t.Helper()
	r, err := conformance.NewRunner(append(builtin.Ops(), extension.Ops()...)...)
	require.NoError(t, err)
	results := make(map[string]conformance.Result)
	for _, c := range optest.Cases(t, nil, dir, textcases.Find) {
		results[c.Name] = r.Run(t.Context(), c)
	}
	return results
}

func TestFind_chats(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "text", "templates")
	write(t, dir, "a.jinja", `{{ bos_token }}{{ messages[0].content }}{{ x }}{% if tools %}{{ raise_exception("no tools") }}{% endif %}`)
	const user = `"messages":[{"role":"user","content":"Hi"}]`
	write(t, dir, "a.json", `{"template":"a.jinja","bos_token":"<s>","made":"2026-01-02","cases":[
		{"case":"right",`+user+`,"hf":"<s>Hi"},{"case":"extra",`+user+`,"extra":{"x":1},"hf":"<s>Hi1"},
		{"case":"wrong",`+user+`,"hf":"Hi"},{"case":"refused",`+user+`,"tools":[{}],"hf_error":"no"},
		{"case":"refused wrongly",`+user+`,"tools":[{}],"hf":""},{"case":"accepted wrongly",`+user+`,"hf_error":"no"},
		{"case":"no chat","messages":{},"hf":""},{"case":"no extra",`+user+`,"extra":[],"hf":""}]}`)
	write(t, dir, "b.jinja", "{%")
	write(t, dir, "b.json", `{"template":"b.jinja","made":"2026-01-02","cases":[{"case":"template"}]}`)
	write(t, dir, "c.jinja", "")
	write(t, dir, "c.json", `{"template":"c.jinja","made":"today","cases":[{"case":"day"}]}`)
	write(t, dir, "other.json", "{")
	results := run(t, dir)
	want := map[string]string{
		"a/right": "", "a/extra": "", "a/refused": "",
		"a/wrong": `the text is "<s>Hi", want "Hi"`, "a/refused wrongly": "no tools",
		"a/accepted wrongly": "accepted, Hugging Face refuses it: no",
		"a/no chat":          "messages: ", "a/no extra": "extra: ", "b/template": "chat template: ", "c/day": "parsing time",
	}
	require.Len(t, results, len(want))
	for name, message := range want {
		got := results["text.templates/"+name]
		assert.Equal(t, message == "", got.Outcome == conformance.Passed, "%s: %s", name, got.Message)
		assert.Contains(t, got.Message, message, name)
	}
	write(t, dir, "a.json", "{")
	_, err := conformance.Find(dir, nil, textcases.Find)
	assert.ErrorContains(t, err, "a.json: ")
}

// copyChanged copies the files of a folder of the corpus of text into a new one of the same name,
// with another text in one of them.
func copyChanged(t *testing.T, of, folder, name, before, after string) string {
	t.Helper()
	from := filepath.Join(optest.Corpus(t), "text", of, folder)
	to := filepath.Join(t.TempDir(), "text", of, folder)
	entries, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(from, entry.Name()))
		require.NoError(t, err)
		if entry.Name() == name {
			require.Contains(t, string(data), before)
			data = bytes.Replace(data, []byte(before), []byte(after), 1)
		}
		write(t, to, entry.Name(), string(data))
	}
	return to
}

// TestFind_changed changes one expected value after the other. The case that has it fails.
func TestFind_changed(t *testing.T) {
	for _, c := range []struct{ of, folder, file, before, after, fails, message string }{
		{"tokenizers", "wordlevel", "genai.json", `"pad":[`, `"pad":[1`, "genai", "the token for padding"},
		{"tokenizers", "wordlevel", "genai.json", `"input_ids":[[`, `"input_ids":[[7,`, "genai", "row 0 of the tokens"},
		{"tokenizers", "wordlevel", "genai.json", `"attention_mask":[[1`, `"attention_mask":[[0`, "genai", "row 0 of the mask"},
		{"tokenizers", "wordlevel", "stream.json", `"chunks":["`, `"chunks":["x`, "stream", "the list of pieces"},
		{"tokenizers", "wordlevel", "stream.json", `"chunks_after_token":[0`, `"chunks_after_token":[1`, "stream", "the number of pieces after token 0"},
		{"llm", "llama", "logits.json", `"logits_of_last":[`, `"logits_of_last":[99,`, "logits", "the number of logits"},
		{"llm", "llama", "generate.json", `"tokens":[[255,`, `"tokens":[[254,`, "greedy", "the list of tokens"},
		{"llm", "llama", "generate.json", `"finish":["LENGTH"]`, `"finish":["STOP"]`, "greedy", "the reason to end"},
		{"llm", "llama", "generate.json", `"scores":[0.0]`, `"scores":[0.5]`, "greedy", "the score is 0, want 0.5"},
		{"llm", "llama", "generate.json", `"prompt_ids":[695,`, `"prompt_ids":[`, "greedy", "the list of the prompt's tokens"},
		{"llm", "llama", "generate.json", `"streamed":["`, `"streamed":["x`, "stop", "the list of pieces"},
		{"llm", "llama", "generate.json", `"rendered":"`, `"rendered":"x`, "chat_history", "the chat is "},
		{"llm", "llama", "generate.json", `"turns":[["Hi","`, `"turns":[["Hi","x`, "start_chat", "turn 0: the text"},
	} {
		t.Run(c.fails+" "+c.message, func(t *testing.T) {
			dir := copyChanged(t, c.of, c.folder, c.file, c.before, c.after)
			cases, err := textcases.Find(filepath.Join(dir, c.file))
			require.NoError(t, err)
			r, err := conformance.NewRunner(append(builtin.Ops(), extension.Ops()...)...)
			require.NoError(t, err)
			for _, found := range cases {
				if filepath.Base(found.Name) != c.fails {
					continue
				}
				got := r.Run(t.Context(), found)
				assert.Equal(t, conformance.Failed, got.Outcome)
				assert.Contains(t, got.Message, c.message)
				return
			}
			t.Fatalf("no case %s", c.fails)
		})
	}
}

func TestFind_broken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "text", "llm", "a")
	write(t, dir, "generate.json", `{"cases":[{"config":"one"}]}`)
	write(t, dir, "logits.json", "{")
	write(t, dir, "genai.json", `{"cases":[]}`)
	write(t, dir, "stream.json", "")
	for name, got := range run(t, dir) {
		assert.Equal(t, conformance.Failed, got.Outcome, name)
		assert.NotEmpty(t, got.Message, name)
	}
	write(t, dir, "generate.json", `{"cases":[{"tokens":{}}]}`)
	_, err := conformance.Find(dir, nil, textcases.Find)
	assert.ErrorContains(t, err, "generate.json: ")
}
