package main

import (
	"errors"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// validateFlags are the flags of validate.
type validateFlags struct {
	model              modelFlags
	format, color      string
	explain            string
	strict, fix, rules bool
}

func (a *app) validateCommand() *cobra.Command {
	flags := validateFlags{model: modelFlags{mmap: true}}
	cmd := &cobra.Command{
		Use:   "validate MODEL.xml|DIR...",
		Short: "Infer the shapes of every layer and report what is wrong",
		Long: "validate infers every layer and compares the result with the dims and types that\n" +
			"stand in the file. It reports every finding. Where a layer cannot be inferred, that\n" +
			"is an error; dims that are out of date are warnings, dims that say less than is\n" +
			"known are notes. Of a DIR it reads every IR below\n" +
			"it; - reads the XML from standard input.\n\n" +
			"--explain tells where the dims of a layer come from: back to the inputs of the model\n" +
			"and to the constants that pin them. --fix writes the inferred dims and types into the\n" +
			"file where it has others, and leaves everything else as it is; a model with errors is\n" +
			"not changed.\n\n" +
			"Exit codes: 0 no errors (with --strict, and no warnings that are not fixed), 1 errors,\n" +
			"2 wrong usage.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !flags.rules {
				return errors.New("a MODEL.xml is needed, or - for standard input")
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
			return a.validate(args, &flags)
		},
	}
	flags.model.add(cmd)
	flags.model.addNoBin(cmd)
	flags.model.addShape(cmd)
	cmd.Flags().StringVar(&flags.format, "format", "text", "print `text`, json or sarif")
	cmd.Flags().StringVar(&flags.color, "color", "auto", "colour text: `auto`, always or never; auto is on a terminal, unless NO_COLOR is set")
	cmd.Flags().StringVar(&flags.explain, "explain", "", "tell where the dims of `LAYER` come from: its name or id, with :N for output N alone")
	cmd.Flags().BoolVar(&flags.strict, "strict", false, "exit with 1 on warnings too")
	cmd.Flags().BoolVar(&flags.fix, "fix", false, "write the inferred dims and types into the file")
	cmd.Flags().BoolVar(&flags.rules, "rules", false, "list the rules that findings name, and exit")
	return cmd
}

// check checks the flags that need no model.
func (f *validateFlags) check() error {
	switch f.format {
	case "text", "json", "sarif":
	default:
		return usagef("--format %s is none of text, json, sarif", f.format)
	}
	switch f.color {
	case "auto", "always", "never":
	default:
		return usagef("--color %s is none of auto, always, never", f.color)
	}
	switch {
	case f.fix && len(f.model.shapes) > 0:
		return usagef("--fix writes the shapes of the model as it is, --shape gives it others")
	case f.fix && f.explain != "":
		return usagef("--fix and --explain exclude each other")
	case f.explain != "" && f.format == "sarif":
		return usagef("--explain prints text or json")
	case f.rules && f.format == "sarif":
		return usagef("--rules prints text or json")
	}
	_, err := f.model.reshape()
	return err
}

func (a *app) validate(args []string, flags *validateFlags) error {
	paths, err := findModels(args)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if path == stdinName && flags.fix {
			return usagef("--fix writes the file back, which standard input is not")
		}
	}
	if flags.model.bin != "" && len(paths) > 1 {
		return usagef("--bin goes with one model, %d are given", len(paths))
	}
	if flags.explain != "" && len(paths) > 1 {
		return usagef("--explain goes with one model, %d are given", len(paths))
	}
	printer := a.validationPrinter(flags)
	var total validation
	err = a.validateAll(paths, flags, func(v *validation) error {
		total.Errors += v.Errors
		total.Warnings += v.Warnings
		total.Notes += v.Notes
		total.Fixed += v.Fixed
		total.fixedWarnings += v.fixedWarnings
		total.Unknown = append(total.Unknown, v.Unknown...)
		total.inferred += v.inferred
		return printer.print(v)
	})
	if err == nil {
		err = printer.finish(len(paths), &total)
	}
	if err == nil && (total.Errors > 0 || flags.strict && total.Warnings > total.fixedWarnings) {
		err = errFault
	}
	return err
}

// validateAll validates several models at once and hands out the results in the
// order of paths.
func (a *app) validateAll(paths []string, flags *validateFlags, done func(*validation) error) error {
	type result struct {
		*validation
		err error
	}
	results := make([]chan result, len(paths))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	// No more models are in memory than are worked on and wait to be printed.
	limit := make(chan struct{}, runtime.NumCPU())
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for i, path := range paths {
			select {
			case limit <- struct{}{}:
			case <-stop:
				return
			}
			go func() {
				v, err := a.validateOne(path, flags)
				results[i] <- result{v, err}
			}()
		}
	}()
	progress := newProgress(a.stderr, len(paths))
	for i := range results {
		r := <-results[i]
		<-limit
		progress.clear()
		if r.err != nil {
			return r.err
		}
		if err := done(r.validation); err != nil {
			return err
		}
		if len(paths) > 1 {
			if err := a.stdout.Flush(); err != nil {
				return err
			}
			progress.add()
		}
	}
	progress.clear()
	return nil
}

// ruleInfo is what --rules prints of a rule.
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
		_, _ = w.Write([]byte(strings.Join([]string{rule.Rule, rule.Severity, rule.Summary}, "\t") + "\n"))
	}
	return w.Flush()
}
