package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// addCompileFlags adds the flags of the commands that compile and run a model.
func addCompileFlags(cmd *cobra.Command, options *plugin.CompileOptions) {
	cmd.Flags().IntVar(&options.InferenceNumThreads, "threads", 0, "use `N` threads; 0 means one per processor, without slow cores unless --hint is throughput")
	cmd.Flags().BoolVar(&options.IdleAtOnce, "idle", false, "let threads without work sleep at once; inferences that follow each other are then slower")
	addExecutionMode(cmd, &options.ExecutionMode)
	addPrecision(cmd, &options.InferencePrecision)
	addKVCachePrecision(cmd, &options.KVCachePrecision)
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

// precisions and kvCachePrecisions are the values of --precision and --kv-cache-precision.
var (
	precisions        = []ir.ElementType{ir.F32, ir.BF16, ir.F16}
	kvCachePrecisions = []ir.ElementType{ir.F32, ir.BF16, ir.F16, ir.U8}
)

// addPrecision adds the flag of OpenVINO's INFERENCE_PRECISION_HINT.
func addPrecision(cmd *cobra.Command, precision *ir.ElementType) {
	cmd.Flags().Var(&precisionFlag{precision, precisions, ir.F32.String()}, "precision",
		"multiply in the type `P`: f32, bf16 or f16; f32 is used where the processor has no instructions for it")
}

// addKVCachePrecision adds the flag of OpenVINO's KV_CACHE_PRECISION.
func addKVCachePrecision(cmd *cobra.Command, precision *ir.ElementType) {
	cmd.Flags().Var(&precisionFlag{precision, kvCachePrecisions, ""}, "kv-cache-precision",
		"keep keys and values of text models in the type `P`: f32, bf16, f16 or u8; without it, as the model says, or in f32")
}

// used is the precisions that a model is computed in.
type used struct {
	Precision string `json:"precision"`
	KVCache   string `json:"kv_cache_precision,omitempty"` // if the model has keys and values
}

func usedBy(compiled *plugin.CompiledModel) used {
	u := used{Precision: compiled.InferencePrecision().String()}
	if t := compiled.KVCachePrecision(); t != ir.Dynamic {
		u.KVCache = t.String()
	}
	return u
}

func (u used) String() string {
	if u.KVCache != "" {
		return "precision " + u.Precision + ", keys and values in " + u.KVCache
	}
	return "precision " + u.Precision
}

// precisionFlag is the value of --precision or --kv-cache-precision.
type precisionFlag struct {
	value *ir.ElementType
	types []ir.ElementType
	unset string // what String returns for Dynamic
}

// String implements pflag.Value.
func (p *precisionFlag) String() string {
	if p.value == nil || *p.value == ir.Dynamic {
		return p.unset
	}
	return p.value.String()
}

// Set implements pflag.Value.
func (p *precisionFlag) Set(name string) error {
	for _, t := range p.types {
		if strings.EqualFold(name, t.String()) {
			*p.value = t
			return nil
		}
	}
	last := len(p.types) - 1
	return faults.Errorf("%q is not a precision; there are %s and %v", name, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(p.types[:last])), ", "), "[]"), p.types[last])
}

// Type implements pflag.Value.
func (p *precisionFlag) Type() string { return "precision" }

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
