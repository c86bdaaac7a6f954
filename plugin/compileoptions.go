package plugin

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// CompileOptions are OpenVINO's properties of a compiled model, under the same names. Zero fields
// mean the defaults.
type CompileOptions struct {
	// PerformanceHint sets NumStreams if that is 0.
	PerformanceHint PerformanceHint
	// InferenceNumThreads is the number of threads that compute parts of layers, for all
	// InferRequests of the CompiledModel together. Infer also computes on the goroutine of its
	// caller. 0 means GOMAXPROCS.
	InferenceNumThreads int
	// NumStreams is the number of thread pools, which the InferRequests use in turn. If it is
	// InferenceNumThreads, each Infer runs on the goroutine of its caller only. 0 means that
	// PerformanceHint decides.
	NumStreams int
	// EnableProfiling makes InferRequests measure the time of each layer, for
	// InferRequest.ProfilingInfo.
	EnableProfiling bool
	// Reshape gives inputs other shapes than the model has, as reshape.Inputs does.
	Reshape map[string]ir.PartialShape
	// Disable lists optimizations to skip.
	Disable []Optimization
}

// disables reports whether optimization is in o.Disable.
func (o *CompileOptions) disables(optimization Optimization) bool {
	return slices.Contains(o.Disable, optimization)
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

// withDefaults replaces the zero values.
func (o CompileOptions) withDefaults() (CompileOptions, error) {
	switch {
	case o.InferenceNumThreads < 0:
		return o, fmt.Errorf("InferenceNumThreads is %d, not 0 or more", o.InferenceNumThreads)
	case o.NumStreams < 0:
		return o, fmt.Errorf("NumStreams is %d, not 0 or more", o.NumStreams)
	case o.PerformanceHint > PerformanceHintCumulativeThroughput:
		return o, fmt.Errorf("%v is not a performance hint", o.PerformanceHint)
	}
	if o.InferenceNumThreads == 0 {
		o.InferenceNumThreads = runtime.GOMAXPROCS(0)
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
