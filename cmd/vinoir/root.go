package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
	"github.com/vinoir/vinoir/ops/onnxextension"
	"github.com/vinoir/vinoir/plugin"
)

// The exit codes. Scripts rely on them.
const (
	exitGood  = 0
	exitFault = 1 // the model or the data is at fault
	exitUsage = 2
	// exitInterrupted is what shells report for a program that an interrupt ended.
	exitInterrupted = 130
)

// errFault makes the exit code exitFault. The command has already printed the reason.
var errFault = errors.New("the model or the data is at fault")

// usageError is an error in the command line. It makes the exit code exitUsage.
type usageError struct{ error }

// troubleError is why a command whose exit code 1 means a difference could not compare. It makes
// the exit code exitUsage, as with diff and cmp.
type troubleError struct{ error }

func (e troubleError) Unwrap() error { return e.error }

// usagef returns a usageError with the given text.
//
// It is not inlined: the code of the command would be 9 KiB larger.
//
//go:noinline
func usagef(format string, args ...any) error { return usageError{faults.Errorf(format, args...)} }

// app holds what all commands use.
type app struct {
	stdin      io.Reader
	stdout     *bufio.Writer
	unbuffered io.Writer // what stdout writes to
	stderr     io.Writer
	registry   *plugin.Registry
	core       *plugin.Core
	json       bool
	// started is true once cobra has accepted the command line. Earlier errors are usage errors.
	started bool
}

// allOps returns the layer types that the command has: those of text and of ONNX models too.
func allOps() []ops.Op { return slices.Concat(builtin.Ops(), extension.Ops(), onnxextension.Ops()) }

// run executes the command line and returns the exit code. The end of ctx is an interrupt.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // commands read mapped constants
	defer func() {
		if r := recover(); r != nil {
			printError(stderr, faults.OfPanic("", r))
			code = exitFault
		}
	}()
	registry, err := plugin.NewRegistry(allOps()...)
	if err != nil {
		printError(stderr, err)
		return exitFault
	}
	a := &app{
		stdin: stdin, stdout: bufio.NewWriter(stdout), unbuffered: stdout, stderr: stderr,
		registry: registry, core: plugin.NewCore(registry, plugin.Options{}),
	}
	root := a.command()
	args, err = benchmarkAppArgs(args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.stdout)
	root.SetErr(stderr)
	failed := root // the command that the help is of
	if err != nil {
		failed, _, _ = root.Find([]string{"benchmark"})
	} else {
		failed, err = root.ExecuteContextC(ctx)
	}
	if flushErr := a.stdout.Flush(); err == nil {
		err = flushErr
	}
	var usage usageError
	switch {
	case err == nil:
		return exitGood
	case errors.Is(err, errFault):
		return exitFault
	case ctx.Err() != nil || errors.Is(err, errInterrupted):
		fprintf(stderr, "vinoir: interrupted\n")
		return exitInterrupted
	}
	printError(stderr, err)
	if _, ok := errors.AsType[troubleError](err); ok {
		return exitUsage
	}
	if !a.started || errors.As(err, &usage) {
		fprintf(stderr, "See %s --help.\n", failed.CommandPath())
		return exitUsage
	}
	return exitFault
}

func (a *app) command() *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:           "vinoir",
		Short:         "Validate, run and time OpenVINO IR and ONNX models",
		Long:          "vinoir validates, runs and times models without OpenVINO. A MODEL is an OpenVINO IR (MODEL.xml, with its .bin) or an ONNX\nmodel (MODEL.onnx, with the files that it names). Its first bytes tell which, not its name.\n\nExit codes: 0 success, 1 a fault in the model or the data, 2 wrong usage, 130 interrupted.",
		Args:          unknownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		// Suggestions have lines of their own, errors have one.
		DisableSuggestions: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return a.printVersion()
			}
			cmd.SetOut(a.stderr)
			_ = cmd.Help()
			return usagef("no command is given")
		},
		PersistentPreRun: func(*cobra.Command, []string) { a.started = true },
	}
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON")
	root.Flags().BoolVar(&showVersion, "version", false, "print the version, as vinoir version does")
	root.AddCommand(a.validateCommand(), a.runCommand(), a.benchmarkCommand(), a.profileCommand(), a.conformanceCommand(), a.infoCommand(), a.diffCommand(), a.opsCommand(), a.embedCommand(), a.convertCommand(), a.graphCommand(),
		a.generateCommand(), a.tokenizeCommand(), a.detokenizeCommand(), a.tokenizerCommand(), a.embeddingsCommand(), a.rerankCommand(), a.versionCommand())
	for _, cmd := range root.Commands() {
		a.addCompletions(cmd)
		for _, sub := range cmd.Commands() {
			a.addCompletions(sub)
		}
	}
	return root
}

// flagError returns the error of parsing the flags of cmd. It names similar flags, and says what a
// number should be.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		// Flags are compared as commands are.
		flags := &cobra.Command{SuggestionsMinimumDistance: 1 + len(unknown.GetSpecifiedName())/5}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			flags.AddCommand(&cobra.Command{Use: f.Name, Hidden: f.Hidden, Run: func(*cobra.Command, []string) {}})
		})
		if similar := flags.SuggestionsFor(unknown.GetSpecifiedName()); len(similar) > 0 {
			return faults.Errorf("%w: did you mean --%s?", err, strings.Join(similar, " or --"))
		}
	}
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if errors.As(err, &invalid) && errors.As(err, &number) {
		wrong := "not a whole number"
		if errors.Is(err, strconv.ErrRange) {
			wrong = "the number is too large"
		} else if number.Func == "ParseFloat" {
			wrong = "not a number"
		}
		return faults.Errorf("--%s %s: %s", invalid.GetFlag().Name, invalid.GetValue(), wrong)
	}
	return err
}

// unknownCommand returns an error with the most similar commands, unless there are no arguments.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := faults.Errorf("unknown command %q", args[0])
	root.SuggestionsMinimumDistance = 2
	if similar := root.SuggestionsFor(args[0]); len(similar) > 0 {
		err = faults.Errorf("%w: did you mean %s?", err, strings.Join(similar, " or "))
	} else if slices.Contains(modelExtensions, filepath.Ext(args[0])) {
		err = faults.Errorf("%w: a command goes before a model, such as vinoir run %s", err, args[0])
	}
	return err
}
