// Stress runs many models on many goroutines, in all the ways that the API of plugin allows, and
// compares each output, bit by bit, with the output of the same model when nothing else ran:
//
//	go run ./internal/test/stress [flags]
//
// It picks models from the corpus and runs each in a few variants: with its own inputs, with random
// inputs, and with random lengths of dynamic dims. Then goroutines compile, infer, start
// asynchronous inferences, cancel them at random times, close compiled models while others use
// them, run with small limits of memory and plans, and use requests that are busy. Each of them
// must give the same outputs as alone, the same error as alone, the error of its context, an error
// of a limit that was set, or ErrBusy.
//
// The memory in use is watched all the time. At the end, it and the number of goroutines must be
// back where they were.
//
// The seed decides which models, inputs and calls there are. It cannot decide how the goroutines
// interleave, so a failure may need several runs with its seed to occur again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "stress:", err)
		}
		os.Exit(1)
	}
}

// options are the command-line options.
type options struct {
	duration   time.Duration
	seed       uint64
	goroutines int
	models     int
	megabytes  int
	verbose    bool
	folders    []string
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("stress", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: stress [flags] [FOLDER...]")
		fmt.Fprintln(stderr, "A FOLDER has cases, folders with model.xml, at any depth. Without one, it is testdata/ir.")
		flags.PrintDefaults()
	}
	flags.DurationVar(&o.duration, "duration", time.Minute, "the `time` to run, after the models have run alone")
	flags.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "the `seed` of all choices")
	flags.IntVar(&o.goroutines, "goroutines", 32, "the `number` of goroutines")
	flags.IntVar(&o.models, "models", 60, "the `number` of models")
	flags.IntVar(&o.megabytes, "memory", 4<<10, "the largest heap, in `MiB`")
	flags.BoolVar(&o.verbose, "v", false, "print each model")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case o.goroutines < 1:
		return nil, fmt.Errorf("-goroutines %d is not 1 or more", o.goroutines)
	case o.models < 1:
		return nil, fmt.Errorf("-models %d is not 1 or more", o.models)
	}
	o.folders = flags.Args()
	if len(o.folders) == 0 {
		o.folders = []string{filepath.Join("testdata", "ir")}
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "seed %d, %d goroutines, %v\n", o.seed, o.goroutines, o.duration)
	variants, err := load(ctx, o, stdout)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d variants of models\n", len(variants))
	s := &stress{options: o, variants: variants, counts: map[string]int{}}
	s.run(ctx)
	s.print(stdout)
	if len(s.failures) > 0 {
		return fmt.Errorf("%d failures; -seed %d makes the same choices again", len(s.failures), o.seed)
	}
	return nil
}
