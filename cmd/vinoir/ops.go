package main

import (
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/ops"
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
		Use:   "ops [TYPE...]",
		Short: "Print the layer types and the element types that their kernels compute",
		Long: "ops prints the layer types and the element types that their kernels compute: all of them, or those\n" +
			"that are named, such as Softmax, for all its versions, or ScatterUpdate-3.",
		RunE: func(_ *cobra.Command, args []string) error {
			for _, arg := range args {
				if !slices.ContainsFunc(a.registry.Ops(), func(op ops.Op) bool { return isNamed(&op, arg) }) {
					return usagef("%s is no layer type: vinoir ops lists all", arg)
				}
			}
			list := []opInfo{}
			for _, op := range a.registry.Ops() {
				if len(args) > 0 && !slices.ContainsFunc(args, func(arg string) bool { return isNamed(&op, arg) }) {
					continue
				}
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

// isNamed reports whether name is the type of op, or that with its version, in any case.
func isNamed(op *ops.Op, name string) bool {
	return strings.EqualFold(name, op.String()) || strings.EqualFold(name, op.Type)
}
