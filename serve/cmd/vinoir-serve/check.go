package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/serve"
)

// errCheck makes the exit code exitFault. check has already printed what is wrong.
var errCheck = errors.New("not everything would be served")

// checkCommand says what a server would serve.
func checkCommand(stdout io.Writer) *cobra.Command {
	var asJSON bool
	var configPath string
	check := &cobra.Command{
		Use:   "check DIR",
		Short: "Say what a server would serve, and what is wrong with the rest",
		Long: "check loads the models in DIR, a repository, the folder of one model or a file, as a server would, and prints\n" +
			"versions, inputs, outputs and findings of the validator. The exit code is 1 if a version would not be served.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			options := serve.Options{ConfigFile: configPath}
			if len(args) > 0 {
				options.Repository = args[0]
			}
			list, err := serve.Check(cmd.Context(), options)
			if err != nil {
				return err
			}
			if asJSON {
				encoder := json.NewEncoder(stdout)
				encoder.SetIndent("", "  ")
				err = encoder.Encode(list)
			} else {
				err = printChecked(stdout, list)
			}
			for i := range list {
				if list[i].Problem != "" {
					err = errors.Join(err, errCheck)
					break
				}
			}
			return err
		},
	}
	check.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	check.Flags().StringVar(&configPath, "config-path", "", "also the models that OVMS's config.json at `FILE` lists")
	return check
}

// printChecked prints a version in some lines.
func printChecked(w io.Writer, list []serve.Checked) error {
	var text []byte
	for i := range list {
		c := &list[i]
		state := "would be served"
		if c.Problem != "" {
			state = "would not be served: " + c.Problem
		}
		text = fmt.Appendf(text, "%s %s: %s\n", c.Model, c.Version, state)
		if c.File != "" {
			text = fmt.Appendf(text, "  file %s\n", c.File)
		}
		for _, part := range []struct {
			name  string
			lines []string
		}{{"input", c.Inputs}, {"output", c.Outputs}, {"ignored", c.Warnings}, {"finding", c.Findings}} {
			for _, line := range part.lines {
				text = fmt.Appendf(text, "  %s %s\n", part.name, line)
			}
		}
	}
	_, err := w.Write(text)
	return err
}
