package main

import (
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// opInfo is what ops prints about a layer type.
type opInfo struct {
	Op string `json:"op"` // Type-N
	// Types are the element types that the kernel computes; empty means all.
	Types []string `json:"types"`
	// Kernel is false if vinoir can infer the shapes of the layer type, but not run it.
	Kernel    bool `json:"kernel"`
	MinInputs int  `json:"min_inputs"`
	MaxInputs int  `json:"max_inputs"` // -1 if there is no maximum
}

func (a *app) opsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ops",
		Short: "Print the layer types and the element types that their kernels compute",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			list := []opInfo{}
			for _, op := range a.registry.Ops() {
				info := opInfo{Op: op.String(), Types: []string{}, Kernel: op.Prepare != nil, MinInputs: op.Inputs.Min, MaxInputs: op.Inputs.Max}
				for _, t := range op.Types {
					info.Types = append(info.Types, t.String())
				}
				list = append(list, info)
			}
			if a.json {
				return a.printJSON(list)
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, info := range list {
				types := "all"
				switch {
				case !info.Kernel:
					types = "shapes only"
				case len(info.Types) > 0:
					types = strings.Join(info.Types, " ")
				}
				fprintf(w, "%s\t%s\n", info.Op, types)
			}
			return w.Flush()
		},
	}
}
