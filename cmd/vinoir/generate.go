package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/generate/llm"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/plugin"
)

// generateFlags are the flags of generate.
type generateFlags struct {
	file, system, draft string
	chat, noTemplate    bool
	loras               []string
	config              configFlags
	memory              memoryFlag
	options             plugin.CompileOptions
}

// sequence is one answer.
type sequence struct {
	Text   string  `json:"text"`
	Tokens []int32 `json:"tokens"`
	Score  float32 `json:"score"`
	// Finish is STOP for a token or text that ends answers, LENGTH, or NONE if the answer was
	// interrupted.
	Finish string `json:"finish"`
}

// generation is what generate prints: an answer, and what it took.
type generation struct {
	used
	Model  string  `json:"model"`
	Text   string  `json:"text"`
	Tokens []int32 `json:"tokens"`
	Finish string  `json:"finish"`
	// Sequences are all answers, if several were asked for. The first one is above, too.
	Sequences    []sequence `json:"sequences,omitempty"`
	PromptTokens int        `json:"prompt_tokens"`
	CachedTokens int        `json:"cached_tokens"`
	// OpenMS is the time to open the directory. The first token is part of the prefill.
	OpenMS     float64 `json:"open_ms"`
	PrefillMS  float64 `json:"prefill_ms"`
	DecodeMS   float64 `json:"decode_ms"`
	PrefillTPS float64 `json:"prefill_tokens_s"`
	DecodeTPS  float64 `json:"decode_tokens_s"`
	PeakRSS    uint64  `json:"peak_rss_bytes"`
}

func (a *app) generateCommand() *cobra.Command {
	var flags generateFlags
	cmd := &cobra.Command{
		Use:   "generate DIR [PROMPT]",
		Short: "Answer a prompt with a language model, or chat with it",
		Long: "generate prints the answer of a language model to a prompt, as it comes. DIR is what optimum-intel exports: a model, its\n" +
			"tokenizer and its chat template. The prompt is an argument, or read from the --file, or from standard input if it is -.\n" +
			"With --chat, each line of standard input is a message; an interrupt ends the answer, and a second one the command.\n" +
			"What an answer took is printed to standard error.",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("a DIR with a language model is needed")
			case len(args) > 2:
				return faults.Errorf("one prompt is needed, not %d: put it in quotes", len(args)-1)
			case len(args) == 2 && flags.file != "":
				return errors.New("PROMPT and --file exclude each other")
			case len(args) == 1 && flags.file == "" && !flags.chat:
				return errors.New("a prompt is needed: PROMPT, - for standard input, --file or --chat")
			case flags.chat && flags.noTemplate:
				return errors.New("--chat and --no-template exclude each other")
			case flags.system != "" && flags.noTemplate:
				return errors.New("--system and --no-template exclude each other")
			case flags.chat && flags.config.given.NumReturnSequences > 1:
				return faults.Errorf("with --chat, a message has one answer, not %d", flags.config.given.NumReturnSequences)
			case flags.chat && (flags.file == stdinName || len(args) == 2 && args[1] == stdinName):
				return errors.New("with --chat, standard input has the messages")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.generate(cmd, args, &flags) },
	}
	cmd.Flags().StringVar(&flags.file, "file", "", "read the prompt from `FILE`")
	cmd.Flags().BoolVar(&flags.chat, "chat", false, "talk: each line of standard input is a message, after PROMPT if there is one")
	cmd.Flags().StringVar(&flags.system, "system", "", "begin with the message `TEXT` of the system")
	cmd.Flags().BoolVar(&flags.noTemplate, "no-template", false, "continue the prompt as it is, without the chat template")
	flags.config.add(cmd)
	cmd.Flags().StringVar(&flags.draft, "draft", "", "let the smaller model in `DIR` guess tokens: the same answer, faster")
	cmd.Flags().StringArrayVar(&flags.loras, "lora", nil, "add the LoRA adapter in `FILE[:ALPHA]`, a safetensors file, times ALPHA; can be repeated")
	flags.memory.add(cmd)
	addCompileFlags(cmd, &flags.options)
	return cmd
}

// generate answers a prompt, or the messages of a chat.
func (a *app) generate(cmd *cobra.Command, args []string, flags *generateFlags) error {
	ctx := cmd.Context()
	prompt, file := "", flags.file
	if len(args) == 2 {
		if prompt = args[1]; prompt == stdinName {
			file = stdinName
		}
	}
	if file != "" {
		var err error
		if prompt, err = a.readPrompt(file); err != nil {
			return err
		}
	}
	if prompt == "" && !flags.chat {
		return usagef("the prompt is empty")
	}
	started := time.Now()
	pipeline, config, err := a.openPipeline(cmd, args[0], flags)
	if err != nil {
		return err
	}
	defer pipeline.Close()
	if err := ctx.Err(); err != nil {
		return err
	}
	g := &generator{app: a, pipeline: pipeline, config: config, dir: args[0], opened: time.Since(started)}
	if flags.chat || flags.system != "" {
		if g.talk, err = pipeline.NewChat(flags.system); err != nil {
			return usagef("%s has no chat template, which --chat and --system need", args[0])
		}
	}
	if flags.chat {
		return g.chat(ctx, flags.system, prompt)
	}
	_, err = g.answer(ctx, prompt)
	return err
}

// openPipeline opens a model directory, and returns the settings of an answer.
func (a *app) openPipeline(cmd *cobra.Command, dir string, flags *generateFlags) (*llm.Pipeline, generate.Config, error) {
	var config generate.Config
	if threads := flags.options.InferenceNumThreads; threads < 0 {
		return nil, config, usagef("--threads %d is negative", threads)
	}
	limits, err := flags.memory.options()
	if err != nil {
		return nil, config, err
	}
	adapters := parseLoras(flags.loras)
	options := llm.Options{
		Model: generate.Options{
			Ops: allOps(), CompileOptions: flags.options, Limits: limits,
			Reading: irxml.ReadOptions{MMap: true, Limits: irxml.Limits{XMLBytes: maxXMLBytes}},
		},
		Draft: flags.draft, NoTemplate: flags.noTemplate,
	}
	if options.Model.Adapters, err = adapters.open(); err != nil {
		return nil, config, faults.Errorf("--lora: %w", err)
	}
	if flags.draft != "" {
		if _, err := os.Stat(flags.draft); err != nil {
			return nil, config, directoryError(flags.draft, err)
		}
	}
	pipeline, err := options.Open(dir)
	if err != nil {
		return nil, config, directoryError(dir, err)
	}
	config = pipeline.Config()
	config.AdapterAlphas = adapters.alphas
	if err := flags.config.apply(cmd, &config); err != nil {
		return nil, config, faults.Join(err, pipeline.Close())
	}
	return pipeline, config, nil
}

// generator prints answers of a model.
type generator struct {
	*app
	pipeline *llm.Pipeline
	config   generate.Config
	talk     *generate.Chat // nil if there is one prompt only
	dir      string
	opened   time.Duration
	// stopped, if it is closed, ends an answer of a chat, and begun says that there is some of it.
	stopped <-chan struct{}
	begun   atomic.Bool
}

// errOutput is the error of an answer that cannot be printed.
var errOutput = errors.New("the answer cannot be printed")

// answer prints the answer to a prompt, piece by piece, and what it took.
func (g *generator) answer(ctx context.Context, prompt string) (*generation, error) {
	var stats generate.Stats
	g.config.Stats = &stats
	result, err := g.stream(ctx, prompt)
	if err != nil {
		return nil, err
	}
	sequences, behindFirst := make([]sequence, len(result.Sequences)), 0
	for i, s := range result.Sequences {
		sequences[i] = sequence{s.Text, append([]int32{}, s.Tokens...), s.Score, s.Finish.String()}
		behindFirst += len(s.Tokens) - 1
	}
	best := &sequences[0]
	report := &generation{
		used: usedBy(g.pipeline.Model().Compiled()), Model: g.dir, Text: best.Text, Tokens: best.Tokens, Finish: best.Finish,
		PromptTokens: stats.PromptTokens, CachedTokens: stats.CachedTokens,
		OpenMS: milliseconds(g.opened), PrefillMS: milliseconds(stats.Prefill), DecodeMS: milliseconds(stats.Decode), PeakRSS: peakRSS(),
		PrefillTPS: perSecond(stats.PromptTokens-stats.CachedTokens, stats.Prefill), DecodeTPS: perSecond(behindFirst, stats.Decode),
	}
	if g.config.NumReturnSequences > 1 {
		report.Sequences = sequences
	}
	if g.json {
		if err := g.printJSON(report); err != nil {
			return nil, err
		}
		return report, g.stdout.Flush()
	}
	fprintf(g.stderr, "%s\n", report)
	return report, nil
}

// stream prints the answer to a prompt as it comes, or, of a beam search and if there are several,
// when all are complete. It returns the answers. With --json, nothing is printed.
func (g *generator) stream(ctx context.Context, prompt string) (generate.Result, error) {
	terminal := isTerminal(g.unbuffered)
	var failed error
	write := func(piece []byte) {
		if !g.json && failed == nil {
			text := string(piece)
			if terminal {
				text = safeText(text)
			}
			if _, failed = g.stdout.WriteString(text); failed == nil {
				failed = g.stdout.Flush()
			}
		}
	}
	receive := func(piece []byte) generate.Status {
		g.begun.Store(true)
		if write(piece); failed != nil {
			return generate.Cancel
		}
		select {
		case <-g.stopped: // of a single prompt, it is nil: never
			return generate.Stop
		default:
			return generate.Running
		}
	}
	var result generate.Result
	var err error
	whole := g.config.NumBeams > 1 || g.config.NumReturnSequences > 1
	switch {
	case whole && g.talk != nil:
		result, err = g.talk.Send(ctx, prompt, g.config)
	case whole:
		result, err = g.pipeline.Generate(ctx, prompt, g.config)
	case g.talk != nil:
		result, err = g.talk.SendTo(ctx, prompt, g.config, receive)
	default:
		result, err = g.pipeline.StreamTo(ctx, prompt, g.config, receive)
	}
	if err == nil && whole {
		for i, s := range result.Sequences {
			if n := len(result.Sequences); n > 1 {
				heading := fmt.Sprintf("answer %d of %d, score %.4g, %s:\n", i+1, n, s.Score, s.Finish)
				if i > 0 {
					heading = "\n\n" + heading
				}
				write([]byte(heading))
			}
			write([]byte(s.Text))
		}
	}
	if err == nil || g.begun.Load() {
		write([]byte("\n"))
	}
	if failed != nil {
		return result, faults.Errorf("%w: %w", errOutput, failed)
	}
	return result, err
}

// perSecond returns how many of n things there are in a second; 0 if they took no time.
func perSecond(n int, took time.Duration) float64 {
	if took <= 0 {
		return 0
	}
	return float64(n) / took.Seconds()
}

// String describes what the answer took in a line.
func (g *generation) String() string {
	cached := ""
	if g.CachedTokens > 0 {
		cached = fmt.Sprintf(", of which %d were kept", g.CachedTokens)
	}
	answer, finish, tokens := "answer", ", "+g.Finish, len(g.Tokens)
	if n := len(g.Sequences); n > 1 {
		answer, finish, tokens = count(n, "answer"), "", 0
		for _, s := range g.Sequences {
			tokens += len(s.Tokens)
		}
	}
	return fmt.Sprintf("prompt: %s%s, %.4g tokens/s; %s: %s, %.4g tokens/s%s; %.4g MiB of memory at most",
		count(g.PromptTokens, "token"), cached, g.PrefillTPS, answer, count(tokens, "token"), g.DecodeTPS, finish, float64(g.PeakRSS)/(1<<20))
}

// safeText returns text of a model for a terminal: what would move the cursor, or change the
// direction of text, is escaped.
func safeText(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			b.WriteString(printable.Escape(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
