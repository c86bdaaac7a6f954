package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// The exit codes. Scripts rely on them.
const (
	exitGood  = 0
	exitFault = 1 // the model or the data is at fault
	exitUsage = 2
)

// errFault makes the exit code exitFault. The command has already printed the reason.
var errFault = errors.New("the model or the data is at fault")

// usageError is an error in the command line. It makes the exit code exitUsage.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

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

// run executes the command line and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		fmt.Fprintln(stderr, "vinoir:", err)
		return exitFault
	}
	a := &app{
		stdin: stdin, stdout: bufio.NewWriter(stdout), unbuffered: stdout, stderr: stderr,
		registry: registry, core: plugin.NewCore(registry, plugin.Options{}),
	}
	root := a.command()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.stdout)
	root.SetErr(stderr)
	err = root.Execute()
	if flushErr := a.stdout.Flush(); err == nil {
		err = flushErr
	}
	var usage usageError
	switch {
	case err == nil:
		return exitGood
	case errors.Is(err, errFault):
		return exitFault
	}
	fmt.Fprintln(stderr, "vinoir:", err)
	if !a.started || errors.As(err, &usage) {
		fmt.Fprintln(stderr, "See vinoir --help.")
		return exitUsage
	}
	return exitFault
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "vinoir",
		Short:         "Validate, run and time OpenVINO IR models",
		Long:          "vinoir validates, runs and times OpenVINO IR models without OpenVINO.\n\nExit codes: 0 success, 1 a fault in the model or the data, 2 wrong usage.",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(a.stderr)
			_ = cmd.Help()
			return usagef("no command is given")
		},
		PersistentPreRun: func(*cobra.Command, []string) { a.started = true },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON")
	root.AddCommand(a.validateCommand(), a.runCommand(), a.benchmarkCommand(), a.profileCommand(), a.conformanceCommand(), a.infoCommand(), a.opsCommand())
	return root
}

// printJSON prints v on one line.
func (a *app) printJSON(v any) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.stdout, format, args...) }
