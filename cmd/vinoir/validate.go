package main

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/ir/validate"
)

// validateFlags are the flags of validate.
type validateFlags struct {
	model              modelFlags
	format, color      string
	explain            string
	strict, fix, rules bool
	all, quiet, many   bool     // many: there are several models
	ignored            []string // rules
	max                int      // number of findings of a model that are printed; 0 for all
	run                bool     // layers without a kernel are errors
}

func (a *app) validateCommand() *cobra.Command {
	flags := validateFlags{model: modelFlags{mmap: true}}
	cmd := &cobra.Command{
		Use:   "validate MODEL|DIR...",
		Short: "Infer the shapes of every layer and report what is wrong",
		Long: "validate infers the shapes and types of every layer, compares them with the dims and\n" +
			"types in the file, and reports all findings. A model that cannot be read and a layer\n" +
			"that cannot be inferred are errors; dims and types that are out of date are warnings;\n" +
			"dims that are less specific than the inferred shape are notes. With --no-bin, dims that\n" +
			"depend on the weights are taken from the file, and what follows from them is compared\n" +
			"with the rest of the file; --strict lists them. For a DIR, validate\n" +
			"reads every IR and ONNX model below it. For -, it reads the model from standard input.\n\n" +
			"For an ONNX model, what ONNX's own checker refuses, and types and shapes that are not as the\n" +
			"file declares them, are warnings; notes say which operators become several layers, which layers\n" +
			"OpenVINO does not have, and what else is not as in the file. Unsupported operators are errors.\n\n" +
			"--explain shows which inputs of the model and which constants determine the dims of a\n" +
			"layer. --fix writes the inferred dims and types into the file of an IR and leaves everything\n" +
			"else as it is. It does not change a model with errors. It replaces the file as a whole:\n" +
			"other hard links keep the old content. It does not write through symbolic links.\n\n" +
			"Exit codes: 0 no errors (with --strict, no warnings either, unless --fix fixed them),\n" +
			"1 errors, 2 wrong usage.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !flags.rules {
				return errors.New("a MODEL is needed, an .xml or .onnx, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.json && !cmd.Flags().Changed("format") {
				flags.format = "json"
			}
			if err := flags.check(); err != nil {
				return err
			}
			if flags.rules {
				return a.printRules(flags.format)
			}
			return a.validate(cmd.Context(), args, &flags)
		},
	}
	flags.model.add(cmd)
	flags.model.addNoBin(cmd)
	flags.model.addShape(cmd)
	cmd.Flags().StringVar(&flags.format, "format", "text", "print `text`, json, sarif, github (workflow commands) or junit")
	cmd.Flags().StringArrayVar(&flags.ignored, "ignore", nil, "leave out the findings of `RULE`; can be repeated")
	cmd.Flags().IntVar(&flags.max, "max", 0, "print at most `N` findings of a model in text and github; 0 for all")
	cmd.Flags().BoolVar(&flags.all, "all", false, "print findings that follow from another too; json, sarif and junit always have them")
	cmd.Flags().BoolVar(&flags.quiet, "quiet", false, "print findings only, no summary")
	cmd.Flags().StringVar(&flags.color, "color", "auto", "colour the text: `auto`, always or never; auto means on a terminal, unless NO_COLOR is set")
	cmd.Flags().StringVar(&flags.explain, "explain", "", "show where the dims of `LAYER` come from: a name or id, followed by :N for output N only")
	cmd.Flags().BoolVar(&flags.strict, "strict", false, "exit with 1 on warnings too")
	cmd.Flags().BoolVar(&flags.run, "run", false, "layers that vinoir cannot run are errors, not notes; compile the model too, unless --no-bin is given")
	cmd.Flags().BoolVar(&flags.fix, "fix", false, "write the inferred dims and types into the file of an IR")
	cmd.Flags().BoolVar(&flags.rules, "rules", false, "list the rules of findings and exit")
	return cmd
}

// check checks the flags that can be checked without a model.
func (f *validateFlags) check() error {
	switch f.format {
	case "text", "json", "sarif", "github", "junit":
	default:
		return usagef("--format %s is none of text, json, sarif, github, junit", f.format)
	}
	for _, rule := range f.ignored {
		if !slices.ContainsFunc(findingRules(), func(r validate.FindingRule) bool { return r.ID == rule }) {
			return usagef("--ignore %s is no rule, --rules lists them", rule)
		}
	}
	switch f.color {
	case "auto", "always", "never":
	default:
		return usagef("--color %s is none of auto, always, never", f.color)
	}
	switch {
	case f.fix && len(f.model.shapes) > 0 || f.fix && f.model.batch != 0:
		return usagef("--fix and --shape exclude each other")
	case f.fix && f.explain != "":
		return usagef("--fix and --explain exclude each other")
	case f.max < 0:
		return usagef("--max %d is negative", f.max)
	case f.explain != "" && f.format != "text" && f.format != "json":
		return usagef("--explain prints text or json")
	case f.rules && f.format != "text" && f.format != "json":
		return usagef("--rules prints text or json")
	}
	_, err := f.model.parseShapes()
	return err
}

func (a *app) validate(ctx context.Context, args []string, flags *validateFlags) error {
	files, err := findModels(ctx, args)
	if err != nil {
		return err
	}
	for _, file := range files {
		if file.path == stdinName && flags.fix {
			return usagef("--fix cannot write to standard input")
		}
	}
	if flags.model.bin != "" && len(files) > 1 {
		return usagef("--bin goes with one model, %d are given", len(files))
	}
	if flags.explain != "" && len(files) > 1 {
		return usagef("--explain goes with one model, %d are given", len(files))
	}
	flags.many = len(files) > 1
	printer := a.validationPrinter(flags)
	var total validation
	err = a.validateAll(ctx, files, flags, func(v *validation) error {
		total.Errors += v.Errors
		total.Warnings += v.Warnings
		total.Notes += v.Notes
		total.Fixed += v.Fixed
		total.fixedWarnings += v.fixedWarnings
		total.Unknown = append(total.Unknown, v.Unknown...)
		total.Assumed = append(total.Assumed, v.Assumed...)
		total.inferred += v.inferred
		return printer.print(v)
	})
	if finishErr := printer.finish(len(files), &total, err); err == nil {
		err = finishErr
	}
	if err == nil && (total.Errors > 0 || flags.strict && total.Warnings > total.fixedWarnings) {
		err = errFault
	}
	return err
}

// validateAll validates models in parallel. It calls done with one result at a time, in the order
// of files.
func (a *app) validateAll(ctx context.Context, files []modelFile, flags *validateFlags, done func(*validation) error) error {
	type result struct {
		*validation
		err error
	}
	results := make([]chan result, len(files))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	// limit bounds the number of results that are being computed or wait for done.
	limit := make(chan struct{}, runtime.NumCPU())
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for i, file := range files {
			select {
			case limit <- struct{}{}:
			case <-stop:
				return
			}
			go func() {
				v, err := a.validateOne(ctx, file, flags)
				results[i] <- result{v, err}
			}()
		}
	}()
	progress := newProgress(a.stderr, len(files))
	for i := range results {
		var r result
		select {
		case r = <-results[i]:
			<-limit
		case <-ctx.Done():
			// The results that are being computed are not waited for.
			progress.clear()
			return ctx.Err()
		}
		progress.clear()
		if r.err != nil {
			return r.err
		}
		if err := done(r.validation); err != nil {
			return err
		}
		if len(files) > 1 {
			if err := a.stdout.Flush(); err != nil {
				return err
			}
			progress.add()
		}
	}
	progress.clear()
	return nil
}

// ruleInfo is what --rules prints about a rule.
type ruleInfo struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Help     string `json:"help"`
}

func (a *app) printRules(format string) error {
	list := []ruleInfo{}
	for _, rule := range findingRules() {
		list = append(list, ruleInfo{rule.ID, rule.Severity.String(), rule.Summary, rule.Help})
	}
	if format == "json" {
		return a.printJSON(list)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, rule := range list {
		fprintf(w, "%s\t%s\t%s\n", rule.Rule, rule.Severity, rule.Summary)
	}
	return w.Flush()
}
