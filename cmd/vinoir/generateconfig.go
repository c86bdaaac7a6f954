package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/generate"
)

// maxNewTokens is the length of an answer that nothing else bounds.
const maxNewTokens = 1024

// configFlags are the flags for the fields of a generate.Config. Those that are not given leave
// what the model directory says.
type configFlags struct {
	given  generate.Config
	copies []func(to *generate.Config)
	lookup int
}

// addSetting adds a flag for a field of the Config. register is a method of the flags of cmd.
func addSetting[T any](f *configFlags, cmd *cobra.Command, register func(p *T, name string, value T, usage string), name string, field func(*generate.Config) *T, usage string) {
	register(field(&f.given), name, *field(&f.given), usage)
	f.copies = append(f.copies, func(to *generate.Config) {
		if cmd.Flags().Changed(name) {
			*field(to) = *field(&f.given)
		}
	})
}

func (f *configFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	for _, s := range []struct {
		name  string
		field func(*generate.Config) *int
		usage string
	}{
		{"max-new-tokens", func(c *generate.Config) *int { return &c.MaxNewTokens }, "end the answer after `N` tokens; without it, as the model says, or 1024"},
		{"min-new-tokens", func(c *generate.Config) *int { return &c.MinNewTokens }, "do not end the answer before `N` tokens"},
		{"top-k", func(c *generate.Config) *int { return &c.TopK }, "draw from the `K` most probable tokens"},
		{"num-beams", func(c *generate.Config) *int { return &c.NumBeams }, "search with `N` beams, and print the best answer when it is complete"},
		{"num-return-sequences", func(c *generate.Config) *int { return &c.NumReturnSequences }, "print `N` answers, drawn at random or of a beam search, the best one first; without it, one"},
		{"no-repeat-ngram-size", func(c *generate.Config) *int { return &c.NoRepeatNgramSize }, "let no `N` tokens occur twice in a beam search"},
		{"num-assistant-tokens", func(c *generate.Config) *int { return &c.NumAssistantTokens }, "check `N` guesses in a step, of --draft or of --prompt-lookup; 0 means 5"},
	} {
		addSetting(f, cmd, flags.IntVar, s.name, s.field, s.usage)
	}
	for _, s := range []struct {
		name  string
		field func(*generate.Config) *float64
		usage string
	}{
		{"temperature", func(c *generate.Config) *float64 { return &c.Temperature }, "divide the logits by `T` before drawing; 0 takes the most probable token"},
		{"top-p", func(c *generate.Config) *float64 { return &c.TopP }, "draw from the most probable tokens whose probabilities exceed `P` together"},
		{"min-p", func(c *generate.Config) *float64 { return &c.MinP }, "draw from the tokens with at least `P` times the greatest probability"},
		{"repetition-penalty", func(c *generate.Config) *float64 { return &c.RepetitionPenalty }, "divide the logits of tokens of prompt and answer by `X`"},
		{"presence-penalty", func(c *generate.Config) *float64 { return &c.PresencePenalty }, "subtract `X` from the logits of tokens of the answer ..."},
		{"frequency-penalty", func(c *generate.Config) *float64 { return &c.FrequencyPenalty }, "... and `X` for each time that they occur"},
		{"length-penalty", func(c *generate.Config) *float64 { return &c.LengthPenalty }, "divide the scores of beams by the power `X` of their lengths"},
	} {
		addSetting(f, cmd, flags.Float64Var, s.name, s.field, s.usage)
	}
	addSetting(f, cmd, flags.Uint32Var, "seed", func(c *generate.Config) *uint32 { return &c.RNGSeed }, "draw with the random numbers of seed `N`")
	addSetting(f, cmd, flags.BoolVar, "sample", func(c *generate.Config) *bool { return &c.DoSample }, "draw tokens at random; --temperature, --top-k, --top-p, --min-p and --seed imply it")
	addSetting(f, cmd, flags.BoolVar, "ignore-eos", func(c *generate.Config) *bool { return &c.IgnoreEOS }, "go on behind tokens that end an answer")
	addSetting(f, cmd, flags.StringArrayVar, "stop", func(c *generate.Config) *[]string { return &c.StopStrings }, "end the answer before `TEXT`; can be repeated")
	flags.IntVar(&f.lookup, "prompt-lookup", 0, "guess what has followed the last `N` tokens before: the same answer, faster where it repeats the prompt")
	// Their defaults are those of the model directory.
	for _, name := range []string{"max-new-tokens", "temperature", "top-p", "num-beams", "num-return-sequences", "repetition-penalty", "length-penalty"} {
		flag := cmd.Flag(name)
		flag.DefValue = "0"
	}
}

// apply sets the fields of config that flags give, and those that follow from them. An error is one
// of the usage unless config was not valid before.
func (f *configFlags) apply(cmd *cobra.Command, config *generate.Config) error {
	config.NumReturnSequences = 1
	if config.MaxNewTokens == generate.Unlimited && config.MaxLength == generate.Unlimited {
		config.MaxNewTokens = maxNewTokens
	}
	invalid := config.Validate()
	for _, set := range f.copies {
		set(config)
	}
	given := cmd.Flags().Changed
	if !given("sample") {
		for _, name := range []string{"temperature", "top-k", "top-p", "min-p", "seed"} {
			config.DoSample = config.DoSample || given(name)
		}
		if given("num-beams") && config.NumBeams > 1 {
			config.DoSample = false
		}
	}
	if given("temperature") && config.Temperature == 0 {
		if given("sample") && config.DoSample {
			return usagef("--sample and --temperature 0 exclude each other")
		}
		config.DoSample, config.Temperature = false, 1
	}
	if f.lookup < 0 {
		return usagef("--prompt-lookup %d is negative", f.lookup)
	}
	if config.MaxNgramSize = f.lookup; f.lookup > 0 && config.NumAssistantTokens == 0 {
		config.NumAssistantTokens = 5
	}
	err := config.Validate()
	if err == nil || invalid != nil {
		return err
	}
	return usageError{err}
}

// loras are --lora flags: files of adapters, and their factors.
type loras struct {
	files  []string
	alphas []float64
}

// parseLoras parses FILE[:ALPHA] flags.
func parseLoras(flags []string) loras {
	var l loras
	for _, flag := range flags {
		file, alpha := flag, 1.0
		if i := strings.LastIndexByte(flag, ':'); i > 0 {
			if v, err := strconv.ParseFloat(flag[i+1:], 64); err == nil {
				file, alpha = flag[:i], v
			}
		}
		l.files, l.alphas = append(l.files, file), append(l.alphas, alpha)
	}
	return l
}

// open reads the adapters.
func (l *loras) open() ([]*generate.Adapter, error) {
	var adapters []*generate.Adapter
	for _, file := range l.files {
		adapter, err := generate.OpenAdapter(file)
		if err != nil {
			return nil, err
		}
		adapters = append(adapters, adapter)
	}
	return adapters, nil
}
