package main

import (
	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/plugin"
)

// addCompileFlags adds the flags of the commands that compile and run a model.
func addCompileFlags(cmd *cobra.Command, options *plugin.CompileOptions) {
	cmd.Flags().IntVar(&options.InferenceNumThreads, "threads", 0, "use `N` threads; 0 means one per processor")
	addExecutionMode(cmd, &options.ExecutionMode)
	addDynamicQuantization(cmd, &options.DynamicQuantizationGroupSize, 0)
}

// addDynamicQuantization adds the flag of OpenVINO's DYNAMIC_QUANTIZATION_GROUP_SIZE.
func addDynamicQuantization(cmd *cobra.Command, size *int, value int) {
	cmd.Flags().IntVar(size, "dynamic-quantization-group-size", value,
		"round `N` activations together to 8 bits before compressed weights, a multiple of 32; 0 means 32, -1 does not round")
}

// addExecutionMode adds the flag of OpenVINO's EXECUTION_MODE_HINT.
func addExecutionMode(cmd *cobra.Command, mode *plugin.ExecutionMode) {
	cmd.Flags().Var((*executionMode)(mode), "execution-mode", "compile for `performance or accuracy`")
}

// executionMode is the value of --execution-mode.
type executionMode plugin.ExecutionMode

// String implements pflag.Value.
func (m *executionMode) String() string { return plugin.ExecutionMode(*m).String() }

// Set implements pflag.Value.
func (m *executionMode) Set(name string) error {
	mode, err := plugin.ParseExecutionMode(name)
	*m = executionMode(mode)
	return err
}

// Type implements pflag.Value.
func (m *executionMode) Type() string { return "mode" }
