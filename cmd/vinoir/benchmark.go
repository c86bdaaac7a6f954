package main

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/plugin"
)

// benchmarkFlags are the flags of benchmark.
type benchmarkFlags struct {
	model       modelFlags
	inputs      inputFlags
	options     plugin.CompileOptions
	requests    int
	runs        int
	seconds     float64
	warmup      time.Duration
	percentiles string
	report      string

	seconded bool // --seconds is given
}

const (
	// maxRuns bounds the number of runs. The buffer for their times is allocated before the first
	// of them, so that the loop does not allocate.
	maxRuns = 1 << 20
	// maxSeconds is a day, which fits a time.Duration.
	maxSeconds = 24 * 60 * 60
	// maxRequests bounds the number of requests, each of which has memory of its own.
	maxRequests = 1024
	// maxPercentiles bounds the number of percentiles.
	maxPercentiles = 100
)

func (a *app) benchmarkCommand() *cobra.Command {
	var f benchmarkFlags
	cmd := &cobra.Command{
		Use:   "benchmark MODEL",
		Short: "Time reading, compiling and inferring a model",
		Long: "benchmark infers for some time, and prints the latency of an inference and how many were done\n" +
			"in a second (FPS). --hint latency gives all threads to one inference, --hint throughput runs\n" +
			"as many at the same time as there are threads. An interrupt (Ctrl-C) ends the measurement, and\n" +
			"prints what was measured until then.\n\n" +
			"These flags of OpenVINO's benchmark_app are understood too, and the long names that they have: -m,\n" +
			"-d CPU, -api, -hint, -nireq, -nstreams, -nthreads, -niter, -t, -b, -i, -shape, -data_shape, -layout,\n" +
			"-infer_precision, -latency_percentile, --mean_values, --scale_values.",
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.seconded = cmd.Flags().Changed("seconds")
			return a.benchmark(cmd.Context(), args[0], &f)
		},
	}
	f.model.add(cmd)
	f.model.addShape(cmd)
	f.model.memory.add(cmd)
	f.inputs.add(cmd)
	addCompileFlags(cmd, &f.options)
	flags := cmd.Flags()
	flags.Var((*performanceHint)(&f.options.PerformanceHint), "hint", "compile for `latency or throughput`")
	flags.IntVar(&f.options.NumStreams, "streams", 0, "infer on `N` pools of threads at the same time; 0 means as --hint says")
	flags.IntVar(&f.requests, "requests", 0, "have `N` inferences at the same time, of which one runs on each stream; 0 means one for each stream")
	flags.Float64Var(&f.seconds, "seconds", 3, "infer for `S` seconds after the first inference, at least once; ignored if only --runs is given")
	flags.IntVar(&f.runs, "runs", 0, "infer at most `N` times; 0 means any number")
	flags.DurationVar(&f.warmup, "warmup", 0, "infer for the time `D` before the measurement: 500ms, 2s")
	flags.StringVar(&f.percentiles, "percentiles", "50,90,99", "print the latencies that `P,P...` percent of the inferences do not exceed")
	flags.StringVar(&f.report, "report", "", "write the result to `F.csv or F.json` too")
	return cmd
}

// performanceHint is the value of --hint.
type performanceHint plugin.PerformanceHint

// String implements pflag.Value.
func (h *performanceHint) String() string { return plugin.PerformanceHint(*h).String() }

// Set implements pflag.Value.
func (h *performanceHint) Set(name string) error {
	hint, err := plugin.ParsePerformanceHint(name)
	*h = performanceHint(hint)
	return err
}

// Type implements pflag.Value.
func (h *performanceHint) Type() string { return "hint" }

// check checks the flags, and returns the percentiles and the bounds of the measurement.
func (f *benchmarkFlags) check() (percentiles []float64, runs int, limit time.Duration, err error) {
	switch {
	case !(f.seconds >= 0 && f.seconds <= maxSeconds):
		err = usagef("--seconds %v is not a number from 0 to %v", f.seconds, maxSeconds)
	case f.runs < 0 || f.runs > maxRuns:
		err = usagef("--runs %d is not a number from 0 to %d", f.runs, maxRuns)
	case f.requests < 0 || f.requests > maxRequests:
		err = usagef("--requests %d is not a number from 0 to %d", f.requests, maxRequests)
	case f.options.NumStreams < 0:
		err = usagef("--streams %d is negative", f.options.NumStreams)
	case f.warmup < 0 || f.warmup > maxSeconds*time.Second:
		err = usagef("--warmup %v is not a time from 0s to 24h", f.warmup)
	case f.report != "" && !slices.Contains([]string{".csv", ".json"}, filepath.Ext(f.report)):
		err = usagef("--report %s is none of F.csv, F.json", f.report)
	}
	if err != nil {
		return nil, 0, 0, err
	}
	list := strings.Split(f.percentiles, ",")
	if len(list) > maxPercentiles {
		return nil, 0, 0, usagef("--percentiles has %d numbers, at most %d are allowed", len(list), maxPercentiles)
	}
	for _, text := range list {
		p, err := strconv.ParseFloat(text, 64)
		if err != nil || !(p > 0 && p <= 100) {
			return nil, 0, 0, usagef("--percentiles %s: %q is not a number above 0, at most 100", f.percentiles, text)
		}
		percentiles = append(percentiles, p)
	}
	runs, limit = cmp.Or(f.runs, maxRuns), time.Duration(f.seconds*float64(time.Second))
	if f.runs > 0 && !f.seconded {
		limit = maxSeconds * time.Second
	}
	return percentiles, runs, limit, nil
}

// benchmark measures the model at path. If it is interrupted, it prints what it has measured.
func (a *app) benchmark(ctx context.Context, path string, f *benchmarkFlags) error {
	percentiles, runs, limit, err := f.check()
	if err != nil {
		return err
	}
	var report *target
	if f.report != "" { // an error here costs no measurement
		dir, err := os.OpenRoot(filepath.Dir(f.report))
		if err != nil {
			return faults.Errorf("--report %s: %w", f.report, err)
		}
		defer dir.Close()
		report = &target{dir: dir, name: filepath.Base(f.report)}
	}
	s, err := a.open(ctx, path, &f.model, &f.inputs, f.options)
	if err != nil {
		return err
	}
	defer s.compiled.Close()
	started := time.Now()
	if err := s.request.Infer(ctx); err != nil {
		return err
	}
	first := time.Since(started)
	result := &timing{
		Model: nameOf(path), Hint: f.options.PerformanceHint.String(), used: usedBy(s.compiled),
		Requests: cmp.Or(f.requests, s.compiled.OptimalRequests()), Streams: s.compiled.OptimalRequests(), Threads: s.compiled.Threads(),
		ReadMS: milliseconds(s.read), CompileMS: milliseconds(s.compile), FirstMS: milliseconds(first),
	}
	result.Variables = len(s.request.QueryState())
	result.Inputs = f.inputs.summaries(s)
	times, took, failed := f.measure(ctx, s, result.Requests, runs, limit)
	if failed != nil && ctx.Err() == nil && len(times) == 0 {
		result.OnlyFirst = failed.Error()
		times, took, failed = []time.Duration{first}, first, nil
	}
	if failed != nil && (ctx.Err() == nil || len(times) == 0) {
		return failed
	}
	result.set(times, took, percentiles)
	if result.Peaks, err = measureProducts(ctx, result.Threads); err != nil && failed == nil {
		return err
	}
	if report != nil {
		if err := result.report(report); err != nil {
			return faults.Errorf("--report %s: %w", f.report, err)
		}
	}
	if a.json {
		err = a.printJSON(result)
	} else {
		result.print(a)
	}
	return cmp.Or(err, failed)
}

// measure infers as f says, on as many requests, after the first inference. It returns what
// session.measureOne does.
func (f *benchmarkFlags) measure(ctx context.Context, s *session, requests, runs int, limit time.Duration) ([]time.Duration, time.Duration, error) {
	measure := s.measureOne
	if requests > 1 {
		queue, err := s.compiled.NewQueue(plugin.QueueOptions{Requests: requests})
		if err != nil {
			return nil, 0, err
		}
		defer queue.Close()
		measure = newQueueTimer(s, queue, requests).measure
		// allocates the memory of the requests
		if _, _, err := measure(ctx, requests, math.MaxInt64); err != nil {
			return nil, 0, err
		}
	}
	if f.warmup > 0 {
		if _, _, err := measure(ctx, maxRuns, f.warmup); err != nil {
			return nil, 0, err
		}
	}
	return measure(ctx, runs, limit)
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
