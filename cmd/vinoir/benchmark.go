package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/plugin"
)

// timing is what benchmark prints. PeakRSSBytes is the peak memory of the process.
type timing struct {
	Model        string  `json:"model"`
	ReadMS       float64 `json:"read_ms"`
	CompileMS    float64 `json:"compile_ms"`
	FirstMS      float64 `json:"first_ms"`
	MinUS        float64 `json:"min_us"`
	MedianUS     float64 `json:"median_us"`
	P99US        float64 `json:"p99_us"`
	Runs         int     `json:"runs"`
	PeakRSSBytes uint64  `json:"peak_rss_bytes"`
}

// maxRuns bounds the number of runs. The buffer for their times is allocated before the first of
// them, so that the loop does not allocate.
const maxRuns = 1 << 20

// maxSeconds is a day, which fits a time.Duration.
const maxSeconds = 24 * 60 * 60

func (a *app) benchmarkCommand() *cobra.Command {
	var flags modelFlags
	var inputs inputFlags
	var options plugin.CompileOptions
	var seconds float64
	cmd := &cobra.Command{
		Use:   "benchmark MODEL.xml",
		Short: "Time reading, compiling and inferring a model",
		Args:  oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(seconds >= 0 && seconds <= maxSeconds) {
				return usagef("--seconds %v is not a number from 0 to %v", seconds, maxSeconds)
			}
			return a.benchmark(cmd.Context(), args[0], &flags, &inputs, options, time.Duration(seconds*float64(time.Second)))
		},
	}
	flags.add(cmd)
	flags.addShape(cmd)
	flags.memory.add(cmd)
	inputs.add(cmd)
	addCompileFlags(cmd, &options)
	cmd.Flags().Float64Var(&seconds, "seconds", 3, "infer for `S` seconds after the first inference, at least once")
	return cmd
}

func (a *app) benchmark(ctx context.Context, path string, flags *modelFlags, inputs *inputFlags, options plugin.CompileOptions, limit time.Duration) error {
	s, err := a.open(ctx, path, flags, inputs, options)
	if err != nil {
		return err
	}
	defer s.compiled.Close()
	started := time.Now()
	if err := s.request.Infer(ctx); err != nil {
		return err
	}
	result := timing{
		Model: nameOf(path), ReadMS: milliseconds(s.read), CompileMS: milliseconds(s.compile),
		FirstMS: milliseconds(time.Since(started)),
	}
	times := make([]time.Duration, 0, maxRuns)
	for end := time.Now().Add(limit); len(times) < maxRuns; {
		started := time.Now()
		if err := s.request.Infer(ctx); err != nil {
			return err
		}
		ended := time.Now()
		times = append(times, ended.Sub(started))
		if ended.After(end) {
			break
		}
	}
	slices.Sort(times)
	result.Runs = len(times)
	result.MinUS = microseconds(times[0])
	result.MedianUS = microseconds(times[len(times)/2])
	result.P99US = microseconds(times[(len(times)-1)*99/100])
	result.PeakRSSBytes = peakRSS()
	if a.json {
		return a.printJSON(result)
	}
	a.printf("read %.3f ms, compile %.3f ms, first inference %.3f ms\n", result.ReadMS, result.CompileMS, result.FirstMS)
	a.printf("%d inferences: min %.3f us, median %.3f us, p99 %.3f us\n", result.Runs, result.MinUS, result.MedianUS, result.P99US)
	a.printf("peak memory %.1f MiB\n", float64(result.PeakRSSBytes)/(1<<20))
	return nil
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
