package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/printable"
)

// maxCompletions bounds the names of a model that a shell is given.
const maxCompletions = 1000

// addCompletions makes shells complete models, the values of flags, and names from the model that
// is on the command line.
func (a *app) addCompletions(cmd *cobra.Command) {
	if strings.Contains(cmd.Use, " MODEL") || cmd.Name() == "diff" {
		cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"xml", "onnx"}, cobra.ShellCompDirectiveFilterFileExt
		}
	}
	if strings.Contains(cmd.Use, " DIR [") { // of a model, and then texts
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
	colors := "auto always never" // of the output
	if cmd.Flag("layout") != nil {
		colors = pictureColors
	}
	formats := "text json sarif github junit"
	if cmd.Flag("profile") != nil {
		formats = formatHTML + " " + formatSVG + " " + formatDOT
	}
	for _, flag := range []struct{ name, values string }{
		{"fill", "random zeros ramp"}, {"execution-mode", "performance accuracy"}, {"hint", "latency throughput"}, {"precision", "f32 bf16 f16"},
		{"kv-cache-precision", "f32 bf16 f16 u8"}, {"padding-side", "left right"}, {"pooling", "cls mean last-token"},
		{"color", colors}, {"layout", pictureLayouts}, {"sort", sortTime + " " + sortType}, {"format", formats},
	} {
		a.complete(cmd, flag.name, cobra.FixedCompletions(strings.Fields(flag.values), cobra.ShellCompDirectiveNoFileComp))
	}
	if cmd.Name() == "diff" {
		a.complete(cmd, "ignore", cobra.FixedCompletions(strings.Split(kindNames(), ", "), cobra.ShellCompDirectiveNoFileComp))
	}
	if cmd.Name() == "validate" {
		var rules []string
		for _, rule := range findingRules() {
			rules = append(rules, rule.ID)
		}
		a.complete(cmd, "ignore", cobra.FixedCompletions(rules, cobra.ShellCompDirectiveNoFileComp))
	}
	for _, name := range []string{"draft", "in-dir", "out-dir", "expect"} {
		a.complete(cmd, name, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	}
	a.complete(cmd, "bin", cobra.FixedCompletions([]string{"bin"}, cobra.ShellCompDirectiveFilterFileExt))
	a.complete(cmd, "lora", cobra.FixedCompletions([]string{"safetensors"}, cobra.ShellCompDirectiveFilterFileExt))
	a.complete(cmd, "explain", a.completeLayer)
	a.complete(cmd, "shape", a.completeInput)
	a.complete(cmd, "in", a.completeInput)
}

// complete makes shells complete a flag of cmd, if it has the flag.
func (a *app) complete(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	if cmd.Flag(flag) != nil {
		// the error is that of a flag that is registered twice
		_ = cmd.RegisterFlagCompletionFunc(flag, values)
	}
}

// completeLayer completes the name of a layer of the model in args.
func (a *app) completeLayer(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) > 0 && args[0] != stdinName {
		if m, err := a.read(cmd.Context(), &modelFlags{noBin: true}, args[0]); err == nil {
			for _, layer := range m.Layers {
				if strings.HasPrefix(layer.Name, text) && len(names) < maxCompletions {
					names = append(names, layer.Name)
				}
			}
		}
	}
	return completable(names, ""), cobra.ShellCompDirectiveNoFileComp
}

// completeInput completes the name of an input in NAME=VALUE. After it, shells complete files.
func (a *app) completeInput(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(text, "=") || len(args) == 0 || args[0] == stdinName {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	if m, err := a.read(cmd.Context(), &modelFlags{noBin: true}, args[0]); err == nil {
		for _, layer := range m.Parameters[:min(len(m.Parameters), maxCompletions)] {
			names = append(names, layer.Name)
		}
	}
	return completable(names, "="), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// completable returns the names that a shell can show as they are, each with suffix.
func completable(names []string, suffix string) []string {
	var found []string
	for _, name := range names {
		if name != "" && printable.Escape(name) == name {
			found = append(found, name+suffix)
		}
	}
	return found
}
