package plugin

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/lowbit"
	"github.com/vinoir/vinoir/ir"
)

// CompileOptions are OpenVINO's properties of a compiled model, under the same names. Zero fields
// mean the defaults.
type CompileOptions struct {
	// PerformanceHint sets NumStreams if that is 0.
	PerformanceHint PerformanceHint
	// InferenceNumThreads is the number of threads that compute parts of layers, for all
	// InferRequests of the CompiledModel together. Infer also computes on the goroutine of its
	// caller. 0 means GOMAXPROCS, but with PerformanceHintLatency no more than there are cores that
	// are at least half as fast as the fastest: on a processor with slow cores too, such as Arm's
	// big.LITTLE, a layer would wait for these.
	InferenceNumThreads int
	// NumStreams is the number of thread pools, which the InferRequests use in turn. If it is
	// InferenceNumThreads, each Infer runs on the goroutine of its caller only. 0 means that
	// PerformanceHint decides.
	NumStreams int
	// IdleAtOnce makes threads without work sleep at once. Otherwise a thread first looks for work
	// for some 200 microseconds, which makes inferences that follow each other faster. With one
	// thread for each Infer it makes no difference.
	IdleAtOnce bool
	// ExecutionMode decides between speed and accuracy.
	ExecutionMode ExecutionMode
	// InferencePrecision is the type that convolutions, products of matrices and attention of f32,
	// f16 and bf16 may round their operands to, OpenVINO's INFERENCE_PRECISION_HINT: F32, BF16 or
	// F16. Dynamic means F32. Products are added as f32, and all other layers are computed in f32.
	// It is a hint: CompiledModel.InferencePrecision returns what is used, which is F32 where the
	// processor has no instructions for the type: AVX512_BF16 for BF16, AMX-FP16 or FEAT_FP16 of
	// arm64 for F16.
	//
	// With F16, constant weights are rounded only if f16 holds them: none is beyond 65504, and the
	// largest one of each output channel is 2^-14 or more, or 0. On arm64, only products with
	// constant weights are rounded, and up to 64 products are added as f16. Activations, and such
	// sums, beyond 65504 become infinite, as IEEE 754 rounds them, also where a clamp hides that,
	// and those below 2^-14 lose digits: a model that has such numbers must be computed in F32.
	InferencePrecision ir.ElementType
	// DynamicQuantizationGroupSize is the number of neighbouring activations that are rounded to 8
	// bits together, with one scale, before they are multiplied by integer weights of 4 or 8 bits:
	// a multiple of 32 up to 1024. 0 means 32, as in OpenVINO; -1 means that activations are not
	// rounded. They are not either where a group does not divide that of the weights, with
	// ExecutionModeAccuracy, or if the processor has no instructions for products of bytes (AVX-512
	// VNNI, AVX-VNNI, FEAT_DotProd).
	DynamicQuantizationGroupSize int
	// KVCachePrecision is the type that the states that attention appends to, the keys and values
	// of a text model, are kept in, OpenVINO's KV_CACHE_PRECISION: F32, F16, BF16, or U8 with a
	// scale and an offset for each token and head. Their memory, and what a token reads of it, is
	// then a half or about a quarter. Dynamic means F32 with ExecutionModeAccuracy, otherwise what
	// the model says in rt_info/runtime_options/KV_CACHE_PRECISION, otherwise F32; OpenVINO's last
	// resort is U8. States that are not f32 in the model, or that something else reads, stay as
	// they are. State.Get and State.Set have the type of the model in any case.
	KVCachePrecision ir.ElementType
	// EnableProfiling makes InferRequests measure the time of each layer, for
	// InferRequest.ProfilingInfo.
	EnableProfiling bool
	// SimulateThreads computes everything on the goroutine of the caller, and measures in
	// ProfilingInfo how long each layer would take on InferenceNumThreads threads that are as fast
	// as this one, of which the machine may have fewer. They would share caches and memory, which
	// is not considered.
	SimulateThreads bool
	// Reshape gives inputs other shapes than the model has, as reshape.Inputs does.
	Reshape map[string]ir.PartialShape
	// ShareWeights is a model whose packed weights this one uses, and keeps its own with, as far as
	// both are packed from the same Constants in memory: for two models of one file, one of which
	// was edited. It must have been compiled for the same threads, precision and execution mode, or
	// nothing is shared. MaxKeptBytes and CompiledModel.Memory of the model that comes first count
	// what is shared, and it is kept as long as one of both is reachable.
	ShareWeights *CompiledModel
	// Disable lists optimizations to skip.
	Disable []Optimization
}

// quantizationGroup returns DynamicQuantizationGroupSize; 0 if activations must not be rounded.
func (o *CompileOptions) quantizationGroup() int {
	switch {
	case o.ExecutionMode == ExecutionModeAccuracy || o.DynamicQuantizationGroupSize < 0:
		return 0
	case o.DynamicQuantizationGroupSize == 0:
		return lowbit.SpanRows
	}
	return o.DynamicQuantizationGroupSize
}

// kvCachePrecisions are the types that KVCachePrecision can be.
var kvCachePrecisions = []ir.ElementType{ir.F32, ir.F16, ir.BF16, ir.U8}

// kvCachePrecision returns the type that the states of attention in model are kept in.
func (o *CompileOptions) kvCachePrecision(model *ir.Model) ir.ElementType {
	if o.KVCachePrecision != ir.Dynamic {
		return o.KVCachePrecision
	}
	e := model.RTInfo
	for _, name := range []string{"runtime_options", "KV_CACHE_PRECISION"} {
		if e != nil {
			e = e.SelectElement(name)
		}
	}
	if e != nil && o.ExecutionMode != ExecutionModeAccuracy {
		t, err := ir.ParseElementType(e.SelectAttrValue("value", ""))
		if err == nil && slices.Contains(kvCachePrecisions, t) {
			return t
		}
	}
	return ir.F32
}

// roundedTo returns the type that operands of products are rounded to; Dynamic if they are not.
func (o *CompileOptions) roundedTo() ir.ElementType {
	switch t := o.InferencePrecision; {
	case t == ir.BF16 && gemm.HasPairs(false), t == ir.F16 && gemm.HasPairs(true):
		return t
	}
	return ir.Dynamic
}

// disables reports whether optimization is left out: it is in o.Disable, or o.ExecutionMode
// excludes it.
func (o *CompileOptions) disables(optimization Optimization) bool {
	return slices.Contains(o.Disable, optimization) || o.ExecutionMode == ExecutionModeAccuracy && slices.Contains(inexact, optimization)
}

// PerformanceHint is the goal that a model is compiled for.
type PerformanceHint uint8

const (
	// PerformanceHintLatency gives all threads to each Infer.
	PerformanceHintLatency PerformanceHint = iota
	// PerformanceHintThroughput gives one thread to each Infer, for programs that run as
	// many InferRequests at once as there are threads.
	PerformanceHintThroughput
	// PerformanceHintCumulativeThroughput is PerformanceHintThroughput, since there is one
	// device.
	PerformanceHintCumulativeThroughput
)

// String returns the name that OpenVINO gives h.
func (h PerformanceHint) String() string {
	switch h {
	case PerformanceHintLatency:
		return "LATENCY"
	case PerformanceHintThroughput:
		return "THROUGHPUT"
	case PerformanceHintCumulativeThroughput:
		return "CUMULATIVE_THROUGHPUT"
	}
	return fmt.Sprintf("PerformanceHint(%d)", uint8(h))
}

// ParsePerformanceHint returns the PerformanceHint of the given name, in upper or lower case.
func ParsePerformanceHint(name string) (PerformanceHint, error) {
	for h := PerformanceHintLatency; h <= PerformanceHintCumulativeThroughput; h++ {
		if strings.EqualFold(name, h.String()) {
			return h, nil
		}
	}
	return 0, faults.Errorf("%q is not a performance hint; there are LATENCY, THROUGHPUT and CUMULATIVE_THROUGHPUT", name)
}

// ExecutionMode is the goal of the choice between kernels, OpenVINO's EXECUTION_MODE_HINT.
type ExecutionMode uint8

const (
	// ExecutionModePerformance allows kernels and passes whose rounding errors are larger than
	// those of the layers that the model has:
	//
	//   - Convolutions with windows of 3 by 3 may use Winograd's minimal filtering. The error of
	//     each output is then at most 2^-16 times the largest input of its window times the sum of
	//     the absolute values of its filter; for activations of networks it is about twice that of
	//     the direct sum. Inputs that are not finite, or that are much larger than others, affect
	//     only outputs whose windows cover them. internal/conv/RATIONALE.md has the rule.
	//   - MergeQuantization rounds once what the model rounds in two steps, so that a number in the
	//     middle of two levels can become the other one.
	//   - ComputeInIntegers and MultiplyInF32 round each sum of integers above 2^24, not only the
	//     last one.
	//   - MergeAffine multiplies weights by the scales before or after them.
	//   - RecogniseAttention multiplies the queries, not the scores, by the scale.
	//   - Products with compressed weights round activations, see
	//     CompileOptions.DynamicQuantizationGroupSize.
	//   - Subnormal numbers are 0 on amd64 and arm64, see NUMBERS.md. Kernels run on goroutines
	//     that are locked to their threads.
	ExecutionModePerformance ExecutionMode = iota
	// ExecutionModeAccuracy does without all of these. What remains:
	//
	//   - Layers of f16 and bf16 are still computed in f32, as OpenVINO does in this mode too.
	//     Disable ComputeInF32 to round each result to the type that the model has.
	//   - RecogniseMVN, RecogniseNormalizeL2 and RecogniseActivations remain: their kernels compute
	//     the same formulas, with fewer roundings between the steps. Layers that run in the kernel
	//     of the layer before them give the same bits.
	//   - MultiplyInF32 remains for products by constants none of whose sums is above 2^24.
	//   - Elementary functions have errors of at most 5 units in the last place, and Softmax
	//     multiplies by the rounded reciprocal of the sum, which adds one.
	ExecutionModeAccuracy
)

// String returns the name that OpenVINO gives m.
func (m ExecutionMode) String() string {
	switch m {
	case ExecutionModePerformance:
		return "PERFORMANCE"
	case ExecutionModeAccuracy:
		return "ACCURACY"
	}
	return fmt.Sprintf("ExecutionMode(%d)", uint8(m))
}

// ParseExecutionMode returns the ExecutionMode of the given name, in upper or lower case.
func ParseExecutionMode(name string) (ExecutionMode, error) {
	for _, m := range []ExecutionMode{ExecutionModePerformance, ExecutionModeAccuracy} {
		if strings.EqualFold(name, m.String()) {
			return m, nil
		}
	}
	return 0, faults.Errorf("%q is not an execution mode; there are PERFORMANCE and ACCURACY", name)
}

// inexact are the optimizations that ExecutionModeAccuracy leaves out.
var inexact = []Optimization{MergeQuantization, RecogniseAttention, MergeAffine}

// withDefaults replaces the zero values.
func (o CompileOptions) withDefaults() (CompileOptions, error) {
	switch {
	case o.InferenceNumThreads < 0:
		return o, faults.Errorf("InferenceNumThreads is %d, not 0 or more", o.InferenceNumThreads)
	case o.NumStreams < 0:
		return o, faults.Errorf("NumStreams is %d, not 0 or more", o.NumStreams)
	case o.PerformanceHint > PerformanceHintCumulativeThroughput:
		return o, faults.Errorf("%v is not a performance hint", o.PerformanceHint)
	case o.DynamicQuantizationGroupSize < -1 || o.DynamicQuantizationGroupSize > lowbit.MaxSpanGroup || o.DynamicQuantizationGroupSize%lowbit.SpanRows > 0:
		return o, faults.Errorf("DynamicQuantizationGroupSize is %d, not a multiple of %d up to %d or -1", o.DynamicQuantizationGroupSize, lowbit.SpanRows, lowbit.MaxSpanGroup)
	case !slices.Contains([]ir.ElementType{ir.Dynamic, ir.F32, ir.BF16, ir.F16}, o.InferencePrecision):
		return o, faults.Errorf("InferencePrecision is %v, none of f32, bf16, f16", o.InferencePrecision)
	case o.KVCachePrecision != ir.Dynamic && !slices.Contains(kvCachePrecisions, o.KVCachePrecision):
		return o, faults.Errorf("KVCachePrecision is %v, none of f32, f16, bf16, u8", o.KVCachePrecision)
	case o.ExecutionMode > ExecutionModeAccuracy:
		return o, faults.Errorf("%v is not an execution mode", o.ExecutionMode)
	}
	if o.InferenceNumThreads == 0 {
		o.InferenceNumThreads = runtime.GOMAXPROCS(0)
		if o.PerformanceHint == PerformanceHintLatency {
			o.InferenceNumThreads = cpu.FastThreads(o.InferenceNumThreads)
		}
	}
	if o.NumStreams == 0 {
		o.NumStreams = 1
		if o.PerformanceHint != PerformanceHintLatency {
			o.NumStreams = o.InferenceNumThreads
		}
	}
	o.NumStreams = min(o.NumStreams, o.InferenceNumThreads)
	return o, checkOptimizations(o.Disable)
}
