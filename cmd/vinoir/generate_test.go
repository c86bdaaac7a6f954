package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/generate/llm"
)

// TestGenerate asks the same in several ways.
func TestGenerate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prompt.txt")
	require.NoError(t, os.WriteFile(file, []byte("Hi\n"), 0o600))
	want := vinoir("", "generate", tiny, "Hi", "--max-new-tokens", "6")
	require.Equal(t, exitGood, want.code, want)
	assert.Regexp(t, `^prompt: 21 tokens, .* tokens/s; answer: 6 tokens, .* tokens/s, LENGTH; .* MiB of memory at most\n$`, want.stderr)
	for _, c := range []struct {
		stdin string
		args  []string
	}{
		{"Hi\n", []string{"-"}}, {"", []string{"--file", file}}, {"Hi", []string{"--file", "-"}},
		{"", []string{"Hi", "--draft", tiny}}, {"", []string{"Hi", "--prompt-lookup", "2"}}, {"", []string{"Hi", "--temperature", "0"}},
		{"", []string{"user: Hi<|end|>\nassistant: ", "--no-template"}}, {"", []string{"Hi", "--threads", "1"}},
	} {
		got := vinoir(c.stdin, append([]string{"generate", tiny, "--max-new-tokens", "6"}, c.args...)...)
		assert.Equal(t, want.stdout, got.stdout, "%v: %s", c.args, got.stderr)
	}
	report := decode[generation](t, vinoir("", "generate", tiny, "Hi", "--max-new-tokens", "6", "--json"))
	assert.Equal(t, want.stdout, report.Text+"\n")
	assert.Len(t, report.Tokens, 6)
	assert.Equal(t, []int{21, 0}, []int{report.PromptTokens, report.CachedTokens})
	assert.Positive(t, report.DecodeTPS)
}

// TestGenerate_directory has directories in which something is missing, or broken.
func TestGenerate_directory(t *testing.T) {
	for _, c := range []struct {
		file, data string // data "" removes the file
		args       []string
		code       int
		want       string
	}{
		{"chat_template.jinja", "", []string{"--chat"}, exitUsage, "vinoir: DIR has no chat template, which --chat and --system need\n"},
		{"chat_template.jinja", "{% if %}", []string{"Hi"}, exitFault, "vinoir: DIR: chat template: "},
		{"openvino_tokenizer.xml", "", []string{"Hi"}, exitFault, "optimum-cli export openvino writes the model and its tokenizer\n"},
		{"openvino_model.bin", "short", []string{"Hi"}, exitFault, "vinoir: DIR/openvino_model.xml: line "},
		{"generation_config.json", "{", []string{"Hi"}, exitFault, "vinoir: DIR: generation_config.json: "},
		{"generation_config.json", `{"top_p": 0, "do_sample": true}`, []string{"Hi"}, exitFault, "TopP is 0"},
		{"generation_config.json", `{"top_p": 0, "do_sample": true, "max_new_tokens": 2}`, []string{"Hi", "--top-p", "0.5"}, exitGood, "answer: 2 tokens"},
		{"generation_config.json", "{}", []string{"Hi", "--max-new-tokens", "2"}, exitGood, "answer: 2 tokens"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(tiny)))
		path := filepath.Join(dir, c.file)
		require.NoError(t, os.Remove(path))
		if c.data != "" {
			require.NoError(t, os.WriteFile(path, []byte(c.data), 0o600))
		}
		got := vinoir("", append([]string{"generate", dir}, c.args...)...)
		assert.Equal(t, c.code, got.code, "%s: %v", c.file, got)
		assert.Contains(t, strings.ReplaceAll(got.stderr, dir, "DIR"), c.want, c.file)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "model.safetensors"), nil, 0o600))
	for _, command := range []string{"generate", "tokenize"} {
		assert.Contains(t, vinoir("", command, dir, "Hi").stderr, "has a model of another form, model.safetensors: export it: optimum-cli export openvino --model ")
	}
}

// TestGenerate_settings checks that flags change the answer, and that seeds repeat it.
func TestGenerate_settings(t *testing.T) {
	ask := func(args ...string) string {
		got := vinoir("", append([]string{"generate", tiny, "Hi", "--max-new-tokens", "12"}, args...)...)
		require.Equal(t, exitGood, got.code, got)
		return got.stdout
	}
	greedy := ask()
	for _, args := range [][]string{
		{"--seed", "1"}, {"--repetition-penalty", "3"}, {"--presence-penalty", "2", "--frequency-penalty", "2"}, {"--system", "Be brief."}, {"--num-beams", "4"},
	} {
		assert.NotEqual(t, greedy, ask(args...), "%v", args)
		assert.Equal(t, ask(args...), ask(args...), "%v", args)
	}
	assert.NotEqual(t, ask("--seed", "1"), ask("--seed", "2"))
	stop := string([]rune(greedy)[1])
	assert.Less(t, len(ask("--stop", stop)), len(greedy))
}

// TestGenerate_sequences prints several answers, drawn at random and of a beam search.
func TestGenerate_sequences(t *testing.T) {
	for _, args := range [][]string{{"--seed", "3"}, {"--num-beams", "4"}, {"--seed", "3", "--system", "Be brief."}} {
		args = append([]string{"generate", tiny, "Hi", "--max-new-tokens", "5", "--num-return-sequences", "3"}, args...)
		report := decode[generation](t, vinoir("", append(args, "--json")...))
		require.Len(t, report.Sequences, 3, args)
		want, tokens := "", 0
		for i, s := range report.Sequences {
			want += fmt.Sprintf("answer %d of 3, score %.4g, %s:\n%s\n\n", i+1, s.Score, s.Finish, s.Text)
			tokens += len(s.Tokens)
			assert.LessOrEqual(t, s.Score, report.Sequences[0].Score)
		}
		assert.Equal(t, report.Sequences[0], sequence{report.Text, report.Tokens, report.Sequences[0].Score, report.Finish})
		assert.NotEqual(t, report.Sequences[0].Tokens, report.Sequences[2].Tokens)
		got := vinoir("", args...)
		require.Equal(t, exitGood, got.code, got)
		assert.Equal(t, strings.TrimSuffix(want, "\n"), got.stdout)
		assert.Contains(t, got.stderr, fmt.Sprintf("; 3 answers: %d tokens, ", tokens))
	}
	for want, args := range map[string][]string{
		"with --chat, a message has one answer, not 2":                        {"--chat", "--num-return-sequences", "2"},
		"NumReturnSequences is 2, which needs DoSample or a beam search":      {"Hi", "--num-return-sequences", "2"},
		"NumReturnSequences is 0, not 1 or more":                              {"Hi", "--num-return-sequences", "0"},
		"NumBeams is 1 and NumReturnSequences 2: guesses are checked for one": {"Hi", "--num-return-sequences", "2", "--seed", "1", "--prompt-lookup", "2"},
	} {
		got := vinoir("", append([]string{"generate", tiny}, args...)...)
		assert.Equal(t, exitUsage, got.code, "%v", args)
		assert.Contains(t, got.stderr, want)
	}
}

// TestChat has a conversation over a pipe.
func TestChat(t *testing.T) {
	got := vinoir("One\n\n/nope\nTwo\n/reset\nOne\n/exit\nnever\n", "generate", tiny, "--chat", "--max-new-tokens", "4")
	require.Equal(t, exitGood, got.code, got)
	assert.Contains(t, got.stderr, "/nope is neither /reset nor /exit\n")
	assert.Equal(t, 3, strings.Count(got.stderr, "answer: 4 tokens"))
	assert.Contains(t, got.stderr, ", of which ")

	// Each turn is a line. The one after /reset is the first again.
	json := vinoir("One\nTwo\n/reset\nOne\n", "generate", tiny, "--chat", "--max-new-tokens", "4", "--json")
	lines := strings.Split(strings.TrimSpace(json.stdout), "\n")
	require.Len(t, lines, 3)
	var turns []generation
	for _, line := range lines {
		turns = append(turns, decode[generation](t, outcome{stdout: line}))
	}
	assert.Equal(t, turns[0].Tokens, turns[2].Tokens)
	assert.Greater(t, turns[1].CachedTokens, turns[0].PromptTokens-2)

	// A message that is too long is an error of the message only.
	huge := vinoir(strings.Repeat("x", maxLine+1)+"\n", "generate", tiny, "--chat")
	assert.Equal(t, exitFault, huge.code)
	assert.Contains(t, huge.stderr, "a message has more than 1048576 bytes")
}

// interruptWriter sends an interrupt for each of the first pieces that are printed.
type interruptWriter struct {
	interrupts chan os.Signal
	left       int
}

func (w *interruptWriter) Write(p []byte) (int, error) {
	if w.left > 0 {
		w.left--
		w.interrupts <- os.Interrupt
		time.Sleep(10 * time.Millisecond)
	}
	return len(p), nil
}

// TestConversation_interrupt stops an answer by one interrupt, and the chat by two, or by one
// between answers.
func TestConversation_interrupt(t *testing.T) {
	a := &app{stderr: io.Discard}
	pipeline, err := llm.Open(tiny)
	require.NoError(t, err)
	defer pipeline.Close()
	for _, c := range []struct {
		stdin      io.Reader
		interrupts int
		err        error
		messages   int
	}{
		{strings.NewReader("One\n/exit\n"), 1, nil, 2}, {strings.NewReader("One\n/exit\n"), 2, errInterrupted, 2},
	} {
		interrupts := make(chan os.Signal)
		w := &interruptWriter{interrupts, c.interrupts}
		a.stdin, a.stdout, a.unbuffered = c.stdin, bufio.NewWriter(w), w
		g := &generator{app: a, pipeline: pipeline, config: pipeline.Config(), dir: tiny}
		g.config.MaxNewTokens, g.config.IgnoreEOS = 200, true
		g.talk, err = pipeline.NewChat("")
		require.NoError(t, err)
		conversation := &conversation{generator: g, interrupts: interrupts}
		assert.ErrorIs(t, conversation.run(context.Background(), ""), c.err)
		assert.Len(t, g.talk.Messages(), c.messages)
	}
	// No message ever comes.
	silent, closeSilent := io.Pipe()
	defer closeSilent.Close()
	interrupts := make(chan os.Signal, 1)
	interrupts <- os.Interrupt
	a.stdin = silent
	conversation := &conversation{generator: &generator{app: a, pipeline: pipeline}, interrupts: interrupts}
	assert.ErrorIs(t, conversation.run(context.Background(), ""), errInterrupted)
}

// brokenWriter is a pipe whose reader is gone.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestGenerate_brokenPipe(t *testing.T) {
	var stderr strings.Builder
	code := run(context.Background(), []string{"generate", tiny, "Hi"}, strings.NewReader(""), brokenWriter{}, &stderr)
	assert.Equal(t, exitFault, code)
	assert.Contains(t, stderr.String(), "broken pipe")
}

func TestSafeText(t *testing.T) {
	for text, want := range map[string]string{"a\tb\nc é 👩‍🚀": "a\tb\nc é 👩‍🚀", "\x1b[2J": `\x1b[2J`, "a\u202eb": `a\u202eb`, "\r": `\r`} {
		assert.Equal(t, want, safeText(text))
	}
}

func TestParseLoras(t *testing.T) {
	assert.Equal(t, loras{[]string{"a.safetensors", "b", `c:\d`}, []float64{1, 0.5, 1}}, parseLoras([]string{"a.safetensors", "b:0.5", `c:\d`}))
}

// TestConfigFlags has settings that follow from flags and from the model.
func TestConfigFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		want func(c *generate.Config)
	}{
		{"", func(c *generate.Config) { c.MaxNewTokens = maxNewTokens }},
		{"--top-k 5", func(c *generate.Config) { c.MaxNewTokens, c.DoSample, c.TopK = maxNewTokens, true, 5 }},
		{"--top-k 5 --sample=false", func(c *generate.Config) { c.MaxNewTokens, c.TopK = maxNewTokens, 5 }},
		{"--temperature 0 --max-new-tokens 7", func(c *generate.Config) { c.MaxNewTokens = 7 }},
		{"--prompt-lookup 3", func(c *generate.Config) { c.MaxNewTokens, c.MaxNgramSize, c.NumAssistantTokens = maxNewTokens, 3, 5 }},
	} {
		var flags configFlags
		cmd := new(app).generateCommand()
		cmd.ResetFlags()
		flags.add(cmd)
		require.NoError(t, cmd.ParseFlags(strings.Fields(c.args)))
		got, want := generate.DefaultConfig(), generate.DefaultConfig()
		got.StopTokenIDs = []int32{1}
		require.NoError(t, flags.apply(cmd, &got))
		want.StopTokenIDs = []int32{1}
		c.want(&want)
		assert.Equal(t, want, got, c.args)
	}
}
