// Netbench measures whole networks with vinoir and with other engines, in turns on the same
// machine and with the same inputs, and prints the ratios:
//
//	go run ./internal/test/netbench [flags] CASE...
//
// A CASE is a folder with model.xml and in/<i>.npy for input i, as in the corpus, or a folder
// of such folders. The other engines are OpenVINO's CPU plugin, in the Python of the flag
// -python, which must have openvino and numpy, and with -onnxruntime ONNX Runtime, for cases
// that also have a model.onnx.
//
// In each round, every engine is measured in a separate process, so that engines do not
// influence each other. The process reads and compiles the model, infers once, then infers for
// -seconds seconds and reports the shortest time. Other programs use the machine and clock
// rates change. Therefore the engines take turns in each round, and the result is the ratio of
// the shortest times of all rounds. The spread is the smallest and the largest ratio of a
// round.
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
	"strconv"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "netbench:", err)
		}
		os.Exit(1)
	}
}

// options are the command-line options.
type options struct {
	vinoir, python string
	onnxRuntime    bool
	threads        []int
	rounds         int
	seconds        float64
	json, markdown bool
	cases          []string
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("netbench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: netbench [flags] CASE...")
		flags.PrintDefaults()
	}
	var threads string
	flags.StringVar(&o.vinoir, "vinoir", "", "the vinoir `command` to measure; it is built from ./cmd/vinoir where none is given")
	flags.StringVar(&o.python, "python", "python3", "a `python` that has openvino and numpy; \"\" measures vinoir alone")
	flags.BoolVar(&o.onnxRuntime, "onnxruntime", false, "measure ONNX Runtime too, where a case has a model.onnx")
	flags.StringVar(&threads, "threads", "1,2", "the numbers of threads, as a `list`")
	flags.IntVar(&o.rounds, "rounds", 5, "the `number` of rounds")
	flags.Float64Var(&o.seconds, "seconds", 1, "infer for so many `seconds` in each round")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.BoolVar(&o.markdown, "markdown", false, "print Markdown")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	for text := range strings.SplitSeq(threads, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-threads %s: %q is not a number of threads", threads, text)
		}
		o.threads = append(o.threads, n)
	}
	switch {
	case o.rounds < 1:
		return nil, fmt.Errorf("-rounds %d is not a positive number", o.rounds)
	case !(o.seconds >= 0 && o.seconds <= 3600):
		return nil, fmt.Errorf("-seconds %v is not a number from 0 to 3600", o.seconds)
	case o.json && o.markdown:
		return nil, errors.New("-json and -markdown exclude each other")
	case flags.NArg() == 0:
		return nil, errors.New("a CASE is needed")
	}
	var err error
	o.cases, err = findCases(flags.Args())
	return o, err
}

// findCases returns the folders with a model: those in args and their subfolders.
func findCases(args []string) ([]string, error) {
	var cases []string
	for _, arg := range args {
		for _, pattern := range []string{"model.xml", "*/model.xml"} {
			models, err := filepath.Glob(filepath.Join(arg, pattern))
			if err != nil {
				return nil, err
			}
			for _, model := range models {
				cases = append(cases, filepath.Dir(model))
			}
			if len(models) > 0 {
				break
			}
			if pattern != "model.xml" {
				return nil, fmt.Errorf("%s: there is no model.xml, nor in a folder below", arg)
			}
		}
	}
	return cases, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	engines, done, err := startEngines(ctx, o)
	if err != nil {
		return err
	}
	defer done()
	r, err := measure(ctx, o, engines, stderr)
	if err != nil {
		return err
	}
	r.Machine = thisMachine()
	switch {
	case o.json:
		return r.printJSON(stdout)
	case o.markdown:
		return r.printMarkdown(stdout)
	}
	return r.printText(stdout)
}

// measure runs all rounds. It prints its progress to progress.
func measure(ctx context.Context, o *options, engines []engine, progress io.Writer) (*report, error) {
	r := &report{Rounds: o.rounds, Seconds: o.seconds}
	for _, threads := range o.threads {
		for _, folder := range o.cases {
			row := &row{Case: filepath.Base(folder), Threads: threads, Engines: map[string]*figures{}}
			for round := range o.rounds {
				for _, e := range engines {
					if !e.can(folder) {
						continue
					}
					fmt.Fprintf(progress, "%s, %d threads, round %d of %d: %s\n", row.Case, threads, round+1, o.rounds, e.name)
					t, err := e.run(ctx, folder, threads, o.seconds)
					if err != nil {
						return nil, fmt.Errorf("%s under %s: %w", folder, e.name, err)
					}
					row.add(e.name, t)
				}
			}
			row.compare()
			r.Rows = append(r.Rows, row)
		}
	}
	r.summarise()
	return r, nil
}
