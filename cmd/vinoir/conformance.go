package main

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/onnxcases"
	"github.com/vinoir/vinoir/internal/conformance/textcases"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// conformanceReport is what conformance prints.
type conformanceReport struct {
	Passed      int                  `json:"passed"`
	Failed      int                  `json:"failed"`
	Unsupported int                  `json:"unsupported"`
	Crashed     int                  `json:"crashed"`
	Excepted    int                  `json:"excepted"`
	Cases       []conformance.Result `json:"cases"`
}

// conformanceFlags are the flags of conformance.
type conformanceFlags struct {
	filter, exceptions string
	workers, threads   int
	timeout            time.Duration
	mode               plugin.ExecutionMode
	group              int
	kvCache            ir.ElementType
}

func (a *app) conformanceCommand() *cobra.Command {
	var flags conformanceFlags
	cmd := &cobra.Command{
		Use:   "conformance DIR...",
		Short: "Run test cases and compare the outputs with the expected ones",
		Long: "conformance runs every case folder below DIR, with an IR or an ONNX model, and the cases in DIR.reshape.jsonl. It exits\n" +
			"with 1 unless all cases pass, except those in the --exceptions file, which must fail. If activations,\n" +
			"keys or values are rounded that the model does not quantise, cases are held to their rel_rms_fast.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a DIR is needed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.conformance(cmd.Context(), args, &flags) },
	}
	cmd.Flags().StringVar(&flags.filter, "filter", "", "run only the cases whose names match `RE`")
	cmd.Flags().StringVar(&flags.exceptions, "exceptions", "", "read the cases that must fail from `FILE`: a name, a tab and the reason per line")
	cmd.Flags().IntVar(&flags.workers, "workers", runtime.NumCPU(), "run `N` cases in parallel")
	cmd.Flags().IntVar(&flags.threads, "threads", 1, "use `N` threads per case")
	addExecutionMode(cmd, &flags.mode)
	addDynamicQuantization(cmd, &flags.group, -1)
	flags.kvCache = ir.F32
	addKVCachePrecision(cmd, &flags.kvCache)
	cmd.Flags().DurationVar(&flags.timeout, "timeout", time.Minute, "stop waiting for a case after `D`")
	return cmd
}

func (a *app) conformance(ctx context.Context, dirs []string, flags *conformanceFlags) error {
	if flags.threads < 0 {
		return usagef("--threads %d is negative", flags.threads)
	}
	filter, err := regexp.Compile(flags.filter)
	if err != nil {
		return usagef("--filter: %w", err)
	}
	var cases []conformance.Case
	for _, dir := range dirs {
		found, err := conformance.Find(dir, filter, textcases.Find, onnxcases.Find)
		if err != nil {
			return err
		}
		cases = append(cases, found...)
	}
	if len(cases) == 0 {
		return errors.New("no case is found")
	}
	runner, err := conformance.NewRunner(allOps()...)
	if err != nil {
		return err
	}
	runner.Threads, runner.Timeout, runner.ExecutionMode, runner.DynamicQuantizationGroupSize = flags.threads, flags.timeout, flags.mode, flags.group
	runner.KVCachePrecision = flags.kvCache
	if flags.exceptions != "" {
		if runner.Exceptions, err = conformance.ReadExceptions(flags.exceptions); err != nil {
			return err
		}
	}
	progress := newProgress(a.stderr, len(cases))
	workers := min(max(flags.workers, 1), 4*runtime.NumCPU())
	results := runner.RunAll(ctx, cases, workers, func(conformance.Result) { progress.add() })
	progress.clear()
	if err := ctx.Err(); err != nil {
		return err
	}
	report := conformanceReport{Cases: results}
	for i := range results {
		report.count(results[i].Outcome)
	}
	if a.json {
		err = a.printJSON(report)
	} else {
		report.print(a)
	}
	if err == nil && report.Passed+report.Excepted < len(results) {
		err = errFault
	}
	return err
}

func (r *conformanceReport) count(outcome conformance.Outcome) {
	switch outcome {
	case conformance.Passed:
		r.Passed++
	case conformance.Failed:
		r.Failed++
	case conformance.Unsupported:
		r.Unsupported++
	case conformance.Crashed:
		r.Crashed++
	case conformance.Excepted:
		r.Excepted++
	}
}

func (r *conformanceReport) print(a *app) {
	missing := make(map[string]int)
	for _, c := range r.Cases {
		switch c.Outcome {
		case conformance.Passed:
		case conformance.Unsupported:
			missing[c.Missing]++
		default:
			a.printf("%s %s: %s\n", c.Outcome, c.Case, c.Message)
		}
	}
	if len(missing) > 0 {
		printCounts(a, "cases of layer types that are not supported", missing)
	}
	folders := conformance.Count(r.Cases)
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		a.printf("%s: %v\n", name, folders[name])
	}
}
